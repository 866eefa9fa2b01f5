import './charts.css'

/**
 * The number of colours for series, which charts.css defines. The colours can be told apart in both schemes, also by
 * most colour-blind people.
 */
const seriesColors = 6

/**
 * Returns the colour of the series with this index; grey for null, which stands for the series that combines the
 * smallest ones.
 */
export const colorOf = (place: number | null): string =>
  place === null ? 'var(--svc-series-rest)' : `var(--svc-series-${place % seriesColors})`

import './charts.css'

/**
 * The number of series that have a colour (charts.css). The colours can be told apart in both schemes, also by most
 * colour-blind people.
 */
const seriesColors = 6

/** The colour of a series by its index; grey for null, the series that combines the others. */
export const colorOf = (place: number | null): string =>
  place === null ? 'var(--svc-series-rest)' : `var(--svc-series-${place % seriesColors})`

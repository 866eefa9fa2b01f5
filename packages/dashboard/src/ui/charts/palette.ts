import './charts.css'

/** How many series have a colour of their own (charts.css), told apart in both schemes and by most who do not see colours. */
const seriesColors = 6

/** The colour of a series by its place; the rest of the many is grey. */
export const colorOf = (place: number | null): string =>
  place === null ? 'var(--svc-series-rest)' : `var(--svc-series-${place % seriesColors})`

import './charts.css'

/**
 * The number of series with a colour of their own (charts.css). They differ in both schemes, also for most colour-blind
 * people.
 */
const seriesColors = 6

/** The colour of a series by its index; the others are grey. */
export const colorOf = (place: number | null): string =>
  place === null ? 'var(--svc-series-rest)' : `var(--svc-series-${place % seriesColors})`

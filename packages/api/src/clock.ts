/**
 * The header with the service's time in Unix milliseconds, in each answer to the page. The page uses this time, because
 * the clock of the browser's machine may be wrong, and a proxy may replace the header `date`.
 */
export const serviceTimeHeader = 'svc-now'

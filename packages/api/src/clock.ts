/**
 * The header with which the service names its time in each answer to the page, in Unix milliseconds. The page uses this
 * time, and never the clock of the browser's machine, which may be wrong. The header `date` is no use for this, because
 * a proxy may replace it by its own time.
 */
export const serviceTimeHeader = 'svc-now'

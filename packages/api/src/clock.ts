/**
 * The header with which the service names its time in each answer to the page, in Unix milliseconds. The page judges by
 * this time and never by the clock of the browser's machine. A proxy may replace the header `date` by its own time.
 */
export const serviceTimeHeader = 'svc-now'

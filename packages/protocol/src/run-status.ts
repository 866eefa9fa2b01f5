/** The usual statuses of a run that is not over. Agents choose the words of their statuses themselves. */
const inProgress: ReadonlySet<string> = new Set(['running', 'active', 'started', 'queued', 'pending'])

/** True if a run has this status while it is not over. */
export const isInProgress = (status: string): boolean => inProgress.has(status.toLowerCase())

/** The usual statuses of a run that is not over. Agents choose the words of their statuses themselves. */
const inProgress: ReadonlySet<string> = new Set(['running', 'active', 'started', 'queued', 'pending'])

/** The usual statuses of a run that failed, as svc itself, its reporters and its jobs write them. */
export const failedStatuses = ['failed', 'error', 'timeout', 'lost'] as const

/** True if a run has this status while it is not over. */
export const isInProgress = (status: string): boolean => inProgress.has(status.toLowerCase())

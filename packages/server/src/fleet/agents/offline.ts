import { offlineAfter, type StoppedBy } from '@svc/protocol'

/**
 * The time from which an agent counts as offline (D20), in Unix milliseconds: after three intervals without a report,
 * but at least 90 s. For an agent that was stopped on purpose it is the time of its last report, since no report
 * follows (D66).
 */
export const offlineFrom = (receivedAt: number, intervalSeconds: number, stopped: StoppedBy | null = null): number =>
  stopped !== null ? receivedAt : receivedAt + offlineAfter(intervalSeconds) * 1000

/** The days for which the states of agents are kept: levels, pauses, times offline and outages of the service. */
export const stateDays = 400

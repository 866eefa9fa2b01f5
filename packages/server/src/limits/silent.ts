import { offlineAfter, type Stop } from '@svc/protocol'

/** D20: from when on an agent counts as silent: three intervals without a report, but never before 90 s. One that was stopped is at once (D66). */
export const silentAt = (receivedAt: number, intervalSeconds: number, stopped: Stop | null = null): number =>
  stopped !== null ? receivedAt : receivedAt + offlineAfter(intervalSeconds) * 1000

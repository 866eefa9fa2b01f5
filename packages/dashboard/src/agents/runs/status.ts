/**
 * The colours for the usual statuses of runs, so that a list of runs can be read at a glance. Agents choose the words
 * of their statuses themselves.
 */
import { failedStatuses, isInProgress } from '@svc/protocol'

const tones: Readonly<Record<string, string>> = {
  ...Object.fromEntries(failedStatuses.map((status) => [status, 'no'])),
  ok: 'good',
  done: 'good',
  success: 'good',
  succeeded: 'good',
  completed: 'good',
  finished: 'good',
  failure: 'no',
  crashed: 'no',
  cancelled: 'lost',
  canceled: 'lost',
  aborted: 'lost',
  stopped: 'lost',
  skipped: 'lost',
}

export const toneOf = (status: string): string =>
  isInProgress(status) ? 'waiting' : (tones[status.toLowerCase()] ?? 'plain')

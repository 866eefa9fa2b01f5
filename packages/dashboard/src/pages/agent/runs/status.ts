/**
 * The colours for the usual statuses of runs, so that a list of runs can be read at a glance. Agents choose the words
 * of their statuses themselves.
 */
import { isInProgress } from '@svc/protocol'

const tones: Readonly<Record<string, string>> = {
  ok: 'good',
  done: 'good',
  success: 'good',
  succeeded: 'good',
  completed: 'good',
  finished: 'good',
  failed: 'no',
  error: 'no',
  failure: 'no',
  crashed: 'no',
  timeout: 'no',
  cancelled: 'lost',
  canceled: 'lost',
  aborted: 'lost',
  stopped: 'lost',
  lost: 'no',
  skipped: 'lost',
}

export const toneOf = (status: string): string =>
  isInProgress(status) ? 'waiting' : (tones[status.toLowerCase()] ?? 'plain')

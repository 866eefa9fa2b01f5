/**
 * The colours for the usual statuses of runs, so that runs can be read at a glance. Agents choose the words of their
 * statuses themselves.
 */
import { failedStatuses, isInProgress } from '@svc/protocol'
import type { BarTone } from '../../ui/charts/RunBars.tsx'

const tones: Readonly<Record<string, BarTone>> = {
  ...Object.fromEntries(failedStatuses.map((status) => [status, 'no' as const])),
  ok: 'good',
  done: 'good',
  success: 'good',
  succeeded: 'good',
  completed: 'good',
  finished: 'good',
  failure: 'no',
  crashed: 'no',
  died: 'no',
  cancelled: 'lost',
  canceled: 'lost',
  aborted: 'lost',
  stopped: 'lost',
  skipped: 'lost',
}

/** The tone of a run with this status. An unknown status has a plain tone. */
export const runTone = (status: string): BarTone => {
  const word = status.toLowerCase()
  return isInProgress(status) ? 'waiting' : Object.hasOwn(tones, word) ? (tones[word] ?? 'plain') : 'plain'
}

/**
 * Describes for the terminal what a requested update of an agent waits for. The page shows the same with times that
 * keep counting.
 */
import type { Standing, WaitsFor } from '@svc/api'
import { line, moment } from './show.ts'

/**
 * The state of a requested update, and on a line below what it waits for, unless that is only the next report. Empty if
 * no update is requested.
 */
export const wishText = (update: Standing | null): string =>
  [line(update?.says ?? ''), ...(update?.waits ? [wordsOf(update.waits)] : [])].join('\n    ')

function wordsOf(waits: WaitsFor): string {
  switch (waits.for) {
    case 'first_report':
      return 'It has never reported. The request is sent in the answer to its first report.'
    case 'silent':
      return `It is offline, and last reported ${moment(waits.since)}.`
    case 'node':
      return 'It has reported since, to a service process that was shutting down. The next report gets the request.'
    case 'trials':
      return `It is waiting for its turn: its rollout tests at most ${waits.most} runtimes of this workspace at a time (now ${waits.now}).`
    case 'window':
      return `It watches its last update until ${moment(waits.until)} at the earliest.`
    case 'runtime_trial':
      return 'Its runtime is being tested. The update starts after that.'
    case 'blueprint_trial':
      return 'It is testing a blueprint version. The update starts after that.'
    case 'fetch':
      return 'It has reported since the request was sent, but has not started. It may be busy, or unable to reach the download.'
  }
}

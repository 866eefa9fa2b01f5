/** What a wish that stands waits for, in the words of a terminal; the page has it with times that run along. */
import type { Standing, WaitsFor } from '@svc/api'
import { line, moment } from './show.ts'

/** The state of a wish, and on a line below what it waits for, where that is more than the next report. */
export const wishText = (update: Standing | null): string =>
  [line(update?.says ?? ''), ...(update?.waits ? [wordsOf(update.waits)] : [])].join('\n    ')

function wordsOf(waits: WaitsFor): string {
  switch (waits.for) {
    case 'first_report':
      return 'It has never reported: it is told with the answer to its first report.'
    case 'silent':
      return `It is offline, and last reported ${moment(waits.since)}.`
    case 'node':
      return 'It has reported since, to a part of the service that was about to stop. The next one tells it.'
    case 'trials':
      return `It waits for its turn: its rollout starts a trial while fewer than ${waits.most} runtimes of this workspace are on trial (now ${waits.now}).`
    case 'window':
      return `It watches the version that it took last, until ${moment(waits.until)} at the earliest.`
    case 'runtime_trial':
      return 'Its runtime is on trial: it begins after that.'
    case 'blueprint_trial':
      return 'It is trying a version of its blueprint: it begins after that.'
    case 'fetch':
      return 'It has reported since it was told, and has not begun: it may be busy, or may not reach the download.'
  }
}

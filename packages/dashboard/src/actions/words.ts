/** Pure functions and tables that put actions and their outcomes into words. */
import type { ActionPreview, ActionRow, ActionState, ActionType, neverReported } from '@svc/api'

type OutcomeTone = 'waiting' | 'told' | 'good' | 'no' | 'lost' | 'plain'

const number = (n: number): string => n.toLocaleString('en-US')
const agents = (n: number): string => `${number(n)} ${n === 1 ? 'agent' : 'agents'}`

const typeWords: Readonly<Record<ActionType, string>> = {
  pause: 'Pause',
  resume: 'Resume',
  run_now: 'Run now',
  set: 'Change settings',
  log: 'Request a log',
  lift: 'Lift holds',
  delete: 'Delete',
}

/** The words for each state, in the order of bars and filters: outcomes, then commands under way, then those not sent. */
export const outcomeWords: Readonly<Record<ActionState, { word: string; tone: OutcomeTone; means: string }>> = {
  applied: { word: 'applied', tone: 'good', means: 'The agent carried it out.' },
  refused: { word: 'refused', tone: 'no', means: 'The agent refused it.' },
  failed: { word: 'failed', tone: 'lost', means: 'No answer came in time, or the agent no longer offers it.' },
  expired: { word: 'expired', tone: 'lost', means: 'It was never delivered, because no report came in ten minutes.' },
  sent: { word: 'sent', tone: 'told', means: 'It was delivered; the agent has not answered yet.' },
  waiting: { word: 'waiting', tone: 'told', means: 'It will be delivered with the next report.' },
  skipped: { word: 'skipped', tone: 'plain', means: 'Nothing was sent.' },
  cancelled: { word: 'cancelled', tone: 'plain', means: 'Somebody cancelled it before it was delivered.' },
}

const total = (counts: ActionRow['counts']): number => Object.values(counts).reduce((sum, count) => sum + count, 0)

export const titleOf = ({ type, counts }: Pick<ActionRow, 'type' | 'counts'>): string =>
  `${typeWords[type]}: ${agents(total(counts))}`

/** The service's sentence: the compiler compares them. */
const withoutReport: typeof neverReported = 'The agent has never reported.'

/** The reason for which most agents are skipped comes first: `38 of 40: 2 do not offer Pause`. */
export function previewWords(type: ActionType, { sends, skips }: ActionPreview): string | null {
  if (skips.length === 0) return null
  const never = skips.filter(({ message }) => message === withoutReport).length
  const others = skips.length - never
  const control = type === 'pause' || type === 'resume' || type === 'run_now'
  const parts = [
    others > 0 &&
      (control
        ? `${number(others)} ${others === 1 ? 'does' : 'do'} not offer ${typeWords[type]}`
        : `${number(others)} cannot get it`),
    never > 0 && `${number(never)} never reported`,
  ].filter((part) => part !== false)
  return `${number(sends)} of ${number(sends + skips.length)}: ${parts.join(', ')}`
}

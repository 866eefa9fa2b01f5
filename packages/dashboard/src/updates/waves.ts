/** Pure functions for the waves of a rollout in words, and for the buttons with which a person steers it. */
import type { RolloutAgentState, RolloutPage, RolloutSeen } from '@svc/api'
import { count } from '../ui/time/format.ts'
import { rolloutAgentWords } from './parts/looks.ts'

/** The order in which a wave shows the states of its agents: states with an outcome come first. */
export const stateOrder = [
  ...(['kept', 'excused', 'withdrawn', 'worse', 'rolled_back', 'failed'] as const),
  ...(['trying', 'offered', 'wished', 'untouched'] as const),
] as const satisfies readonly RolloutAgentState[]

type WaveFacts = Pick<RolloutPage, 'state' | 'wave' | 'waves' | 'nextAt' | 'actions' | 'counts'>

/** True if all agents have an outcome, and the service only watches the last wave. */
const isLastWatched = ({ state, wave, waves, counts }: WaveFacts): boolean =>
  state === 'running' && wave === waves && counts.untouched + counts.wished + counts.offered + counts.trying === 0

/** The state of a wave in words, by its number from 1. */
export function waveWord(page: WaveFacts, number: number): string {
  const { state, wave, nextAt, actions } = page
  const over = state === 'done' || (state === 'halted' && !actions.continue.ok)
  if (number < wave || over) return 'done'
  if (number > wave) return state === 'cancelled' ? 'not reached' : state === 'halted' ? 'waits' : 'up next'
  const now = { halted: 'halted', paused: 'paused', cancelled: 'cancelled', waiting: 'done', done: 'done' } as const
  return state === 'running' ? (nextAt === null && !isLastWatched(page) ? 'in progress' : 'being watched') : now[state]
}

/** A sentence about a wave: its agents by state. */
export function waveText(page: WaveFacts, number: number, counts: RolloutPage['steps'][number]['counts']): string {
  const parts = stateOrder.flatMap((state) => {
    const n = counts[state] ?? 0
    return n === 0 ? [] : [`${n.toLocaleString('en-US')} ${rolloutAgentWords[state].word}`]
  })
  return `Wave ${number}, ${waveWord(page, number)}: ${parts.length === 0 ? 'no agents' : parts.join(', ')}.`
}

/** A button on the page of a rollout. */
export interface RolloutButton {
  readonly act: 'pause' | 'continue' | 'cancel'
  readonly label: string
  /** A sentence about what a press does, shown next to the button. */
  readonly says: string
  /** True for the button that the page recommends. No such button starts the next wave early or after a failure. */
  readonly primary: boolean
  /** True if the press is confirmed in a dialog. */
  readonly asks: boolean
}

/** The buttons for a rollout in its present state, the recommended one first. */
export function rolloutButtonsOf(page: RolloutPage): RolloutButton[] {
  const { state, wave, waves, why, version, stays } = page
  const cancel = (primary: boolean): RolloutButton => ({
    act: 'cancel',
    label: 'Cancel rollout…',
    says: stays,
    primary,
    asks: true,
  })
  const pause = (primary: boolean): RolloutButton => ({
    act: 'pause',
    label: 'Pause',
    says: 'No further agents get the version until you continue. Those that have it keep it.',
    primary,
    asks: false,
  })
  const next = (label: string, says: string, primary: boolean): RolloutButton[] =>
    wave < waves ? [{ act: 'continue', label, says, primary, asks: !primary }] : []
  const reached = `The agents of wave ${wave + 1} get ${version}.`
  switch (state) {
    case 'running':
      // A pause would have no effect: no agent is left that could get the version.
      if (isLastWatched(page)) return [cancel(false)]
      return [pause(true), ...next(`Start wave ${wave + 1} now…`, skipped(page), false), cancel(false)]
    case 'waiting':
      return why === null
        ? [
            ...next(`Start wave ${wave + 1}`, `The watch of wave ${wave} is over. ${reached}`, true),
            pause(false),
            cancel(false),
          ]
        : [pause(true), ...next(`Start wave ${wave + 1} anyway…`, `${why} ${reached}`, false), cancel(false)]
    case 'paused':
      return [
        { act: 'continue', label: 'Continue', says: `Goes on with wave ${wave}.`, primary: true, asks: false },
        cancel(false),
      ]
    case 'halted':
      if (!page.actions.continue.ok)
        return [{ act: 'cancel', label: 'End rollout', says: stays, primary: true, asks: false }]
      return [
        cancel(true),
        { act: 'continue', label: 'Continue anyway…', says: forgivenText(page), primary: false, asks: true },
      ]
    default:
      return []
  }
}

/** Says how a rollout has changed since the dialog was opened (`seen`); undefined if it has not. */
export function changedText(seen: RolloutSeen, { state, wave, waves, changedAt }: RolloutPage): string | undefined {
  if (seen.state !== state || seen.wave !== wave)
    return `The rollout has changed: it was ${seen.state} in wave ${seen.wave}, and is now ${state} in wave ${wave} of ${waves}. Close this and look again.`
  return state === 'halted' && seen.changedAt !== changedAt
    ? 'The rollout has halted again, for another reason. Close this and look again.'
    : undefined
}

/** A sentence about what an early start of the next wave skips. */
function skipped({ wave, nextAt, counts }: RolloutPage): string {
  if (nextAt !== null)
    return `Skips the rest of the watch of wave ${wave}: what goes wrong there later reaches more agents.`
  const open = counts.wished + counts.offered + counts.trying
  const whom = open === 0 ? '' : ` and does not wait for ${count(open, 'agent')} without an outcome`
  return `Skips the watch of wave ${wave}${whom}.`
}

function forgivenText({ counts, version }: RolloutPage): string {
  const bad = counts.rolled_back + counts.failed + counts.worse
  return `${bad === 1 ? 'The failure' : `The ${bad.toLocaleString('en-US')} failures`} so far no longer ${bad === 1 ? 'counts' : 'count'}, and further agents get ${version}.`
}

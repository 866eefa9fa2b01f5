/** The actions on a rollout, and the sentences about it: what it waits for, why it halted, how it ended. Pure. */
import type {
  PressVerdict,
  RolloutAgent,
  RolloutAgentState,
  RolloutPage,
  RolloutRow,
  RolloutState,
  WaitReason,
  WishState,
} from '@svc/api'
import { durationText } from '@svc/api/words'
import { readAttemptText } from '@svc/protocol'
import type { RolloutDbRow } from '../../platform/db/tables.ts'
import { isRolloutInProgress, unfinishedStates } from '../../updates/rollouts/states.ts'
import { nothingLeftText, nothingWaitsText, tooOldText } from '../../updates/rollouts/store.ts'

/**
 * The reason of a halt in words. A reason in the format of the svc runtime begins with versions and a time, which the
 * page shows elsewhere.
 */
export function haltInWords(why: string | null): string | null {
  const halt = /^(On .+? (?:was rolled back|failed|made it worse): )(.*)$/s.exec(why ?? '')
  return halt === null ? why : `${halt[1]}${readAttemptText(halt[2] ?? '')?.reason ?? halt[2]}`
}

type AgentCounts = RolloutRow['counts']
const openOf = ({ wished, offered, trying }: AgentCounts): number => wished + offered + trying
const isLeft = (counts: AgentCounts): boolean => counts.untouched + openOf(counts) > 0

/** Says whether agents whose last update is still watched can start this update now, and why not. */
export function watchingNow({ state }: RolloutDbRow, { agents, tooOld }: RolloutPage['watching']): PressVerdict {
  const no = (message: string): PressVerdict => ({ ok: false, code: 'rollout_not_running', message })
  if (!isRolloutInProgress(state)) return no(`The rollout is ${state}.`)
  if (agents > 0) return { ok: true }
  return no(tooOld > 0 ? tooOldText : nothingWaitsText)
}

/** Says for each action on a rollout whether it is possible now, and why not. */
export function rolloutActions(
  { state, wave, waves }: RolloutDbRow,
  counts: AgentCounts,
): Omit<RolloutPage['actions'], 'now'> {
  const over: PressVerdict = { ok: false, code: 'rollout_over', message: `The rollout is already ${state}.` }
  if (!unfinishedStates.includes(state)) return { pause: over, continue: over, cancel: over }
  const yes: PressVerdict = { ok: true }
  const no = (message: string): PressVerdict => ({ ok: false, code: 'rollout_not_running', message })
  const isLast = wave === (JSON.parse(waves) as string[]).length
  const goesOn = isRolloutInProgress(state)
  return {
    pause: goesOn ? yes : no(`The rollout is already ${state}.`),
    continue:
      goesOn && isLast
        ? no('The last wave is in progress.')
        : state === 'halted' && !isLeft(counts)
          ? no(nothingLeftText)
          : yes,
    cancel: yes,
  }
}

/** A sentence about the rollout: what it waits for, what happens next, or how it ended. */
export function rolloutSentence(
  row: RolloutDbRow,
  { agents, counts }: Pick<RolloutPage, 'agents' | 'counts'>,
  now: number,
): string {
  const waves = (JSON.parse(row.waves) as string[]).length
  const words: Record<RolloutState, () => string> = {
    running: () => runningSays(row, agents, now, waves),
    waiting: () =>
      `${row.why ?? `Wave ${row.wave} of ${waves} is complete.`} The next wave starts when you approve it.`,
    paused: () => 'Paused: no further agents get the version until someone continues the rollout.',
    halted: () =>
      `${stopped(haltInWords(row.why))} The rollout halted by itself. ${isLeft(counts) ? 'No further agents get the version until you continue.' : 'All of its agents have an outcome: nothing is left to continue.'}`.trim(),
    done: () => doneSays(agents),
    cancelled: () => `Cancelled. ${row.why ?? ''}`.trim(),
  }
  return words[row.state]()
}

/** Adds a full stop to a reason that ends without one, as reasons in an agent's words may. */
const stopped = (why: string | null): string => (why === null || /[.!?…]$/.test(why) ? (why ?? '') : `${why}.`)

function runningSays(row: RolloutDbRow, agents: readonly RolloutAgent[], now: number, waves: number): string {
  const wave = `Wave ${row.wave} of ${waves}`
  if (row.wave_kept_at !== null) {
    const next = row.by_hand === 1 ? 'then you approve the next wave' : 'then the next wave starts'
    const after = row.wave < waves ? next : 'then the rollout is done'
    return `${wave} is complete and is watched for ${durationText(row.watch_seconds)}, ${after}.`
  }
  const reached = agents.filter((agent) => agent.wave > 0 && agent.wave <= row.wave)
  const untouched = reached.filter(({ state }) => state === 'untouched').length
  if (untouched > 0 && untouched < reached.length) {
    const [asked, all] = [reached.length - untouched, reached.length].map((n) => n.toLocaleString('en-US'))
    return `${wave} is starting: ${asked} of ${all} agents have the request.`
  }
  const open = agents.filter(({ state }) => state === 'wished' || state === 'offered' || state === 'trying')
  const silent = open.filter((agent) => agent.silentAt === null || agent.silentAt <= now)
  if (open.length === 0) return `${wave} is starting.`
  const more = silent.length > 0 ? `, ${silent.length} of them offline` : ''
  return `${wave} is waiting for ${open.length === 1 ? (open[0]?.agent ?? '') : `${open.length} agents`}${more}.`
}

function doneSays(agents: readonly RolloutAgent[]): string {
  const open = agents.filter(({ state }) => state === 'wished' || state === 'offered' || state === 'trying').length
  const kept = agents.filter(({ state }) => state === 'kept').length
  const rest =
    open > 0
      ? ` ${open === 1 ? 'One offline agent gets the request when it reports' : `${open} offline agents get the request when they report`} again.`
      : ''
  return `Done: ${kept} ${kept === 1 ? 'agent runs' : 'agents run'} the version.${rest}`
}

/** A sentence that says what a cancellation of the rollout means, or meant, for its agents. */
export function keptSentence({ version, state }: RolloutDbRow, counts: Record<RolloutAgentState, number>): string {
  const open = openOf(counts)
  const agents = (n: number) => `${n} ${n === 1 ? 'agent' : 'agents'}`
  const runs = counts.kept + counts.worse
  const over = state === 'cancelled'
  const parts = [
    runs > 0 && `${agents(runs)} ${runs === 1 ? `runs ${version} and keeps it` : `run ${version} and keep it`}`,
    open > 0 && `the request stays in place for ${agents(open)}`,
    counts.untouched > 0 &&
      `${agents(counts.untouched)} ${counts.untouched === 1 ? (over ? 'was' : 'is') : over ? 'were' : 'are'} not affected`,
  ].filter((part) => part !== false)
  if (parts.length === 0) return 'No agent is affected.'
  const all = parts.join(', ')
  return `${all[0]?.toUpperCase()}${all.slice(1)}.`
}

// Says what an agent of a rollout waits for while it has no outcome. Pure.

interface WaitingMember {
  state: RolloutAgentState
  /** The state of the agent's wish, and what the wish waits for (wishes/waits.ts). */
  wish: WishState
  waits: WaitReason | null
}

/** Says what an agent of a rollout waits for; null if it waits for nothing. */
export function memberWaits(rollout: RolloutState, { state, wish, waits }: WaitingMember): WaitReason | null {
  if (state === 'untouched') return untouchedWaits[rollout]
  return state === 'wished' ? wishedWaits[wish](waits) : null
}

const untouchedWaits: Readonly<Record<RolloutState, WaitReason | null>> = {
  running: { for: 'wave' },
  waiting: { for: 'approval' },
  paused: { for: 'hold', by: 'rollout' },
  halted: { for: 'hold', by: 'rollout' },
  done: null,
  cancelled: null,
}

const waitsForReport = (waits: WaitReason | null): WaitReason => waits ?? { for: 'report' }
const noWait = () => null

/** The waits by the state of the wish. An agent with an ended wish waits for nothing; the rollout judges it next. */
const wishedWaits: Readonly<Record<WishState, (waits: WaitReason | null) => WaitReason | null>> = {
  queued: waitsForReport,
  waiting: waitsForReport,
  offered: waitsForReport,
  trying: waitsForReport,
  failed: () => ({ for: 'fetch' }), // the download failed while the service was down and is tried again (judge.ts)
  held: () => ({ for: 'hold', by: 'machine' }),
  none: noWait,
  kept: noWait,
  rolled_back: noWait,
}

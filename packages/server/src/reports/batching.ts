/**
 * When the next batch of reports begins, and which reports are in it. Pure: batch.ts keeps the reports, the timer and the store.
 * A batch waits a moment for company. On kept connections reports arrive together, so it waits no longer once as many have come
 * as last time. Clients that connect for each report come one by one, however many they are, and each costs more: only
 * waiting longer shows how many.
 */
import type { Submission } from '../report-store/rows.ts'

/** The next batch, and what is known of those before it. */
export interface Batching {
  /** `lingers`: a timer runs. `starts`: the batch begins in a later turn of the event loop. */
  readonly is: 'rests' | 'lingers' | 'starts'
  /** Batches that are being stored. */
  readonly running: number
  /** Reports in the last one. */
  readonly lastSize: number
  /** The last one ended for its bytes or runs: those that it left do not wait for company. */
  readonly filled: boolean
  /** Some of those that wait came on a connection of their own. */
  readonly oneByOne: boolean
}
/** `waiting`: reports that wait at that moment. */
export type BatchingEvent =
  /** A report came. `kept`: its connection goes on after the answer. */
  | { readonly is: 'came'; readonly waiting: number; readonly kept: boolean }
  /** The wait is over. */
  | { readonly is: 'due' }
  /** The turn of the event loop has come, and so many reports are taken; none when the agents of all have one in a batch. */
  | { readonly is: 'began'; readonly size: number; readonly filled: boolean }
  /** A batch is answered. */
  | { readonly is: 'ended'; readonly waiting: number }
type BatchingAct =
  /** Answered by `due`; in place of an earlier wait. */
  | { readonly do: 'wait'; readonly ms: number }
  /** Begins the batch in a later turn, and ends the wait. Answered by `began`. */
  | { readonly do: 'start' }

interface BatchingRules {
  /** Batches at the same time. */
  readonly parallel: number
  /**
   * Milliseconds that the first report of a batch waits for others: on a kept connection, on one of its own, and beside a batch
   * that is being stored, which it follows unless that one takes long: few large batches cost less than many small ones.
   */
  readonly linger: { readonly kept: number; readonly own: number; readonly beside: number }
  readonly max: BatchLimits
}
/**
 * A batch ends at any of these, so that the turn in which it is stored stays short whatever the reports hold. One report that is
 * larger than that is a batch of its own.
 */
interface BatchLimits {
  readonly reports: number
  readonly bytes: number
  readonly runs: number
}
interface BatchingStep {
  readonly state: Batching
  readonly act: BatchingAct | undefined
}

export const rulesOf = (parallel: number): BatchingRules => ({
  parallel,
  linger: { kept: 1, own: 2, beside: 5 },
  max: { reports: 128, bytes: 512 * 1024, runs: 1000 },
})

export const begin: Batching = { is: 'rests', running: 0, lastSize: 1, filled: false, oneByOne: false }
const start: BatchingAct = { do: 'start' }

export function step(now: Batching, event: BatchingEvent, rules: BatchingRules): BatchingStep {
  switch (event.is) {
    case 'came':
      return schedule(event.kept || now.oneByOne ? now : { ...now, oneByOne: true }, event.waiting, rules)
    case 'due':
      return { state: { ...now, is: 'starts' }, act: start }
    case 'began': {
      const { size, filled } = event
      const begun = { ...now, is: 'rests', filled, oneByOne: false } as const
      const state = size === 0 ? begun : { ...begun, running: now.running + 1, lastSize: size }
      return { state, act: undefined }
    }
    case 'ended': {
      const is = now.is === 'lingers' ? 'rests' : now.is // the wait begins again
      return schedule({ ...now, is, running: now.running - 1 }, event.waiting, rules)
    }
  }
}

function schedule(now: Batching, waiting: number, { parallel, linger, max }: BatchingRules): BatchingStep {
  const { is, running, lastSize, filled, oneByOne } = now
  if (waiting === 0 || running >= parallel || is === 'starts') return { state: now, act: undefined }
  const asManyAsLast = lastSize > 1 && waiting >= lastSize && !oneByOne && running === 0
  if (filled || waiting >= max.reports || asManyAsLast) return { state: { ...now, is: 'starts' }, act: start }
  if (is === 'lingers') return { state: now, act: undefined }
  const ms = running > 0 ? linger.beside : oneByOne ? linger.own : linger.kept
  return { state: { ...now, is: 'lingers' }, act: { do: 'wait', ms } }
}

/** One report that waits. */
export interface Waiting {
  readonly submission: Submission
  readonly bytes: number
  /** It takes so long to store that it is a batch of its own. */
  readonly alone: boolean
}
interface Batch<One> {
  readonly batch: One[]
  /** Their agents. */
  readonly agents: ReadonlySet<string>
  readonly left: One[]
  readonly filled: boolean
}

/** The next batch: in order of arrival, one report an agent, and none of an agent that is `busy`; the others wait for the next. */
export function nextBatch<One extends Waiting>(
  waiting: readonly One[],
  busy: (agentId: string) => boolean,
  max: BatchLimits,
): Batch<One> {
  const batch: One[] = []
  const left: One[] = []
  const agents = new Set<string>()
  let [bytes, runs, filled] = [0, 0, false]
  for (const one of waiting) {
    const { agentId, report } = one.submission
    if (filled || batch.length >= max.reports || busy(agentId) || agents.has(agentId)) {
      left.push(one)
      continue
    }
    bytes += one.bytes
    runs += report.runs?.length ?? 0
    const [first] = batch
    filled = first !== undefined && (bytes > max.bytes || runs > max.runs || one.alone || first.alone)
    if (filled) left.push(one)
    else {
      agents.add(agentId)
      batch.push(one)
    }
  }
  return { batch, agents, left, filled }
}

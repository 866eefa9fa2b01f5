/**
 * Decides when the next batch of reports starts, and which reports are in it. Pure: batch.ts keeps the reports, the
 * timer and the store. A batch starts when as many reports have arrived as the last batch had, or after a moment.
 * Reports on connections that close after the answer arrive one by one, so a batch with such a report waits longer.
 */
import type { Submission } from '../report-store/rows.ts'

/** The state of the next batch, and the facts about earlier ones. */
export interface BatchState {
  /**
   * The state of the next batch: `lingers` while a timer runs, `starts` once it will start in a later turn of the event
   * loop, `rests` otherwise.
   */
  readonly is: 'rests' | 'lingers' | 'starts'
  /** The number of batches that are being stored now. */
  readonly running: number
  /** The number of reports in the last batch. */
  readonly lastSize: number
  /**
   * True if the last batch left reports behind because of its limit of bytes or runs, or because a report must be
   * stored alone. The next batch then does not wait for more reports.
   */
  readonly filled: boolean
  /** True if at least one of the waiting reports came on a connection that ends after the answer. */
  readonly oneByOne: boolean
}
/** The events of batching. In `came` and `ended`, `waiting` is the number of reports that wait at that moment. */
export type BatchingEvent =
  /** A report arrived. `kept`: its connection stays open after the answer. */
  | { readonly is: 'came'; readonly waiting: number; readonly kept: boolean }
  /** The timer of the act `wait` fired. */
  | { readonly is: 'due' }
  /**
   * A batch starts with `size` reports. `size` is 0 if every waiting report is from an agent that has another report in
   * a running batch.
   */
  | { readonly is: 'began'; readonly size: number; readonly filled: boolean }
  /** A batch has been answered. */
  | { readonly is: 'ended'; readonly waiting: number }
type BatchingAct =
  /** Starts a timer, in place of an earlier one; the event `due` follows. */
  | { readonly do: 'wait'; readonly ms: number }
  /** Stops the timer and starts the batch in a later turn of the event loop; the event `began` follows. */
  | { readonly do: 'start' }

interface BatchingRules {
  /** The maximum number of batches that are stored at the same time. */
  readonly parallel: number
  /**
   * The milliseconds for which a batch waits for more reports: `beside` while another batch is being stored, else `own`
   * if the connection of a waiting report ends after the answer, else `kept`.
   */
  readonly linger: { readonly kept: number; readonly own: number; readonly beside: number }
  readonly max: BatchLimits
}
/**
 * A batch ends at any of these limits, so that the turn that stores it stays short. A report larger than a limit gets a
 * batch of its own.
 */
interface BatchLimits {
  readonly reports: number
  readonly bytes: number
  readonly runs: number
}
interface BatchingStep {
  readonly state: BatchState
  readonly act: BatchingAct | undefined
}

export const batchingRulesOf = (parallel: number): BatchingRules => ({
  parallel,
  linger: { kept: 1, own: 2, beside: 5 },
  max: { reports: 128, bytes: 512 * 1024, runs: 1000 },
})

export const initialBatchState: BatchState = { is: 'rests', running: 0, lastSize: 1, filled: false, oneByOne: false }
const start: BatchingAct = { do: 'start' }

export function step(current: BatchState, event: BatchingEvent, rules: BatchingRules): BatchingStep {
  switch (event.is) {
    case 'came':
      return schedule(event.kept || current.oneByOne ? current : { ...current, oneByOne: true }, event.waiting, rules)
    case 'due':
      return { state: { ...current, is: 'starts' }, act: start }
    case 'began': {
      const { size, filled } = event
      const started = { ...current, is: 'rests', filled, oneByOne: false } as const
      const state = size === 0 ? started : { ...started, running: current.running + 1, lastSize: size }
      return { state, act: undefined }
    }
    case 'ended': {
      const is = current.is === 'lingers' ? 'rests' : current.is // A running timer is replaced, as the wait may change.
      return schedule({ ...current, is, running: current.running - 1 }, event.waiting, rules)
    }
  }
}

function schedule(current: BatchState, waiting: number, { parallel, linger, max }: BatchingRules): BatchingStep {
  const { is, running, lastSize, filled, oneByOne } = current
  if (waiting === 0 || running >= parallel || is === 'starts') return { state: current, act: undefined }
  const asManyAsLast = lastSize > 1 && waiting >= lastSize && !oneByOne && running === 0
  if (filled || waiting >= max.reports || asManyAsLast) return { state: { ...current, is: 'starts' }, act: start }
  if (is === 'lingers') return { state: current, act: undefined }
  const ms = running > 0 ? linger.beside : oneByOne ? linger.own : linger.kept
  return { state: { ...current, is: 'lingers' }, act: { do: 'wait', ms } }
}

/** A report that waits to be stored. */
export interface WaitingReport {
  readonly submission: Submission
  readonly bytes: number
  /** True for a report that takes so long to store that it gets a batch of its own. */
  readonly alone: boolean
}
interface Batch<One> {
  readonly batch: One[]
  /** The agent ids of the batch. */
  readonly agents: ReadonlySet<string>
  readonly left: One[]
  readonly filled: boolean
}

/**
 * Forms the next batch in order of arrival, with one report for each agent and none for an agent that is `busy`. `left`
 * are the other reports.
 */
export function nextBatch<One extends WaitingReport>(
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

/**
 * Group commit: reports that arrive together are committed together, and each is answered only after the commit. The
 * decisions are made in batching.ts.
 */

import { CommitUnknown, type ReportDecision, type ReportStore, type Submission } from '../report-store/rows.ts'
import {
  type BatchingEvent,
  batchingRulesOf,
  initialBatchState,
  nextBatch,
  step,
  type WaitingReport,
} from './batching.ts'
import type { AgentApiMetrics } from './metrics.ts'
import { countBatch } from './metrics.ts'

/**
 * The maximum number of reports that wait, and the maximum bytes of reports without an answer. Beyond either, the
 * service is overloaded and refuses the next report (D18).
 */
const maxWaiting = { reports: 4096, bytes: 32 * 1024 * 1024 } as const
/**
 * The number of waiting reports at which the service counts as loaded. So many wait only if reports arrive faster than
 * they can be stored.
 */
const loadedFrom = 512

export interface Batcher {
  /**
   * Resolves with the decision after the commit, or with `unavailable` if too many reports wait or it is not certain
   * that the report was stored (D1, I10). Never rejects.
   */
  submit(submission: Submission, from?: Partial<ReportOrigin>): Promise<ReportDecision | Unavailable>
  /** True if the next report would be refused. The caller asks before it reads the body of a report. */
  readonly full: boolean
  /** True while agents should report less often because the service is loaded (D18). */
  readonly loaded: boolean
  /** Resolves as soon as no report waits and no batch is being stored. */
  settled(): Promise<void>
}
interface ReportOrigin {
  /** True if the connection stays open after the answer. */
  kept: boolean
  /** The size of the report's body in bytes. */
  bytes: number
  /** True for a report that takes so long to store that it gets a batch of its own. */
  alone: boolean
}
type Unavailable = { ok: false; code: 'unavailable' }
/** After this many failures in a row, the remaining reports of a failed batch are not tried again. */
const unreachableAfter = 2
const unavailable: Unavailable = { ok: false, code: 'unavailable' }

interface BatchOptions {
  store: ReportStore
  metrics: AgentApiMetrics
  now: () => number
  /** Returns how many milliseconds ago this process delivered a command; undefined if it did not (D20). */
  age: (id: string) => number | undefined
  /** Called for each report after the commit of its batch, and before any report of that batch is answered. */
  committed: (submission: Submission, decision: ReportDecision) => void
  failed: (error: unknown) => void
  /**
   * The maximum number of batches that are stored at the same time: one on SQLite, a few on PostgreSQL, where the
   * database works in another process.
   */
  parallel: number
  /** Calls `start` in a later turn of the event loop that has no other long work. */
  inTurn?: (start: () => void) => void
}

interface UnansweredReport extends WaitingReport {
  resolve: (answer: ReportDecision | Unavailable) => void
}

export function createBatcher(options: BatchOptions): Batcher {
  const { metrics, inTurn = setImmediate } = options
  const rules = batchingRulesOf(options.parallel)
  let now = initialBatchState
  let waiting: UnansweredReport[] = []
  let bytesHeld = 0
  /** The agent ids of each batch that is being stored. */
  const running = new Set<ReadonlySet<string>>()
  let timer: NodeJS.Timeout | undefined

  const isFull = () => waiting.length >= maxWaiting.reports || bytesHeld >= maxWaiting.bytes
  const rest = createRest(() => waiting.length === 0 && running.size === 0)

  function on(event: BatchingEvent): void {
    const { state, act } = step(now, event, rules)
    now = state
    if (!act) return
    clearTimeout(timer)
    if (act.do === 'wait') timer = setTimeout(on, act.ms, due)
    else inTurn(start)
  }

  function start(): void {
    const { batch, agents, left, filled } = nextBatch(waiting, (id) => isIn(running, id), rules.max)
    waiting = left
    metrics.waiting = left.length
    on({ is: 'began', size: batch.length, filled })
    if (batch.length === 0) return
    running.add(agents)
    metrics.inBatches += batch.length
    // `run` never rejects, so its promise needs no handler for errors.
    void run(batch, options).then(() => {
      running.delete(agents)
      metrics.inBatches -= batch.length
      for (const { bytes } of batch) bytesHeld -= bytes
      on({ is: 'ended', waiting: waiting.length })
      rest.check()
    })
  }

  return {
    submit(submission, { kept = true, bytes = 0, alone = false } = {}) {
      if (isFull()) return Promise.resolve(unavailable)
      bytesHeld += bytes
      return new Promise((resolve) => {
        metrics.waiting = waiting.push({ submission, bytes, alone, resolve })
        on({ is: 'came', waiting: waiting.length, kept })
      })
    },
    get full() {
      return isFull()
    },
    get loaded() {
      return waiting.length >= loadedFrom
    },
    settled: rest.reached,
  }
}

/** Lets callers wait until `isReached` returns true. `check` must be called when that may have changed. */
function createRest(isReached: () => boolean) {
  let waiting: (() => void)[] = []
  return {
    reached: () =>
      isReached()
        ? Promise.resolve()
        : new Promise<void>((resolve) => {
            waiting = [...waiting, resolve]
          }),
    check(): void {
      if (isReached()) for (const resolve of waiting.splice(0)) resolve()
    },
  }
}

const due: BatchingEvent = { is: 'due' }

function isIn(batches: Iterable<ReadonlySet<string>>, agentId: string): boolean {
  for (const agents of batches) if (agents.has(agentId)) return true
  return false
}

/** Stores a batch and answers each of its reports. Never rejects. */
async function run(batch: UnansweredReport[], options: BatchOptions): Promise<void> {
  const { store, metrics, now, age } = options
  const from = performance.now()
  try {
    const submissions = batch.map(({ submission }) => submission)
    const decisions = await store(submissions, now(), age)
    for (const [i, decision] of decisions.entries()) options.committed(submissions[i] as Submission, decision)
    for (const [i, decision] of decisions.entries()) batch[i]?.resolve(decision)
  } catch (error) {
    await rescue(batch, error, options)
  } finally {
    countBatch(metrics, batch.length, (performance.now() - from) / 1000)
  }
}

/**
 * Tries each report of a failed batch alone, so that one bad report cannot make others fail. If the commit may have
 * happened (D1), or the batch had only one report, it tries none.
 */
async function rescue(batch: UnansweredReport[], error: unknown, options: BatchOptions): Promise<void> {
  options.failed(error)
  let failures = error instanceof CommitUnknown || batch.length === 1 ? unreachableAfter : 0
  for (const one of batch) {
    const stored = failures < unreachableAfter && (await runAlone(one, options))
    if (!stored) one.resolve(unavailable)
    failures = stored ? 0 : failures + 1
  }
}

async function runAlone({ submission, resolve }: UnansweredReport, options: BatchOptions): Promise<boolean> {
  const { store, now, age, committed, failed } = options
  try {
    const [decision] = (await store([submission], now(), age)) as [ReportDecision]
    committed(submission, decision)
    resolve(decision)
    return true
  } catch (error) {
    failed(error)
    return false
  }
}

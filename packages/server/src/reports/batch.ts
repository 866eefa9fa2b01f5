/**
 * Group commit: reports that arrive together are committed together, and each is answered only after its commit. Decides nothing
 * (batching.ts).
 */
import { CommitUnknown, type ReportStore } from '../report-store/committing.ts'
import type { Decision, Submission } from '../report-store/rows.ts'
import { type BatchingEvent, begin, nextBatch, rulesOf, step, type Waiting } from './batching.ts'
import type { AgentMetrics } from './metrics.ts'
import { countBatch } from './metrics.ts'

/**
 * Reports that may wait, and the bytes of those that are not answered yet; more is overload, and the next one is turned away
 * before memory grows (D18). What is read of a report takes several times the bytes of its body.
 */
const maxWaiting = { reports: 4096, bytes: 32 * 1024 * 1024 } as const
/** When so many wait, reports come faster than they can be stored. */
const loadedFrom = 512

export interface Batcher {
  /** Resolves after the commit; `unavailable` when nothing may be said to have happened (D1, I10). Never rejects. */
  submit(submission: Submission, from?: Partial<Origin>): Promise<Decision | Unavailable>
  /** Whether the next report would be turned away: asked before its body is read. */
  readonly full: boolean
  /** Whether agents had better report less often for a while (D18). */
  readonly loaded: boolean
  /** Resolves when everything submitted so far has been answered. */
  settled(): Promise<void>
}
interface Origin {
  /** Whether the connection goes on after the answer. */
  kept: boolean
  /** Of its body. */
  bytes: number
  /** Takes so long to store that it is a batch of its own. */
  alone: boolean
}
type Unavailable = { ok: false; code: 'unavailable' }
/** So many failures in a row mean that the database is not there: trying the rest would only take time. */
const hopeless = 2
const unavailable: Unavailable = { ok: false, code: 'unavailable' }

interface BatchOptions {
  store: ReportStore
  metrics: AgentMetrics
  now: () => number
  /** Age of a delivery by the monotonic clock (D20). */
  age: (id: string) => number | undefined
  /** Called after a commit and before any answer of its batch. */
  committed: (submission: Submission, decision: Decision) => void
  failed: (error: unknown) => void
  /** Batches at the same time: one on the embedded engine, a few where the database works elsewhere. */
  parallel: number
  /** Begins a batch in a later turn of the event loop, one that holds nothing else that takes long. */
  inTurn?: (start: () => void) => void
}

interface Unanswered extends Waiting {
  resolve: (answer: Decision | Unavailable) => void
}

export function createBatcher(options: BatchOptions): Batcher {
  const { metrics, inTurn = setImmediate } = options
  const rules = rulesOf(options.parallel)
  let now = begin
  let waiting: Unanswered[] = []
  let bytesHeld = 0
  /** The agents of each batch that is being stored. */
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
    // Every failure has been answered when it ends.
    void run(batch, options).then(() => {
      running.delete(agents)
      metrics.inBatches -= batch.length
      for (const { bytes } of batch) bytesHeld -= bytes
      on({ is: 'ended', waiting: waiting.length })
      rest.look()
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

/** Those who wait until nothing is under way. */
function createRest(isReached: () => boolean) {
  let waiting: (() => void)[] = []
  return {
    reached: () =>
      isReached()
        ? Promise.resolve()
        : new Promise<void>((resolve) => {
            waiting = [...waiting, resolve]
          }),
    look(): void {
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
async function run(batch: Unanswered[], options: BatchOptions): Promise<void> {
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

/** After a failed transaction each report is tried alone, so that one cannot take others with it. */
async function rescue(batch: Unanswered[], error: unknown, options: BatchOptions): Promise<void> {
  options.failed(error)
  let failures = error instanceof CommitUnknown || batch.length === 1 ? hopeless : 0
  for (const one of batch) {
    const stored = failures < hopeless && (await runAlone(one, options))
    if (!stored) one.resolve(unavailable)
    failures = stored ? 0 : failures + 1
  }
}

async function runAlone({ submission, resolve }: Unanswered, options: BatchOptions): Promise<boolean> {
  const { store, now, age, committed, failed } = options
  try {
    const [decision] = (await store([submission], now(), age)) as [Decision]
    committed(submission, decision)
    resolve(decision)
    return true
  } catch (error) {
    failed(error)
    return false
  }
}

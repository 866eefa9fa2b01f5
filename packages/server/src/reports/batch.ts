/**
 * Group commit: reports that arrive together are committed together, and each is answered only after its commit. A batch
 * waits a moment for company; one agent has at most one report in it. On kept connections reports arrive together, so it
 * waits no longer once as many have come as last time. Clients that connect for each report come one by one, however many
 * they are, and each costs more: only waiting longer shows how many.
 */
import { CommitUnknown, type ReportStore } from './committing.ts'
import type { AgentMetrics } from './metrics.ts'
import { countBatch } from './metrics.ts'
import type { Decision, Submission } from './rows.ts'

/**
 * Milliseconds that the first report of a batch waits for others: on a kept connection, on one of its own, and beside a batch
 * that is being stored, which it follows unless that one takes long: few large batches cost less than many small ones.
 */
const lingerMs = { kept: 1, own: 2, beside: 5 } as const
/**
 * A batch ends at any of these, so that the turn in which it is stored stays short whatever the reports hold. One report that is
 * larger than that is a batch of its own.
 */
const batchMax = { reports: 128, bytes: 512 * 1024, runs: 1000 } as const
/**
 * Reports that may wait, and the bytes of those that are not answered yet; more is overload, and the next one is turned away
 * before memory grows (D18). What is read of a report takes several times the bytes of its body.
 */
const waitingMost = { reports: 4096, bytes: 32 * 1024 * 1024 } as const
/** When so many wait, reports come faster than they can be stored. */
const loadedFrom = 4 * batchMax.reports

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
export interface Origin {
  /** Whether the connection goes on after the answer. */
  kept: boolean
  /** Of its body. */
  bytes: number
  /** Takes so long to store that it is a batch of its own. */
  alone: boolean
}
export type Unavailable = { ok: false; code: 'unavailable' }
/** So many failures in a row mean that the database is not there: trying the rest would only take time. */
const hopeless = 2
const unavailable: Unavailable = { ok: false, code: 'unavailable' }

export interface BatchOptions {
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

interface Waiting {
  submission: Submission
  bytes: number
  alone: boolean
  resolve: (answer: Decision | Unavailable) => void
}

export function newBatcher(options: BatchOptions): Batcher {
  const { store, metrics, now, age, inTurn = setImmediate } = options
  let waiting: Waiting[] = []
  let bytesHeld = 0
  const busy = new Set<string>()
  let running = 0
  let lastSize = 1
  /** Whether the last batch ended for its bytes or runs: what it left does not wait for company. */
  let filled = false
  /** Whether some that wait came on a connection of their own. */
  let oneByOne = false
  let timer: NodeJS.Timeout | undefined
  let soon = false
  let idle: (() => void)[] = []

  return {
    submit,
    settled,
    get full() {
      return isFull()
    },
    get loaded() {
      return waiting.length >= loadedFrom
    },
  }

  function submit(submission: Submission, { kept = true, bytes = 0, alone = false }: Partial<Origin> = {}) {
    if (isFull()) return Promise.resolve(unavailable)
    if (!kept) oneByOne = true
    bytesHeld += bytes
    return new Promise<Decision | Unavailable>((resolve) => {
      waiting.push({ submission, bytes, alone, resolve })
      schedule()
    })
  }

  function isFull(): boolean {
    return waiting.length >= waitingMost.reports || bytesHeld >= waitingMost.bytes
  }

  function schedule(): void {
    metrics.waiting = waiting.length
    if (waiting.length === 0 || running >= options.parallel || soon) return
    const asManyAsLast = lastSize > 1 && waiting.length >= lastSize
    if (filled || waiting.length >= batchMax.reports || (asManyAsLast && !oneByOne && running === 0)) startInTurn()
    else timer ??= setTimeout(startInTurn, running > 0 ? lingerMs.beside : oneByOne ? lingerMs.own : lingerMs.kept)
  }

  function startInTurn(): void {
    clearTimeout(timer)
    timer = undefined
    soon = true
    inTurn(start)
  }

  function start(): void {
    soon = false
    const batch = take()
    if (batch.length === 0) return
    lastSize = batch.length
    running++
    metrics.inBatches += batch.length
    // Every failure has been answered when it ends.
    void run(batch).then(() => {
      running--
      metrics.inBatches -= batch.length
      for (const { bytes } of batch) bytesHeld -= bytes
      for (const { submission } of batch) busy.delete(submission.agentId)
      clearTimeout(timer)
      timer = undefined
      schedule()
      if (waiting.length === 0 && running === 0) for (const done of idle.splice(0)) done()
    })
  }

  /** The next batch: in order of arrival, one report an agent; the others wait for the next. */
  function take(): Waiting[] {
    const batch: Waiting[] = []
    const left: Waiting[] = []
    let [bytes, runs] = [0, 0]
    filled = false
    for (const one of waiting) {
      const { agentId, report } = one.submission
      if (filled || batch.length >= batchMax.reports || busy.has(agentId)) {
        left.push(one)
        continue
      }
      bytes += one.bytes
      runs += report.runs?.length ?? 0
      const [first] = batch
      filled = first !== undefined && (bytes > batchMax.bytes || runs > batchMax.runs || one.alone || first.alone)
      if (filled) left.push(one)
      else {
        busy.add(agentId)
        batch.push(one)
      }
    }
    waiting = left
    oneByOne = false
    metrics.waiting = left.length
    return batch
  }

  async function run(batch: Waiting[]): Promise<void> {
    const from = performance.now()
    try {
      const submissions = batch.map(({ submission }) => submission)
      const decisions = await store(submissions, now(), age)
      for (const [i, decision] of decisions.entries()) options.committed(submissions[i] as Submission, decision)
      for (const [i, decision] of decisions.entries()) batch[i]?.resolve(decision)
    } catch (error) {
      await rescue(batch, error)
    } finally {
      countBatch(metrics, batch.length, (performance.now() - from) / 1000)
    }
  }

  /** After a failed transaction each report is tried alone, so that one cannot take others with it. */
  async function rescue(batch: Waiting[], error: unknown): Promise<void> {
    options.failed(error)
    let failures = error instanceof CommitUnknown || batch.length === 1 ? hopeless : 0
    for (const one of batch) {
      const stored = failures < hopeless && (await runAlone(one))
      if (!stored) one.resolve(unavailable)
      failures = stored ? 0 : failures + 1
    }
  }

  async function runAlone({ submission, resolve }: Waiting): Promise<boolean> {
    try {
      const [decision] = (await store([submission], now(), age)) as [Decision]
      options.committed(submission, decision)
      resolve(decision)
      return true
    } catch (error) {
      options.failed(error)
      return false
    }
  }

  function settled(): Promise<void> {
    if (waiting.length === 0 && running === 0) return Promise.resolve()
    return new Promise((resolve) => {
      idle = [...idle, resolve]
    })
  }
}

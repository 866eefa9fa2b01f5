/** Handles a report of an agent (4): admits the call, reads the body, stores the report in a batch, and answers. */
import type { ServerResponse } from 'node:http'
import { type Answer, limits, readReport } from '@svc/protocol'
import { respondWithJson } from '../platform/http/answers.ts'
import { freeBuffer } from '../platform/http/buffers.ts'
import type { Handler } from '../platform/http/listener.ts'
import { type AdmittedCall, admitCall, type CallGate } from './admission.ts'
import type { AgentParts } from './deps.ts'
import { refuseBody, refuseBusy, refuseNow } from './refusing.ts'
import type { ReportDecision } from './report-store/rows.ts'
import { bodiesOf } from './report-store/run-body.ts'
import type { Caller } from './reports/lookup.ts'

/**
 * A report above `bytes` takes milliseconds to read, so each gets a separate turn of the event loop. It takes ten times
 * its size in memory, so only `max` large reports are read and stored at a time, and at most `waitingMax` wait (D18).
 */
const largeReport = { bytes: 32 * 1024, max: 2, waitingMax: 128 } as const

/** Makes the handler of the route to which agents send reports. */
export function reportCall(parts: AgentParts): Handler {
  const { batcher, turns, windows } = parts
  const room = new TaskQueue(largeReport.max)
  const large = {
    get full() {
      return batcher.full || room.waiting >= largeReport.waitingMax
    },
  }
  const gate: CallGate = { window: windows.reports, queue: batcher, maxBytes: limits.reportBytes }
  const largeGate: CallGate = { ...gate, queue: large }
  const take = reportHandler(parts)

  return async (req, res) => {
    const saysLarge = Number(req.headers['content-length']) > largeReport.bytes
    const admitted = await admitCall(parts, req, res, saysLarge ? largeGate : gate)
    if (!admitted) return
    if (admitted.bytes.length <= largeReport.bytes) return take(admitted, res)
    if (large.full) return refuseBusy(parts, res) // Other calls may have filled the queue since the gate checked it.
    await room.run(async () => {
      await turns.next()
      await take(admitted, res)
    })
  }
}

/** Returns the function that reads, stores and answers an admitted report. */
function reportHandler(parts: AgentParts): (admitted: AdmittedCall, res: ServerResponse) => Promise<void> {
  const { deps, batcher, turns } = parts
  const noted = new WeakSet<Caller>()
  /**
   * Logs that the oldest runs of a report were dropped, once while the agent is cached: its next reports will probably
   * have too many runs too.
   */
  function noteDropped(caller: Caller, runs: number): void {
    if (noted.has(caller)) return
    noted.add(caller)
    deps.log.info({ agent: caller.agentId, runs }, 'a report had too many runs; the newest were kept')
  }

  return async ({ caller, bytes }, res) => {
    const size = bytes.length
    const read = readReport(bytes, deps.now())
    const isKept = read.ok && read.json instanceof Uint8Array
    if (!isKept) freeBuffer(bytes)
    if (!read.ok) return refuseBody(parts, res, caller, read.message)
    if (read.runsDropped !== undefined) noteDropped(caller, read.runsDropped)
    let bodies: string[] | undefined
    if (read.newNames) {
      await turns.next()
      bodies = bodiesOf(read.value)
    }
    const interval = intervalFor(parts, caller)
    const submission = {
      agentId: caller.agentId,
      tokenHash: caller.tokenHash,
      report: read.value,
      json: read.json,
      bodies,
      interval,
      gone: () => res.destroyed || (res.socket?.destroyed ?? true),
      offers: parts.offers(),
      rowNumbers: caller.rowNumbers,
    }
    const decision = await batcher.submit(submission, {
      kept: res.shouldKeepAlive,
      bytes: size,
      alone: read.newNames === true,
    })
    if (isKept) freeBuffer(bytes)
    if (decision.ok) respondWithJson(res, 200, answerOf(decision, interval))
    else if (decision.code === 'unavailable') refuseBusy(parts, res)
    else refuseNow(parts, res, decision)
  }
}

function intervalFor({ batcher, deps }: AgentParts, { agentId }: Caller): number {
  if (batcher.loaded) return limits.loadedIntervalSeconds
  return deps.live.isWatched(agentId) ? limits.watchedIntervalSeconds : limits.intervalSeconds
}

/** The JSON of the answer to a report (2.7). */
const answerOf = ({ claimed, answer }: Extract<ReportDecision, { ok: true }>, interval: number): string =>
  JSON.stringify({ commands: claimed, interval, ...answer } satisfies Answer)

/** Runs at most `max` tasks at a time. Other tasks wait in order of arrival. */
export class TaskQueue {
  #free: number
  readonly #outside: (() => void)[] = []

  constructor(max: number) {
    this.#free = max
  }

  /** Runs `work` as soon as fewer than `max` tasks are running. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--
    else await new Promise<void>((enter) => this.#outside.push(enter))
    try {
      return await work()
    } finally {
      const next = this.#outside.shift()
      if (next) next()
      else this.#free++
    }
  }

  /** The number of waiting tasks. */
  get waiting(): number {
    return this.#outside.length
  }
}

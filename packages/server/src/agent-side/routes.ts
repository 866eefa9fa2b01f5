/** The two routes of an agent (4): report and log, on the bare listener. The order of refusals is D15's. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Answer, limits, type RefusalCode, readLogUpload, readReport } from '@svc/protocol'
import { jitteredDelay, refuse, refuseAndClose, refuseAsBusy, send } from '../http/answers.ts'
import { drain, isEncoded, readBody } from '../http/body.ts'
import type { BareRoutes } from '../http/listener.ts'
import { Room } from '../http/room.ts'
import type { Window } from '../limits/window.ts'
import { storeLog } from '../logs/store.ts'
import type { Decision } from '../report-store/rows.ts'
import { bodiesOf } from '../report-store/run-body.ts'
import { countRefusal } from '../reports/metrics.ts'
import type { Side } from './deps.ts'
import type { Caller } from './lookup.ts'

/** A request that may go on: who calls, and the bytes. */
interface Admitted {
  caller: Caller
  bytes: Buffer
}

/** Bytes of logs that have come and are not stored yet; more is overload, and the next one is turned away (D18). */
const logsMost = 32 * 1024 * 1024
/**
 * Reading a report of more bytes takes milliseconds, so it gets a turn of the event loop of its own. What was read takes ten times
 * the bytes of the body: few are held so until they are stored, and few wait for it (D18).
 */
const largeReport = { bytes: 32 * 1024, max: 2, waitingMax: 128 } as const

export function agentRoutes(side: Side): BareRoutes {
  const { deps, lookup, batcher, turns, metrics, trouble, windows } = side
  const logs = {
    held: 0,
    get full() {
      return logs.held >= logsMost
    },
  }
  const room = new Room(largeReport.max)
  const large = {
    get full() {
      return batcher.full || room.waiting >= largeReport.waitingMax
    },
  }
  const noted = new WeakSet<Caller>()
  return { 'POST /api/agent/v1/report': report, 'POST /api/agent/v1/log': log }

  async function report(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const queue = Number(req.headers['content-length']) > largeReport.bytes ? large : batcher
    const admitted = await admit(req, res, windows.reports, limits.reportBytes, queue)
    if (!admitted) return
    if (admitted.bytes.length <= largeReport.bytes) return take(admitted, res)
    if (large.full) return busy(res) // many came at once
    await room.run(async () => {
      await turns.next()
      await take(admitted, res)
    })
  }

  async function take({ caller, bytes }: Admitted, res: ServerResponse): Promise<void> {
    const read = readReport(bytes, deps.now())
    if (read.ok && read.runsDropped !== undefined) noteDropped(caller, read.runsDropped)
    if (!read.ok) return refuseBody(res, caller, read.message)
    let bodies: string[] | undefined
    if (read.newNames) {
      await turns.next()
      bodies = bodiesOf(read.value)
    }
    const interval = intervalFor(caller)
    const submission = {
      agentId: caller.agentId,
      tokenHash: caller.tokenHash,
      report: read.value,
      text: read.text,
      bodies,
      interval,
      gone: () => res.destroyed || (res.socket?.destroyed ?? true),
      offers: side.offers(),
      places: caller.places,
    }
    const decision = await batcher.submit(submission, {
      kept: res.shouldKeepAlive,
      bytes: bytes.length,
      alone: read.newNames === true,
    })
    if (decision.ok) send(res, 200, answerOf(decision, interval))
    else if (decision.code === 'unavailable') busy(res)
    else refuseNow(res, decision.code)
  }

  /** Once for as long as the agent is remembered, since it may send as many with each report. */
  function noteDropped(caller: Caller, runs: number): void {
    if (noted.has(caller)) return
    noted.add(caller)
    deps.log.info({ agent: caller.agentId, runs }, 'a report had too many runs; the newest were kept')
  }

  function intervalFor({ agentId }: Caller): number {
    if (batcher.loaded) return limits.loadedIntervalSeconds
    return deps.live.isWatched(agentId) ? limits.watchedIntervalSeconds : limits.intervalSeconds
  }

  async function log(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const admitted = await admit(req, res, windows.logs, limits.logBodyBytes, logs)
    if (!admitted) return
    if (logs.full) return busy(res) // many came at once
    const { caller, bytes } = admitted
    const read = readLogUpload(bytes)
    if (!read.ok) return refuseBody(res, caller, read.message)
    logs.held += bytes.length
    try {
      const stored = await storeLog(deps.store.db, caller, read.value, deps.now())
      if (!stored.ok) {
        if (stored.code === 'token_unknown' || stored.code === 'workspace_inactive') lookup.forget(caller.tokenHash)
        return refuseNow(
          res,
          stored.code,
          stored.code === 'body_invalid' ? 'The command asked for another log.' : undefined,
        )
      }
      if (stored.made) {
        metrics.logs++
        deps.live.changed(stored.workspaceId, caller.agentId)
      }
      send(res, 200, '{}')
    } catch (error) {
      trouble.note(error, 'a log was not stored')
      busy(res)
    } finally {
      logs.held -= bytes.length
    }
  }

  /** 401, 403, 429, and 503 under overload, before the body is read; then 413, and 400 for an encoded one (D15, D18). */
  async function admit(
    req: IncomingMessage,
    res: ServerResponse,
    window: Window,
    most: number,
    queue?: { readonly full: boolean },
  ): Promise<Admitted | undefined> {
    let caller: Caller | undefined
    try {
      const found = lookup.callerOf(req.headers.authorization)
      caller = found instanceof Promise ? await found : found
    } catch (error) {
      trouble.note(error, 'the agent of a token could not be looked up')
      await drain(req)
      busy(res)
      return
    }
    if (!caller) return refuseUnread(req, res, 'token_unknown')
    if (!caller.activated) return refuseUnread(req, res, 'workspace_inactive')
    const retryAfter = window.take(caller.agentId, deps.now())
    if (retryAfter > 0) return refuseUnread(req, res, await confirmed(caller, 'rate_limited'), retryAfter)
    if (queue?.full) return refuseUnread(req, res, 'unavailable', jitteredDelay())
    const body = await readBody(req, res, most)
    if (body.is === 'broken') return
    if (body.is === 'too_large') {
      const code = await confirmed(caller, 'body_too_large')
      countRefusal(metrics, code)
      refuseAndClose(req, res, code)
      return
    }
    if (isEncoded(req)) {
      await refuseBody(res, caller, 'The body must not be encoded.')
      return
    }
    return { caller, bytes: body.bytes }
  }

  async function refuseUnread(
    req: IncomingMessage,
    res: ServerResponse,
    code: RefusalCode,
    retryAfter?: number,
  ): Promise<undefined> {
    countRefusal(metrics, code)
    await drain(req)
    // Under overload whoever has sent all of it keeps the connection: to begin another one costs the service more than this answer.
    if (code === 'unavailable' && req.complete) refuse(res, code, undefined, retryAfter)
    else
      refuseAndClose(req, res, code, {
        retryAfter: code === 'rate_limited' || code === 'unavailable' ? retryAfter : undefined,
      })
  }

  async function refuseBody(res: ServerResponse, caller: Caller, message: string): Promise<void> {
    const code = await confirmed(caller, 'body_invalid')
    refuseNow(res, code, code === 'body_invalid' ? message : undefined)
  }

  /** What is remembered of a token may be out of date: before a refusal the store is asked, since 401 and 403 come first. */
  async function confirmed(caller: Caller, code: RefusalCode): Promise<RefusalCode> {
    try {
      const now = await lookup.afresh(caller)
      if (!now) return 'token_unknown'
      return now.activated ? code : 'workspace_inactive'
    } catch (error) {
      trouble.note(error, 'the agent of a token could not be looked up')
      return code
    }
  }

  function refuseNow(res: ServerResponse, code: RefusalCode, message?: string): void {
    countRefusal(metrics, code)
    refuse(res, code, message)
  }

  function busy(res: ServerResponse): void {
    countRefusal(metrics, 'unavailable')
    refuseAsBusy(res)
  }
}

/** 2.7. Most answers carry no command. */
const answerOf = ({ claimed, told }: Extract<Decision, { ok: true }>, interval: number): string =>
  JSON.stringify({ commands: claimed, interval, ...told } satisfies Answer)

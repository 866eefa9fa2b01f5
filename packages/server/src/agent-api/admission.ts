/** Admits or refuses the calls of agents, with the reasons to refuse in the order of D15. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { drainBody, isEncoded, readBody } from '../platform/http/body.ts'
import type { RateWindow } from '../platform/limits/window.ts'
import type { AgentParts } from './deps.ts'
import { confirmedCode, type RefusalAnswer, refuseBody, refuseBusy, refuseTooLarge, refuseUnread } from './refusing.ts'
import type { Caller } from './reports/lookup.ts'

/** The limits that calls of one agent route must pass. */
export interface CallGate {
  readonly window: Pick<RateWindow, 'take'>
  /** The queue of the route. If it is full the service is overloaded, and the call is refused with 503 (D18). */
  readonly queue: { readonly full: boolean }
  readonly maxBytes: number
}
/** A call of an agent that was admitted: the agent, and the bytes of the call's body. */
export interface AdmittedCall {
  readonly caller: Caller
  readonly bytes: Buffer
}

type AdmissionVerdict = { readonly ok: true; readonly caller: Caller } | ({ readonly ok: false } & RefusalAnswer)

/**
 * Admits or refuses a call of an agent before its body is read. The reasons to refuse are checked in the order 401,
 * 403, 429, 503. Every call counts for the rate limit, except those refused with 401, 403 or 429 (D16).
 */
export function judgeCall(caller: Caller | undefined, { window, queue }: CallGate, now: number): AdmissionVerdict {
  if (!caller) return { ok: false, code: 'token_unknown' }
  if (!caller.activated) return { ok: false, code: 'workspace_inactive' }
  const retryAfter = window.take(caller.agentId, now)
  if (retryAfter > 0) return { ok: false, code: 'rate_limited', retryAfter }
  if (queue.full) return { ok: false, code: 'unavailable' }
  return { ok: true, caller }
}

/**
 * Judges a call of an agent, and reads its body. Undefined if the call was refused, which this function answers, or if
 * the client closed the connection.
 */
export async function admitCall(
  parts: AgentParts,
  req: IncomingMessage,
  res: ServerResponse,
  gate: CallGate,
): Promise<AdmittedCall | undefined> {
  const { lookup, faultLog, deps } = parts
  let known: Caller | undefined
  try {
    const found = lookup.callerOf(req.headers.authorization)
    known = found instanceof Promise ? await found : found
  } catch (error) {
    faultLog.note(error, 'the agent of a token could not be looked up')
    await drainBody(req)
    refuseBusy(parts, res)
    return
  }
  const judged = judgeCall(known, gate, deps.now())
  if (!judged.ok) {
    const code = known && judged.code === 'rate_limited' ? await confirmedCode(parts, known, judged.code) : judged.code
    return refuseUnread(parts, req, res, { ...judged, code })
  }
  const { caller } = judged
  const body = await readBody(req, res, gate.maxBytes)
  if (body.is === 'broken') return
  if (body.is === 'too_large') {
    refuseTooLarge(parts, req, res, await confirmedCode(parts, caller, 'body_too_large'))
    return
  }
  if (isEncoded(req)) {
    await refuseBody(parts, res, caller, 'The body must not be encoded.')
    return
  }
  return { caller, bytes: body.bytes }
}

/**
 * Refuses calls of agents, and counts the refusals. `confirmedCode` first checks that the token is still valid (D15).
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { RefusalCode } from '@svc/protocol'
import { jitteredDelay, refuseAndClose, refuseAsBusy, sendRefusal } from '../platform/http/answers.ts'
import { drainBody } from '../platform/http/body.ts'
import type { AgentParts } from './deps.ts'
import type { Caller } from './reports/lookup.ts'
import { countRefusal } from './reports/metrics.ts'

type RefusalParts = Pick<AgentParts, 'lookup' | 'metrics' | 'faultLog'>
export interface RefusalAnswer {
  readonly code: RefusalCode
  readonly message?: string | undefined
  /** The seconds that the agent must wait before its next call; only given with the code `rate_limited`. */
  readonly retryAfter?: number
}

/** Refuses a call whose body was read. The connection stays open. */
export function refuseNow({ metrics }: RefusalParts, res: ServerResponse, { code, message }: RefusalAnswer): void {
  countRefusal(metrics, code)
  sendRefusal(res, code, message)
}

export function refuseBusy({ metrics }: RefusalParts, res: ServerResponse): void {
  countRefusal(metrics, 'unavailable')
  refuseAsBusy(res)
}

/** Refuses an invalid body, but with 401 or 403 if the agent's token is no longer valid. The connection stays open. */
export async function refuseBody(
  parts: RefusalParts,
  res: ServerResponse,
  caller: Caller,
  message: string,
): Promise<void> {
  const code = await confirmedCode(parts, caller, 'body_invalid')
  refuseNow(parts, res, { code, message: code === 'body_invalid' ? message : undefined })
}

/** Refuses a call and closes its connection, because the rest of the body is not read. */
export function refuseTooLarge(
  { metrics }: RefusalParts,
  req: IncomingMessage,
  res: ServerResponse,
  code: RefusalCode,
): void {
  countRefusal(metrics, code)
  refuseAndClose(req, res, code)
}

/** Refuses a call whose body was not read. */
export async function refuseUnread(
  { metrics }: RefusalParts,
  req: IncomingMessage,
  res: ServerResponse,
  { code, retryAfter }: RefusalAnswer,
): Promise<undefined> {
  countRefusal(metrics, code)
  await drainBody(req)
  // Under overload, a client that has sent its whole request keeps its connection, because opening a new one would cost
  // more than this answer.
  if (code === 'unavailable' && req.complete) sendRefusal(res, code, undefined, jitteredDelay())
  else if (code === 'unavailable') refuseAndClose(req, res, code, { retryAfter: jitteredDelay() })
  else refuseAndClose(req, res, code, { retryAfter: code === 'rate_limited' ? retryAfter : undefined })
}

/**
 * Returns the code with which a call is refused. The database is first asked whether the agent's token is still valid,
 * because 401 and 403 come before all other codes (D15). If the database cannot answer, `code` is returned.
 */
export async function confirmedCode(
  { lookup, faultLog }: RefusalParts,
  caller: Caller,
  code: RefusalCode,
): Promise<RefusalCode> {
  try {
    const current = await lookup.reread(caller)
    if (!current) return 'token_unknown'
    return current.activated ? code : 'workspace_inactive'
  } catch (error) {
    faultLog.note(error, 'the agent of a token could not be looked up')
    return code
  }
}

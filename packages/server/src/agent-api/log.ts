/** Handles the upload of a log by an agent (4): admits the call, reads the body, stores the log, and answers. */
import type { ServerResponse } from 'node:http'
import { type LogUpload, limits, readLogUpload } from '@svc/protocol'
import { storeLog } from '../fleet/logs/store.ts'
import { respondWithJson } from '../platform/http/answers.ts'
import type { Handler } from '../platform/http/listener.ts'
import { admitCall, type CallGate } from './admission.ts'
import type { AgentParts } from './deps.ts'
import { refuseBody, refuseBusy, refuseNow } from './refusing.ts'
import type { Caller } from './reports/lookup.ts'

/**
 * The maximum bytes of uploaded logs that this process holds in memory until they are stored. While this limit is
 * reached, uploads are refused with 503 (D18).
 */
const maxHeldBytes = 32 * 1024 * 1024

/** Makes the handler of the route to which agents upload logs. */
export function logCall(parts: AgentParts): Handler {
  let held = 0
  const queue = {
    get full() {
      return held >= maxHeldBytes
    },
  }
  const gate: CallGate = { window: parts.windows.logs, queue, maxBytes: limits.logBodyBytes }

  return async (req, res) => {
    const admitted = await admitCall(parts, req, res, gate)
    if (!admitted) return
    if (queue.full) return refuseBusy(parts, res) // Other calls may have filled the queue since the gate checked it.
    const { caller, bytes } = admitted
    const read = readLogUpload(bytes)
    if (!read.ok) return refuseBody(parts, res, caller, read.message)
    held += bytes.length
    try {
      await take(parts, res, caller, read.value)
    } catch (error) {
      parts.faultLog.note(error, 'a log was not stored')
      refuseBusy(parts, res)
    } finally {
      held -= bytes.length
    }
  }
}

async function take(
  { deps, lookup, metrics, faultLog }: AgentParts,
  res: ServerResponse,
  caller: Caller,
  log: LogUpload,
) {
  const stored = await storeLog(deps.store.db, caller, log, deps.now())
  if (!stored.ok) {
    const { code } = stored
    if (code === 'token_unknown' || code === 'workspace_inactive') lookup.forget(caller.tokenHash)
    const message = code === 'body_invalid' ? 'The command asked for another log.' : undefined
    return refuseNow({ lookup, metrics, faultLog }, res, { code, message })
  }
  if (stored.made) {
    metrics.logs++
    deps.live.changed(stored.workspaceId, caller.agentId)
  }
  respondWithJson(res, 200, '{}')
}

/** The two install calls (4), which the listener handles directly, with refusals in the order of D15. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { limits, readInstallBody } from '@svc/protocol'
import { callerKey } from '../platform/http/address.ts'
import { refuseAndClose, refuseAsBusy, respondWithJson, sendRefusal } from '../platform/http/answers.ts'
import { drainBody, isEncoded, readBody } from '../platform/http/body.ts'
import { callerAddress } from '../platform/http/caller.ts'
import type { BareRoutes } from '../platform/http/listener.ts'
import { RateWindow } from '../platform/limits/window.ts'
import { previewInstall, redeemInstall } from '../updates/installs/redeem.ts'
import type { AgentDeps } from './deps.ts'

/** The dependencies of the install calls. */
export type InstallNeeds = Pick<AgentDeps, 'store' | 'config' | 'log' | 'live' | 'now'>

export function installCalls({ store, config, log, live, now }: InstallNeeds): BareRoutes {
  const addressOf = callerAddress({ config, log })
  const calls = new RateWindow(limits.installsPerMinute)
  return {
    'POST /api/agent/v1/install/preview': withCode(async (res, code) => {
      const preview = await previewInstall(store.db, code, now())
      if (preview.ok) respondWithJson(res, 200, JSON.stringify(preview.value))
      else sendRefusal(res, preview.code, preview.message)
    }),
    'POST /api/agent/v1/install': withCode(async (res, code, req) => {
      const redeemed = await redeemInstall(store.db, code, now(), svcOf(req))
      if (!redeemed.ok) return sendRefusal(res, redeemed.code, redeemed.message)
      const { answer, bundle, workspaceId } = redeemed.value
      live.listChanged(workspaceId)
      respondWithJson(res, 200, JSON.stringify({ ...answer, bundle: Buffer.from(bundle).toString('base64') }))
    }),
  }

  /**
   * Makes the handler of an install call. It refuses with 429 before the body is read, then with 413 and 400 (D15,
   * D45). The admitted calls of both routes count together for one limit per address (D16).
   */
  function withCode(act: (res: ServerResponse, code: string, req: IncomingMessage) => Promise<void>) {
    return async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
      const wait = calls.take(callerKey(addressOf(req)), now())
      if (wait > 0) {
        await drainBody(req)
        return refuseAndClose(req, res, 'rate_limited', { retryAfter: wait })
      }
      const body = await readBody(req, res, limits.installBodyBytes)
      if (body.is === 'broken') return
      if (body.is === 'too_large') return refuseAndClose(req, res, 'body_too_large')
      if (isEncoded(req)) {
        return sendRefusal(res, 'body_invalid', 'The body must not be encoded.')
      }
      const read = readInstallBody(body.bytes)
      if (!read.ok) return sendRefusal(res, read.code, read.message)
      try {
        await act(res, read.value.code, req)
      } catch (error) {
        log.error({ err: error }, 'an install call failed')
        refuseAsBusy(res)
      }
    }
  }
}

/** The version of the calling svc, from its User-Agent header; undefined for other clients. */
const svcOf = ({ headers }: IncomingMessage): string | undefined =>
  /^svc\/([0-9A-Za-z._+-]{1,64})$/.exec(headers['user-agent'] ?? '')?.[1]

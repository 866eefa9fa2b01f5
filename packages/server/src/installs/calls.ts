/** The two install calls and the bundle route (4) on the bare listener. The order of refusals is D15's. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { isVersion, limits, readInstallBody } from '@svc/protocol'
import { type Lookup, newLookup } from '../agents/lookup.ts'
import { bundleOf } from '../blueprints/store.ts'
import type { Deps } from '../deps.ts'
import { refuse, refuseAndClose, refuseAsBusy, send } from '../http/answers.ts'
import { drain, readBody } from '../http/body.ts'
import type { BareRoutes } from '../http/listener.ts'
import { Window } from '../limits/window.ts'
import { callerAddress, callerKey } from '../web/address.ts'
import { previewInstall, redeemInstall } from './redeem.ts'

type Needs = Pick<Deps, 'store' | 'config' | 'log' | 'live' | 'now'>

export const bundlePath = '/api/agent/v1/bundle/'

export function installCalls({ store, config, log, live, now }: Needs): BareRoutes {
  const addressOf = callerAddress(config.trustedProxies)
  const calls = new Window(limits.installsPerMinute)
  return {
    'POST /api/agent/v1/install/preview': withCode(async (res, code) => {
      const preview = await previewInstall(store.db, code, now())
      if (preview.ok) send(res, 200, JSON.stringify(preview.value))
      else refuse(res, preview.code, preview.message)
    }),
    'POST /api/agent/v1/install': withCode(async (res, code) => {
      const redeemed = await redeemInstall(store.db, code, now())
      if (!redeemed.ok) return refuse(res, redeemed.code, redeemed.message)
      const { answer, bundle, workspaceId } = redeemed.value
      live.listChanged(workspaceId)
      send(res, 200, JSON.stringify({ ...answer, bundle: Buffer.from(bundle).toString('base64') }))
    }),
  }

  /** 429 before the body is read, then 413 and 400 (D15, D45); every call counts, of both together (D16). */
  function withCode(act: (res: ServerResponse, code: string) => Promise<void>) {
    return async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
      const wait = calls.take(callerKey(addressOf(req)), now())
      if (wait > 0) {
        await drain(req)
        return refuseAndClose(req, res, 'rate_limited', wait)
      }
      const body = await readBody(req, res, limits.installBodyBytes)
      if (body.is === 'broken') return
      if (body.is === 'too_large') return refuseAndClose(req, res, 'body_too_large')
      const read = readInstallBody(body.bytes)
      if (!read.ok) return refuse(res, read.code, read.message)
      try {
        await act(res, read.value.code)
      } catch (error) {
        log.error({ err: error }, 'an install call failed')
        refuseAsBusy(res)
      }
    }
  }
}

/**
 * `GET /api/agent/v1/bundle/:version`: an agent of a blueprint fetches a version of it, byte for byte as it was uploaded
 * (4, rule 3). Another blueprint's version and an unknown one are the same 404.
 */
export function bundleCall({ store, log }: Needs, lookup: Lookup = newLookup(store)) {
  return async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    try {
      await serve(req, res)
    } catch (error) {
      log.error({ err: error }, 'a bundle could not be served')
      refuseAsBusy(res)
    }
  }

  async function serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const known = await lookup.callerOf(req.headers.authorization)
    const caller = known && (await lookup.afresh(known))
    if (!caller?.activated) {
      await drain(req)
      return refuseAndClose(req, res, caller ? 'workspace_inactive' : 'token_unknown')
    }
    const version = versionOf(req.url ?? '')
    const agent = await store.db
      .selectFrom('agent')
      .select('blueprint')
      .where('id', '=', caller.agentId)
      .executeTakeFirst()
    const found =
      version === undefined || !agent?.blueprint
        ? undefined
        : await bundleOf(store.db, { id: caller.workspaceId }, agent.blueprint, version)
    if (!found) return refuse(res, 'version_unknown')
    res.writeHead(200, {
      'Content-Type': 'application/zip',
      'Content-Length': found.bundle.length,
      'X-Svc-Sha256': found.sha256,
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
    })
    res.end(found.bundle)
  }
}

/** D48: `+` and `%2B` are the same here. */
function versionOf(target: string): string | undefined {
  const [path = ''] = target.split('?')
  try {
    const version = decodeURIComponent(path.slice(bundlePath.length))
    return isVersion(version) ? version : undefined
  } catch {
    return undefined
  }
}

/** The route that sends bundles of blueprints to agents (4, rule 3). The listener calls it directly. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { isVersion } from '@svc/protocol'
import { refuseAndClose, refuseAsBusy, sendRefusal } from '../platform/http/answers.ts'
import { drainBody } from '../platform/http/body.ts'
import type { BareRoutes } from '../platform/http/listener.ts'
import { bundleBytes, bundleFacts } from '../updates/blueprints/store.ts'
import { noteFetched } from '../updates/wishes/store.ts'
import type { AgentDeps } from './deps.ts'
import type { InstallNeeds } from './install.ts'
import type { Caller, CallerLookup } from './reports/lookup.ts'

const bundlePath = '/api/agent/v1/bundle/'

/**
 * Handles `GET /api/agent/v1/bundle/:version`: sends a version of the agent's blueprint, byte for byte as it was
 * uploaded (4, rule 3). A version of another blueprint gets the same 404 as an unknown one.
 */
export function bundleCall(
  { store, log, live, now }: Pick<InstallNeeds, 'store' | 'log'> & Pick<AgentDeps, 'live' | 'now'>,
  lookup: CallerLookup,
): BareRoutes {
  const bundles = new HeldBundles()
  return { [`GET ${bundlePath}*`]: answer }

  async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    try {
      await serve(req, res)
    } catch (error) {
      log.error({ err: error }, 'a bundle could not be served')
      refuseAsBusy(res)
    }
  }

  async function serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const known = await lookup.callerOf(req.headers.authorization)
    const caller = known && (await lookup.reread(known))
    if (!caller?.activated) {
      await drainBody(req)
      return refuseAndClose(req, res, caller ? 'workspace_inactive' : 'token_unknown')
    }
    const version = versionOf(req.url ?? '')
    const agent = await store.db
      .selectFrom('agent')
      .select(['blueprint', 'wished_version'])
      .where('id', '=', caller.agentId)
      .executeTakeFirst()
    const found =
      version === undefined || !agent?.blueprint
        ? undefined
        : await bundleFacts(store.db, { id: caller.workspaceId }, agent.blueprint, version)
    if (!found) return sendRefusal(res, 'version_unknown')
    const { id, size, sha256 } = found
    const headers = {
      'Content-Type': 'application/zip',
      'Content-Length': size,
      'X-Svc-Sha256': sha256,
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
    }
    if (req.method === 'HEAD') {
      res.writeHead(200, headers).end()
      return
    }
    // If the client has disconnected, the response emits no further `close` event, so `giveBack` would never be called.
    if (res.destroyed) return
    if (!bundles.hasRoom(id, size)) return refuseAsBusy(res)
    res.once('close', () => bundles.giveBack(id))
    const bundle = await bundles.take(id, size, () => bundleBytes(store.db, id))
    if (!bundle) return sendRefusal(res, 'version_unknown')
    res.writeHead(200, headers)
    res.end(bundle)
    if (agent?.wished_version === version) await fetched(caller)
  }

  /**
   * Notes in the timeline of updates that the agent fetched the bundle. The agent has its answer already, so an error
   * is only logged.
   */
  async function fetched({ agentId, workspaceId }: Caller): Promise<void> {
    try {
      if (await noteFetched(store.db, { id: agentId }, now())) live.changed(workspaceId, agentId)
    } catch (error) {
      log.warn({ err: error }, 'it could not be noted that an agent fetched a bundle')
    }
  }
}

/**
 * The version that the path of the request names, where `+` and `%2B` are the same (D48); undefined if it names none.
 */
function versionOf(target: string): string | undefined {
  const [path = ''] = target.split('?')
  try {
    const version = decodeURIComponent(path.slice(bundlePath.length))
    return isVersion(version) ? version : undefined
  } catch {
    return undefined
  }
}

/** The maximum bytes of all different bundles in memory. A single bundle is always allowed. */
const maxBytes = 128 * 1024 * 1024

interface HeldBundle {
  bytes: Promise<Uint8Array | undefined>
  size: number
  users: number
}

/**
 * The bundles that are being sent to agents. Each is in memory only once, even if many agents fetch it, and a limit
 * holds for all of them together.
 */
export class HeldBundles {
  readonly #max: number
  readonly #held = new Map<string, HeldBundle>()
  #size = 0

  constructor(max: number = maxBytes) {
    this.#max = max
  }

  /** True if the bundle is already held or there is room for it. */
  hasRoom(id: string, size: number): boolean {
    return this.#held.has(id) || this.#held.size === 0 || this.#size + size <= this.#max
  }

  /**
   * Returns the bundle with this id, which is read only once for all callers. Every call must be followed by
   * `giveBack`, even if the reading fails.
   */
  take(id: string, size: number, read: () => Promise<Uint8Array | undefined>): Promise<Uint8Array | undefined> {
    let held = this.#held.get(id)
    if (!held) {
      held = { bytes: read(), size, users: 0 }
      this.#held.set(id, held)
      this.#size += size
    }
    held.users++
    return held.bytes
  }

  giveBack(id: string): void {
    const held = this.#held.get(id)
    if (!held || --held.users > 0) return
    this.#held.delete(id)
    this.#size -= held.size
  }
}

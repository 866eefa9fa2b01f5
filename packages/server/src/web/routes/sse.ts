/**
 * Serves the stream of frames, `GET /api/web/w/:slug/events?agent=NAME`. The listener calls it directly, because the
 * router would make each stream more expensive.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { refusalJson } from '@svc/protocol'
import { findAgent } from '../../fleet/agents/store.ts'
import { signedInBy, validSessions } from '../../people/accounts/sessions.ts'
import { findWorkspace, roleToAct } from '../../people/workspaces/store.ts'
import { Refusal } from '../../platform/refusal.ts'
import type { Hub, Subscriber } from '../live/hub.ts'
import type { Deps } from '../routing/deps.ts'

const streamPath = /^\/api\/web\/w\/([^/?]+)\/events$/
/** The maximum number of streams of one person. All tabs of one browser hold at most four streams together. */
const perPerson = 40

type SseHandler = (req: IncomingMessage, res: ServerResponse) => boolean

/** Takes the request if it asks for a stream of frames; returns false otherwise. */
export function sseHandler(deps: Deps & { live: Hub }): SseHandler {
  deps.live.guard = (all) => stillAllowed(deps, all)
  return (req, res) => {
    const [path = '', query] = (req.url ?? '').split('?', 2)
    const slug = streamPath.exec(path)?.[1]
    if (slug === undefined || req.method !== 'GET') return false
    const agentName = new URLSearchParams(query).get('agent') ?? undefined
    open(deps, { slug, agentName }, req, res).catch((error: unknown) => {
      if (!(error instanceof Refusal)) deps.log.error({ err: error }, 'a stream of live frames could not be opened')
      const { status, code, message } = error instanceof Refusal ? error : new Refusal('unavailable')
      res.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' })
      res.end(JSON.stringify(refusalJson(code, message)))
    })
    return true
  }
}

async function open(
  { auth, store, now, live }: Deps & { live: Hub },
  { slug, agentName }: { slug: string; agentName: string | undefined },
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  if (req.headers['sec-fetch-site'] === 'cross-site') throw new Refusal('origin_foreign')
  const who = await signedInBy({ auth, store }, new Headers({ cookie: req.headers.cookie ?? '' }), now())
  if (!who) throw new Refusal('sign_in_needed')
  const workspace = await findWorkspace(store.db, slug)
  const role = workspace && (await roleToAct(store.db, workspace.id, who.person.id))
  if (!workspace || !role) throw new Refusal('workspace_unknown')
  const agent = agentName === undefined ? undefined : await findAgent(store.db, workspace, agentName)
  if (live.streamsOf(who.person.id) >= perPerson) {
    throw new Refusal('rate_limited', `More than ${perPerson} pages of this person are open: close some.`)
  }
  if (res.destroyed) return
  res.setHeader('cache-control', 'no-store')
  const { session, person } = who
  live.subscribe({
    workspaceId: workspace.id,
    personId: person.id,
    sessionToken: session.token,
    agentId: agent?.id,
    res,
  })
}

/** The given subscribers without those whose session has ended or who are no longer members of the workspace. */
async function stillAllowed({ auth, store, now }: Deps, all: readonly Subscriber[]): Promise<Set<Subscriber>> {
  const good = await validSessions(auth, [...new Set(all.map((s) => s.sessionToken))], now())
  const workspaces = [...new Set(all.map((s) => s.workspaceId))]
  const members = await store.db
    .selectFrom('member')
    .leftJoin('person_disabled', 'person_disabled.person_id', 'member.userId')
    .select(['workspaceId', 'userId'])
    .where('disabled_at', 'is', null)
    .where('workspaceId', 'in', workspaces.slice(0, 10_000))
    .execute()
  const belongs = new Set(members.map(({ workspaceId, userId }) => `${workspaceId} ${userId}`))
  return new Set(all.filter((s) => good.has(s.sessionToken) && belongs.has(`${s.workspaceId} ${s.personId}`)))
}

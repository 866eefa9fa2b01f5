/** Bots and products on a workspace's page. `signedIn` and `member` stand in front (web/app.ts). */

import type { Bots } from '@svc/api'
import { limits } from '@svc/protocol'
import { type Context, Hono } from 'hono'
import { productsOf } from '../products/store.ts'
import { asMember } from '../web/kit/acting.ts'
import type { WebDeps } from '../web/kit/deps.ts'
import { admin, type WebEnv } from '../web/kit/guards.ts'
import { deleteBot, listBots, revokeBot } from './store.ts'

export const botRoutes = (deps: WebDeps) => {
  const { store, now, live } = deps
  const { db } = store
  /** The list of bots, and the pages of the agents that acted as it. */
  const tell = (workspaceId: string, agentIds: readonly string[]) => {
    live.listChanged(workspaceId)
    for (const id of agentIds) live.changed(workspaceId, id)
  }
  const revoke = async (c: Context<WebEnv>, which: { id: string; tokenId?: string }) => {
    const { workspace } = c.var
    const { revoked, agentIds } = await asMember(deps, c.var, 'admin', ({ db, by, now }) =>
      revokeBot(db, workspace, which, by, now),
    )
    tell(workspace.id, agentIds)
    return c.json({ revoked })
  }
  return new Hono<WebEnv>()
    .get('/bots', async (c) => {
      const rows = await listBots(db, c.var.workspace, now())
      return c.json({ now: now(), most: limits.botsPerWorkspace, rows } satisfies Bots)
    })
    .post('/bots/:id/revoke', admin, (c) => revoke(c, { id: c.req.param('id') }))
    .post('/bots/:id/tokens/:token/revoke', admin, (c) =>
      revoke(c, { id: c.req.param('id'), tokenId: c.req.param('token') }),
    )
    .delete('/bots/:id', admin, async (c) => {
      const { workspace } = c.var
      const { agentIds } = await asMember(deps, c.var, 'admin', ({ db, by, now }) =>
        deleteBot(db, workspace, c.req.param('id'), by, now),
      )
      tell(workspace.id, agentIds)
      return c.json({ ok: true })
    })
    .get('/products', async (c) => c.json(await productsOf(db, c.var.workspace)))
}

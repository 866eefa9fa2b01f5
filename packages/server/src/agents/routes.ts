/** The agents of a workspace as people make and look at them. `signedIn` and `member` stand in front (web/app.ts). */

import type { NewToken } from '@svc/api'
import { levels } from '@svc/protocol'
import { type Context, Hono } from 'hono'
import { z } from 'zod'
import { agentPage } from '../pages/agent.ts'
import { type FleetQuery, fleetPage, isFleetSort } from '../pages/fleet.ts'
import { levelsOf } from '../pages/levels.ts'
import { runsOf } from '../pages/runs.ts'
import { usageOf } from '../pages/usage.ts'
import { asMember } from '../web/kit/acting.ts'
import { bodyOf } from '../web/kit/body.ts'
import type { WebDeps } from '../web/kit/deps.ts'
import { admin, agent, type WebEnv } from '../web/kit/guards.ts'
import { flagOf, numberOf, textOf } from '../web/kit/query.ts'
import { createAgent, deleteAgent, renameAgent, rotateToken } from './store.ts'

const bytes = new TextEncoder()
const named = z.object({ name: z.string() })

export const agentRoutes = (deps: WebDeps) => {
  const { store, now, live } = deps
  const { db } = store
  const one = agent(deps)
  return new Hono<WebEnv>()
    .get('/fleet', async (c) => {
      const { id } = c.var.workspace
      const query = readFleetQuery(c)
      const list = async () => bytes.encode(JSON.stringify(fleetPage(await live.fleet.read(id), query, now())))
      const body = await live.answer(id, JSON.stringify(query), list)
      return c.body(body, 200, { 'content-type': 'application/json' })
    })
    .post('/agents', admin, async (c) => {
      const { workspace } = c.var
      const { name } = await bodyOf(c, named)
      const { token } = await asMember(deps, c.var, 'admin', ({ db, by, now }) =>
        createAgent(db, workspace, name, by, now),
      )
      live.listChanged(workspace.id)
      return c.json({ name, token } satisfies NewToken, 201)
    })
    .get('/agents/:name', one, async (c) => c.json(await agentPage(db, c.var.agent, c.var.role, now())))
    .patch('/agents/:name', admin, one, async (c) => {
      const { name } = await bodyOf(c, named)
      await asMember(deps, c.var, 'admin', ({ db, by, now }) => renameAgent(db, c.var.agent, name, by, now))
      live.listChanged(c.var.workspace.id)
      return c.json({ name })
    })
    .delete('/agents/:name', admin, one, async (c) => {
      await asMember(deps, c.var, 'admin', ({ db, by, now }) => deleteAgent(db, c.var.agent, by, now))
      live.listChanged(c.var.workspace.id)
      return c.json({ ok: true })
    })
    .post('/agents/:name/token', admin, one, async (c) => {
      const { agent, token } = await asMember(deps, c.var, 'admin', ({ db, by, now }) =>
        rotateToken(db, c.var.agent, by, now),
      )
      live.changed(c.var.workspace.id, agent.id)
      return c.json({ name: agent.name, token } satisfies NewToken)
    })
    .get('/agents/:name/runs', one, async (c) => {
      const filter = { status: textOf(c, 'status'), model: textOf(c, 'model'), text: textOf(c, 'text') }
      const page = { offset: numberOf(c, 'offset', 1_000_000, 0), limit: numberOf(c, 'limit', 200, 50) }
      return c.json(await runsOf(db, c.var.agent, filter, page))
    })
    .get('/agents/:name/usage', one, async (c) =>
      c.json(await usageOf(db, c.var.agent, numberOf(c, 'days', 366, 30), now())),
    )
    .get('/agents/:name/levels', one, async (c) =>
      c.json(await levelsOf(db, c.var.agent, numberOf(c, 'limit', 500, 50))),
    )
}

function readFleetQuery(c: Context): FleetQuery {
  const level = textOf(c, 'level')
  const sort = textOf(c, 'sort')
  return {
    search: textOf(c, 'search')?.trim().toLowerCase(),
    level: level === 'never' ? level : levels.find((l) => l === level),
    silent: flagOf(c, 'silent'),
    stopped: flagOf(c, 'stopped'),
    sort: sort !== undefined && isFleetSort(sort) ? sort : 'name',
    desc: flagOf(c, 'desc') ?? false,
    offset: numberOf(c, 'offset', 1_000_000, 0),
    limit: numberOf(c, 'limit', 200, 50),
  }
}

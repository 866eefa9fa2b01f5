/** The routes by which a person sends an agent commands (3.2). The agent's own routes stand on the bare listener, see agent-side/routes.ts. */

import type { BulkResult } from '@svc/api'
import { controls, readWish } from '@svc/protocol'
import { Hono } from 'hono'
import { z } from 'zod'
import { findAgent } from '../agents/store.ts'
import { queueCommand, queueMany, sendAgain } from '../commands/store.ts'
import { commandOf, ledgerOf } from '../pages/commands.ts'
import { unknownAgent } from '../verdict.ts'
import { asMember, memberWriter } from './kit/acting.ts'
import { bodyOf } from './kit/body.ts'
import type { WebDeps } from './kit/deps.ts'
import { admin, agent, type WebEnv } from './kit/guards.ts'
import { numberOf } from './kit/query.ts'
import { granted } from './kit/refusal.ts'

/** Agents in one press: a whole large fleet. */
const bulkMost = 2000
const bulkBytes = 256 * 1024
const bulk = z.object({ agents: z.array(z.string()).max(bulkMost), type: z.enum(controls) })

export const commandRoutes = (deps: WebDeps) => {
  const { store, now, live } = deps
  const { db } = store
  const one = agent(deps)
  return new Hono<WebEnv>()
    .get('/agents/:name/commands', one, async (c) => {
      const page = { offset: numberOf(c, 'offset', 1_000_000, 0), limit: numberOf(c, 'limit', 200, 50) }
      return c.json(await ledgerOf(db, c.var.agent, page, now()))
    })
    .post('/agents/:name/commands', admin, one, async (c) => {
      const wish = granted(readWish(await bodyOf(c, z.looseObject({}))))
      const { command, made } = await asMember(deps, c.var, 'admin', ({ db, by, now }) =>
        queueCommand(db, c.var.agent, wish, by, now),
      )
      live.changed(c.var.workspace.id, c.var.agent.id)
      return c.json(commandOf(command, null), made ? 201 : 200)
    })
    .post('/agents/:name/commands/:id/again', admin, one, async (c) => {
      const again = await asMember(deps, c.var, 'admin', ({ db, by, now }) =>
        sendAgain(db, c.var.agent, c.req.param('id'), by, now),
      )
      live.changed(c.var.workspace.id, c.var.agent.id)
      return c.json(commandOf(again.command, null), again.made ? 201 : 200)
    })
    .post('/commands', admin, async (c) => {
      const { agents, type } = await bodyOf(c, bulk, bulkBytes)
      const names = [...new Set(agents)]
      const found = await Promise.all(names.map((name) => findAgent(db, c.var.workspace, name)))
      const there = found.filter((each) => each !== undefined)
      const write = memberWriter(deps, c.var, 'admin')
      const queued = await queueMany(write, c.var.workspace, there, { type, payload: {} }, c.var.person, now())
      for (const { id, name } of there) if (queued.get(name)?.ok) live.changed(c.var.workspace.id, id)
      const results = names.map((agent): BulkResult => {
        const each = queued.get(agent)
        const message = each ? (each.ok ? null : each.message) : unknownAgent.message
        return { agent, ok: message === null, message }
      })
      return c.json(results)
    })
}

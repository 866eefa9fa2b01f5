/** Wishes and holds as admins make and lift them; packages/api says what these routes give. `member` stands in front. */

import type { RuntimeOverview, WishOfMany } from '@svc/api'
import { isVersion, shown } from '@svc/protocol'
import { type Context, Hono } from 'hono'
import { z } from 'zod'
import type { AgentRow } from '../db/tables.ts'
import { agentUpdates, servedOf } from '../pages/updates.ts'
import { servedRelease } from '../releases/store.ts'
import { asMember, memberWriter } from '../web/kit/acting.ts'
import { bodyOf } from '../web/kit/body.ts'
import type { WebDeps } from '../web/kit/deps.ts'
import { admin, agent, type WebEnv } from '../web/kit/guards.ts'
import { numberOf } from '../web/kit/query.ts'
import { Refusal } from '../web/kit/refusal.ts'
import { updateEvents } from './events.ts'
import { wishMany } from './many.ts'
import { clearBlueprint, clearRuntime, liftHold, pressRuntime, wishBlueprint } from './store.ts'
import { trialsOf } from './trials.ts'

/** Agents in one press: a whole large fleet. */
const manyMost = 2000
const manyBytes = 256 * 1024
const names = z.array(z.string()).max(manyMost)
const many: z.ZodType<WishOfMany> = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('runtime'), agents: names, withdraw: z.boolean().optional() }),
  z.object({ kind: z.literal('blueprint'), agents: names, blueprint: z.string(), version: z.string().nullable() }),
]) as z.ZodType<WishOfMany>

export const wishRoutes = (deps: WebDeps) => {
  const { store, now, live } = deps
  const { db } = store
  const one = agent(deps)
  /** Tells the pages, and answers with how things stand now. */
  const after = async (c: Context<WebEnv>, { agent: row }: { agent: AgentRow }) => {
    live.reported(row.workspace_id, row.id)
    live.changed(row.workspace_id, row.id)
    return c.json(await agentUpdates(db, row, now()))
  }
  return new Hono<WebEnv>()
    .get('/agents/:name/updates', one, async (c) =>
      c.json(await updateEvents(db, c.var.agent, numberOf(c, 'limit', 300, 50))),
    )
    .put('/agents/:name/wishes/blueprint', admin, one, async (c) => {
      const { version } = await bodyOf(c, z.object({ version: z.string() }))
      if (!isVersion(version)) {
        throw new Refusal('version_unknown', `A version is written like 1.2.3: got ${shown(version)}.`)
      }
      const wished = asMember(deps, c.var, 'admin', ({ db, by, now }) =>
        wishBlueprint(db, c.var.agent, { version }, by, now),
      )
      return after(c, await wished)
    })
    .delete('/agents/:name/wishes/blueprint', admin, one, async (c) =>
      after(c, await asMember(deps, c.var, 'admin', ({ db, by, now }) => clearBlueprint(db, c.var.agent, by, now))),
    )
    .post('/agents/:name/wishes/runtime', admin, one, async (c) =>
      after(c, await asMember(deps, c.var, 'admin', ({ db, by, now }) => pressRuntime(db, c.var.agent, by, now))),
    )
    .delete('/agents/:name/wishes/runtime', admin, one, async (c) =>
      after(c, await asMember(deps, c.var, 'admin', ({ db, by, now }) => clearRuntime(db, c.var.agent, by, now))),
    )
    .delete('/agents/:name/holds/runtime', admin, one, async (c) =>
      after(c, await asMember(deps, c.var, 'admin', ({ db, by, now }) => liftHold(db, c.var.agent, by, now))),
    )
    .post('/wishes', admin, async (c) => {
      const wish = await bodyOf(c, many, manyBytes)
      const write = memberWriter(deps, c.var, 'admin')
      const { results, changed } = await wishMany(write, c.var.workspace, wish, c.var.person, now())
      for (const id of changed) {
        live.reported(c.var.workspace.id, id)
        live.changed(c.var.workspace.id, id)
      }
      return c.json(results)
    })
    .get('/runtime', async (c) => {
      const { id } = c.var.workspace
      const rows = [...(await live.fleet.read(id)).values()].map(({ updates }) => updates)
      const running = Map.groupBy(rows, ({ runtime }) => runtime)
      const served = await servedRelease(db)
      const { most, busy } = await trialsOf(db, id, now())
      return c.json({
        now: now(),
        served: served ? servedOf(served) : null,
        running: [...running]
          .map(([version, agents]) => ({ version, agents: agents.length }))
          .sort((a, b) => b.agents - a.agents),
        wished: rows.filter(({ runtimeWished }) => runtimeWished !== null).length,
        held: rows.filter(({ runtimeHeld }) => runtimeHeld).length,
        pinned: rows.filter(({ runtimePinned }) => runtimePinned !== null).length,
        trials: { most, now: busy },
      } satisfies RuntimeOverview)
    })
}

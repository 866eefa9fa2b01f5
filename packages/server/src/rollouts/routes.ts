/** Rollouts: a version for many agents in waves; packages/api says what these routes give. `member` stands in front. */

import type { NewRollout, RolloutPage, Rollouts } from '@svc/api'
import { type Context, Hono } from 'hono'
import { z } from 'zod'
import { rolloutPage, rolloutsOf } from '../pages/rollouts.ts'
import { asMember } from '../web/kit/acting.ts'
import { bodyOf } from '../web/kit/body.ts'
import type { WebDeps } from '../web/kit/deps.ts'
import { admin, type WebEnv } from '../web/kit/guards.ts'
import { numberOf, textOf } from '../web/kit/query.ts'
import { found } from '../web/kit/refusal.ts'
import { advanceNow } from './advance.ts'
import { previewRollout } from './plan.ts'
import { cancelRollout, continueRollout, createRollout, pauseRollout } from './store.ts'

const agentsMost = 100_000
const bytesMost = 8 * 1024 * 1024
const wanted: z.ZodType<NewRollout> = z.object({
  kind: z.enum(['blueprint', 'runtime']),
  blueprint: z.string().optional(),
  version: z.string().optional(),
  agents: z.array(z.string()).max(agentsMost).optional(),
  waves: z.array(z.string()).optional(),
  byHand: z.boolean().optional(),
  watchSeconds: z.number().optional(),
}) as z.ZodType<NewRollout>

export const rolloutRoutes = (deps: WebDeps) => {
  const { store, now } = deps
  const { db } = store
  const page = async (c: Context<WebEnv>, id: string) => {
    const one = found(await rolloutPage(db, c.var.workspace, id, now()), 'rollout_unknown')
    return { ...one, canAct: c.var.role === 'admin' } satisfies RolloutPage
  }
  const after = async (c: Context<WebEnv>, id: string) => {
    await advanceNow(deps, c.var.workspace, id, now())
    return page(c, id)
  }
  return new Hono<WebEnv>()
    .get('/rollouts', async (c) => {
      const piece = { before: textOf(c, 'before'), limit: numberOf(c, 'limit', 200, 50) }
      const rollouts = await rolloutsOf(db, c.var.workspace, piece, now())
      return c.json({ ...rollouts, canAct: c.var.role === 'admin' } satisfies Rollouts)
    })
    .post('/rollouts', admin, async (c) => {
      const rollout = await bodyOf(c, wanted, bytesMost)
      const { id } = await asMember(deps, c.var, 'admin', ({ db, by, now }) =>
        createRollout(db, c.var.workspace, rollout, by, now),
      )
      return c.json(await after(c, id), 201)
    })
    .post('/rollouts/preview', admin, async (c) => {
      const rollout = await bodyOf(c, wanted, bytesMost)
      const preview = await asMember(deps, c.var, 'admin', ({ db, now }) =>
        previewRollout(db, c.var.workspace, rollout, now),
      )
      return c.json(preview)
    })
    .get('/rollouts/:id', async (c) => c.json(await page(c, c.req.param('id'))))
    .post('/rollouts/:id/pause', admin, async (c) => {
      const { id } = await asMember(deps, c.var, 'admin', ({ db, by, now }) =>
        pauseRollout(db, c.var.workspace, c.req.param('id'), by, now),
      )
      return c.json(await after(c, id))
    })
    .post('/rollouts/:id/continue', admin, async (c) => {
      const { id } = await asMember(deps, c.var, 'admin', ({ db, by, now }) =>
        continueRollout(db, c.var.workspace, c.req.param('id'), by, now),
      )
      return c.json(await after(c, id))
    })
    .post('/rollouts/:id/cancel', admin, async (c) => {
      const { withdraw } = await bodyOf(c, z.object({ withdraw: z.boolean().optional() }))
      const { id } = await asMember(deps, c.var, 'admin', ({ db, by, now }) =>
        cancelRollout(db, c.var.workspace, c.req.param('id'), withdraw ?? false, by, now),
      )
      return c.json(await after(c, id))
    })
}

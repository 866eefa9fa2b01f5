/** Install codes on a workspace's page. `signedIn` and `member` stand in front (web/app.ts). */

import type { NewCode } from '@svc/api'
import { Hono } from 'hono'
import { z } from 'zod'
import { asMember } from '../web/kit/acting.ts'
import { bodyOf } from '../web/kit/body.ts'
import type { WebDeps } from '../web/kit/deps.ts'
import { admin, type WebEnv } from '../web/kit/guards.ts'
import { found } from '../web/kit/refusal.ts'
import { codeOf, issueCode, listCodes, revokeCode, shownCode } from './codes.ts'

const wanted = z.object({ blueprint: z.string(), version: z.string(), agent: z.string().optional() })

export const codeRoutes = (deps: WebDeps) => {
  const { store, now, live } = deps
  const { db } = store
  return new Hono<WebEnv>()
    .get('/codes', async (c) => c.json(await listCodes(db, c.var.workspace, now())))
    .post('/codes', admin, async (c) => {
      const { workspace } = c.var
      const { blueprint, version, agent } = await bodyOf(c, wanted)
      const issued = await asMember(deps, c.var, 'admin', ({ db, by, now }) =>
        issueCode(db, workspace, { blueprint, version, agentName: agent }, by, now),
      )
      live.listChanged(workspace.id)
      const { row, code, warnings } = issued
      const fresh = shownCode({ ...row, agent: null, issuer: 'admin' }, now())
      return c.json({ ...fresh, code, warnings } satisfies NewCode, 201)
    })
    .get('/codes/:id', async (c) => {
      return c.json(found(await codeOf(db, c.var.workspace, c.req.param('id'), now()), 'code_unknown'))
    })
    .delete('/codes/:id', admin, async (c) => {
      const { workspace } = c.var
      await asMember(deps, c.var, 'admin', ({ db, by, now }) => revokeCode(db, workspace, c.req.param('id'), by, now))
      live.listChanged(workspace.id)
      return c.json({ ok: true })
    })
}

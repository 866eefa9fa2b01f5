/** A workspace and the people in it. The guards `signedIn` and `member` stand in front of all (web/app.ts). */

import type { Members, Workspace } from '@svc/api'
import { Hono } from 'hono'
import { z } from 'zod'
import { activityOf } from '../pages/activity.ts'
import { signedInBy } from '../people/sessions.ts'
import { asMember, asPerson, personWriter } from '../web/kit/acting.ts'
import { bodyOf } from '../web/kit/body.ts'
import type { WebDeps } from '../web/kit/deps.ts'
import { admin, signedIn, type WebEnv } from '../web/kit/guards.ts'
import { numberOf } from '../web/kit/query.ts'
import { granted } from '../web/kit/refusal.ts'
import { accept, invitationInfo, invitationsOf, invite, withdraw } from './invitations.ts'
import { changeRole, membersOf, removeMember } from './members.ts'
import { createOwnWorkspace } from './own.ts'
import { isActivated, renameWorkspace, type WorkspaceInfo } from './store.ts'

const role = z.enum(['admin', 'member'])

export const workspaceRoutes = (deps: WebDeps) => {
  const { store, now, live } = deps
  const { db } = store
  return new Hono<WebEnv>()
    .get('/', async (c) => c.json(await shown(c.var.workspace, c.var.role)))
    .patch('/', admin, async (c) => {
      const { name } = await bodyOf(c, z.object({ name: z.string() }))
      const renamed = await asMember(deps, c.var, 'admin', ({ people, by, now }) =>
        renameWorkspace(people, c.var.workspace, name, by, now),
      )
      return c.json(await shown(renamed, c.var.role))
    })
    .get('/members', async (c) => {
      const { workspace, person } = c.var
      const invitations = c.var.role === 'admin' ? await invitationsOf(deps, workspace, now()) : []
      return c.json({ members: await membersOf(db, workspace, person), invitations } satisfies Members)
    })
    .patch('/members/:id', admin, async (c) => {
      const body = await bodyOf(c, z.object({ role }))
      await asMember(deps, c.var, 'admin', ({ people, by, now }) =>
        changeRole(people, c.var.workspace, { id: c.req.param('id'), role: body.role }, by, now),
      )
      live.listChanged(c.var.workspace.id)
      return c.json({ ok: true })
    })
    .delete('/members/:id', async (c) => {
      const { workspace } = c.var
      await asMember(deps, c.var, 'member', ({ people, role, by, now }) =>
        removeMember(
          people,
          workspace,
          { id: c.req.param('id'), only: role === 'admin' ? 'anybody' : 'oneself' },
          by,
          now,
        ),
      )
      live.listChanged(workspace.id)
      await live.check()
      return c.json({ ok: true })
    })
    .post('/invitations', admin, async (c) => {
      const asked = await bodyOf(c, z.object({ email: z.string(), role }))
      const invited = await asMember(deps, c.var, 'admin', ({ people, by, now }) =>
        invite(people, c.var.workspace, asked, by, now),
      )
      return c.json(invited, 201)
    })
    .delete('/invitations/:id', admin, async (c) => {
      await asMember(deps, c.var, 'admin', ({ people, by, now }) =>
        withdraw(people, c.var.workspace, c.req.param('id'), by, now),
      )
      return c.json({ ok: true })
    })
    .get('/activity', async (c) => {
      const before = numberOf(c, 'before', Number.MAX_SAFE_INTEGER)
      return c.json(await activityOf(db, c.var.workspace, before, numberOf(c, 'limit', 200, 50)))
    })

  async function shown({ id, slug, name }: WorkspaceInfo, mine: Workspace['role']): Promise<Workspace> {
    const { agents } = await db
      .selectFrom('agent')
      .select((eb) => eb.fn.countAll<number>().as('agents'))
      .where('workspace_id', '=', id)
      .executeTakeFirstOrThrow()
    return { slug, name, role: mine, activated: await isActivated(db, id), agents: Number(agents) }
  }
}

/** For whoever is signed in, in no workspace yet or in several. */
export const newWorkspaceRoutes = (deps: WebDeps) =>
  new Hono<WebEnv>().post('/workspaces', signedIn(deps), async (c) => {
    const asked = await bodyOf(c, z.object({ slug: z.string(), name: z.string() }))
    const made = await asPerson(deps, c.var, ({ people, by, now }) => createOwnWorkspace(people, asked, by, now))
    return c.json({ slug: made.slug }, 201)
  })

/** For whoever holds the link of an invitation, signed in or not. */
export const invitationRoutes = (deps: WebDeps) => {
  const { auth, now, signIn } = deps
  return new Hono<WebEnv>()
    .get('/invitations/:id', async (c) =>
      c.json(
        await signIn.countLink(c, 'invitation', async () =>
          granted(await invitationInfo(deps, c.req.param('id'), now())),
        ),
      ),
    )
    .post('/invitations/:id', async (c) => {
      const text = z.string().optional()
      const body = await bodyOf(c, z.object({ name: text, password: text }))
      const who = await signedInBy(auth, c.req.raw.headers, now())
      const people = who ? { ...deps, write: personWriter(deps, who) } : deps
      const { slug, person, made } = await signIn.countLink(c, 'invitation', async () =>
        granted(await accept(people, c.req.param('id'), body, who?.person, now())),
      )
      if (made) await signIn.withoutPassword(c, person, 'invitation')
      return c.json({ slug })
    })
}

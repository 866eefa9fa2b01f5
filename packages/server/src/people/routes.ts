/** One's own account: sign-in and sign-out, name, password, sessions; and the one-time links that lead to it. */

import type { ClaimInfo, Me, Session } from '@svc/api'
import { type Context, Hono } from 'hono'
import { z } from 'zod'
import { asPerson, personWriter } from '../web/kit/acting.ts'
import { bodyOf } from '../web/kit/body.ts'
import type { WebDeps } from '../web/kit/deps.ts'
import { signedIn, type WebEnv } from '../web/kit/guards.ts'
import { found, granted } from '../web/kit/refusal.ts'
import { workspacesOf } from '../workspaces/members.ts'
import { firstStart } from '../workspaces/start.ts'
import { claimAccount } from './claim.ts'
import { isEmailConfirmed } from './confirmed.ts'
import { signInsOf } from './history.ts'
import { linkIsGood, linkPerson, useLink } from './links.ts'
import { changePassword } from './password.ts'
import { endOtherSessions, endSession, sessionsOf } from './sessions.ts'
import { personOfId, renamePerson } from './store.ts'

const credentials = z.object({ email: z.string(), password: z.string() })
const token = z.string().max(200)
const start = credentials.extend({ token, name: z.string(), workspace: z.string(), slug: z.string() })

/** The accounts library's addresses, as the page knows them; no other of its routes can be reached. */
export const authRoutes = ({ signIn }: WebDeps) =>
  new Hono<WebEnv>()
    .post('/sign-in/email', async (c) => {
      const { email, password } = await bodyOf(c, credentials)
      await signIn.withPassword(c, email, password)
      return c.json({ ok: true })
    })
    .post('/sign-out', async (c) => {
      await signIn.out(c)
      return c.json({ ok: true })
    })

/** What works without being signed in: each wants a secret that somebody was handed. */
export const startRoutes = (deps: WebDeps) => {
  const { store, now, signIn } = deps
  return new Hono<WebEnv>()
    .get('/start', async (c) => {
      await signIn.countLink(c, 'first', async () => {
        const good = await linkIsGood(store.db, 'first', c.req.query('token') ?? '', now())
        found(good || undefined, 'link_unknown')
      })
      return c.json({ ok: true })
    })
    .post('/start', async (c) => {
      const asked = await bodyOf(c, start)
      const person = await signIn.countLink(c, 'first', async () => granted(await firstStart(deps, asked, now())))
      await signIn.withoutPassword(c, person, 'first')
      return c.json({ slug: asked.slug })
    })
    .post('/link', async (c) => {
      const asked = await bodyOf(c, z.object({ token }))
      const person = await signIn.countLink(c, 'link', async () => {
        const link = found(await useLink(store.db, 'sign_in', asked.token, now()), 'link_unknown')
        return found(await personOfId(store.db, link.person_id ?? ''), 'link_unknown')
      })
      await signIn.withoutPassword(c, person, 'link')
      return c.json({ ok: true })
    })
    .get('/claim', async (c) => {
      const token = c.req.query('token') ?? ''
      const { email } = await signIn.countLink(c, 'claim', async () =>
        found(await linkPerson(store.db, 'claim', token, now()), 'link_unknown'),
      )
      return c.json({ email } satisfies ClaimInfo)
    })
    .post('/claim', async (c) => {
      const asked = await bodyOf(c, z.object({ token, name: z.string(), password: z.string() }))
      const person = await signIn.countLink(c, 'claim', async () => granted(await claimAccount(deps, asked, now())))
      await deps.live.check()
      await signIn.withoutPassword(c, person, 'claim')
      return c.json({ ok: true })
    })
}

export const meRoutes = (deps: WebDeps) => {
  const { auth, live, now, store } = deps
  const only = signedIn(deps)
  return new Hono<WebEnv>()
    .get('/me', only, async (c) => {
      deps.signIn.rememberDevice(c)
      return c.json(await meOf(deps, c))
    })
    .patch('/me', only, async (c) => {
      const { name } = await bodyOf(c, z.object({ name: z.string() }))
      const renamed = await asPerson(deps, c.var, ({ people, by, now }) => renamePerson(people, by, name, now))
      c.set('person', renamed)
      return c.json(await meOf(deps, c))
    })
    .get('/sessions', only, async (c) => {
      const all = await sessionsOf(auth, c.var.person.id, now())
      const sessions = all.map(
        (session): Session => ({
          id: session.id,
          current: session.id === c.var.session.id,
          createdAt: new Date(session.createdAt).getTime(),
          seenAt: new Date(session.updatedAt).getTime(),
          ip: session.ipAddress || null,
          userAgent: session.userAgent || null,
        }),
      )
      return c.json(sessions.sort((a, b) => Number(b.current) - Number(a.current) || b.seenAt - a.seenAt))
    })
    .get('/sign-ins', only, async (c) => c.json(await signInsOf(store.db, c.var.person.id)))
    .delete('/sessions/:id', only, async (c) => {
      await asPerson(deps, c.var, ({ people, by, now }) => endSession(people, by, c.req.param('id'), now))
      await live.check()
      return c.json({ ok: true })
    })
    .delete('/sessions', only, async (c) => {
      await asPerson(deps, c.var, ({ people, by, now }) => endOtherSessions(people, by, c.var.session, now))
      await live.check()
      return c.json({ ok: true })
    })
    .post('/password', only, async (c) => {
      const asked = await bodyOf(c, z.object({ current: z.string(), next: z.string() }))
      const people = { ...deps, write: personWriter(deps, c.var) }
      await deps.signIn.countPassword(c, async () => granted(await changePassword(people, c.var, asked, now())))
      await live.check()
      return c.json({ ok: true })
    })
}

async function meOf({ store, config, releases }: WebDeps, c: Context<WebEnv>): Promise<Me> {
  const { person } = c.var
  const service = {
    version: config.version,
    baseUrl: config.baseUrl,
    runtime: releases.served() !== undefined,
  }
  const emailConfirmed = await isEmailConfirmed(store.db, person.id)
  return { ...person, emailConfirmed, workspaces: await workspacesOf(store.db, person.id), service }
}

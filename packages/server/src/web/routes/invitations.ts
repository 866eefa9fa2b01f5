/** The routes for somebody who opens the link of an invitation, whether they are signed in or not. */
import { workspaces } from '@svc/api'
import { Hono } from 'hono'
import { signedInBy } from '../../people/accounts/sessions.ts'
import { acceptInvitation, invitationInfo } from '../../people/workspaces/accepting.ts'
import { granted } from '../../platform/refusal.ts'
import { personWriter } from '../routing/acting.ts'
import { bodyFor } from '../routing/body.ts'
import type { WebEnv } from '../routing/guards.ts'
import { pastedLink } from '../routing/pasted.ts'
import type { WebDeps } from '../routing/web-deps.ts'

export const invitationRoutes = (deps: WebDeps) => {
  const { auth, now, signIn, store } = deps
  return new Hono<WebEnv>()
    .get('/invitations/:id', async (c) =>
      c.json(
        await signIn.countLink(c, 'invitation', async () =>
          granted(await invitationInfo(deps, pastedLink(c.req.param('id')), now())),
        ),
      ),
    )
    .post('/invitations/:id', async (c) => {
      const body = await bodyFor(c, workspaces.acceptInvitation)
      const who = await signedInBy({ auth, store }, c.req.raw.headers, now())
      const people = who ? { ...deps, write: personWriter(deps, who) } : deps
      const { slug, person, made } = await signIn.countLink(c, 'invitation', async () =>
        granted(await acceptInvitation({ people, by: who?.person, now: now() }, pastedLink(c.req.param('id')), body)),
      )
      if (made) await signIn.withoutPassword(c, person, 'invitation')
      return c.json({ slug })
    })
}

/** Who may call a route. A guard finds what the route is about and puts it beside the request. */
import type { HttpBindings } from '@hono/node-server'
import type { Role } from '@svc/api'
import type { MiddlewareHandler } from 'hono'
import { createMiddleware } from 'hono/factory'
import { findAgent } from '../../agents/store.ts'
import type { AgentRow } from '../../db/tables.ts'
import type { Deps } from '../../deps.ts'
import { type SignedIn, signedInBy } from '../../people/sessions.ts'
import { findWorkspace, roleOf, type WorkspaceInfo } from '../../workspaces/store.ts'
import { found, Refusal } from './refusal.ts'

export interface WebEnv {
  Bindings: HttpBindings
  Variables: SignedIn & { workspace: WorkspaceInfo; role: Role; agent: AgentRow }
}
export type Guard = MiddlewareHandler<WebEnv>

/** Somebody who is signed in. */
export const signedIn = ({ auth, now }: Deps): Guard =>
  createMiddleware(async function signedIn(c, next) {
    const who = await signedInBy(auth, c.req.raw.headers, now())
    if (!who) throw new Refusal('sign_in_needed')
    c.set('person', who.person)
    c.set('session', who.session)
    await next()
    for (const cookie of who.cookies) c.header('set-cookie', cookie, { append: true })
  })

/** Somebody who belongs to the workspace of the address. To everybody else it is as if there were none. */
export const member = ({ store: { db } }: Deps): Guard =>
  createMiddleware(async function member(c, next) {
    const workspace = found(await findWorkspace(db, c.req.param('slug') ?? ''), 'workspace_unknown')
    c.set('role', found(await roleOf(db, workspace.id, c.var.person.id), 'workspace_unknown'))
    c.set('workspace', workspace)
    await next()
  })

/** An admin of the workspace; stands behind `member`. */
export const admin: Guard = createMiddleware(async function admin(c, next) {
  if (c.var.role !== 'admin') throw new Refusal('not_allowed')
  await next()
})

/** The agent of the address, in this workspace. */
export const agent = ({ store: { db } }: Deps): Guard =>
  createMiddleware(async function agent(c, next) {
    c.set('agent', found(await findAgent(db, c.var.workspace, c.req.param('name') ?? ''), 'agent_unknown'))
    await next()
  })

/**
 * Refuses what another site's page sends (CSRF): by what the browser says about the request, or by its origin. A request
 * that says neither comes from no browser of today, and brings no cookie that a person did not put there.
 */
export const sameOrigin = (baseUrl: string): Guard =>
  createMiddleware(async function sameOrigin(c, next) {
    const site = c.req.header('sec-fetch-site')
    const origin = c.req.header('origin')
    const reads = c.req.method === 'GET' || c.req.method === 'HEAD'
    const foreign = site ? site !== 'same-origin' && site !== 'none' : origin !== undefined && origin !== baseUrl
    if (foreign && !(reads && site === 'same-site')) throw new Refusal('origin_foreign')
    if (!reads && origin !== undefined && origin !== baseUrl) throw new Refusal('origin_foreign')
    await next()
  })

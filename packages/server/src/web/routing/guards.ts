/**
 * Guards decide who may call a route. They store the person, the workspace or the agent that they look up in the
 * context of the request.
 */
import type { HttpBindings } from '@hono/node-server'
import type { Role } from '@svc/api'
import type { MiddlewareHandler } from 'hono'
import { createMiddleware } from 'hono/factory'
import { findByOldName } from '../../fleet/agents/old-names.ts'
import { findAgent } from '../../fleet/agents/store.ts'
import { type SignedIn, signedInBy } from '../../people/accounts/sessions.ts'
import { callbackPath } from '../../people/oidc/client.ts'
import { type MemberRights, rightsIn } from '../../people/workspaces/rights.ts'
import { findWorkspace, type WorkspaceInfo } from '../../people/workspaces/store.ts'
import type { AgentRow } from '../../platform/db/tables.ts'
import { Refusal, requireFound } from '../../platform/refusal.ts'
import type { Deps } from './deps.ts'

export interface WebEnv {
  Bindings: HttpBindings
  Variables: SignedIn & { workspace: WorkspaceInfo; role: Role; rights: MemberRights; agent: AgentRow }
}
export type Guard = MiddlewareHandler<WebEnv>

/** Requires a signed-in person. */
export const requireSignedIn = ({ auth, store, now }: Deps): Guard =>
  createMiddleware(async function signedIn(c, next) {
    const who = await signedInBy({ auth, store }, c.req.raw.headers, now())
    if (!who) throw new Refusal('sign_in_needed')
    c.set('person', who.person)
    c.set('session', who.session)
    await next()
    for (const cookie of who.cookies) c.header('set-cookie', cookie, { append: true })
  })

/** Refuses routes that use or set a password where people sign in only through the provider. */
export const requirePasswords = ({ config }: Pick<Deps, 'config'>): Guard =>
  createMiddleware(async function passwords(_, next) {
    if (config.oidc?.only) throw new Refusal('oidc_only')
    await next()
  })

/**
 * Requires a member of the workspace in the address. Everybody else gets the same answer as for a workspace that does
 * not exist.
 */
export const requireMember = ({ store: { db }, now }: Deps): Guard =>
  createMiddleware(async function member(c, next) {
    const workspace = requireFound(await findWorkspace(db, c.req.param('slug') ?? ''), 'workspace_unknown')
    const rights = requireFound(await rightsIn(db, workspace, c.var, { now: now() }), 'workspace_unknown')
    c.set('rights', rights)
    c.set('role', rights.role)
    c.set('workspace', workspace)
    await next()
  })

/** Requires an admin of the workspace; runs after `requireMember`. */
export const requireAdmin: Guard = createMiddleware(async function admin(c, next) {
  if (c.var.rights.factorMissing) throw new Refusal('factor_required')
  if (c.var.role !== 'admin') throw new Refusal('not_allowed')
  await next()
})

/** Finds the agent in the address within this workspace; with `oldNames` also by a name that it had before. */
export const requireAgent = ({ store: { db }, now }: Deps, oldNames = false): Guard =>
  createMiddleware(async function agent(c, next) {
    const name = c.req.param('name') ?? ''
    const named = await findAgent(db, c.var.workspace, name)
    const renamed = named || !oldNames ? undefined : await findByOldName(db, c.var.workspace, name, now())
    c.set('agent', requireFound(named ?? renamed, 'agent_unknown'))
    await next()
  })

/**
 * Refuses requests that a page of another origin sends (CSRF), by the header `Sec-Fetch-Site`, or else by `Origin`.
 * Two kinds are allowed: reads from a page of the same site, and the callback of the sign-in provider. A request with
 * neither header does not come from a current browser, so it carries no cookies without the person's knowledge.
 */
export const requireSameOrigin = (baseUrl: string): Guard =>
  createMiddleware(async function sameOrigin(c, next) {
    const site = c.req.header('sec-fetch-site')
    const origin = c.req.header('origin')
    const reads = c.req.method === 'GET' || c.req.method === 'HEAD'
    const isCallback = reads && c.req.path === callbackPath && navigates(c.req.header('sec-fetch-dest'))
    const foreign = site ? site !== 'same-origin' && site !== 'none' : origin !== undefined && origin !== baseUrl
    if (foreign && !(reads && site === 'same-site') && !isCallback) throw new Refusal('origin_foreign')
    if (!reads && origin !== undefined && origin !== baseUrl) throw new Refusal('origin_foreign')
    await next()
  })

/** True for a request that opens a page in a tab and not inside another page, or if the browser does not say. */
const navigates = (destination: string | undefined): boolean => destination === undefined || destination === 'document'

/**
 * The page and its routes (packages/api describes their answers), sign-in by the accounts library, and `/cli/`. Every
 * answer gets the same headers. The listener handles the stream of frames directly; one router handles everything else,
 * with all refusals in one place.
 */

import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { getRequestListener, type HttpBindings } from '@hono/node-server'
import { InputRefused, type RefusalBody } from '@svc/api'
import { serviceTimeHeader } from '@svc/api/clock'
import { expectedStatuses, refusedHeader } from '@svc/api/refused'
import { refusalJson, refusals } from '@svc/protocol'
import { type Context, Hono } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { HashingBusy } from '../people/accounts/hashing.ts'
import { isConstraint, isDatabaseFailure, isUnstorableText } from '../platform/db/error.ts'
import { refuseAndClose } from '../platform/http/answers.ts'
import { drainBody } from '../platform/http/body.ts'
import { callerAddress } from '../platform/http/caller.ts'
import { pageParts, sendPage, wantsPage } from '../platform/http/person-page.ts'
import { noteLogStatus, requestPath } from '../platform/http/requests.ts'
import { pathBeside } from '../platform/installed.ts'
import { Refusal, type WebCode } from '../platform/refusal.ts'
import { ThreadUnavailable } from '../platform/threads.ts'
import { boundOperations } from './operations/all.ts'
import { authRoutes, invitationRoutes, linkRoutes, oidcRoutes, ownRoutes } from './routes/account.ts'
import { doorRoutes } from './routes/door.ts'
import { factorRoutes } from './routes/factors.ts'
import { bundleRoutes, logDownload, releaseRoutes } from './routes/files.ts'
import { helpRoutes } from './routes/help.ts'
import { sseHandler } from './routes/sse.ts'
import { securityRoutes, staticRoutes } from './routes/static.ts'
import { isCanonicalPath, rawPathOf } from './routes/target.ts'
import { requireMember, requireSameOrigin, requireSignedIn, type WebEnv } from './routing/guards.ts'
import { securityHeaders } from './routing/headers.ts'
import { mountOperations } from './routing/operations.ts'
import { signInOf } from './routing/sign-in.ts'
import type { WebDeps, WebNeeds } from './routing/web-deps.ts'

/**
 * Builds the page and its routes. `listener` takes every request that is not for an agent route; `app` is the router
 * that it uses.
 */
export function webApp(needs: WebNeeds): { listener: RequestListener; app: Hono<WebEnv> } {
  const addressOf = callerAddress(needs)
  const deps = { ...needs, signIn: signInOf(needs, (c) => addressOf(c.env.incoming)) }
  const app = routerOf(deps)
  const sse = sseHandler(deps)
  const headers = Object.entries(securityHeaders(needs.config.baseUrl))
  const listen = getRequestListener((request, env) => app.fetch(request, env as HttpBindings), {
    overrideGlobalObjects: false,
    hostname: new URL(needs.config.baseUrl).host,
    errorHandler: unreadable,
  })
  const listener: RequestListener = (req, res) => {
    for (const [name, value] of headers) res.setHeader(name, value)
    if (!isCanonicalPath(rawPathOf(req.url ?? '')))
      void drainBody(req).then(() => refuseUnknown(needs.config, req, res))
    else if (!sse(req, res)) void listen(req, res)
  }
  return { listener, app }
}

function routerOf(deps: WebDeps): Hono<WebEnv> {
  const app = new Hono<WebEnv>({ strict: false })
  app.onError((error, c) => answer(deps, c, error))
  app.use('/api/*', async (c, next) => {
    await next()
    c.header('cache-control', 'no-store')
    c.header(serviceTimeHeader, String(deps.now()))
  })
  app.use('/api/*', requireSameOrigin(deps.config.baseUrl))
  app.route('/api/auth', authRoutes(deps))
  app.route('/api/web', doorRoutes(deps))
  app.route('/api/web', linkRoutes(deps))
  app.route('/api/web', invitationRoutes(deps))
  app.route('/api/web', ownRoutes(deps))
  app.route('/api/web', factorRoutes(deps))
  app.route('/api/web', oidcRoutes(deps))
  app.use('/api/web/w/:slug/*', requireSignedIn(deps), requireMember(deps))
  app.route('/api/web/w/:slug', bundleRoutes(deps))
  app.route('/api/web/w/:slug', logDownload(deps))
  mountOperations(app, deps, boundOperations)
  app.all('/api/*', () => {
    throw new Refusal('not_found')
  })
  // For most paths the router ignores a slash at the end. A file below `/cli/` is fetched by programs and has exactly
  // one address, so a slash at its end is refused (4).
  app.use('/cli/*', async (c, next) => {
    if (rawPathOf(c.env.incoming.url ?? '').endsWith('/')) throw new Refusal('not_found')
    await next()
  })
  app.route('/', securityRoutes(deps))
  app.route('/', releaseRoutes(deps.releases))
  app.all('/cli/*', () => {
    throw new Refusal('not_found')
  })
  app.route('/', helpRoutes(deps.helpDir ?? pathBeside('help')))
  app.route('/', staticRoutes(deps.pageDir ?? pathBeside('page')))
  app.notFound(() => {
    throw new Refusal('not_found')
  })
  return app
}

/**
 * Refuses a request whose path is not canonical: with a page if a browser shows the address in a tab, otherwise with
 * JSON.
 */
function refuseUnknown({ baseUrl }: WebDeps['config'], req: IncomingMessage, res: ServerResponse): void {
  if (wantsPage(req)) sendPage(req, res, 404, unopened(refusals.not_found[1], baseUrl))
  else refuseAndClose(req, res, 'not_found')
}

/** The page for an address that cannot be opened, with the reason. */
const unopened = (why: string, link: string) => ({ title: 'This address could not be opened', lines: [why], link })

/** Makes the answer to a request that cannot be passed to the router, such as one with an invalid forwarded host. */
const unreadable = (): Response =>
  Response.json(refusalJson('request_invalid', refusals.request_invalid[1]), {
    status: 400,
    headers: { 'cache-control': 'no-store' },
  })

/**
 * Makes the answer to a request whose route threw an error: a page if a browser shows the address in a tab, otherwise
 * JSON. Failures of the service itself are logged, and their details are not sent.
 */
function answer({ config, log }: WebDeps, c: Context<WebEnv>, error: Error): Response {
  const refusal = refusalOf(error)
  if (refusal.status >= 500) {
    log.error({ err: error, method: c.req.method, path: requestPath(c.env.incoming.url ?? '') }, 'a page route failed')
  }
  c.header('cache-control', 'no-store')
  if (refusal.retryAfter !== undefined) c.header('retry-after', String(refusal.retryAfter))
  if (wantsPage(c.env.incoming)) {
    const { html, headers } = pageParts(unopened(refusal.message, config.baseUrl))
    return c.body(html, refusal.status as ContentfulStatusCode, headers)
  }
  const failure: RefusalBody = refusalJson(refusal.code, refusal.message)
  if (refusal.findings) failure.error.findings = refusal.findings
  if (refusal.act !== undefined) failure.error.act = refusal.act
  if (refusal.place) Object.assign(failure.error, refusal.place)
  return c.json(failure, statusFor(c, refusal) as ContentfulStatusCode)
}

/**
 * The HTTP status with which a refusal is sent. It is 200 if the page asks for that and the status is one that the page
 * expects; the page then reads the real status from a header.
 */
function statusFor(c: Context<WebEnv>, { status }: Refusal): number {
  const asks = c.req.header(refusedHeader) === '200' && c.req.path.startsWith('/api/web/')
  if (!asks || !expectedStatuses.has(status)) return status
  c.header(refusedHeader, String(status))
  noteLogStatus(c.env.incoming, status)
  return 200
}

function refusalOf(error: Error): Refusal {
  if (error instanceof Refusal) return error
  if (error instanceof InputRefused) return new Refusal(error.code as WebCode, error.message)
  if (error instanceof HashingBusy) return new Refusal('rate_limited', HashingBusy.words, HashingBusy.retryAfter)
  if (error instanceof ThreadUnavailable)
    return new Refusal('unavailable', ThreadUnavailable.words, ThreadUnavailable.retryAfter)
  if (isConstraint(error)) return new Refusal('conflict')
  if (isUnstorableText(error)) return new Refusal('text_invalid')
  if (isDatabaseFailure(error)) return new Refusal('unavailable', undefined, 5)
  return new Refusal('internal')
}

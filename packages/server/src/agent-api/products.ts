/**
 * The route `POST /api/product/v1/introspect`, handled directly by the listener. The servers of products call it to ask
 * whether a token is valid.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { findProduct, introspect } from '../fleet/bots/introspect.ts'
import type { ServiceBase } from '../platform/base.ts'
import type { Store } from '../platform/db/open.ts'
import { callerKey } from '../platform/http/address.ts'
import { refusalBody, refuseAndClose, refuseAsBusy, respondWithJson, sendRefusal } from '../platform/http/answers.ts'
import { drainBody, readBody } from '../platform/http/body.ts'
import { callerAddress } from '../platform/http/caller.ts'
import type { BareRoutes } from '../platform/http/listener.ts'
import { RateWindow } from '../platform/limits/window.ts'

/** The maximum size of an introspection request's body in bytes, enough for a token and a hint about its type. */
const maxBody = 8 * 1024
/** The maximum number of introspections per minute for one product. */
const perProduct = 3000
/** The maximum number of calls per minute from one address without the valid secret of a product. */
const perStranger = 60

export function productCalls(deps: Pick<ServiceBase, 'config' | 'log' | 'now'> & { store: Store }): BareRoutes {
  const addressOf = callerAddress(deps)
  const products = new RateWindow(perProduct)
  const strangers = new RateWindow(perStranger)
  return { 'POST /api/product/v1/introspect': answer }

  async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    try {
      await ask(req, res)
    } catch (error) {
      deps.log.error({ err: error }, 'a token could not be looked up for a product')
      refuseAsBusy(res)
    }
  }

  /**
   * Answers a call, or refuses it with 429, 401, 413 or 400, in this order. Calls with a product's secret count for the
   * limit of the product, all others for the limit of the caller's address.
   */
  async function ask(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const product = await findProduct(deps.store.db, req.headers.authorization)
    const now = deps.now()
    const wait = product ? products.take(product.id, now) : strangers.take(callerKey(addressOf(req)), now)
    if (wait > 0) {
      await drainBody(req)
      return refuseAndClose(req, res, 'rate_limited', { retryAfter: wait })
    }
    if (!product) {
      await drainBody(req)
      return unauthorized(req, res)
    }
    const body = await readBody(req, res, maxBody)
    if (body.is === 'broken') return
    if (body.is === 'too_large') return refuseAndClose(req, res, 'body_too_large')
    const token = tokenOf(req.headers['content-type'], body.bytes)
    if (token === undefined) return sendRefusal(res, 'body_invalid', wantedFormText)
    const found = await introspect(deps.store.db, product, token, { issuer: deps.config.baseUrl, now: deps.now() })
    respondWithJson(res, 200, JSON.stringify(found))
  }
}

const wantedFormText = 'The body must be a form (application/x-www-form-urlencoded) with one field "token".'

function tokenOf(type: string | undefined, bytes: Buffer): string | undefined {
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(type ?? '')) return undefined
  const [token, more] = new URLSearchParams(bytes.toString('utf8')).getAll('token')
  return more === undefined && token ? token : undefined
}

function unauthorized(req: IncomingMessage, res: ServerResponse): void {
  const body = refusalBody('token_unknown', "The product's id and secret are needed, by HTTP Basic.")
  if (!req.complete) res.shouldKeepAlive = false
  respondWithJson(res, 401, body, 'WWW-Authenticate', 'Basic realm="svc products", charset="UTF-8"')
}

/**
 * Checks a bot's token by asking the service that issued it (RFC 7662), and remembers the answer for some seconds.
 * While the service cannot be reached, a token counts neither as valid nor as invalid.
 */
import { createHash } from 'node:crypto'
import type { Config } from './config.mts'

export interface Bot {
  /** The id of the bot. It never changes, while another bot may get this bot's name after this bot was deleted. */
  id: string
  name: string
  workspace: string
  workspaceName: string
  role: string
  scopes: ReadonlySet<string>
}
export type Found = { is: 'bot'; bot: Bot } | { is: 'refused' } | { is: 'unasked'; why: string }
export type Ask = (token: string) => Promise<Found>

const rememberMs = 5000
const patienceMs = 5000
const remembered = 1000

/**
 * Creates the function that asks the service about a token. Simultaneous calls with the same token cause only one
 * request to the service. Tokens are remembered as hashes.
 */
export function askingService({ service, product, secret }: Config, now: () => number = Date.now): Ask {
  const known = new Map<string, { until: number; found: Promise<Found> }>()
  const credentials = Buffer.from(`${product}:${secret}`).toString('base64')
  return (token) => {
    const key = createHash('sha256').update(token).digest('base64')
    const before = known.get(key)
    if (before && before.until > now()) return before.found
    for (const [old, { until }] of known) if (until <= now() || known.size >= remembered) known.delete(old)
    const entry = { until: now() + rememberMs, found: ask(token) }
    known.set(key, entry)
    void entry.found.then((found) => {
      if (found.is === 'unasked') known.delete(key)
    })
    return entry.found
  }

  async function ask(token: string): Promise<Found> {
    try {
      const answer = await fetch(`${service}/api/product/v1/introspect`, {
        method: 'POST',
        headers: { authorization: `Basic ${credentials}` },
        body: new URLSearchParams({ token }),
        redirect: 'error',
        signal: AbortSignal.timeout(patienceMs),
      })
      if (answer.ok) return judge(await answer.json(), product, now())
      await answer.body?.cancel()
      const why =
        answer.status === 401 ? "it does not know this product's id and secret" : `it answered ${answer.status}`
      return { is: 'unasked', why: `${service}: ${why}` }
    } catch (error) {
      return { is: 'unasked', why: `${service} could not be asked: ${error instanceof Error ? error.message : error}` }
    }
  }
}

/**
 * Judges the service's answer about a token. The token is accepted only if it is active now and was issued for this
 * product.
 */
export function judge(answer: unknown, product: string, now: number): Found {
  const said: Record<string, unknown> = typeof answer === 'object' && answer !== null ? { ...answer } : {}
  const text = (name: string) => (typeof said[name] === 'string' ? said[name] : '')
  const isOurs = said.active === true && text('aud') === product && Number(said.exp) * 1000 > now
  if (!isOurs || !text('sub') || !text('workspace')) return { is: 'refused' }
  const bot = {
    id: text('sub'),
    name: text('username') || text('sub'),
    workspace: text('workspace'),
    workspaceName: text('workspace_name') || text('workspace'),
    role: text('role'),
    scopes: new Set(text('scope').split(' ')),
  }
  return { is: 'bot', bot }
}

/**
 * Probes a product: asks whether the bot may still read its workspace in this product (3.7). The bot's token is sent
 * only to the product's own origin, and redirects are not followed.
 */
import { cut, type Level, limits } from '@svc/protocol'
import { call, type SendResult } from '../../machine/client/service-client.ts'
import { readOrigin } from '../../machine/files/env.ts'

interface Binding {
  readonly product: string
  readonly url: string | undefined
  readonly workspace: string | undefined
  readonly token: string | undefined
}
interface BindingVerdict {
  readonly level: Level
  readonly detail: string
}

export async function probe({ product, url, workspace, token }: Binding, signal: AbortSignal): Promise<BindingVerdict> {
  const name = product.toUpperCase()
  if (url === undefined && workspace === undefined && token === undefined)
    return { level: 'bad', detail: ungiven(product) }
  if (url === undefined || workspace === undefined || token === undefined)
    return { level: 'bad', detail: `The three variables SVC_BINDING_${name}_… are not all in .svc/agent.env.` }
  const origin = readOrigin(url)
  if (!origin.ok) return { level: 'bad', detail: `SVC_BINDING_${name}_URL ${origin.message}.` }
  const address = new URL(`/api/v1/workspaces/${encodeURIComponent(workspace)}`, origin.value)
  return judge(await call(address, { method: 'GET', token }, signal), origin.value)
}

/**
 * The message for a binding to a product for which this machine has no token (2.9). The service issues tokens only at
 * an installation, so there is no token for a product that a later version of the blueprint added.
 */
const ungiven = (product: string): string =>
  cut(
    `There is no token for ${product} here. Tokens are issued only at installation. If a newer version needs this product, delete the agent in the service and install it again with a new code, or go back to the previous version.`,
    limits.detail,
  )

/**
 * Judges a product's answer to a probe by the table of section 3.7, row by row. An HTTP status that the table does not
 * list says nothing about the token.
 */
export function judge(sent: SendResult, origin: string): BindingVerdict {
  if (sent.is === 'lost')
    return { level: 'warn', detail: cut(`${origin} cannot be reached: ${sent.why}.`, limits.detail) }
  switch (sent.status) {
    case 200:
      return { level: 'ok', detail: `${origin} accepts the token.` }
    case 403:
      return { level: 'ok', detail: `${origin} accepts the token; its scopes do not cover reading the workspace.` }
    case 401:
      return { level: 'bad', detail: `${origin} does not accept the token: it was revoked, deleted, or has expired.` }
    case 404:
      return { level: 'bad', detail: `${origin} no longer knows the bot in this workspace.` }
    default:
      return { level: 'warn', detail: `${origin} answered ${sent.status}, which says nothing about the token.` }
  }
}

/**
 * Watches the bindings (3.7) and reports each as a health item `Binding <product>`. The runtime probes each product at
 * most once in five minutes. The result is kept on disk, so that a restart of the runtime does not cause an additional
 * probe.
 */
import type { Manifest } from '@svc/blueprint'
import { cut, type HealthItem, type Level, level, limits } from '@svc/protocol'
import { list, number, object } from '@svc/protocol/fields'
import { scaledMs, wait } from '../machine/base/time.ts'
import { callService, type SendResult } from '../machine/client/service-client.ts'
import { readEnv, readOrigin } from '../machine/files/env.ts'
import type { Folder } from '../machine/files/folder.ts'
import { anyText, describeNote, type NoteValue, withDefaults } from '../machine/files/note.ts'

/** The result of the last probe of a product. */
const probed = withDefaults(
  object(
    {
      product: anyText,
      /** The time of the last probe of the product, in Unix milliseconds. */
      at: number(),
      level,
      detail: anyText,
    },
    'product',
    'at',
    'detail',
  ),
  { level: 'info' },
)
type ProbedProduct = NoteValue<typeof probed>

const file = describeNote('bindings', object({ bindings: list(probed, 1000) }), 65_536, { isLight: true, mode: 0o644 })

type WithBindings = Pick<Manifest, 'bindings'>
interface BindingWatch {
  /**
   * Returns a health item for each binding of the manifest. A binding has none until its first probe has ended. Also
   * starts to probe the products of bindings that an update added.
   */
  health(manifest: WithBindings): HealthItem[]
}

export function watchBindings(folder: Folder, first: WithBindings, stop: AbortSignal): BindingWatch {
  const watched = new Set<string>()
  let products: readonly string[] = []
  const known = readProbed(folder)
  const watch = async (product: string): Promise<void> => {
    let pause = pauseAfter(known.get(product)?.at ?? 0, Date.now())
    while ((await wait(pause, stop)) && products.includes(product)) {
      const startedAt = Date.now()
      known.set(product, { product, at: startedAt, ...(await probeBinding(bindingOf(folder, product), stop)) })
      if (stop.aborted) return
      keep(folder, [...known.values()])
      pause = scaledMs(limits.bindingProbeSeconds) * (1 + 0.05 * Math.random())
    }
    watched.delete(product)
  }
  const follow = ({ bindings }: WithBindings): void => {
    products = bindings.map((b) => b.product)
    const unwatched = products.filter((product) => !watched.has(product))
    for (const product of unwatched) {
      watched.add(product)
      void watch(product)
    }
  }
  follow(first)
  return {
    health: (manifest) => {
      follow(manifest)
      return itemsOf(manifest, known)
    },
  }
}

/**
 * The milliseconds from `now` to the next probe of a product. They are bounded, since the clock may have been set back.
 */
export function pauseAfter(last: number, now: number): number {
  const whole = scaledMs(limits.bindingProbeSeconds)
  return Math.min(Math.max(0, last + whole - now), whole)
}

/** Returns the last known health of the bindings, for commands of people on the machine. */
export const bindingHealth = (folder: Folder, manifest: WithBindings): HealthItem[] =>
  itemsOf(manifest, readProbed(folder))

const itemsOf = ({ bindings }: WithBindings, known: ReadonlyMap<string, ProbedProduct>): HealthItem[] =>
  bindings.flatMap(({ product }) => {
    const last = known.get(product)
    return last ? [{ name: `Binding ${product}`, level: last.level, detail: last.detail }] : []
  })

/** Returns the values of the three environment variables that the service set for a binding (2.9). */
function bindingOf(folder: Folder, product: string) {
  const env = readEnv(folder.env)
  const of = (part: string) => env.get(`SVC_BINDING_${product.toUpperCase()}_${part}`)
  return { product, url: of('URL'), workspace: of('WORKSPACE'), token: of('TOKEN') }
}

function keep(folder: Folder, all: readonly ProbedProduct[]): void {
  try {
    file.write(folder, { bindings: all })
  } catch {
    // The only harm is that the runtime probes again soon after a restart.
  }
}

/** The results of the last probes, by product. */
const readProbed = (folder: Folder): Map<string, ProbedProduct> =>
  new Map(file.read(folder)?.bindings?.map((one) => [one.product, one]))

/** The values of the variables for one binding (2.9). A variable that is not set is undefined. */
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

/**
 * Probes a product: asks whether the bot may still read its workspace in this product (3.7). The bot's token is sent
 * only to the product's own origin, and redirects are not followed.
 */
export async function probeBinding(
  { product, url, workspace, token }: Binding,
  signal: AbortSignal,
): Promise<BindingVerdict> {
  const name = product.toUpperCase()
  if (url === undefined && workspace === undefined && token === undefined)
    return { level: 'bad', detail: missingTokenDetail(product) }
  if (url === undefined || workspace === undefined || token === undefined)
    return { level: 'bad', detail: `The three variables SVC_BINDING_${name}_… are not all in .svc/agent.env.` }
  const origin = readOrigin(url)
  if (!origin.ok) return { level: 'bad', detail: `SVC_BINDING_${name}_URL ${origin.message}.` }
  const address = new URL(`/api/v1/workspaces/${encodeURIComponent(workspace)}`, origin.value)
  return judgeBinding(await callService(address, { method: 'GET', token }, signal), origin.value)
}

/**
 * The message for a binding to a product for which this machine has no token (2.9). The service issues tokens only at
 * an installation, so there is no token for a product that a later version of the blueprint added.
 */
const missingTokenDetail = (product: string): string =>
  cut(
    `There is no token for ${product} here. Tokens are issued only at installation. If a newer version needs this product, delete the agent in the service and install it again with a new code, or go back to the previous version.`,
    limits.detail,
  )

/**
 * Judges a product's answer to a probe by the table of section 3.7, row by row. An HTTP status that the table does not
 * list says nothing about the token.
 */
export function judgeBinding(sent: SendResult, origin: string): BindingVerdict {
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

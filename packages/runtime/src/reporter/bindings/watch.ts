/**
 * Watches the bindings (3.7) and reports each as a health item `Binding <product>`. The runtime probes each product at
 * most once in five minutes. The result is kept on disk, so that a restart of the runtime does not cause an additional
 * probe.
 */
import type { Manifest } from '@svc/blueprint'
import { type HealthItem, isObject, type Level, levels, limits } from '@svc/protocol'
import { duration, wait } from '../../machine/base/time.ts'
import { writeLightly } from '../../machine/files/durable.ts'
import { readEnv } from '../../machine/files/env.ts'
import type { Folder } from '../../machine/files/folder.ts'
import { readJsonObject } from '../../machine/files/read.ts'
import { probe } from './probe.ts'

interface AskedProduct {
  readonly product: string
  /** The time of the last probe of the product, in Unix milliseconds. */
  readonly at: number
  readonly level: Level
  readonly detail: string
}

type Names = Pick<Manifest, 'bindings'>
interface BindingWatch {
  /**
   * Returns a health item for each binding of the manifest. A binding has none until its first probe has ended. Also
   * starts to probe the products of bindings that an update added.
   */
  health(manifest: Names): HealthItem[]
}

export function watchBindings(folder: Folder, first: Names, stop: AbortSignal): BindingWatch {
  const watched = new Set<string>()
  let products: readonly string[] = []
  const known = new Map(readAsked(folder).map((asked) => [asked.product, asked]))
  const watch = async (product: string): Promise<void> => {
    const last = known.get(product)?.at ?? 0
    let pause = Math.min(
      Math.max(0, last + duration(limits.bindingProbeSeconds) - Date.now()),
      duration(limits.bindingProbeSeconds),
    )
    while ((await wait(pause, stop)) && products.includes(product)) {
      const startedAt = Date.now()
      known.set(product, { product, at: startedAt, ...(await probe(bindingOf(folder, product), stop)) })
      if (stop.aborted) return
      keep(folder, [...known.values()])
      pause = duration(limits.bindingProbeSeconds) * (1 + 0.05 * Math.random())
    }
    watched.delete(product)
  }
  const follow = ({ bindings }: Names): void => {
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

/** Returns the last known health of the bindings, for commands of people on the machine. */
export const bindingHealth = (folder: Folder, manifest: Names): HealthItem[] =>
  itemsOf(manifest, new Map(readAsked(folder).map((asked) => [asked.product, asked])))

const itemsOf = ({ bindings }: Names, known: ReadonlyMap<string, AskedProduct>): HealthItem[] =>
  bindings.flatMap(({ product }) => {
    const asked = known.get(product)
    return asked ? [{ name: `Binding ${product}`, level: asked.level, detail: asked.detail }] : []
  })

/** Returns the values of the three environment variables that the service set for a binding (2.9). */
function bindingOf(folder: Folder, product: string) {
  const env = readEnv(folder.env)
  const of = (part: string) => env.get(`SVC_BINDING_${product.toUpperCase()}_${part}`)
  return { product, url: of('URL'), workspace: of('WORKSPACE'), token: of('TOKEN') }
}

function keep(folder: Folder, all: readonly AskedProduct[]): void {
  try {
    writeLightly(folder.bindings, JSON.stringify({ bindings: all }))
  } catch {
    // If the results of the probes cannot be written, the only harm is that the runtime probes again soon after a
    // restart.
  }
}

function readAsked(folder: Folder): AskedProduct[] {
  const { bindings } = readJsonObject(folder.bindings, 65_536) ?? {}
  return (Array.isArray(bindings) ? bindings : []).flatMap((v: unknown) =>
    isObject(v) && typeof v.product === 'string' && typeof v.at === 'number' && typeof v.detail === 'string'
      ? [{ product: v.product, at: v.at, level: levels.find((l) => l === v.level) ?? 'info', detail: v.detail }]
      : [],
  )
}

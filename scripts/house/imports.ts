/** Finds out which folders import each other, and which imports break the order in layers.ts. */
import { dirname } from 'node:path'
import { cyclesOf } from './cycles.ts'
import type { Facts } from './facts.ts'
import { orders } from './layers.ts'
import type { Order } from './order.ts'

export type Sources = ReadonlyMap<string, Facts>

/**
 * The package and the folder of a source file, such as `server` and `operator/shared`. A file counts as a folder of its
 * own if it is directly in `src`, or if layers.ts lists it by name.
 */
export function placeOf(path: string, order?: Order): { readonly part: string; readonly folder: string } | undefined {
  const [, part, inside] = /^packages\/(\w+)\/src\/(.+)$/.exec(path) ?? []
  if (part === undefined || inside === undefined) return undefined
  const apart = !inside.includes('/') || (order ?? orders[part])?.layers.some((places) => Object.hasOwn(places, inside))
  return { part, folder: apart ? inside : dirname(inside) }
}

/** The sets of folders in a package that import each other in a cycle, each as a line with the names of its folders. */
export function cycles(sources: Sources, part: string): readonly string[] {
  const edges = new Map<string, Set<string>>()
  for (const { from, to } of arrows(sources, part))
    edges.set(from.folder, (edges.get(from.folder) ?? new Set()).add(to.folder))
  return cyclesOf(edges).map((folders) => folders.join(', '))
}

/** The imports of a package from a lower wing into a higher one, each as a line `file imports file`. */
export function upBetweenWings(sources: Sources, part: string, order: Order | undefined = orders[part]): string[] {
  const wing = (folder: string) => order?.wings?.findIndex(({ name }) => folder.split('/')[0] === name) ?? -1
  return arrows(sources, part, order)
    .filter(({ from, to }) => wing(to.folder) < wing(from.folder))
    .map(({ file, imported }) => `${file} imports ${imported}`)
}

/**
 * The imports that break the order of their package's folders, each as a line `file imports file`. Imports that
 * layers.ts lists as exceptions are left out.
 */
export function againstOrder(sources: Sources, part: string, order: Order | undefined = orders[part]): string[] {
  if (!order) return []
  const layer = (folder: string) => order.layers.findIndex((folders) => Object.hasOwn(folders, folder))
  const listed = (file: string, imported: string) =>
    order.exceptions.some((one) => file.endsWith(`/src/${one.file}`) && imported.endsWith(`/src/${one.imports}`))
  return arrows(sources, part, order)
    .filter(({ from, to }) => layer(from.folder) < 0 || layer(to.folder) <= layer(from.folder))
    .filter(({ file, imported }) => !listed(file, imported))
    .map(({ file, imported }) => `${file} imports ${imported}`)
}

function arrows(sources: Sources, part: string, order?: Order) {
  return [...sources].flatMap(([file, { imports }]) => {
    const from = placeOf(file, order)
    if (from?.part !== part) return []
    return imports.flatMap(({ from: imported }) => {
      const to = placeOf(imported, order)
      return !/\.tsx?$/.test(imported) || to?.part !== part || to.folder === from.folder
        ? []
        : [{ file, imported, from, to }]
    })
  })
}

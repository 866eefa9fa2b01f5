/** Computes the figures about the code from the facts of all source files. */
import type { Facts } from './facts.ts'
import { againstOrder, cycles, placeOf, type Sources, upBetweenWings } from './imports.ts'
import { orders } from './layers.ts'
import { unusedExports } from './unused.ts'

const parts = ['protocol', 'blueprint', 'api', 'server', 'runtime', 'dashboard']

export interface Figure {
  readonly name: string
  /** The places in the code that the figure counts, each as one line of text. */
  readonly found: readonly string[]
}

/**
 * True for files with shipped code. Tests and their helpers, generated files, and files that only declare types are not
 * shipped.
 */
export const isShipped = (file: string): boolean =>
  placeOf(file) !== undefined && !/\.test\.tsx?$|\/testing[./]|\.(fits|d)\.ts$/.test(file)

export function figuresOf(all: Sources): Figure[] {
  const shipped = new Map([...all].filter(([file]) => isShipped(file)))
  const present = parts.filter((part) => [...shipped.keys()].some((file) => placeOf(file)?.part === part))
  return [
    ...present
      .filter((part) => orders[part])
      .map((part) => ({ name: `imports against the order, ${part}`, found: againstOrder(shipped, part) })),
    ...present
      .filter((part) => orders[part]?.wings)
      .map((part) => ({ name: `imports between wings upwards, ${part}`, found: upBetweenWings(shipped, part) })),
    ...present.map((part) => ({ name: `cycles of folders, ${part}`, found: cycles(shipped, part) })),
    { name: 'functions over 60 lines', found: functions(shipped, ({ lines }) => lines > 60) },
    { name: 'functions with five or more parameters', found: functions(shipped, ({ parameters }) => parameters >= 5) },
    { name: 'type names declared more than twice', found: repeatedTypes(shipped) },
    {
      name: 'files over 300 lines',
      found: [...shipped].filter(([, { lines }]) => lines > 300).map(([file, { lines }]) => `${file}: ${lines}`),
    },
    { name: 'exports that nobody imports', found: unusedExports(shipped, all) },
  ]
}

type FunctionFact = Facts['functions'][number]
const functions = (sources: Sources, counts: (one: FunctionFact) => boolean): string[] =>
  [...sources].flatMap(([file, { functions }]) =>
    functions
      .filter(counts)
      .map(({ name, lines, parameters }) => `${file}: ${name}, ${lines} lines, ${parameters} parameters`),
  )

function repeatedTypes(sources: Sources): string[] {
  const places = new Map<string, string[]>()
  for (const [file, { types }] of sources)
    for (const type of new Set(types)) places.set(type, [...(places.get(type) ?? []), file])
  return [...places]
    .filter(([, files]) => files.length > 2)
    .sort(([, a], [, b]) => b.length - a.length)
    .map(([type, files]) => `${type}: ${files.join(', ')}`)
}

/**
 * A deliberate mistake in the product. `npm run test:faults` makes each one in a copy and expects the named tests to
 * fail.
 */
export interface Fault {
  /** Unique. `npm run test:faults -- NAME` runs the faults whose name contains it. */
  readonly name: string
  /** The harm to a person, in one sentence. */
  readonly harm: string
  /** The file with the mistake, as a path from the root of the checkout. */
  readonly file: string
  /** Text that occurs exactly once in the file. */
  readonly old: string
  readonly new: string
  /** Each of these test files must fail with the fault. */
  readonly tests: readonly string[]
}

export const kinds = ['unit', 'store', 'http', 'process', 'browser'] as const
export type Kind = (typeof kinds)[number]

/** The project of a test file, by its ending, as in vitest.config.ts. */
export function kindOf(testFile: string): Kind {
  const ending = /\.(\w+)\.test\.tsx?$/.exec(testFile)?.[1]
  return kinds.find((kind) => kind === ending) ?? 'unit'
}

/** The text with the fault in it. Throws if the old text does not occur exactly once. */
export function withFault(text: string, { name, file, old, new: mistaken }: Fault): string {
  const [before, after, ...more] = text.split(old)
  if (before === undefined || after === undefined || more.length > 0) {
    const count = text.split(old).length - 1
    throw new Error(`The old text of the fault "${name}" must occur once in ${file}: it occurs ${count} times.`)
  }
  return before + mistaken + after
}

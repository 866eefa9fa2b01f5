/**
 * The type of a fault: a deliberate mistake in the product. `npm run test:faults` makes each fault in a copy and
 * expects the named tests to fail.
 */
export interface Fault {
  /** The unique name of the fault. `npm run test:faults -- NAME` runs the faults whose name contains NAME. */
  readonly name: string
  /** The harm that the mistake would do to a person, in one sentence. */
  readonly harm: string
  /** The file that gets the mistake, as a path from the root of the checkout. */
  readonly file: string
  /** The text that is replaced. It must occur exactly once in the file. */
  readonly old: string
  readonly new: string
  /** The test files that must notice the fault. Each of them must fail. */
  readonly tests: readonly string[]
}

export const kinds = ['unit', 'store', 'http', 'process', 'browser'] as const
export type Kind = (typeof kinds)[number]

/** The kind of a test file, as in vitest.config.ts. The end of the file's name says it, such as `.store.test.ts`. */
export function kindOf(testFile: string): Kind {
  const ending = /\.(\w+)\.test\.tsx?$/.exec(testFile)?.[1]
  return kinds.find((kind) => kind === ending) ?? 'unit'
}

/** Returns the text of the file with the fault in it. Throws if the text to replace does not occur exactly once. */
export function withFault(text: string, { name, file, old, new: mistaken }: Fault): string {
  const [before, after, ...more] = text.split(old)
  if (before === undefined || after === undefined || more.length > 0) {
    const count = text.split(old).length - 1
    throw new Error(`The old text of the fault "${name}" must occur once in ${file}: it occurs ${count} times.`)
  }
  return before + mistaken + after
}

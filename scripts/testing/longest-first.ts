/** The order of test files: the longest first, so that no long file is left for the end while the other workers have nothing. */
import { readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const root = join(import.meta.dirname, '../..')
/** The duration of each file in milliseconds, as `npm test` measured it the last time. */
export const durationsFile = join(root, '.cache/test-durations.json')

export type Durations = Record<string, number>

export function readDurations(): Durations {
  try {
    return JSON.parse(readFileSync(durationsFile, 'utf8')) as Durations
  } catch {
    return {} // a fresh clone
  }
}

interface TestFile {
  readonly path: string
  readonly kind: string
  /** Shares its worker with other files of its kind. */
  readonly shares: boolean
  readonly bytes: number
}

/** Process and browser tests, which a fresh clone has to guess: the more text, the more steps. */
const guess = ({ bytes }: TestFile): number => bytes * 3

/** Kinds that share a worker stay together, because a worker that changes the kind starts again; what shares none comes first. */
export function longestFirst<T extends TestFile>(files: readonly T[], durations: Durations): T[] {
  const duration = (file: T) => durations[file.path] ?? guess(file)
  const group = ({ shares, kind }: T) => (shares ? kind : '')
  return [...files].sort((a, b) => {
    if (group(a) !== group(b)) return group(a) < group(b) ? -1 : 1
    return duration(b) - duration(a)
  })
}

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const described = files.map((spec) => ({
      spec,
      path: relative(root, spec.moduleId),
      kind: spec.project.name,
      shares: !spec.project.config.isolate,
      bytes: statSync(spec.moduleId).size,
    }))
    return longestFirst(described, readDurations()).map(({ spec }) => spec)
  }
}

/**
 * Makes Vitest start the test files with the longest duration first, so that no long file runs alone at the end while
 * other workers are idle.
 */
import { readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const root = join(import.meta.dirname, '..')
/** The file with the duration of each test file in milliseconds, as the last `npm test` measured it. */
export const durationsFile = join(root, '.cache/test-durations.json')

export type Durations = Record<string, number>

export function readDurations(): Durations {
  try {
    return JSON.parse(readFileSync(durationsFile, 'utf8')) as Durations
  } catch {
    return {} // in a fresh clone no test file has been measured yet
  }
}

interface TestFile {
  readonly path: string
  readonly kind: string
  /** True if the file shares its worker with other files of its kind. */
  readonly shares: boolean
  readonly bytes: number
}

/**
 * Estimates the duration, in milliseconds, of a test file that was never measured: longer files usually take longer.
 */
const guess = ({ bytes }: TestFile): number => bytes * 3

/**
 * Sorts test files by their duration. Files of a kind that shares a worker stay together, because a change of the kind
 * restarts the worker. Files that do not share a worker come first.
 */
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

/**
 * Reads the facts of every source file. Only files that changed since the last run are parsed; the facts of the others
 * come from `.cache/house.json`, so that this takes a tenth of a second.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Facts, factsOf, type ParsedFile } from './facts.ts'

const root = join(import.meta.dirname, '../..')
const cache = join(root, '.cache/house.json')
/** The version of the format of the cache file. A cache file with another version is ignored. */
const form = 5

interface KeptFacts {
  /** The size of the source file and the time of its last change, by which a later run notices changes. */
  readonly stamp: string
  readonly facts: Facts
}

/**
 * Reads the facts of every source file that git tracks or would add. The keys of the result are paths from the root of
 * the repository.
 */
export async function readSources(): Promise<Map<string, Facts>> {
  const listing = ['ls-files', '--cached', '--others', '--exclude-standard', '*.ts', '*.tsx', '*.mts']
  const files = execFileSync('git', listing, { cwd: root, encoding: 'utf8' }).trim().split('\n')
  const before = readKept()
  const now: Record<string, KeptFacts> = {}
  let parse: typeof import('vite').parseSync | undefined
  for (const file of new Set(files)) {
    const stamp = stampOf(join(root, file))
    if (stamp === undefined) continue
    const kept = before[file]
    if (kept?.stamp === stamp) now[file] = kept
    else {
      parse ??= (await import('vite')).parseSync
      const text = readFileSync(join(root, file), 'utf8')
      now[file] = { stamp, facts: factsOf(file, text, parse(file, text) as unknown as ParsedFile) }
    }
  }
  if (parse || Object.keys(before).length !== Object.keys(now).length) keep(now)
  return new Map(Object.entries(now).map(([file, { facts }]) => [file, facts]))
}

/** The size and time of a file; undefined if the file was removed but is still in git's index. */
function stampOf(path: string): string | undefined {
  const stat = statSync(path, { throwIfNoEntry: false })
  return stat && `${stat.size} ${stat.mtimeMs}`
}

function readKept(): Record<string, KeptFacts> {
  try {
    const kept = JSON.parse(readFileSync(cache, 'utf8'))
    return kept.form === form ? kept.files : {}
  } catch {
    return {}
  }
}

function keep(files: Record<string, KeptFacts>): void {
  mkdirSync(join(root, '.cache'), { recursive: true })
  writeFileSync(cache, JSON.stringify({ form, files }))
}

/** Finds exports of shipped files that no other file imports. Imports in tests and tools count too. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Facts } from './facts.ts'

const root = join(import.meta.dirname, '../..')

/**
 * Returns the exports that no file imports. `shipped` are the files whose exports are checked, `all` the files whose
 * imports count.
 */
export function unusedExports(shipped: ReadonlyMap<string, Facts>, all: ReadonlyMap<string, Facts>): string[] {
  const used = new Set<string>()
  for (const { imports, stars } of all.values())
    for (const { from, names } of imports) if (!stars.includes(from)) for (const name of names) use(fileOf(from), name)

  function use(file: string | undefined, name: string): void {
    const facts = file === undefined ? undefined : all.get(file)
    if (file === undefined || !facts || used.has(`${file} ${name}`)) return
    used.add(`${file} ${name}`)
    if (name === '*' || !facts.exports.includes(name)) for (const star of facts.stars) use(fileOf(star), name)
  }

  return [...shipped].flatMap(([file, { exports }]) =>
    used.has(`${file} *`)
      ? []
      : exports.filter((name) => !used.has(`${file} ${name}`)).map((name) => `${file} exports ${name}`),
  )
}

const entries = new Map<string, string | undefined>()

/**
 * The file that an import loads. `from` is the path of a file, or an entry point that one of our packages declares in
 * its package.json.
 */
function fileOf(from: string): string | undefined {
  if (!from.startsWith('@svc/')) return from
  if (!entries.has(from)) entries.set(from, entryOf(from))
  return entries.get(from)
}

function entryOf(from: string): string | undefined {
  const [, part = '', inside] = /^@svc\/(\w+)(\/.+)?$/.exec(from) ?? []
  const { exports } = JSON.parse(readFileSync(join(root, 'packages', part, 'package.json'), 'utf8'))
  const entry: unknown = exports?.[`.${inside ?? ''}`]
  return typeof entry === 'string' ? `packages/${part}/${entry.replace('./', '')}` : undefined
}

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const file = join(import.meta.dirname, '../../docs/benchmarks.md')

/** Puts a section between its two marks in docs/benchmarks.md: `<!-- bench:fleet -->` and `<!-- /bench:fleet -->`. */
export function writeSection(name: string, section: string): void {
  const [from, to] = [`<!-- bench:${name} -->`, `<!-- /bench:${name} -->`]
  const text = readFileSync(file, 'utf8')
  const start = text.indexOf(from)
  const end = text.indexOf(to)
  if (start < 0 || end < start)
    throw new Error(`${file} has no place for "${name}": it needs the lines ${from} and ${to}.`)
  writeFileSync(file, `${text.slice(0, start + from.length)}\n\n${section.trim()}\n\n${text.slice(end)}`)
}

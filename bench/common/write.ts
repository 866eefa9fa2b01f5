import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export type Document = 'benchmarks.md' | 'operate.md'

/**
 * Replaces one section of a document. The section is what is between two marks such as `<!-- bench:fleet -->` and `<!--
 * /bench:fleet -->`.
 */
export function writeSection(name: string, section: string, document: Document = 'benchmarks.md'): void {
  const file = join(import.meta.dirname, '../../docs', document)
  const [from, to] = [`<!-- bench:${name} -->`, `<!-- /bench:${name} -->`]
  const text = readFileSync(file, 'utf8')
  const start = text.indexOf(from)
  const end = text.indexOf(to)
  if (start < 0 || end < start)
    throw new Error(`${file} has no place for "${name}": it needs the lines ${from} and ${to}.`)
  writeFileSync(file, `${text.slice(0, start + from.length)}\n\n${section.trim()}\n\n${text.slice(end)}`)
}

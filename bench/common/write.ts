import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { maxDocumentLine } from '../../scripts/english/rules.ts'

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
  writeFileSync(file, `${text.slice(0, start + from.length)}\n\n${wrapLines(section.trim())}\n\n${text.slice(end)}`)
}

/** A word that would make a line a list, a heading, a quote or a table if it were the first. */
const isMark = /^([-+*>|]|#+|\d+[.)])$/

/** Breaks long lines between words. The further lines of a list's entry are indented as its text is. */
export const wrapLines = (section: string): string =>
  section
    .split('\n')
    .map((line) => (line.startsWith('|') || line.length <= maxDocumentLine ? line : breakLine(line)))
    .join('\n')

function breakLine(line: string): string {
  const indent = line.startsWith('- ') ? '  ' : ''
  const lines: string[] = []
  let [last = '', ...words] = line.split(' ')
  for (const word of words) {
    if (last.length + 1 + word.length <= maxDocumentLine || isMark.test(word)) last += ` ${word}`
    else {
      lines.push(last)
      last = `${indent}${word}`
    }
  }
  return [...lines, last].join('\n')
}

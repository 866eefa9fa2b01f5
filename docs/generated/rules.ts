/** Finds the rules and invariants in docs/decisions, which comments cite by number, and makes an index of them. */
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'

const folder = join(import.meta.dirname, '../decisions')

/**
 * Returns the number of each rule and invariant, such as D19 or I5, with the files of docs/decisions that have a
 * heading for it.
 */
export function rulePlaces(): Map<string, string[]> {
  const places = new Map<string, string[]>()
  for (const path of globSync(join(folder, '*.md')).sort())
    for (const [, rule = ''] of readFileSync(path, 'utf8').matchAll(/^### ([DI]\d+)$/gm))
      places.set(rule, [...(places.get(rule) ?? []), basename(path)])
  return places
}

export function ruleIndex(): string {
  const all = [...rulePlaces()].sort(([a], [b]) => numberOf(a) - numberOf(b))
  const links = (letter: string) =>
    all.flatMap(([rule, [file]]) => (rule.startsWith(letter) ? [`[${rule}](${file}#${rule.toLowerCase()})`] : []))
  return `${inLines(links('D'))}.\n\n${inLines(links('I'))}.`
}

/** Joins links by commas, with a few in each line. */
function inLines(links: readonly string[]): string {
  const lines = links.map((link, i) => (i === 0 ? link : i % perLine === 0 ? `,\n${link}` : `, ${link}`))
  return lines.join('')
}

const perLine = 6

const numberOf = (rule: string): number => Number(rule.slice(1))

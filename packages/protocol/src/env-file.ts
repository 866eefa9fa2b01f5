/**
 * Reads and changes files of lines `NAME=value` (2.9). A value is taken literally up to the end of its line. Lines that
 * are not understood are returned as faults. A fault never quotes a value, since the value may be a secret.
 */
import { codePoint } from './text-file.ts'

interface EnvLine {
  readonly line: number
  readonly name: string
  readonly value: string
}
interface EnvFault {
  readonly line: number
  /** The fault in words that follow the number of the line: `has no "="`. */
  readonly why: string
}
interface EnvText {
  /** The lines that were understood, in the order of the file. If a name occurs twice, the later line counts. */
  readonly lines: readonly EnvLine[]
  /** Every line that is neither empty, nor a comment with `#` in front, nor understood. */
  readonly faults: readonly EnvFault[]
}

interface DotenvText {
  readonly lines: readonly Omit<EnvLine, 'value'>[]
  readonly faults: readonly EnvFault[]
}

const invisibleCharacters = /[\p{Cf}\p{Cc}\u00a0\u2028\u2029]/u
const emptyLinePattern = /^\s*(?:#.*)?$/s
const assignmentPattern = /^([A-Z][A-Z0-9_]*)=(.*?)\r?$/

/** Reads the lines `NAME=value` of a file. */
export function readEnvText(text: string): EnvText {
  const lines: EnvLine[] = []
  const faults: EnvFault[] = []
  for (const [i, written] of text
    .replace(/^\ufeff/, '')
    .split('\n')
    .entries()) {
    const line = i + 1
    const [, name, value] = assignmentPattern.exec(written) ?? []
    if (name !== undefined && value !== undefined) lines.push({ line, name, value })
    else if (!emptyLinePattern.test(written)) faults.push({ line, why: wrongWithLine(written) })
  }
  return { lines, faults }
}

/**
 * Finds the names in a `.env` file, which may have `export`, spaces, comments, and values in quotes with several lines.
 * Use `parseEnv` of Node to read the values.
 */
export function readDotenvText(text: string): DotenvText {
  const lines: Omit<EnvLine, 'value'>[] = []
  const faults: EnvFault[] = []
  const rows = text.replace(/^\ufeff/, '').split(/\r?\n/)
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i] ?? ''
    if (emptyLinePattern.test(row)) continue
    const [, name, value = ''] = /^\s*(?:export\s+)?([A-Za-z_][\w.-]*)[ \t]*=\s*(.*)$/s.exec(row) ?? []
    if (name === undefined) {
      faults.push({ line: i + 1, why: wrongWithLine(row.trim()) })
      continue
    }
    lines.push({ line: i + 1, name })
    const quote = /^["'`]/.exec(value)?.[0]
    if (quote === undefined) {
      const why = wrongWithBareValue(row.slice(row.indexOf('=') + 1))
      if (why !== undefined) faults.push({ line: i + 1, why })
      continue
    }
    const end = rows.findIndex((one, at) => at >= i && (at === i ? value.slice(1) : one).includes(quote))
    if (end < 0) {
      faults.push({ line: i + 1, why: `opens a quote (${quote}) that is never closed` })
      continue
    }
    const last = end === i ? value.slice(1) : (rows[end] ?? '')
    if (!emptyLinePattern.test(last.slice(last.indexOf(quote) + 1)))
      faults.push({ line: end + 1, why: 'has text after the closing quote' })
    i = end
  }
  return { lines, faults }
}

/**
 * Says why a value without quotes would probably not be read as its writer meant; undefined if the value is clear.
 */
function wrongWithBareValue(value: string): string | undefined {
  const hidden = invisibleCharacters.exec(value.replaceAll('\t', ' ').trim())?.[0]
  if (hidden === '\r') return 'has a carriage return inside; end each line with a line feed'
  if (hidden !== undefined) return `has an invisible character, ${codePoint(hidden)}`
  return /^(?:[^#]*\S)?#/.test(value)
    ? 'has a "#" that would cut its value; put the value in quotes, or a space before the comment'
    : undefined
}

/** Returns the names that occur more than once, each with the numbers of its lines. */
export function repeatedNames({ lines }: Pick<DotenvText, 'lines'>): { name: string; lines: number[] }[] {
  const byName = new Map<string, number[]>()
  for (const { name, line } of lines) byName.set(name, [...(byName.get(name) ?? []), line])
  return [...byName].flatMap(([name, all]) => (all.length > 1 ? [{ name, lines: all }] : []))
}

/** Returns remarks about values that are taken literally, although their writer probably meant something else. */
export const doubtfulValues = ({ lines }: Pick<EnvText, 'lines'>): EnvFault[] =>
  lines.flatMap(({ line, name, value }) => {
    const why = /^(["'`]).*\1$/.test(value)
      ? 'is in quotes'
      : value !== value.trim()
        ? 'begins or ends with a space'
        : /\s#/.test(value)
          ? 'contains " #", which begins no comment here'
          : invisibleCharacters.test(value)
            ? `contains an invisible character, ${codePoint(invisibleCharacters.exec(value)?.[0] ?? '')}`
            : undefined
    return why === undefined ? [] : [{ line, why: `the value of ${name} ${why}; it is used exactly as written` }]
  })

/**
 * Returns the text with a new value for a name, or without the name if `value` is undefined. If the name occurs in
 * several lines, the last one gets the value, and the others are removed. `text` may be bytes of a file as Latin-1.
 */
export function changeEnvText(text: string, name: string, value: string | undefined): string {
  const mark = /^(?:\ufeff|\u00ef\u00bb\u00bf)/.exec(text)?.[0] ?? ''
  const lines = text.slice(mark.length).match(/[^\n]*\n|[^\n]+$/g) ?? []
  const isIts = (line: string): boolean => line.startsWith(`${name}=`)
  const last = lines.findLastIndex(isIts)
  const end = /\r?\n$/.exec(lines[last] ?? lines.at(-1) ?? '')?.[0] ?? '\n'
  const written = value === undefined ? '' : `${name}=${value}${end}`
  const changed = lines.map((line, i) => (i === last ? written : isIts(line) ? '' : line)).join('')
  if (last >= 0 || written === '') return `${mark}${changed}`
  return `${mark}${changed === '' || changed.endsWith('\n') ? changed : `${changed}\n`}${written}`
}

/** Patterns of lines that are not understood, each with what is wrong with the line. */
const beginnings: readonly (readonly [RegExp, string])[] = [
  [/^export\s/, 'begins with "export"; write only NAME=value'],
  [/^set\s|^\$env:/i, 'begins with the command of a shell; write only NAME=value'],
  [/^\s/, 'begins with a space; write NAME=value at the beginning of the line'],
  [/^["'`]/, 'begins with a quote; write NAME=value without quotes'],
  [/^-----/, 'is a line of a key or certificate; a value must be one line'],
  [/^[{}]/, 'looks like JSON; write NAME=value, one line for each'],
  [/^[^=]*[ \t]+=/, 'has a space before the "="; write NAME=value without it'],
  [/^[A-Za-z_][\w.-]*:\s/, 'has a colon after the name; write NAME=value'],
  [/^[^=]*$/, 'has no "="; a value must be one line, written NAME=value'],
  [/^=/, 'has no name before the "="'],
  [/^[\w.-]*=/, 'has a name with other characters than A to Z, 0 to 9 and _, or that does not begin with a letter'],
]

function wrongWithLine(line: string): string {
  const hidden = invisibleCharacters.exec(line.replace(/\r$/, '').replaceAll('\t', ' '))?.[0]
  if (hidden === '\r') return 'has a carriage return inside; end each line with a line feed'
  if (hidden !== undefined) return `has an invisible character, ${codePoint(hidden)}`
  return beginnings.find(([begins]) => begins.test(line))?.[1] ?? 'is not NAME=value'
}

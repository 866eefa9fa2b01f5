/**
 * Makes texts of agents and people safe for a terminal (I31), and reads what a program printed for a terminal. A safe
 * text can neither move the cursor nor reverse the direction of other text.
 */
import { clean, cut } from './text.ts'

/** Characters that change the direction of text, and the line separators of Unicode. */
const directionCharacters = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029]/g
const escapedInJson = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** Makes a text safe for a terminal and keeps its line breaks. */
export const safeText = (text: string): string => clean(text).replace(directionCharacters, '')
/** Makes a text safe for a terminal and puts it on one line. */
export const safeLine = (text: string): string => safeText(text).replace(/\s+/g, ' ').trim()

/**
 * Cleans a text that another program sent, such as the answer of a receiver or the message of an error, before it is
 * stored or put into a message. The result is one line of at most `max` Unicode code points.
 */
export const foreignLine = (text: string, max = 200): string => cut(safeLine(text), max)
/** Formats a value as JSON in which every character that could control a terminal is escaped. */
export const safeJson = (value: unknown, indent?: number): string =>
  JSON.stringify(value, null, indent).replace(escapedInJson, escapeCharacter)

/**
 * Pads the cells of a table with spaces, so that its columns are aligned. The first row determines the number of
 * columns.
 */
export function alignedRows(rows: readonly (readonly string[])[]): string[] {
  const length = (cell = '') => [...cell].length
  const widths = (rows[0] ?? []).map((_, i) => Math.max(...rows.map((row) => length(row[i]))))
  const padded = (cell: string, i: number) => cell + ' '.repeat(Math.max(0, (widths[i] ?? 0) - length(cell)))
  return rows.map((row) => row.map(padded).join('  ').trimEnd())
}

const escapeCharacter = (c: string) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`

// biome-ignore lint/suspicious/noControlCharactersInRegex: finding control characters is its purpose
const controls = /[\r\b\u001b\u0090\u009b\u009d]/
const pieces =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: finding control characters is its purpose
  /(?:\u001b\[|\u009b)([0-?]*)[ -/]*([@-~])?|(?:\u001b[\]PX^_]|[\u0090\u009d])[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)?|\u001b[ -/]*[0-~]?|\r|\u0008|[^\r\u0008\u001b\u0090\u009b\u009d]+/g

/**
 * Reads what a program printed for a terminal, with colours and with progress that overwrites itself. Returns the text
 * that a person would see on the screen.
 */
export const terminalText = (text: string): string =>
  clean(controls.test(text) ? text.split('\n').map(lineShown).join('\n') : text)

/** A line of a screen. Erasures are carried out at the end, so that their number does not multiply the work. */
interface ScreenLine {
  readonly cells: string[]
  /** For each cell, the number of the piece that wrote it. */
  readonly written: number[]
  /** For a number of cells from the beginning of the line, the number of the last piece that erased them. */
  readonly erased: Map<number, number>
}

function lineShown(written: string): string {
  const line = withoutLastReturns(written)
  if (!controls.test(line)) return line
  const screen: ScreenLine = { cells: [], written: [], erased: new Map() }
  let at = 0
  let pieceNumber = 0
  for (const [piece, parameters = '', command] of line.matchAll(pieces)) {
    pieceNumber++
    if (command !== undefined) at = moved(screen, at, { command, parameters, pieceNumber })
    else if (piece === '\r') at = 0
    else if (piece === '\b') at = Math.max(0, at - 1)
    else if (!controls.test(piece))
      for (const char of piece) {
        screen.cells[at] = char
        screen.written[at++] = pieceNumber
      }
  }
  return shownCells(screen)
}

function withoutLastReturns(line: string): string {
  let end = line.length
  while (line[end - 1] === '\r') end--
  return line.slice(0, end)
}

/** The text of a line. A cell is blank if a piece after the one that wrote it erased it. */
function shownCells({ cells, written, erased }: ScreenLine): string {
  let last = 0
  for (const [count, piece] of erased) if (count > cells.length) last = Math.max(last, piece)
  for (let i = cells.length - 1; i >= 0; i--) {
    last = Math.max(last, erased.get(i + 1) ?? 0)
    if (last > (written[i] ?? 0)) cells[i] = ' '
  }
  return cells.join('')
}

interface TerminalCommand {
  readonly command: string
  readonly parameters: string
  readonly pieceNumber: number
}

/** Carries out a terminal's command that moves the cursor or deletes text in a line. Returns the new column. */
function moved(
  { cells, erased }: ScreenLine,
  at: number,
  { command, parameters, pieceNumber }: TerminalCommand,
): number {
  const count = Math.max(1, Number.parseInt(parameters, 10) || 1)
  if (command === 'G') return Math.min(cells.length, count - 1)
  if (command === 'D') return Math.max(0, at - count)
  if (command === 'C') return Math.min(cells.length, at + count)
  if (command !== 'K') return at
  if (parameters === '' || parameters === '0') cells.length = Math.min(cells.length, at)
  else erased.set(parameters === '1' ? at + 1 : cells.length, pieceNumber)
  return at
}

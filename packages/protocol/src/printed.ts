/**
 * Reads what a program printed for a terminal: progress that overwrites itself, and colours. The result is the text that
 * a person would see on the screen, without anything that controls a terminal.
 */
import { clean } from './text.ts'

// biome-ignore lint/suspicious/noControlCharactersInRegex: finding control characters is its purpose
const controls = /[\r\b\u001b\u0090\u009b\u009d]/
const pieces =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: as above
  /(?:\u001b\[|\u009b)([0-?]*)[ -/]*([@-~])?|(?:\u001b[\]PX^_]|[\u0090\u009d])[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)?|\u001b[ -/]*[0-~]?|\r|\u0008|[^\r\u0008\u001b\u0090\u009b\u009d]+/g

/** The text that a terminal would show, cleaned. Takes as long as the text is, whatever it holds. */
export const printed = (text: string): string =>
  clean(controls.test(text) ? text.split('\n').map(lineShown).join('\n') : text)

function lineShown(written: string): string {
  const line = written.replace(/\r+$/, '')
  if (!controls.test(line)) return line
  const cells: string[] = []
  let at = 0
  for (const [piece, parameters = '', command] of line.matchAll(pieces)) {
    if (command !== undefined) at = moved(cells, at, command, parameters)
    else if (piece === '\r') at = 0
    else if (piece === '\b') at = Math.max(0, at - 1)
    else if (!controls.test(piece)) for (const char of piece) cells[at++] = char
  }
  return cells.join('')
}

/** Carries out a command of a terminal that stays in the line, and returns the column after it. */
function moved(cells: string[], at: number, command: string, parameters: string): number {
  const count = Math.max(1, Number.parseInt(parameters, 10) || 1)
  if (command === 'G') return Math.min(cells.length, count - 1)
  if (command === 'D') return Math.max(0, at - count)
  if (command === 'C') return Math.min(cells.length, at + count)
  if (command !== 'K') return at
  if (parameters === '' || parameters === '0') cells.length = Math.min(cells.length, at)
  else cells.fill(' ', 0, parameters === '1' ? at + 1 : cells.length)
  return at
}

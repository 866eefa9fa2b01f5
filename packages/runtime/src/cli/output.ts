/** How `svc` speaks (design: exit codes 0 done, 1 refused, 2 usage, 3 the service was needed and not reached). Text from agents and the service is text: it cannot steer a terminal (I31). */
import { clean } from '@svc/protocol'

export const exits = { done: 0, refused: 1, usage: 2, unreached: 3 } as const

/** A refusal: one sentence on standard error, and the code of exit. */
export class Refusal extends Error {
  readonly exit: number
  constructor(message: string, exit: number = exits.refused) {
    super(message)
    this.name = 'Refusal'
    this.exit = exit
  }
}

/** Turns the direction of text around, or hides in it. */
const steering = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029]/g
/** A text of several lines, fit for a terminal. */
export const safe = (text: string): string => clean(text).replace(steering, '')
/** A text in one line. */
export const oneLine = (text: string): string => safe(text).replace(/\s+/g, ' ').trim()

export const say = (text: string): void => {
  process.stdout.write(`${safe(text)}\n`)
}
export const warn = (text: string): void => {
  process.stderr.write(`${safe(text)}\n`)
}

/** Says on standard error what went wrong; gives the code of exit. */
export function exitOf(error: unknown): number {
  if (error instanceof Refusal) {
    warn(error.message)
    return error.exit
  }
  warn(`svc: ${error instanceof Error ? error.message : String(error)}`)
  if (process.env.SVC_DEBUG && error instanceof Error) warn(error.stack ?? '')
  return exits.refused
}

/** One JSON value for programs, or the lines for people. JSON escapes what could steer a terminal. */
export function show(json: boolean | undefined, value: unknown, lines: () => string | readonly string[]): void {
  if (json) {
    const text = JSON.stringify(value, null, 2).replace(/[\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g, escaped)
    process.stdout.write(`${text}\n`)
    return
  }
  const shown = lines()
  say(typeof shown === 'string' ? shown : shown.join('\n'))
}
const escaped = (c: string) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`

/** Columns of a table, padded. */
export function columns(rows: readonly (readonly string[])[]): string[] {
  const plain = rows.map((row) => row.map(oneLine))
  const widths = (plain[0] ?? []).map((_, i) => Math.max(...plain.map((row) => row[i]?.length ?? 0)))
  return plain.map((row) =>
    row
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}

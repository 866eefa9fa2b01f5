/**
 * The output and the exit codes of `svc`: 0 done, 1 refused, 2 usage, 3 the service was needed and could not be
 * reached. Texts from agents and the service are printed so that they cannot control the terminal (I31).
 */
import { safeLine as oneLine, safeText as safe, safeJson } from '@svc/protocol'
import { messageOf } from '../errors.ts'
import { exits, Refusal } from '../refusal.ts'

export { exits, oneLine, Refusal, safe }

const say = (text: string): void => {
  process.stdout.write(`${safe(text)}\n`)
}
export const warn = (text: string): void => {
  process.stderr.write(`${safe(text)}\n`)
}

/** Prints on standard error why a command failed, and returns the exit code. */
export function exitOf(error: unknown): number {
  if (error instanceof Refusal) {
    warn(error.message)
    return error.exit
  }
  warn(`svc: ${messageOf(error)}`)
  if (process.env.SVC_DEBUG && error instanceof Error) warn(error.stack ?? '')
  return exits.refused
}

/**
 * Prints one JSON value for programs or, without `json`, lines for people. Characters that could control a terminal are
 * escaped in the JSON value.
 */
export function show(json: boolean | undefined, value: unknown, lines: () => string | readonly string[]): void {
  if (json) {
    process.stdout.write(`${safeJson(value, 2)}\n`)
    return
  }
  const shown = lines()
  say(typeof shown === 'string' ? shown : shown.join('\n'))
}

/** Pads the cells of a table with spaces, so that the columns are aligned. */
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

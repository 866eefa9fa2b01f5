/**
 * The output and the exit codes of `svc`: 0 done, 1 refused, 2 usage, 3 the service was needed and could not be
 * reached. Texts from agents and the service are printed so that they cannot control the terminal (I31).
 */
import { fstatSync, writeSync } from 'node:fs'
import { alignedRows, safeLine as oneLine, safeText as safe, safeJson } from '@svc/protocol'
import { exits, messageOf, Refusal } from '../../machine/base/errors.ts'
import { explainedError } from '../../machine/files/space.ts'

export { exits, oneLine, Refusal, safe }

const say = (text: string): void => {
  process.stdout.write(`${safe(text)}\n`)
}
/** Prints a text for people on standard error, without characters that could control a terminal. */
export const warn = (text: string): void => {
  process.stderr.write(`${safe(text)}\n`)
}

/** Prints on standard error why a command failed, and returns the exit code. */
export function printFailure(error: unknown): number {
  if (error instanceof Refusal) {
    warn(error.message)
    return error.exit
  }
  const why = explainedError(error, pathOf(error))
  warn(`svc: ${messageOf(why)}`)
  if (process.env.SVC_DEBUG && error instanceof Error) warn(error.stack ?? '')
  return exits.refused
}

/** The path that a failed system call names; the current folder if the error names none. */
const pathOf = (error: unknown): string =>
  error instanceof Error && 'path' in error && typeof error.path === 'string' ? error.path : process.cwd()

/**
 * Handles errors of standard output and standard error. If the reader of a pipe is gone, the command ends without an
 * error. After another error of standard output, it prints one line and ends as refused.
 */
export function handleOutputErrors(): void {
  process.stderr.on('error', () => {})
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0)
    warn(`svc: The output could not be written: ${messageOf(error)}`)
    process.exit(exits.refused)
  })
}

/**
 * Returns a function that prints lines for as long as the agent runs. A line that cannot be written is lost, but later
 * lines are printed again, for example when a disk has room again.
 */
export function lastingOutput(): (text: string) => void {
  process.stderr.on('error', () => {})
  process.stdout.removeAllListeners('error').on('error', () => {})
  if (!isFile(1)) return (text) => void process.stdout.write(text)
  return (text) => {
    try {
      writeSync(1, text)
    } catch {}
  }
}

/** True if the output is a file. A file is written without `process.stdout`, which would end with its first error. */
function isFile(fd: number): boolean {
  try {
    return fstatSync(fd).isFile()
  } catch {
    return false
  }
}

/**
 * Prints one JSON value for programs or, without `json`, lines for people. Characters that could control a terminal are
 * escaped in the JSON value.
 */
export function printResult(json: boolean | undefined, value: unknown, lines: () => string | readonly string[]): void {
  if (json) {
    process.stdout.write(`${safeJson(value, 2)}\n`)
    return
  }
  const shown = lines()
  say(typeof shown === 'string' ? shown : shown.join('\n'))
}

/** The lines of a table whose columns are aligned. */
export const alignedColumns = (rows: readonly (readonly string[])[]): string[] =>
  alignedRows(rows.map((row) => row.map(oneLine)))

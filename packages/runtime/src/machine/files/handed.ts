/**
 * Reads files that a person hands over to a command. A file is read as a whole, or refused with the reason and the
 * line, before anything is done.
 */
import { readTextFile } from '@svc/blueprint/read-file'
import { doubtfulValues, readEnvText, repeatedNames } from '@svc/protocol'
import { exits, Refusal } from '../base/errors.ts'
import { type EnvFileValues, maxEnvBytes } from './env.ts'

/** Reads the text of a file, or throws a Refusal. `what` begins its sentence, such as `The token file`. */
export function readHandedText(file: string, what: string, max: number): string {
  const read = readTextFile(file, max)
  if (read.is === 'text') return read.text
  throw new Refusal(`${what} ${file} ${read.is === 'missing' ? 'is not there' : read.why}.`, exits.usage)
}

/** The maximum number of lines that a refusal names. */
const maxNamedLines = 10

/**
 * The variables of a secrets file, and remarks about values that may be mistakes. Throws a Refusal if a line is not
 * understood or repeats a name. The Refusal numbers the lines but does not quote them, since they may hold secrets.
 */
export function readHandedEnv(file: string): { readonly env: EnvFileValues; readonly remarks: readonly string[] } {
  const read = readEnvText(readHandedText(file, 'The secrets file', maxEnvBytes))
  const again = repeatedNames(read).map(({ name, lines }) => ({
    line: lines.at(-1) ?? 0,
    why: `names ${name} again, after line ${lines[0]}`,
  }))
  const faults = [...read.faults, ...again].sort((a, b) => a.line - b.line)
  if (faults.length > 0) {
    const lines = faults.slice(0, maxNamedLines).map(({ line, why }) => `  Line ${line} ${why}.`)
    const more =
      faults.length > maxNamedLines ? [`  ${faults.length - maxNamedLines} more lines are not understood.`] : []
    throw new Refusal(
      [`The secrets file ${file} must hold only lines NAME=value:`, ...lines, ...more].join('\n'),
      exits.usage,
    )
  }
  return {
    env: new Map(read.lines.map(({ name, value }) => [name, value])),
    remarks: doubtfulValues(read).map(({ line, why }) => `${file}, line ${line}: ${why}.`),
  }
}

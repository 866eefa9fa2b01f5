/**
 * Formats values for a terminal. Text from agents and people can neither move the cursor nor end a line of a table
 * (I31).
 */
import { alignedRows, isObject, isOwnMachineOnly, ownMachineWords, safeText } from '@svc/protocol'

/**
 * A text table: the rows under their headings, with columns as wide as their contents. If there are no rows, the result
 * is the argument `none`, a sentence such as "There is no rule.".
 */
export function tableText(headings: string[], rows: (string | number | null | undefined)[][], none: string): string {
  if (rows.length === 0) return none
  return alignedRows([headings, ...rows].map((row) => row.map((cell) => oneSafeLine(String(cell ?? '-'))))).join('\n')
}

/** Makes one safe line of any text. */
export const oneSafeLine = (text: string): string => safeText(text).replace(/[\n\t]+/g, ' ')

/** Shows Unix milliseconds as date and time in UTC. */
export const timeText = (at: number | null | undefined): string =>
  at == null ? '-' : `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')}Z`

/** The lines to run on the agent's machine: they download and install `svc`, and then run `svc` with `command`. */
export const linesForMachine = (url: string, command: string): string =>
  [`On its machine:\n`, `curl -fsSO ${url}/cli/svc.pyz`, 'python3 svc.pyz self install', `svc ${command}`].join('\n  ')

/** A sentence if a command's value has an address of the service, or a link, that only its own machine reaches. */
export function reachNote(value: unknown): string | undefined {
  const shown = isObject(value) ? [value.url, value.link] : []
  return shown.some((address) => typeof address === 'string' && isOwnMachineOnly(address)) ? ownMachineWords : undefined
}

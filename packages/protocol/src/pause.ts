/** The label of the state that the runtime reports for a paused agent (2.11). */
export const pausedLabel = 'Paused'

/**
 * The detail of the state that the svc runtime reports for a paused agent (2.11): `Since <UTC time>, by the service
 * (command <id>).`, or `Since <UTC time>, on this machine by <user>.`, and what is still ending.
 */
interface PauseDetail {
  /** When the agent was paused, in Unix milliseconds. */
  readonly at: number
  /** The place from which the agent was paused; undefined if the runtime does not know. */
  readonly by: 'service' | 'machine' | undefined
  /** The id of the command that paused the agent. */
  readonly command?: string
  /** The user account on the agent's machine of the person who paused it. */
  readonly user?: string
  /** Sentences about what is still ending; empty if nothing is. */
  readonly rest: string
}

const form =
  /^Since (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d) UTC(?:, (?:by the (service)(?: \(command (.{1,61}?)\))?|on this (machine)(?: by (.{1,200}?))?))?\.(?: (.*))?$/s

/**
 * Splits the detail of a pause into its parts. Returns undefined for a detail in another format, since other runtimes
 * may word it differently.
 */
export function readPause(detail: string): PauseDetail | undefined {
  const [, time = '', service, command, machine, user, rest = ''] = form.exec(detail) ?? []
  const at = Date.parse(`${time.replace(' ', 'T')}Z`)
  if (Number.isNaN(at)) return undefined
  const by = service !== undefined ? 'service' : machine !== undefined ? 'machine' : undefined
  return { at, by, ...(command !== undefined && { command }), ...(user !== undefined && { user }), rest }
}

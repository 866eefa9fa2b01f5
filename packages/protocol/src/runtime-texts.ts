/**
 * Texts in reports of the svc runtime that the service recognises or takes apart. Other runtimes may word theirs
 * differently.
 */

/** The label of the state that the runtime reports for a paused agent (2.11). */
export const pausedLabel = 'Paused'

/**
 * The parts of the detail that the svc runtime reports for a paused agent (2.11): `Since <UTC time>, by the service
 * (command <id>). <rest>` or `Since <UTC time>, on this machine by <user>. <rest>`.
 */
interface PauseDetail {
  /** When the agent was paused, in Unix milliseconds. */
  readonly at: number
  /** The place from which the agent was paused; undefined if the runtime does not know. */
  readonly by: 'service' | 'machine' | undefined
  /** The id of the command that paused the agent. */
  readonly command?: string
  /** The user account with which a person paused the agent on its machine. */
  readonly user?: string
  /** Sentences about the work that has not ended yet; empty if there is none. */
  readonly rest: string
}

const pauseShape =
  /^Since (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d) UTC(?:, (?:by the (service)(?: \(command (.{1,61}?)\))?|on this (machine)(?: by (.{1,200}?))?))?\.(?: (.*))?$/s

/**
 * Splits the detail of a pause into its parts. Returns undefined for a detail in another format, since other runtimes
 * may word it differently.
 */
export function readPauseText(detail: string): PauseDetail | undefined {
  const [, time = '', service, command, machine, user, rest = ''] = pauseShape.exec(detail) ?? []
  const at = Date.parse(`${time.replace(' ', 'T')}Z`)
  if (Number.isNaN(at)) return undefined
  const by = service !== undefined ? 'service' : machine !== undefined ? 'machine' : undefined
  return { at, by, ...(command !== undefined && { command }), ...(user !== undefined && { user }), rest }
}

/**
 * The parts of the message that the svc runtime writes about an update attempt: `<from> -> <to>, <UTC time>: <reason>`
 * (D34).
 */
interface Attempt {
  readonly from: string
  readonly to: string
  /** The time of the attempt, in Unix milliseconds. */
  readonly at: number
  readonly reason: string
}

/**
 * Splits the message of an update attempt into its parts. Returns undefined for a message in another format, since
 * other runtimes may word their messages differently.
 */
export function readAttemptText(message: string): Attempt | undefined {
  const [, from, to, time = '', reason] =
    /^(\S{1,128}) -> (\S{1,128}), (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z): (.*)$/s.exec(message) ?? []
  const at = Date.parse(time)
  if (from === undefined || to === undefined || reason === undefined || Number.isNaN(at)) return undefined
  return { from, to, at, reason }
}

/** The name of the health item that a runtime reports if the disk of its machine is full or nearly full. */
export const diskSpace = 'Space on disk'

/** The name of the health item that a runtime reports if required secrets are missing. */
export const missingSecrets = 'Missing secrets'

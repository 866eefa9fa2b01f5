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
export function readAttempt(message: string): Attempt | undefined {
  const [, from, to, time = '', reason] =
    /^(\S{1,128}) -> (\S{1,128}), (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z): (.*)$/s.exec(message) ?? []
  const at = Date.parse(time)
  if (from === undefined || to === undefined || reason === undefined || Number.isNaN(at)) return undefined
  return { from, to, at, reason }
}

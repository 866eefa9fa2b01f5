/** What our runtime writes as the message of an attempt, `<from> -> <to>, <UTC time>: <reason>` (D34): unique on the wire, and readable once it is taken apart. */
interface Attempt {
  readonly from: string
  readonly to: string
  /** Unix milliseconds. */
  readonly at: number
  readonly reason: string
}

/** Undefined for a message of another form, as other runtimes write them. */
export function readAttempt(message: string): Attempt | undefined {
  const [, from, to, time = '', reason] =
    /^(\S{1,128}) -> (\S{1,128}), (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z): (.*)$/s.exec(message) ?? []
  const at = Date.parse(time)
  if (from === undefined || to === undefined || reason === undefined || Number.isNaN(at)) return undefined
  return { from, to, at, reason }
}

/** One result of `svc doctor`, and its line on the terminal. */
import { oneLine } from '../kit/output.ts'

export interface CheckResult {
  readonly name: string
  readonly ok: boolean
  /** True if nothing is broken, but the check found something that a person should know. */
  readonly warns?: true
  readonly message: string
}

export const checkText = ({ name, ok, warns, message }: CheckResult): string =>
  `${ok ? (warns ? 'WARN' : 'ok  ') : 'BAD '} ${oneLine(name)}: ${message}`

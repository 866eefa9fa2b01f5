/** Makes the text file in which a person keeps their recovery codes. */
import { dayOf } from '../ui/forms/local-time.ts'

interface RecoveryFile {
  codes: readonly string[]
  email: string
  /** The address of the service, with its port. */
  host: string
  now: number
}

export const recoveryFile = ({ codes, email, host, now }: RecoveryFile): string =>
  `${[
    `Recovery codes for ${email} at ${host}, made on ${dayOf(now)}.`,
    'Each signs you in once, without your phone. Newer codes replace these.',
    '',
    ...codes,
  ].join('\n')}\n`

/** The address with which the browser saves a text as a file, without asking the service for it. */
export const addressOfFile = (text: string): string => `data:text/plain;charset=utf-8,${encodeURIComponent(text)}`

/**
 * Checks the answers of browsers about passkeys, in a worker thread (passkey-worker.ts). An answer is valid if it is
 * for the base address of the service and for the given challenge, and if the device verified the person.
 */
import type { NewPasskeyAnswer, PasskeyAnswer } from '@svc/api'
import { threadFile } from '../../platform/installed.ts'
import { threadOnDemand } from '../../platform/threads.ts'

/** A passkey as the answer of a browser shows it. */
export interface PasskeyChecked {
  /** The id that the device gave to the passkey. */
  id: string
  /** The public key in the form of COSE, as base64url. */
  publicKey: string
  /** The number of uses, as the device counts them; 0 if it does not. */
  counter: number
}

interface ExpectedOrigin {
  challenge: string
  origin: string
  host: string
}
/** A question to the worker thread: is this answer of a browser valid? */
export type PasskeyQuestion = ExpectedOrigin &
  (
    | { is: 'new'; answer: NewPasskeyAnswer }
    | { is: 'use'; answer: PasskeyAnswer; passkey: Omit<PasskeyChecked, 'counter'> }
  )

const ask = threadOnDemand<PasskeyQuestion, PasskeyChecked | undefined>(threadFile('passkeys'), {
  ...{ heapMb: 64, idleMs: 60_000, answerMs: 15_000 },
})

/**
 * A public key whose private key nobody has. An answer of an unknown passkey is checked with it, so that the time until
 * a refusal does not reveal whether the service knows a passkey.
 */
const nobodys =
  'pQECAyYgASFYIMgwgW1jho47riADotZ0hNwNxEUece-cYeOegkNRSHcaIlggQaUJPeVp2s3WmujIvyc44q5pZM99xaqRrRRcGLQT8pw'

function expectedBy(baseUrl: string, challenge: string): ExpectedOrigin {
  const { origin, hostname } = new URL(baseUrl)
  return { challenge, origin, host: hostname }
}

/** The new passkey in a browser's answer; undefined if the answer is not valid. */
export const checkNewPasskey = (
  baseUrl: string,
  challenge: string,
  answer: NewPasskeyAnswer,
): Promise<PasskeyChecked | undefined> => ask({ is: 'new', answer, ...expectedBy(baseUrl, challenge) })

/**
 * Checks a browser's answer with the public key of the stored passkey; undefined if the answer is not valid. If no
 * passkey is stored, leave `publicKey` out: the check takes as long and fails.
 */
export const checkUse = (
  baseUrl: string,
  challenge: string,
  answer: PasskeyAnswer,
  publicKey: string = nobodys,
): Promise<PasskeyChecked | undefined> =>
  ask({ is: 'use', answer, passkey: { id: answer.id, publicKey }, ...expectedBy(baseUrl, challenge) })

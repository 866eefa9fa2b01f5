/** Asks the browser for passkeys. */
import type { Factors, NewPasskeyAnswer, PasskeyAnswer } from '@svc/api'
import { call } from './api.ts'

/** True if this browser has the functions for passkeys that the page uses. */
export const hasPasskeys = (): boolean =>
  typeof PublicKeyCredential === 'function' &&
  'parseCreationOptionsFromJSON' in PublicKeyCredential &&
  'parseRequestOptionsFromJSON' in PublicKeyCredential &&
  'toJSON' in PublicKeyCredential.prototype

/** True if the person has a passkey for this address of the service. */
export const canShowPasskey = ({ passkeys }: Pick<Factors, 'passkeys'>): boolean => passkeys.some(({ here }) => here)

/** Has the person show a passkey, and returns the answer of the device for the service. */
export async function askForPasskey(): Promise<PasskeyAnswer> {
  const asked = PublicKeyCredential.parseRequestOptionsFromJSON(await call('POST /passkey/options'))
  return await answerOf(navigator.credentials.get({ publicKey: asked }))
}

/** Has the device make a passkey for the signed-in person, and returns its answer for the service. */
export async function createPasskey(): Promise<NewPasskeyAnswer> {
  const asked = PublicKeyCredential.parseCreationOptionsFromJSON(await call('POST /factors/passkeys/options'))
  return await answerOf(navigator.credentials.create({ publicKey: asked }))
}

async function answerOf<T>(asked: Promise<Credential | null>): Promise<T> {
  try {
    return ((await asked) as PublicKeyCredential).toJSON() as T
  } catch (cause) {
    throw new Error(wordsFor(cause), { cause })
  }
}

/** The sentence to show if the browser gave no passkey. The browser's own message is for developers. */
function wordsFor(cause: unknown): string {
  const name = cause instanceof Error ? cause.name : ''
  if (name === 'NotAllowedError' || name === 'AbortError') return 'No passkey was given. Try again when you are ready.'
  if (name === 'InvalidStateError') return 'This device already has a passkey for your account.'
  return 'The browser could not use a passkey here.'
}

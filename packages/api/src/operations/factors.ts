/** Operations of a person on their second factors, and the proofs that dangerous operations need. */
import type {
  Factors,
  NewPasskeyAnswer,
  NewTotp,
  PasskeyAnswer,
  PasskeyCreation,
  PasskeyRequest,
  ProviderAddress,
  RecoveryCodes,
} from '../answers/factors.ts'
import * as bounds from '../bounds.ts'
import { InputRefused, object, optional, orNull, pasted, type Reader, reader, text } from '../input.ts'
import { change, reading } from '../operation.ts'
import { maxNameLength, maxPasswordLength } from './typed.ts'

const right = 'person'
const noPages = { none: 'open pages show it when they ask next' }
const maxCode = 100
const code = text(maxCode)

/** Reads an object that has exactly one of `fields`. */
const oneOfFields = <T extends object>(
  fields: { [K in keyof T]: Reader<T[K] | undefined> & { optional: true } },
): Reader<Partial<T>> =>
  reader(object(fields).form, (value, field) => {
    const read = object(fields)(value, field) as Partial<T>
    if (Object.keys(read).length === 1) return read
    throw new InputRefused(
      `The body must have exactly one of ${Object.keys(fields)
        .map((f) => `"${f}"`)
        .join(', ')}.`,
    )
  })

/** Reads bytes of a passkey as browsers write them: base64url, at most `max` characters. */
const bytes = (max: number) => pasted({ max, secret: true })
const maxId = 1400
const passkeyAnswer: Reader<PasskeyAnswer> = object({
  id: bytes(maxId),
  rawId: bytes(maxId),
  response: object({
    clientDataJSON: bytes(4000),
    authenticatorData: bytes(4000),
    signature: bytes(4000),
    userHandle: optional(orNull(bytes(200))),
  }),
})
const newPasskeyAnswer: Reader<NewPasskeyAnswer> = object({
  id: bytes(maxId),
  rawId: bytes(maxId),
  response: object({ clientDataJSON: bytes(4000), attestationObject: bytes(4000) }),
})
const challenge = 'the challenge is in a cookie of the browser'

export const factors = reading<Factors>()('GET /factors', {
  right,
  says: 'show your second factors',
})
export const beginTotp = change<NewTotp>()('POST /factors/totp', {
  right,
  says: 'begin to add an authenticator app; the answer has its secret, which is good once a code confirms it',
  proof: true,
  audit: { none: 'nothing changes until a code confirms it' },
  pages: noPages,
  again: 'new',
  adds: bounds.factor,
})
export const confirmTotp = change<RecoveryCodes>()('POST /factors/totp/confirm', {
  right,
  says: 'add the authenticator app by a code that it shows; the answer has ten recovery codes, each good once; your other sessions that showed no second factor end',
  input: object({ code }),
  proof: true,
  audit: ['person.factor_added'],
  pages: ['rights'],
  again: 'refused',
  adds: bounds.recovery,
})
export const makeRecoveryCodes = change<RecoveryCodes>()('POST /factors/recovery', {
  right,
  says: 'make ten new recovery codes; the earlier ones stop working',
  proof: true,
  audit: ['person.recovery_codes_made'],
  pages: noPages,
  again: 'new',
  adds: bounds.recovery,
})
export const removeTotp = change<{ ok: true }>()('DELETE /factors/totp', {
  right,
  says: 'remove the authenticator app and the recovery codes',
  proof: true,
  audit: ['person.factor_removed'],
  pages: noPages,
  again: 'refused',
  adds: null,
})
export const passkeyCreation = change<PasskeyCreation>()('POST /factors/passkeys/options', {
  right,
  says: 'begin to add a passkey; the answer is for the browser and good for five minutes',
  proof: true,
  audit: { none: 'nothing changes until the passkey is added' },
  pages: noPages,
  again: 'new',
  adds: null,
  manual: challenge,
})
export const addPasskey = change<{ id: string }>()('POST /factors/passkeys', {
  right,
  says: 'add a passkey that the browser made; your other sessions that showed no second factor end',
  input: object({ name: text(maxNameLength), response: newPasskeyAnswer }),
  makes: true,
  proof: true,
  audit: ['person.passkey_added'],
  pages: ['rights'],
  again: 'refused',
  adds: bounds.passkeys,
  manual: challenge,
})
export const removePasskey = change<{ ok: true }>()('DELETE /factors/passkeys/:id', {
  right,
  says: 'remove a passkey',
  proof: true,
  audit: ['person.passkey_removed'],
  pages: noPages,
  again: 'refused',
  adds: null,
})
export const beginOidc = change<ProviderAddress>()('POST /factors/oidc', {
  right,
  says: 'begin to connect your account with the sign-in provider; the answer has the address to which the browser goes; once it is connected, your other sessions that showed no second factor end',
  proof: true,
  audit: { none: 'nothing changes until the browser comes back from the provider' },
  pages: noPages,
  again: 'new',
  adds: bounds.connection,
  manual: 'the state is in a cookie of the browser',
})
export const removeOidc = change<{ ok: true }>()('DELETE /factors/oidc', {
  right,
  says: 'disconnect your account from the sign-in provider',
  proof: true,
  audit: ['person.oidc_removed'],
  pages: noPages,
  again: 'refused',
  adds: null,
})
export const passkeyRequest = change<PasskeyRequest>()('POST /passkey/options', {
  right: 'anybody',
  says: 'begin to use a passkey; the answer is for the browser and good for five minutes',
  audit: { none: 'it changes nothing' },
  pages: noPages,
  again: 'new',
  adds: null,
  manual: challenge,
})
export const usePasskey = change<{ ok: true }>()('POST /passkey', {
  right: 'anybody',
  says: 'sign in with a passkey',
  input: object({ response: passkeyAnswer }),
  audit: { none: "the person's own list of sign-ins says it" },
  pages: noPages,
  again: 'refused',
  adds: bounds.sessions,
  manual: 'a passkey is its right; wrong ones are counted by address, and a good one signs in',
})
export const prove = change<{ ok: true }>()('POST /proof', {
  right,
  says: 'prove who you are by a code of your authenticator app, by a passkey or, without a second factor, by your password',
  input: oneOfFields<{ code: string; passkey: PasskeyAnswer; password: string }>({
    code: optional(code),
    passkey: optional(passkeyAnswer),
    password: optional(text(maxPasswordLength)),
  }),
  audit: { none: 'it changes nothing but what the session may do for ten minutes' },
  pages: noPages,
  again: 'new',
  adds: bounds.proofs,
  manual: 'wrong codes, passkeys and passwords are counted, and checked outside of the transaction',
})
export const secondFactor = change<{ ok: true }>()('POST /second-factor', {
  right: 'anybody',
  says: 'finish a sign-in by a code of the authenticator app or a recovery code',
  input: oneOfFields<{ code: string; recovery: string }>({ code: optional(code), recovery: optional(code) }),
  audit: ['person.recovery_code_used'],
  pages: noPages,
  again: 'refused',
  adds: bounds.sessions,
  manual: 'the cookie of a right password is its right; wrong codes are counted, and a good one signs in',
})

/**
 * For tests: a device that makes passkeys and answers challenges with them, as a browser does. What it answers can be
 * changed in every part, also to what no device would answer.
 */
import {
  createHash,
  createPrivateKey,
  generateKeyPairSync,
  type JsonWebKey,
  type KeyObject,
  randomBytes,
  sign,
} from 'node:crypto'
import type { NewPasskeyAnswer, PasskeyAnswer, PasskeyCreation, PasskeyRequest } from '@svc/api'
import type { Browser } from './page/service.ts'

/** The parts of an answer that a test may change; by default they are those of an honest device. */
export interface Answering {
  origin: string
  challenge: string
  type: string
  crossOrigin: boolean
  host: string
  /** False if the device did not verify the person. */
  verified: boolean
  counter: number
  userHandle: string | null
  /** The key that signs. */
  key: KeyObject
  /** The attestation of a new passkey, in CBOR: its format and statement; by default the format `none`. */
  attestation: string
}

const base64url = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url')
const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest()

export interface TestPasskey {
  id: string
  /** The number of uses, as the device counts them; 0 if the device does not count. */
  counter: number
  /** The answer to a request for a new passkey. */
  made: NewPasskeyAnswer
  uses(request: Pick<PasskeyRequest, 'challenge'>, changed?: Partial<Answering>): PasskeyAnswer
}

/** Makes a passkey. `counts` is true for a device that counts the uses. */
export function testPasskey(
  origin: string,
  { challenge, user }: Pick<PasskeyCreation, 'challenge' | 'user'>,
  { counts = false, ...changed }: Partial<Answering> & { counts?: boolean } = {},
): TestPasskey {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const idBytes = randomBytes(32)
  const id = base64url(idBytes)
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const cose = Buffer.concat([
    Buffer.from('a5010203262001215820', 'hex'),
    Buffer.from(x, 'base64url'),
    Buffer.from('225820', 'hex'),
    Buffer.from(y, 'base64url'),
  ])
  const authData = Buffer.concat([
    flagsAndCounter(origin, changed, { flags: 0x40, counter: 0 }),
    Buffer.alloc(16),
    Buffer.from([0, idBytes.length]),
    idBytes,
    cose,
  ])
  const attestationObject = Buffer.concat([
    Buffer.from(`a3${changed.attestation ?? '63666d74646e6f6e656761747453746d74a0'}68617574684461746158`, 'hex'),
    Buffer.from([authData.length]),
    authData,
  ])
  const made = {
    id,
    rawId: id,
    response: {
      clientDataJSON: base64url(clientData(origin, 'webauthn.create', { challenge, ...changed })),
      attestationObject: base64url(attestationObject),
    },
  }
  return Object.assign(usable(origin, { id, handle: user.id, counter: 0 }, { key: privateKey, counts }), { made })
}

/** A passkey with its private key. Tests keep it together with data that an earlier version of the service stored. */
export interface KeptPasskey {
  id: string
  /** The id of the person, as the device keeps it. */
  handle: string
  key: JsonWebKey
  /** The number of uses so far; 0 for a device that does not count. */
  counter: number
}

/** Makes a usable passkey from a kept one, at a service with this base address. */
export const keptPasskey = (origin: string, kept: KeptPasskey): Omit<TestPasskey, 'made'> =>
  usable(origin, kept, { key: createPrivateKey({ key: kept.key, format: 'jwk' }), counts: kept.counter > 0 })

function usable(
  origin: string,
  { id, handle, counter }: Omit<KeptPasskey, 'key'>,
  { key, counts }: { key: KeyObject; counts: boolean },
): Omit<TestPasskey, 'made'> {
  const passkey: Omit<TestPasskey, 'made'> = {
    id,
    counter,
    uses({ challenge }, changed = {}) {
      if (counts) passkey.counter++
      const data = clientData(origin, 'webauthn.get', { challenge, ...changed })
      const authenticatorData = flagsAndCounter(origin, changed, { flags: 0, counter: passkey.counter })
      const signature = sign('sha256', Buffer.concat([authenticatorData, sha256(data)]), changed.key ?? key)
      return {
        id,
        rawId: id,
        response: {
          clientDataJSON: base64url(data),
          authenticatorData: base64url(authenticatorData),
          signature: base64url(signature),
          userHandle: changed.userHandle === undefined ? handle : changed.userHandle,
        },
      }
    },
  }
  return passkey
}

const clientData = (origin: string, type: string, of: Partial<Answering>): Buffer =>
  Buffer.from(
    JSON.stringify({ type: of.type ?? type, challenge: of.challenge, origin, crossOrigin: false, ...pick(of) }),
  )

const flagsAndCounter = (
  origin: string,
  of: Partial<Answering>,
  { flags, counter }: { flags: number; counter: number },
): Buffer =>
  Buffer.concat([
    sha256(of.host ?? new URL(origin).hostname),
    Buffer.from([flags | 0x01 | ((of.verified ?? true) ? 0x04 : 0)]),
    uint32(of.counter ?? counter),
  ])

const pick = ({ challenge, origin, crossOrigin }: Partial<Answering>) => ({
  ...(challenge !== undefined && { challenge }),
  ...(origin !== undefined && { origin }),
  ...(crossOrigin !== undefined && { crossOrigin }),
})

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

/** Adds a passkey to the account of this browser, at a service with this base address. */
export async function addPasskey(
  browser: Browser,
  baseUrl: string,
  { name = 'Laptop', counts = false }: { name?: string; counts?: boolean } = {},
): Promise<TestPasskey & { stored: string }> {
  const { body: options } = await browser.send<PasskeyCreation>('POST', '/api/web/factors/passkeys/options')
  const passkey = testPasskey(baseUrl, options, { counts })
  const body = { name, response: passkey.made }
  const added = await browser.send<{ id: string }>('POST', '/api/web/factors/passkeys', body)
  if (added.status !== 201) throw new Error(`The passkey was refused: ${added.text}`)
  return Object.assign(passkey, { stored: added.body.id })
}

/** Asks for a challenge in this browser. */
export const passkeyRequest = async (browser: Browser): Promise<PasskeyRequest> =>
  (await browser.send<PasskeyRequest>('POST', '/api/web/passkey/options')).body

/** Signs in with a passkey in this browser. */
export async function usePasskey(
  browser: Browser,
  passkey: Pick<TestPasskey, 'uses'>,
  changed: Partial<Answering> = {},
) {
  const response = passkey.uses(await passkeyRequest(browser), changed)
  return browser.send<{ error?: { code: string } }>('POST', '/api/web/passkey', { response })
}

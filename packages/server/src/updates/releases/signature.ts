/**
 * Verifies an OpenSSH signature (SSHSIG) with Node alone, at least as strictly as `ssh-keygen`: a signature that only
 * the service accepts would be served, and refused by every runtime (D39). If `ssh-keygen` is present, the service asks
 * it too (keygen.ts).
 */
import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto'
import type { Verdict } from '@svc/protocol'

const magic = 'SSHSIG'
/** The namespace in which releases are signed (3.5.3). */
const wantedNamespace = 'svc-runtime'

interface SignatureFacts {
  /** The key that signed, in the form of a list of allowed signers: type and base64. */
  signer: string
  /** False if the key is of a kind that Node cannot verify, such as one in a security token. */
  verified: boolean
}

/** Judges whether `armored` is a release signature of `bytes`, and was made with one of `keys` if they are known. */
export function judgeSignature(
  armored: Buffer,
  bytes: Buffer,
  keys: readonly string[] | undefined,
): Verdict<SignatureFacts, 'signature_refused'> {
  const parts = readArmored(armored.toString('latin1'))
  if (!parts) return refusedSignature('it is not an OpenSSH signature.')
  const { key, namespace, hash } = parts
  if (namespace !== wantedNamespace)
    return refusedSignature(`it is for the namespace "${namespace}": a release is signed for "${wantedNamespace}".`)
  const holds = verified(parts, bytes)
  if (holds === false || !(hash in hashes)) return refusedSignature('it does not match these bytes, or is damaged.')
  if (keys && !keys.includes(key.line))
    return refusedSignature(`it was made with a key that this build itself does not accept (${key.line}).`)
  return { ok: true, value: { signer: key.line, verified: holds === true } }
}

interface SignatureParts {
  key: { type: string; fields: Reader; line: string }
  namespace: string
  reserved: Buffer
  hash: string
  signature: Buffer
}

const hashes: Readonly<Record<string, string>> = { sha256: 'sha256', sha512: 'sha512' }

function readArmored(text: string): SignatureParts | undefined {
  const lines = /^-----BEGIN SSH SIGNATURE-----\n([A-Za-z0-9+/=\n]+)\n-----END SSH SIGNATURE-----/.exec(text)?.[1]
  const body = lines?.replaceAll('\n', '')
  if (body === undefined) return undefined
  const blob = Buffer.from(body, 'base64')
  // Several base64 texts decode to the same bytes, but only one of them is accepted.
  if (blob.toString('base64') !== body) return undefined
  if (blob.toString('latin1', 0, magic.length) !== magic) return undefined
  try {
    const reader = new Reader(blob.subarray(magic.length))
    if (reader.number() !== 1) return undefined
    const keyBlob = reader.string()
    const namespace = reader.string().toString('latin1')
    const reserved = reader.string()
    const hash = reader.string().toString('latin1')
    const signature = reader.string()
    reader.end()
    const fields = new Reader(keyBlob)
    const type = fields.string().toString('latin1')
    return {
      key: { type, fields, line: `${type} ${keyBlob.toString('base64')}` },
      namespace,
      reserved,
      hash,
      signature,
    }
  } catch (error) {
    if (error instanceof RangeError) return undefined // The signature is too short or too long.
    throw error
  }
}

/**
 * True if the signature is valid; undefined for a kind of key that Node cannot verify, such as one in a security token.
 */
function verified({ key, namespace, reserved, hash, signature }: SignatureParts, bytes: Buffer): boolean | undefined {
  const kind = kinds[key.type]
  if (!kind) return undefined
  try {
    const signed = new Reader(signature)
    const algorithm = signed.string().toString('latin1')
    const digest = createHash(hashes[hash] ?? 'sha512')
      .update(bytes)
      .digest()
    const message = Buffer.concat([
      Buffer.from(magic),
      ...[Buffer.from(namespace), reserved, Buffer.from(hash), digest].map(lengthFirst),
    ])
    const value = signed.string()
    signed.end()
    return kind(key.fields, algorithm, message, value)
  } catch {
    return false // The key or the signature is malformed.
  }
}

type SignatureKind = (key: Reader, algorithm: string, message: Buffer, signature: Buffer) => boolean
const ecdsa =
  (curve: string, crv: string, digest: string, bytes: number): SignatureKind =>
  (key, algorithm, message, signature) => {
    if (algorithm !== `ecdsa-sha2-${curve}` || key.string().toString('latin1') !== curve) return false
    const uncompressed = key.string()
    key.end()
    if (uncompressed[0] !== 4 || uncompressed.length !== 1 + 2 * bytes) return false
    const point = uncompressed.subarray(1)
    const jwk = { kty: 'EC', crv, x: base64url(point.subarray(0, bytes)), y: base64url(point.subarray(bytes)) }
    const rs = new Reader(signature)
    const both = Buffer.concat([rs.unsigned(bytes), rs.unsigned(bytes)])
    rs.end()
    return verify(
      digest,
      message,
      { key: createPublicKey({ key: jwk, format: 'jwk' }), dsaEncoding: 'ieee-p1363' },
      both,
    )
  }
const kinds: Readonly<Record<string, SignatureKind>> = {
  'ssh-ed25519': (key, algorithm, message, signature) => {
    const jwk = { kty: 'OKP', crv: 'Ed25519', x: base64url(key.string()) }
    key.end()
    if (algorithm !== 'ssh-ed25519') return false
    return verify(null, message, createPublicKey({ key: jwk, format: 'jwk' }), signature)
  },
  'ssh-rsa': (key, algorithm, message, signature) => {
    const [e, n] = [key.string(), key.string()]
    key.end()
    const publicKey: KeyObject = createPublicKey({
      key: { kty: 'RSA', e: base64url(e), n: base64url(n) },
      format: 'jwk',
    })
    const digest = { 'rsa-sha2-256': 'sha256', 'rsa-sha2-512': 'sha512' }[algorithm]
    return digest !== undefined && verify(digest, message, publicKey, signature)
  },
  'ecdsa-sha2-nistp256': ecdsa('nistp256', 'P-256', 'sha256', 32),
  'ecdsa-sha2-nistp384': ecdsa('nistp384', 'P-384', 'sha384', 48),
  'ecdsa-sha2-nistp521': ecdsa('nistp521', 'P-521', 'sha512', 66),
}

/** Reads the binary format of SSH, in which a string is its length in four bytes, followed by its bytes. */
class Reader {
  #rest: Buffer
  constructor(bytes: Buffer) {
    this.#rest = bytes
  }
  number(): number {
    const value = this.#rest.readUInt32BE(0)
    this.#rest = this.#rest.subarray(4)
    return value
  }
  string(): Buffer {
    const length = this.number()
    if (length > this.#rest.length) throw new RangeError('cut short')
    const value = this.#rest.subarray(0, length)
    this.#rest = this.#rest.subarray(length)
    return value
  }
  /** Throws unless all bytes have been read. */
  end(): void {
    if (this.#rest.length > 0) throw new RangeError('something follows')
  }
  /** Reads a positive number and pads it to `bytes` bytes. Throws if it is longer, or has needless zeros in front. */
  unsigned(bytes: number): Buffer {
    const value = this.string()
    const [first = 0, second = 0] = value
    if (first > 127 || (first === 0 && second < 128)) throw new RangeError('no positive number')
    const bare = first === 0 ? value.subarray(1) : value
    if (bare.length > bytes) throw new RangeError('too large')
    return Buffer.concat([Buffer.alloc(bytes - bare.length), bare])
  }
}

function lengthFirst(bytes: Buffer): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes.length)
  return Buffer.concat([length, bytes])
}

const base64url = (bytes: Buffer) => bytes.toString('base64url')
const refusedSignature = (message: string) => ({ ok: false, code: 'signature_refused', message }) as const

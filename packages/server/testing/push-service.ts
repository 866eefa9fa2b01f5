/**
 * Simulates a browser and the push service of its maker for tests, on this machine with TLS. It decrypts messages (RFC
 * 8291) and checks their signature (RFC 8292) with Node's own cryptography, not with the library that the service uses.
 */
import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, verify } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { testCertificate } from './certificate.ts'

interface PushedMessage {
  headers: IncomingHttpHeaders
  message: Record<string, unknown>
}

interface PushService {
  /** The subscription of the browser, in the form of `PushSubscription.toJSON()`. */
  subscription: { endpoint: string; keys: { p256dh: string; auth: string } }
  seen: PushedMessage[]
  close(): Promise<void>
}

/**
 * Starts the push service. From then on this process trusts the test certificate. `answer` is the HTTP status of all
 * responses of the push service.
 */
export async function pushService({ answer = 201 }: { answer?: number } = {}): Promise<PushService> {
  setDefaultCACertificates([...getCACertificates('default'), testCertificate.cert])
  const browser = createECDH('prime256v1')
  const keys = { p256dh: browser.generateKeys('base64url'), auth: randomBytes(16).toString('base64url') }
  const seen: PushedMessage[] = []
  const server = createServer(testCertificate, (request, response) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => {
      const text = decryptBody(Buffer.concat(pieces), browser, keys.auth)
      seen.push({ headers: request.headers, message: JSON.parse(text) })
      response.writeHead(answer).end()
    })
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const endpoint = `https://127.0.0.1:${(server.address() as AddressInfo).port}/push/of-one-browser`
  const close = async () => {
    server.closeAllConnections()
    await new Promise((closed) => server.close(closed))
  }
  return { subscription: { endpoint, keys }, seen, close }
}

const derive = (key: Buffer, salt: Buffer, info: Buffer, bytes: number): Buffer =>
  Buffer.from(hkdfSync('sha256', key, salt, info, bytes))

/**
 * Decrypts a push message of one record. It consists of the salt, the record length, the sender's public key, and the
 * encrypted text, which ends with a byte 2 (RFC 8188 and 8291).
 */
function decryptBody(body: Buffer, browser: ReturnType<typeof createECDH>, auth: string): string {
  const salt = body.subarray(0, 16)
  const sender = body.subarray(21, 21 + body.readUInt8(20))
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), browser.getPublicKey(), sender])
  const key = derive(browser.computeSecret(sender), Buffer.from(auth, 'base64url'), info, 32)
  const contentKey = derive(key, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16)
  const nonce = derive(key, salt, Buffer.from('Content-Encoding: nonce\0'), 12)
  const decrypt = createDecipheriv('aes-128-gcm', contentKey, nonce)
  decrypt.setAuthTag(body.subarray(-16))
  const record = Buffer.concat([decrypt.update(body.subarray(21 + sender.length, -16)), decrypt.final()])
  return record.subarray(0, record.lastIndexOf(2)).toString('utf8')
}

/**
 * The claims of the token in the header `authorization`. Throws unless the token is signed with the key that the header
 * names.
 */
export function signedClaims(authorization: string | undefined): {
  claims: Record<string, unknown>
  publicKey: string
} {
  const [, token = '', publicKey = ''] = /^vapid t=([^,]+), k=(.+)$/.exec(authorization ?? '') ?? []
  const [head = '', claims = '', signature = ''] = token.split('.')
  const point = Buffer.from(publicKey, 'base64url')
  const [x, y] = [point.toString('base64url', 1, 33), point.toString('base64url', 33)]
  const key = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' })
  const signed = Buffer.from(`${head}.${claims}`)
  if (!verify('sha256', signed, { key, dsaEncoding: 'ieee-p1363' }, Buffer.from(signature, 'base64url')))
    throw new Error('The token of the push is not signed by its key.')
  return { claims: JSON.parse(Buffer.from(claims, 'base64url').toString()), publicKey }
}

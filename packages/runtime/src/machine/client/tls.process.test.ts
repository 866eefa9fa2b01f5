/**
 * Tests that TLS is verified whatever the environment says (D17, I25): the token is sent only to a server that has
 * proved its identity.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { agentFolder, svc, token } from '../../../testing/folder.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-tls-'))
const key = join(folder, 'key.pem')
const cert = join(folder, 'cert.pem')
const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
const made = (() => {
  try {
    execFileSync(
      'openssl',
      [
        'req',
        '-x509',
        '-newkey',
        'ec',
        '-pkeyopt',
        'ec_paramgen_curve:prime256v1',
        '-nodes',
        '-keyout',
        key,
        '-out',
        cert,
        '-days',
        '2',
        ...subject,
      ],
      { stdio: 'ignore' },
    )
    return true
  } catch {
    return false // without openssl there is no certificate, so the tests of this file are skipped
  }
})()

const tokens: (string | undefined)[] = []
let port = 0
const server = made
  ? createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (request, response) => {
      tokens.push(request.headers.authorization)
      response.end('{"commands": [], "interval": 30}')
    })
  : undefined
beforeAll(async () => {
  await new Promise<void>((resolve) => (server ? server.listen(0, resolve) : resolve()))
  if (server) port = (server.address() as AddressInfo).port
})
afterAll(() => {
  server?.close()
  rmSync(folder, { recursive: true, force: true })
})

test.runIf(made).each([
  ['a certificate without an authority', 'localhost', {}, 3, 'self-signed certificate'],
  [
    'the same, even if the environment disables the check',
    'localhost',
    { NODE_TLS_REJECT_UNAUTHORIZED: '0' },
    3,
    'self-signed certificate',
  ],
  ['a certificate for another name', '127.0.0.1', { NODE_EXTRA_CA_CERTS: cert }, 3, 'does not match'],
  ['a certificate that the machine trusts', 'localhost', { NODE_EXTRA_CA_CERTS: cert }, 0, ''],
])('%s', async (_what, host, env, code, says) => {
  const of = agentFolder({}, `https://${host}:${port}`)
  tokens.length = 0
  const ran = await svc(of, ['report', '--once'], { env })
  expect(ran.code).toBe(code)
  expect(ran.err).toContain(says)
  expect(tokens.length).toBe(code === 0 ? 1 : 0)
  of.remove()
})

const cleared = { NODE_EXTRA_CA_CERTS: '', SSL_CERT_FILE: '', SSL_CERT_DIR: '', SVC_TOKEN: token }

test.runIf(made).each(['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR'])(
  'an authority that %s names when the agent is connected is known to its runtime, which does not have the variable',
  async (name) => {
    const of = agentFolder({})
    const value = name === 'SSL_CERT_DIR' ? folder : cert
    const url = `https://localhost:${port}`
    const unknown = await svc(of, ['connect', '--url', url], { env: cleared })
    expect(unknown).toMatchObject({ code: 3, err: expect.stringContaining('NODE_EXTRA_CA_CERTS') })
    expect(await svc(of, ['connect', '--url', url], { env: { ...cleared, [name]: value } })).toMatchObject({ code: 0 })
    expect(await svc(of, ['report', '--once'], { env: cleared })).toMatchObject({ code: 0 })
    const wrong = await svc(of, ['connect', '--url', url], { env: { ...cleared, [name]: '/nowhere' } })
    expect(wrong.code, 'a file that is not there').toBe(3)
    if (name !== 'SSL_CERT_DIR') expect(wrong.err).toContain(`${name} names /nowhere, which is not there`)
    of.remove()
  },
)

test.runIf(made)('a command that cannot reach the service says that it uses no proxy', async () => {
  const of = agentFolder({}, 'https://127.0.0.1:9')
  const ran = await svc(of, ['report', '--once'], { env: { HTTPS_PROXY: 'http://user:secret@127.0.0.1:8' } })
  expect(ran.err).toContain('svc uses no proxy: HTTPS_PROXY is set, and ignored')
  expect(ran.err).not.toContain('secret')
  const exempt = await svc(of, ['report', '--once'], { env: { HTTPS_PROXY: 'http://127.0.0.1:8', NO_PROXY: '*' } })
  expect(exempt.err).not.toContain('proxy')
  of.remove()
})

/**
 * Tests the example configurations for nginx and Caddy in docs/deploy with two real nodes. A proxy that is not
 * installed on the machine is not tested. `npm test` leaves this out. It starts proxies that people configure by
 * docs/deploy, which share no code with the product.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect } from 'node:tls'
import { expect, onTestFinished, test } from 'vitest'
import { newServiceHome, populate, type ServiceHome } from '../../packages/server/testing/service-process.ts'
import { newPostgresDatabase } from '../../packages/server/testing/stores.ts'
import { eventually } from '../../testing/eventually.ts'
import { freePort } from '../../testing/free-port.ts'

const nginx = ['/usr/sbin/nginx', '/usr/bin/nginx'].find((path) => existsSync(path))
const caddy = ['/usr/bin/caddy', '/usr/local/bin/caddy'].find((path) => existsSync(path))

interface Proxied {
  port: number
  nodes: ServiceHome[]
  folder: string
  /** Runs a proxy program until the end of the test. */
  run: (program: string, args: string[]) => ChildProcess
}

/**
 * Prepares two nodes on one database, and a port for a proxy in front of them. The test starts the nodes and the proxy
 * later.
 */
async function twoNodes(): Promise<Proxied> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-proxy-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const port = await freePort()
  const url = await newPostgresDatabase()
  const base = `https://localhost:${port}`
  const nodes: ServiceHome[] = []
  for (let i = 0; i < 2; i++) {
    const more = { SVC_DATABASE_URL: url, SVC_BASE_URL: base, SVC_TRUSTED_PROXIES: '127.0.0.1' }
    const home = await newServiceHome(more)
    mkdirSync(home.dataDir)
    writeFileSync(join(home.dataDir, 'secret'), 'the same secret on every one of the nodes')
    nodes.push(home)
  }
  const san = ['-addext', 'subjectAltName=DNS:localhost']
  const made = ['-keyout', join(folder, 'svc.key'), '-out', join(folder, 'svc.crt')]
  const args = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=localhost']
  execFileSync('openssl', [...args, ...san, ...made], { stdio: 'ignore' })
  const run = (program: string, its: string[]) => {
    const child = spawn(program, its, { cwd: folder, env: { PATH: process.env.PATH, HOME: folder }, stdio: 'ignore' })
    onTestFinished(async () => {
      child.kill('SIGKILL')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    })
    return child
  }
  return { port, nodes, folder, run }
}

const portOf = (home: ServiceHome | undefined) => home?.env.SVC_PORT ?? ''
const example = (name: string) => readFileSync(join(import.meta.dirname, name), 'utf8')
/**
 * Returns an example configuration with the addresses and folders of this test. Each value to replace must be in the
 * example.
 */
function filled(text: string, places: Record<string, string>): string {
  for (const [from, to] of Object.entries(places)) {
    expect(text).toContain(from)
    text = text.replaceAll(from, to)
  }
  return text
}

test.skipIf(!nginx)('nginx.conf: two nodes behind TLS', async () => {
  const proxied = await twoNodes()
  const { port, nodes, folder } = proxied
  const site = filled(example('nginx.conf'), {
    '10.0.0.1:8787': `127.0.0.1:${portOf(nodes[0])}`,
    '10.0.0.2:8787': `127.0.0.1:${portOf(nodes[1])}`,
    'listen 443 ssl http2;': `listen 127.0.0.1:${port} ssl http2;`,
    'server_name svc.example.org': 'server_name localhost',
    '/etc/nginx/svc.': `${folder}/svc.`,
  })
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  const paths = temporary.map((name) => `${name}_temp_path ${folder}/${name};`).join(' ')
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off; master_process off; ${process.getuid?.() === 0 ? 'user root;' : ''} pid ${folder}/pid; error_log ${folder}/error.log; events {} http { access_log off; ${paths} ${site} }`,
  )
  await behind(proxied, () => proxied.run(nginx ?? '', ['-c', join(folder, 'nginx.conf'), '-p', folder]))
})

test.skipIf(!caddy)('Caddyfile: two nodes behind TLS', async () => {
  const proxied = await twoNodes()
  const { port, nodes, folder } = proxied
  const site = filled(example('Caddyfile'), {
    '10.0.0.1:8787': `127.0.0.1:${portOf(nodes[0])}`,
    '10.0.0.2:8787': `127.0.0.1:${portOf(nodes[1])}`,
    'Host svc.example.org': `Host localhost:${port}`,
    'svc.example.org {': `https://localhost:${port} {\n\ttls ${folder}/svc.crt ${folder}/svc.key`,
  })
  writeFileSync(join(folder, 'Caddyfile'), `{\n\tadmin off\n\tauto_https disable_redirects\n}\n${site}`)
  await behind(proxied, () =>
    proxied.run(caddy ?? '', ['run', '--adapter', 'caddyfile', '--config', join(folder, 'Caddyfile')]),
  )
})

/** Starts the nodes and the proxy, and tests the rules that the service must keep behind a proxy. */
async function behind({ port, nodes, folder }: Proxied, startProxy: () => ChildProcess): Promise<void> {
  const [first, second] = [await nodes[0]?.start(), await nodes[1]?.start()]
  startProxy()
  const { token, email, password } = await populate(nodes[0] as ServiceHome)
  const ca = readFileSync(join(folder, 'svc.crt'))
  const ask = (path: string, body?: object, headers: Record<string, string> = {}) => call(port, ca, path, body, headers)
  const report = async (label: string) =>
    ask('/api/agent/v1/report', { protocol: 1, state: { level: 'ok', label } }, { authorization: `Bearer ${token}` })
  await eventually('a report gets through the proxy', async () =>
    expect((await report('first').catch(() => undefined))?.status).toBe(200),
  )

  expect(await protocolOf(port, ca)).toBe('h2')

  const origin = `https://localhost:${port}`
  const signedIn = await ask('/api/auth/sign-in/email', { email, password }, { origin })
  expect(signedIn.status).toBe(200)
  const cookies = signedIn.headers['set-cookie'] ?? []
  expect(cookies.every((line) => /; Secure/i.test(line))).toBe(true)
  const cookie = cookies.map((line) => line.split(';')[0]).join('; ')
  for (let i = 0; i < 4; i++) expect((await ask('/api/web/w/north/fleet', undefined, { cookie })).status).toBe(200)

  // Live frames must arrive while the response that carries them is still open. A proxy that buffered the response
  // would never pass them on.
  const stream = await open(port, ca, '/api/web/w/north/events', cookie)
  for (let i = 0; i < 200 && !stream.text().includes('live through the proxy'); i++) {
    if (i % 20 === 0) expect((await report('live through the proxy')).status).toBe(200)
    await sleep(100)
  }
  expect(stream.text()).toContain('live through the proxy')
  stream.close()

  // The service counts calls by the address that the proxy names, and not by one that the caller claims: two nodes
  // together accept at most 40 calls from one address.
  const code = `svc_inst_${'x'.repeat(43)}`
  const answers: number[] = []
  for (let i = 0; i < 45; i++) {
    const lies = { 'x-forwarded-for': `198.51.100.${i}`, 'x-forwarded-host': 'evil.example.org' }
    answers.push((await ask('/api/agent/v1/install/preview', { code }, lies)).status)
  }
  expect(new Set(answers)).toEqual(new Set([404, 429]))
  expect(answers.filter((status) => status === 404).length).toBeLessThanOrEqual(40)
  expect(
    (await ask('/api/agent/v1/report', { pad: 'x'.repeat(300_000) }, { authorization: `Bearer ${token}` })).status,
  ).toBe(413)

  // One node is killed: calls that were on their way to it may fail, and the other node answers all later calls. When
  // both nodes are gone, the proxy itself answers with an error.
  await first?.kill('SIGKILL')
  const several = async () =>
    (await Promise.all([1, 2, 3, 4].map(() => report('one left')))).map(({ status }) => status)
  await eventually(
    'the proxy knows that one node is gone',
    async () => expect(await several()).toEqual([200, 200, 200, 200]),
    {
      everyMs: 500,
    },
  )
  await second?.kill()
  expect((await report('none left')).status).toBeGreaterThanOrEqual(502)
}

interface Reply {
  status: number
  headers: import('node:http').IncomingHttpHeaders
}
const kept = new Agent({ keepAlive: true })

function call(port: number, ca: Buffer, path: string, body: object | undefined, headers: Record<string, string>) {
  return new Promise<Reply>((resolve, reject) => {
    const text = body && JSON.stringify(body)
    const method = text === undefined ? 'GET' : 'POST'
    const length = text !== undefined && {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
    }
    const req = request(
      { host: 'localhost', port, ca, path, method, agent: kept, headers: { ...headers, ...length } },
      (res) => {
        res.resume()
        res.on('end', () => resolve({ status: res.statusCode ?? 0, headers: res.headers }))
      },
    )
    req.on('error', reject)
    req.end(text)
  })
}

/** The protocol that the proxy chooses for a browser, which offers HTTP/2 and HTTP/1.1. */
async function protocolOf(port: number, ca: Buffer) {
  const socket = connect({ host: 'localhost', port, ca, ALPNProtocols: ['h2', 'http/1.1'] })
  await once(socket, 'secureConnect')
  socket.destroy()
  return socket.alpnProtocol
}

function open(port: number, ca: Buffer, path: string, cookie: string) {
  return new Promise<{ text: () => string; close: () => void }>((resolve, reject) => {
    let text = ''
    const req = request({ host: 'localhost', port, ca, path, agent: false, headers: { cookie } }, (res) => {
      res.setEncoding('utf8').on('data', (part: string) => {
        text += part
      })
      res.on('error', () => {})
      resolve({ text: () => text, close: () => void req.destroy() })
    })
    req.on('error', reject)
    req.end()
  })
}

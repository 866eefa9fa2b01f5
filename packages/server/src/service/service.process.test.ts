import { once } from 'node:events'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { eventually } from '../../../../testing/eventually.ts'
import { level } from '../../../../testing/level.ts'
import { startProvider } from '../../testing/oidc.ts'
import { newServiceHome, populate, report, type ServiceHome } from '../../testing/service-process.ts'

/** Signs up the first person with the token in the link. */
const signUp = (home: ServiceHome, link: string | null) =>
  fetch(`${home.url}/api/web/start`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: home.url },
    body: JSON.stringify({
      token: /token=([\w-]+)/.exec(link ?? '')?.[1],
      name: 'Ada',
      email: 'ada@example.org',
      password: 'correct horse battery',
      workspace: 'North',
      slug: 'north',
    }),
  })

test('the link of the first start creates the first account, once; until then each start prints a new link', async () => {
  const home = await newServiceHome()
  const first = await home.start()
  expect(first.link).toMatch(new RegExp(`^${home.url}/start[?#]token=[\\w-]{43}$`))
  expect(await first.kill()).toBe(0)

  const second = await home.start()
  expect(second.link).not.toBe(first.link)
  expect((await signUp(home, first.link)).status).toBeGreaterThanOrEqual(400)
  const signedUp = await signUp(home, second.link)
  expect([signedUp.status, await signedUp.json()]).toEqual([expect.any(Number), { slug: 'north' }])
  const cookie = signedUp.headers.getSetCookie().map((line) => line.split(';')[0])
  const me = await fetch(`${home.url}/api/web/me`, { headers: { cookie: cookie.join('; ') } })
  expect(await me.json()).toMatchObject({ email: 'ada@example.org', workspaces: [{ slug: 'north', role: 'admin' }] })
  expect((await signUp(home, second.link)).status).toBeGreaterThanOrEqual(400)
  await second.kill()

  const third = await home.start()
  expect(third.link).toBeNull()
})

test('nobody else can read the data folder', async () => {
  const home = await newServiceHome()
  await home.start()
  const modeOf = (name: string) => (statSync(join(home.dataDir, name)).mode & 0o777).toString(8)
  expect(modeOf('.')).toBe('700')
  for (const file of ['svc.db', 'svc.db-wal', 'secret', 'operator.sock', 'svc.lock']) {
    expect([file, modeOf(file)]).toEqual([file, '600'])
  }
})

test.skipIf(level === 'short')(
  'one process owns the data: a second service names it and ends, and the first continues',
  async () => {
    const home = await newServiceHome()
    const first = await home.start()
    const second = await home.run(['start'])
    expect([second.code, second.stdout]).toEqual([1, ''])
    expect(second.stderr).toContain(
      `is already running on the data folder ${home.dataDir} (process ${first.child.pid})`,
    )
    expect((await fetch(`${home.opsUrl}/healthz`)).status).toBe(200)
  },
)

test.skipIf(level === 'short')('after kill -9 it starts again on the same folder', async () => {
  const home = await newServiceHome()
  const killed = await home.start()
  const { token } = await populate(home)
  expect((await report(home.url, token, { state: { level: 'ok', label: 'Kept' } })).status).toBe(200)
  expect(await killed.kill('SIGKILL')).toBe('SIGKILL')
  expect(existsSync(join(home.dataDir, 'operator.sock'))).toBe(true)
  await home.start()
  expect(await home.value(['agent', 'show', 'north/mail'])).toMatchObject({ report: { state: { label: 'Kept' } } })
})

test.skipIf(level === 'short')('a port in use is reported in one sentence, and nothing keeps running', async () => {
  const home = await newServiceHome()
  const other = createServer().listen(Number(home.env.SVC_PORT), '127.0.0.1')
  await once(other, 'listening')
  const ran = await home.run(['start'])
  other.close()
  expect([ran.code, ran.stdout]).toEqual([1, ''])
  expect(ran.stderr).toContain(`Port ${home.env.SVC_PORT} on 127.0.0.1 is in use by another program`)
  expect(ran.stderr).not.toContain('    at ')
  expect(existsSync(join(home.dataDir, 'operator.sock'))).toBe(false)
})

test.skipIf(level === 'short')('a wrong setting is reported in one sentence', async () => {
  const home = await newServiceHome({ SVC_BASE_URL: 'svc.example.org' })
  const ran = await home.run(['start'])
  expect([ran.code, ran.stdout]).toEqual([1, ''])
  expect(ran.stderr).toMatch(/^svc-server: SVC_BASE_URL must be .*: got "svc\.example\.org"\n$/)
})

/**
 * Sends a report except for its last byte, so that the service has received the head of the request and waits for the
 * rest of its body.
 */
async function startReport(home: ServiceHome, token: string, label: string): Promise<{ socket: Socket; last: string }> {
  const body = JSON.stringify({ protocol: 1, state: { level: 'ok', label } })
  const socket = connect(Number(home.env.SVC_PORT), '127.0.0.1')
  await once(socket, 'connect')
  socket.write(
    `POST /api/agent/v1/report HTTP/1.1\r\nHost: ${new URL(home.url).host}\r\nAuthorization: Bearer ${token}\r\n` +
      `Expect: 100-continue\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n`,
  )
  await once(socket, 'data') // The answer "100 Continue" has arrived: the service waits for the body.
  socket.write(body.slice(0, -1))
  return { socket, last: body.slice(-1) }
}

async function allOf(socket: Socket): Promise<string> {
  let text = ''
  for await (const part of socket.setEncoding('utf8')) text += part
  return text
}

test('SIGTERM answers the report in progress, accepts no new one, and exits with 0', async () => {
  const home = await newServiceHome()
  const service = await home.start()
  const { token } = await populate(home)
  const { socket, last } = await startReport(home, token, 'Last words')
  service.child.kill('SIGTERM')
  await service.logs('answering what was received')
  await eventually('new connections are refused', async () =>
    expect(await report(home.url, token).catch(() => 'refused')).toBe('refused'),
  )
  socket.write(last)
  const answer = await allOf(socket)
  expect(answer).toMatch(/^HTTP\/1\.1 200 /)
  expect(answer.toLowerCase()).toContain('connection: close')
  expect(await service.ended).toBe(0)
  expect(await home.value(['agent', 'show', 'north/mail'])).toMatchObject({
    report: { state: { label: 'Last words' } },
  })
})

/** The maximum number of waiting connections that the system grants a listening socket. */
const backlog = Number(readFileSync('/proc/sys/net/core/somaxconn', 'utf8'))

test.skipIf(backlog < 2000)(
  'agents that all connect while the service is busy wait in the queue, and none has to connect again',
  async () => {
    const home = await newServiceHome()
    const service = await home.start()
    process.kill(service.child.pid ?? 0, 'SIGSTOP')
    const herd = Array.from({ length: 1500 }, () => connect(Number(home.env.SVC_PORT), '127.0.0.1'))
    await Promise.all(herd.map((socket) => once(socket, 'connect', { signal: AbortSignal.timeout(20_000) })))
    process.kill(service.child.pid ?? 0, 'SIGCONT')
    const { token } = await populate(home)
    expect((await report(home.url, token)).status).toBe(200)
    for (const socket of herd) socket.destroy()
  },
)

test('a sign-in provider that never answers holds up no stop', async () => {
  const provider = await startProvider()
  provider.fails = { calls: 'silent' }
  const home = await newServiceHome(provider.env)
  const service = await home.start()
  const pressed = fetch(`${home.url}/api/web/oidc/start`, { redirect: 'manual' })
  await eventually('the provider is called', () => expect(provider.calls).toHaveLength(1))
  const ended = service.kill()
  expect((await pressed).headers.get('location')).toMatch(/^\/sign-in\?oidc=failed/)
  expect(await ended).toBe(0)
  expect(provider.cut).toEqual(provider.calls)
})

test.skipIf(level === 'short')('a second signal ends the service at once', async () => {
  const home = await newServiceHome()
  const service = await home.start()
  const { token } = await populate(home)
  const { socket } = await startReport(home, token, 'never finished')
  socket.on('error', () => {})
  service.child.kill('SIGINT')
  await service.logs('a second signal stops at once')
  expect(await service.kill('SIGTERM')).toBe(128 + 15)
})

test.skipIf(level === 'short')(
  'health and metrics are on a listener for this machine only, and events are counted',
  async () => {
    const home = await newServiceHome()
    await home.start()
    const { token } = await populate(home)
    await home.value(['agent', 'create', 'north/quiet'])
    await report(home.url, token, { controls: ['pause'] })
    await home.value(['command', 'send', 'north/mail', 'pause'])
    await report(home.url, token, { controls: ['pause'] })
    await report(home.url, 'svc_agt_unknown')
    const health = await fetch(`${home.opsUrl}/healthz`)
    expect([health.status, await health.json()]).toEqual([200, { ok: true, version: expect.any(String) }])
    const metrics = await (await fetch(`${home.opsUrl}/metrics`)).text()
    for (const line of [
      'svc_reports_total 2',
      'svc_refusals_total{code="token_unknown"} 1',
      'svc_commands_delivered_total 1',
      'svc_commands{state="delivered"} 1',
      'svc_report_batch_size_total{most="1"} 2',
      'svc_agents{seen="reporting"} 1',
      'svc_agents{seen="never"} 1',
      'svc_live_subscribers 0',
    ])
      expect(metrics).toContain(`${line}\n`)
    expect(metrics).toMatch(/^svc_report_commit_seconds_total 0\.\d+/m)
    expect(metrics).toMatch(/^nodejs_eventloop_lag_p99_seconds \d/m)
    for (const path of ['/healthz', '/metrics']) {
      expect((await fetch(home.url + path)).headers.get('content-type')).not.toContain('text/plain; version')
    }
    expect((await fetch(`${home.opsUrl}/`)).status).toBe(404)
  },
)

test('no token, password, cookie or one-time link is in the log at any log level', async () => {
  const home = await newServiceHome({ SVC_LOG_LEVEL: 'trace' })
  const service = await home.start()
  const signedUp = await signUp(home, service.link)
  const cookies = signedUp.headers.getSetCookie().map((line) => line.split(';')[0] ?? '')
  const { token } = await home.value<{ token: string }>(['agent', 'create', 'north/mail'])
  await home.value(['workspace', 'activate', 'north', 'svc'])
  const { link } = await home.value<{ link: string }>(['link', 'ada@example.org'])
  await home.value(['person', 'reset', 'ada@example.org'], 'another password')
  await report(home.url, token)
  await report(home.url, token.slice(0, -1))
  await fetch(link)
  await fetch(`${home.url}/api/web/me`, { headers: { cookie: cookies.join('; ') } })
  await fetch(`${home.url}/api/auth/sign-in/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: home.url },
    body: JSON.stringify({ email: 'ada@example.org', password: 'another password' }),
  })
  await fetch(`${home.url}/api/web/invitations/an-invitation-that-lets-in`)
  await service.kill()

  expect(service.log).toContain('/api/agent/v1/report')
  expect(service.log).toContain('/api/auth/sign-in/email')
  const isLong = (secret: string) => secret.length > 15
  const secretOf = (text: string | null) => /=([\w-]{20,})/.exec(text ?? '')?.[1] ?? ''
  const secrets = [
    token,
    token.slice(0, -1),
    'correct horse battery',
    'another password',
    secretOf(service.link),
    secretOf(link),
    'an-invitation-that-lets-in',
    ...cookies.flatMap((cookie) =>
      decodeURIComponent(cookie.split('=')[1] ?? '')
        .split('.')
        .filter(isLong),
    ),
  ]
  expect(secrets.filter(isLong)).toEqual(secrets)
  for (const secret of secrets) {
    expect(service.log).not.toContain(secret)
  }
  for (const line of service.log.trim().split('\n')) expect(JSON.parse(line)).toHaveProperty('level')
})

/**
 * Tests the command that moves the data from SQLite to PostgreSQL. `npm test` leaves this out.
 * packages/server/src/operator/move/move.store.test.ts proves the same rules.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newServiceHome, populate, report, type ServiceHome } from '../../../testing/service-process.ts'
import { newPostgresDatabase } from '../../../testing/stores.ts'

/** The timeout of a test in milliseconds, long enough for a busy machine. */
const patience = 300_000
const program = join(import.meta.dirname, '../../main.ts')

/** Makes an installation that has been used: a person has signed in, and an agent has runs. */
async function usedPlace() {
  const home = await newServiceHome()
  const service = await home.start()
  const { token, email, password } = await populate(home)
  const signIn = await fetch(`${home.url}/api/auth/sign-in/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: home.url },
    body: JSON.stringify({ email, password }),
  })
  const cookie = signIn.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ')
  const runs = Array.from({ length: 500 }, (_, i) => ({
    id: `run ${i}`,
    started: 1_790_000_000 + i,
    detail: 'x'.repeat(400),
  }))
  expect((await report(home.url, token, { runs, state: { level: 'ok', label: 'before' } })).status).toBe(200)
  return { place: home, service, token, cookie }
}

const label = async (home: ServiceHome, cookie: string) =>
  (await (await fetch(`${home.url}/api/web/w/north/agents/mail`, { headers: { cookie } })).json()).report?.state?.label

test(
  'an embedded installation continues on PostgreSQL, with its tokens and sessions, and no longer where it was',
  async () => {
    const { place: home, service, token, cookie } = await usedPlace()
    const to = await newPostgresDatabase()
    const early = await home.run(['move', '--to', to])
    expect(early).toMatchObject({ code: 1, stderr: expect.stringContaining('stop the service first') })
    expect(await service.kill()).toBe(0)

    const moved = await home.run(['move', '--to', to])
    expect(moved).toMatchObject({ code: 0, stderr: expect.stringContaining('checked run: 500 rows') })
    expect(moved.stdout).toMatch(/run +500 +[0-9a-f]{64}/)
    expect(moved.stdout).toContain('set SVC_DATABASE_URL to postgres://')
    expect(readdirSync(home.dataDir).some((name) => name.startsWith('moved-'))).toBe(true)

    const without = await home.run(['workspace', 'list'])
    expect(without).toMatchObject({ code: 1, stderr: expect.stringContaining('was moved to postgres://') })
    expect(existsSync(join(home.dataDir, 'svc.db'))).toBe(false)
    expect(await home.run(['move', '--to', to])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('already moved'),
    })

    home.env.SVC_DATABASE_URL = to
    await home.start()
    expect(await label(home, cookie)).toBe('before')
    expect((await report(home.url, token, { state: { level: 'ok', label: 'after' } })).status).toBe(200)
    expect(await label(home, cookie)).toBe('after')
  },
  patience,
)

test(
  'a move that is killed leaves the installation as it was, and succeeds the next time',
  async () => {
    const { place: home, service } = await usedPlace()
    await service.kill()
    const to = await newPostgresDatabase()
    const child = spawn(process.execPath, [program, 'move', '--to', to], {
      env: home.env,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let said = ''
    for await (const text of child.stderr.setEncoding('utf8')) {
      said += text
      if (said.includes('copied run')) child.kill('SIGKILL')
    }
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    expect(child.signalCode).toBe('SIGKILL')
    expect(existsSync(join(home.dataDir, 'svc.db'))).toBe(true)
    const again = await home.run(['move', '--to', to, '--json'])
    expect(again.code).toBe(0)
    expect(JSON.parse(again.stdout)).toMatchObject({ before: false })
  },
  patience,
)

test(
  'a password in the arguments causes a warning and is not repeated',
  async () => {
    const home = await newServiceHome()
    const { code, stdout, stderr } = await home.run(['move', '--to', 'postgres://svc:geheim@localhost:1/svc'])
    expect(code).toBe(1)
    expect(stderr).toContain('PGPASSWORD')
    expect(stdout + stderr).not.toContain('geheim')
  },
  patience,
)

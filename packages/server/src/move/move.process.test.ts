import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newPlace, type Place, populate, report } from '../../testing/service-process.ts'
import { newPostgresDatabase } from '../../testing/stores.ts'

/** The timeout of a test in milliseconds, long enough for a busy machine. */
const patience = 300_000
const program = join(import.meta.dirname, '../main.ts')

/** Makes an installation that has been used: a person has signed in, and an agent has runs. */
async function usedPlace() {
  const place = await newPlace()
  const service = await place.start()
  const { token, email, password } = await populate(place)
  const signIn = await fetch(`${place.url}/api/auth/sign-in/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: place.url },
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
  expect((await report(place.url, token, { runs, state: { level: 'ok', label: 'before' } })).status).toBe(200)
  return { place, service, token, cookie }
}

const label = async (place: Place, cookie: string) =>
  (await (await fetch(`${place.url}/api/web/w/north/agents/mail`, { headers: { cookie } })).json()).report?.state?.label

test(
  'an embedded installation continues on PostgreSQL, with its tokens and sessions, and no longer where it was',
  async () => {
    const { place, service, token, cookie } = await usedPlace()
    const to = await newPostgresDatabase()
    const early = await place.run(['move', '--to', to])
    expect(early).toMatchObject({ code: 1, stderr: expect.stringContaining('stop the service first') })
    expect(await service.kill()).toBe(0)

    const moved = await place.run(['move', '--to', to])
    expect(moved).toMatchObject({ code: 0, stderr: expect.stringContaining('checked run: 500 rows') })
    expect(moved.stdout).toMatch(/run +500 +[0-9a-f]{64}/)
    expect(moved.stdout).toContain('set SVC_DATABASE_URL to postgres://')
    expect(readdirSync(place.dataDir).some((name) => name.startsWith('moved-'))).toBe(true)

    const without = await place.run(['workspace', 'list'])
    expect(without).toMatchObject({ code: 1, stderr: expect.stringContaining('was moved to postgres://') })
    expect(existsSync(join(place.dataDir, 'svc.db'))).toBe(false)
    expect(await place.run(['move', '--to', to])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('already moved'),
    })

    place.env.SVC_DATABASE_URL = to
    await place.start()
    expect(await label(place, cookie)).toBe('before')
    expect((await report(place.url, token, { state: { level: 'ok', label: 'after' } })).status).toBe(200)
    expect(await label(place, cookie)).toBe('after')
  },
  patience,
)

test(
  'a move that is killed leaves the installation as it was, and succeeds the next time',
  async () => {
    const { place, service } = await usedPlace()
    await service.kill()
    const to = await newPostgresDatabase()
    const child = spawn(process.execPath, [program, 'move', '--to', to], {
      env: place.env,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let said = ''
    for await (const text of child.stderr.setEncoding('utf8')) {
      said += text
      if (said.includes('copied run')) child.kill('SIGKILL')
    }
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    expect(child.signalCode).toBe('SIGKILL')
    expect(existsSync(join(place.dataDir, 'svc.db'))).toBe(true)
    const again = await place.run(['move', '--to', to, '--json'])
    expect(again.code).toBe(0)
    expect(JSON.parse(again.stdout)).toMatchObject({ before: false })
  },
  patience,
)

test(
  'a password in the arguments causes a warning and is not repeated',
  async () => {
    const place = await newPlace()
    const { code, stdout, stderr } = await place.run(['move', '--to', 'postgres://svc:geheim@localhost:1/svc'])
    expect(code).toBe(1)
    expect(stderr).toContain('PGPASSWORD')
    expect(stdout + stderr).not.toContain('geheim')
  },
  patience,
)

import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { level } from '../../../../../testing/level.ts'
import { newServiceHome, populate, report, type ServiceHome } from '../../../testing/service-process.ts'
import { newPostgresDatabase } from '../../../testing/stores.ts'

interface Restored {
  agents: { agent: string; token: string }[]
  replaced: string | null
  revived: { agents: string[]; workspaces: string[] } | null
}

const signIn = (home: ServiceHome, { email, password }: { email: string; password: string }) =>
  fetch(`${home.url}/api/auth/sign-in/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: home.url },
    body: JSON.stringify({ email, password }),
  })

/** The names of the cookies have no port, so that a service at another port reads them, too. */
const meWith = (home: ServiceHome, signedIn: Response) =>
  fetch(`${home.url}/api/web/me`, {
    headers: {
      cookie: signedIn.headers
        .getSetCookie()
        .map((line) => line.split(';')[0]?.replace(/\.\d+=/, '='))
        .join('; '),
    },
  })

test('a backup of a running service is restored on another machine: data, accounts, new tokens, no sessions', async () => {
  const home = await newServiceHome()
  await home.start()
  const { token, ...person } = await populate(home)
  await home.value(['agent', 'create', 'north/calendar'])
  await home.value(['agent', 'tag', 'north/mail', '--add', 'eu,prod'])
  const runs = Array.from({ length: 300 }, (_, i) => ({ id: `r${i}`, started: 1_700_000_000 + i, status: 'ok' }))
  expect((await report(home.url, token, { state: { level: 'ok', label: 'As saved' }, runs })).status).toBe(200)
  const signedIn = await signIn(home, person)
  expect((await meWith(home, signedIn)).status).toBe(200)

  const file = join(home.folder, 'monday.backup')
  const [made] = await Promise.all([
    home.value<{ file: string; bytes: number }>(['backup', 'monday.backup']),
    ...runs.slice(0, 20).map(() => report(home.url, token, { state: { level: 'warn', label: 'After' } })),
  ])
  expect(made).toMatchObject({ file, bytes: statSync(file).size })
  expect((statSync(file).mode & 0o777).toString(8)).toBe('600')
  expect(readFileSync(file).includes(token)).toBe(false)

  const elsewhere = await newServiceHome()
  const restored = await elsewhere.value<Restored>(['restore', file])
  expect(restored.agents.map(({ agent }) => agent)).toEqual(['north/calendar', 'north/mail'])
  expect(restored.replaced).toBeNull()
  await elsewhere.start()
  const shown = await elsewhere.value<{ tags: string[]; report: { state: { label: string }; runs: unknown[] } }>([
    'agent',
    'show',
    'north/mail',
  ])
  expect(['As saved', 'After']).toContain(shown.report.state.label)
  expect(shown.report.runs).toHaveLength(300)
  expect(shown.tags).toEqual(['eu', 'prod'])
  expect((await report(elsewhere.url, token)).status).toBe(401)
  for (const { token: renewed } of restored.agents) expect((await report(elsewhere.url, renewed)).status).toBe(200)
  // The restored service accepts the signature of the old session cookie, because it has the same secret; but the
  // restore ended all sessions.
  expect((await meWith(elsewhere, signedIn)).status).toBe(401)
  expect((await signIn(elsewhere, person)).status).toBe(200)
  const audit = await elsewhere.value<{ action: string }[]>(['audit', 'list', 'north'])
  expect(audit.filter(({ action }) => action === 'agent.token_rotated')).toHaveLength(2)
})

test.skipIf(level === 'short')('a restore keeps pauses, times offline and the costs of deleted agents', async () => {
  const home = await newServiceHome()
  const service = await home.start()
  const { token } = await populate(home)
  const { token: other } = await home.value<{ token: string }>(['agent', 'create', 'north/gone'])
  const started = Math.floor(Date.now() / 1000) - 60
  const paid = (id: string, cost_usd: number) => ({ runs: [{ id, started, cost_usd }] })
  for (const parts of [
    { state: { level: 'info', label: 'Idle' }, ...paid('a', 1) },
    { state: { level: 'info', label: 'Paused' } },
    { state: { level: 'info', label: 'Paused' }, stopped: 'person' },
    { state: { level: 'ok', label: 'Idle' } },
  ])
    expect((await report(home.url, token, parts)).status).toBe(200)
  expect((await report(home.url, other, paid('b', 2))).status).toBe(200)
  await home.value(['agent', 'delete', 'north/gone'])
  await service.kill()
  const kept = async (of: ServiceHome) => ({
    changes: await of.value<{ what: string }[]>(['history', 'changes', 'north/mail']),
    costs: await of.value<{ name: string; cost: number }[]>(['history', 'cost', 'north', '--per', 'agent']),
  })
  const before = await kept(home)
  const whats = before.changes.map(({ what }) => what)
  expect(whats).toEqual(expect.arrayContaining(['paused', 'offline', 'level']))
  expect(before.costs.map(({ name, cost }) => [name, cost])).toEqual([
    ['(deleted)', 2],
    ['mail', 1],
  ])
  await home.value(['backup', 'b'])
  const elsewhere = await newServiceHome()
  await elsewhere.value(['restore', join(home.folder, 'b')])
  expect(await kept(elsewhere)).toEqual(before)
})

test.skipIf(level === 'short')(
  'restoring over existing data keeps that data, and only the named agents get new tokens',
  async () => {
    const home = await newServiceHome()
    const { token } = await populate(home)
    await home.value(['agent', 'create', 'north/calendar'])
    await home.value(['backup', 'b'])
    await home.value(['agent', 'delete', 'north/calendar'])
    await home.value(['workspace', 'create', 'later'])

    const service = await home.start()
    const refused = await home.run(['restore', 'b'])
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('stop the service first')])
    await service.kill()

    const unknown = await home.run(['restore', 'b', '--tokens-of', 'north/nobody'])
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('no agent north/nobody')])
    expect(await home.value(['workspace', 'list'])).toHaveLength(2)

    const restored = await home.value<Restored>(['restore', 'b', '--tokens-of', 'north/calendar'])
    expect(restored.agents.map(({ agent }) => agent)).toEqual(['north/calendar'])
    expect(restored.revived).toMatchObject({ agents: ['north/calendar'], workspaces: [] })
    expect(readdirSync(restored.replaced ?? '')).toEqual(expect.arrayContaining(['svc.db', 'secret']))
    expect(await home.value(['workspace', 'list'])).toHaveLength(1)
    await home.start()
    expect((await report(home.url, token)).status).toBe(200)
  },
)

test.skipIf(level === 'short')('a file that is not a backup is refused and changes nothing', async () => {
  const home = await newServiceHome()
  await populate(home)
  await home.value(['backup', 'whole'])
  const bytes = readFileSync(join(home.folder, 'whole'))
  writeFileSync(join(home.folder, 'cut'), bytes.subarray(0, bytes.length / 2))
  writeFileSync(join(home.folder, 'text'), 'not a database')
  writeFileSync(join(home.folder, 'database'), readFileSync(join(home.dataDir, 'svc.db')))
  for (const [file, says] of [
    ['nothing', 'There is no file'],
    ['cut', 'damaged'],
    ['text', 'is not a backup'],
    ['database', 'not a backup made by svc-server'],
  ] as const) {
    const ran = await home.run(['restore', file])
    expect([file, ran.code, ran.stdout]).toEqual([file, 1, ''])
    expect(ran.stderr).toContain(says)
  }
  expect(await home.value(['agent', 'list', 'north'])).toHaveLength(1)
  expect(readdirSync(home.dataDir).filter((name) => /restoring|replaced/.test(name))).toEqual([])

  const again = await home.run(['backup', 'whole'])
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('already exists')])
  expect(readFileSync(join(home.folder, 'whole')).equals(bytes)).toBe(true)
  expect((await home.run(['backup', 'no/such/folder'])).stderr).toContain('There is no folder')
  expect(existsSync(join(home.folder, 'no'))).toBe(false)
})

test.skipIf(level === 'short')(
  'on PostgreSQL the database’s tools make the dump; --tokens-only does the rest of a restore',
  async () => {
    const home = await newServiceHome({ SVC_DATABASE_URL: await newPostgresDatabase() })
    const { token } = await populate(home)
    const backup = await home.run(['backup', 'b'])
    expect([backup.code, backup.stderr]).toEqual([1, expect.stringContaining('pg_dump')])
    const restore = await home.run(['restore', 'b'])
    expect([restore.code, restore.stderr]).toEqual([1, expect.stringContaining('--tokens-only')])
    const { agents } = await home.value<Restored>(['restore', '--tokens-only'])
    expect(agents.map(({ agent }) => agent)).toEqual(['north/mail'])
    await home.start()
    expect((await report(home.url, token)).status).toBe(401)
    expect((await report(home.url, agents[0]?.token ?? '')).status).toBe(200)
  },
)

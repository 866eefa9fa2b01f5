import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newPlace, type Place, populate, report } from '../../testing/service-process.ts'
import { newPostgresDatabase } from '../../testing/stores.ts'

interface Restored {
  agents: { agent: string; token: string }[]
  replaced: string | null
}

const signIn = (place: Place, { email, password }: { email: string; password: string }) =>
  fetch(`${place.url}/api/auth/sign-in/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: place.url },
    body: JSON.stringify({ email, password }),
  })

const meWith = (place: Place, signedIn: Response) =>
  fetch(`${place.url}/api/web/me`, {
    headers: {
      cookie: signedIn.headers
        .getSetCookie()
        .map((line) => line.split(';')[0])
        .join('; '),
    },
  })

test('a backup of a running service is restored on another machine: data, accounts, new tokens, no sessions', async () => {
  const place = await newPlace()
  await place.start()
  const { token, ...person } = await populate(place)
  await place.value(['agent', 'create', 'north/calendar'])
  const runs = Array.from({ length: 300 }, (_, i) => ({ id: `r${i}`, started: 1_700_000_000 + i, status: 'ok' }))
  expect((await report(place.url, token, { state: { level: 'ok', label: 'As saved' }, runs })).status).toBe(200)
  const signedIn = await signIn(place, person)
  expect((await meWith(place, signedIn)).status).toBe(200)

  const file = join(place.folder, 'monday.backup')
  const [made] = await Promise.all([
    place.value<{ file: string; bytes: number }>(['backup', 'monday.backup']),
    ...runs.slice(0, 20).map(() => report(place.url, token, { state: { level: 'warn', label: 'After' } })),
  ])
  expect(made).toMatchObject({ file, bytes: statSync(file).size })
  expect((statSync(file).mode & 0o777).toString(8)).toBe('600')
  expect(readFileSync(file).includes(token)).toBe(false)

  const elsewhere = await newPlace()
  const restored = await elsewhere.value<Restored>(['restore', file])
  expect(restored.agents.map(({ agent }) => agent)).toEqual(['north/calendar', 'north/mail'])
  expect(restored.replaced).toBeNull()
  await elsewhere.start()
  const shown = await elsewhere.value<{ report: { state: { label: string }; runs: unknown[] } }>([
    'agent',
    'show',
    'north/mail',
  ])
  expect(['As saved', 'After']).toContain(shown.report.state.label)
  expect(shown.report.runs).toHaveLength(300)
  expect((await report(elsewhere.url, token)).status).toBe(401)
  for (const { token: renewed } of restored.agents) expect((await report(elsewhere.url, renewed)).status).toBe(200)
  // The restored service accepts the signature of the old session cookie, because it has the same secret; but the
  // restore ended all sessions.
  expect((await meWith(elsewhere, signedIn)).status).toBe(401)
  expect((await signIn(elsewhere, person)).status).toBe(200)
  const audit = await elsewhere.value<{ action: string }[]>(['audit', 'list', 'north'])
  expect(audit.filter(({ action }) => action === 'agent.token_rotated')).toHaveLength(2)
})

test('restoring over existing data keeps that data, and only the named agents get new tokens', async () => {
  const place = await newPlace()
  const { token } = await populate(place)
  await place.value(['agent', 'create', 'north/calendar'])
  await place.value(['backup', 'b'])
  await place.value(['agent', 'delete', 'north/calendar'])
  await place.value(['workspace', 'create', 'later'])

  const service = await place.start()
  const refused = await place.run(['restore', 'b'])
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('stop the service first')])
  await service.kill()

  const unknown = await place.run(['restore', 'b', '--tokens-of', 'north/nobody'])
  expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('no agent north/nobody')])
  expect(await place.value(['workspace', 'list'])).toHaveLength(2)

  const restored = await place.value<Restored>(['restore', 'b', '--tokens-of', 'north/calendar'])
  expect(restored.agents.map(({ agent }) => agent)).toEqual(['north/calendar'])
  expect(readdirSync(restored.replaced ?? '')).toEqual(expect.arrayContaining(['svc.db', 'secret']))
  expect(await place.value(['workspace', 'list'])).toHaveLength(1)
  await place.start()
  expect((await report(place.url, token)).status).toBe(200)
})

test('a file that is not a backup is refused and changes nothing', async () => {
  const place = await newPlace()
  await populate(place)
  await place.value(['backup', 'whole'])
  const bytes = readFileSync(join(place.folder, 'whole'))
  writeFileSync(join(place.folder, 'cut'), bytes.subarray(0, bytes.length / 2))
  writeFileSync(join(place.folder, 'text'), 'not a database')
  writeFileSync(join(place.folder, 'database'), readFileSync(join(place.dataDir, 'svc.db')))
  for (const [file, says] of [
    ['nothing', 'There is no file'],
    ['cut', 'damaged'],
    ['text', 'is not a backup'],
    ['database', 'not a backup made by svc-server'],
  ] as const) {
    const ran = await place.run(['restore', file])
    expect([file, ran.code, ran.stdout]).toEqual([file, 1, ''])
    expect(ran.stderr).toContain(says)
  }
  expect(await place.value(['agent', 'list', 'north'])).toHaveLength(1)
  expect(readdirSync(place.dataDir).filter((name) => /restoring|replaced/.test(name))).toEqual([])

  const again = await place.run(['backup', 'whole'])
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('already exists')])
  expect(readFileSync(join(place.folder, 'whole')).equals(bytes)).toBe(true)
  expect((await place.run(['backup', 'no/such/folder'])).stderr).toContain('There is no folder')
  expect(existsSync(join(place.folder, 'no'))).toBe(false)
})

test('on PostgreSQL the database’s tools make the dump; --tokens-only does the rest of a restore', async () => {
  const place = await newPlace({ SVC_DATABASE_URL: await newPostgresDatabase() })
  const { token } = await populate(place)
  const backup = await place.run(['backup', 'b'])
  expect([backup.code, backup.stderr]).toEqual([1, expect.stringContaining('pg_dump')])
  const restore = await place.run(['restore', 'b'])
  expect([restore.code, restore.stderr]).toEqual([1, expect.stringContaining('--tokens-only')])
  const { agents } = await place.value<Restored>(['restore', '--tokens-only'])
  expect(agents.map(({ agent }) => agent)).toEqual(['north/mail'])
  await place.start()
  expect((await report(place.url, token)).status).toBe(401)
  expect((await report(place.url, agents[0]?.token ?? '')).status).toBe(200)
})

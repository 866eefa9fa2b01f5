/**
 * Tests with real databases that are replaced by older copies, as a failover to a standby that was behind does. `npm
 * test` leaves this out. packages/server/src/platform/marks.store.test.ts proves the same rules.
 */
import { spawnSync } from 'node:child_process'
import { copyFileSync, cpSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../../../testing/eventually.ts'
import { once, startPostgres } from '../../testing/postgres.ts'
import { newServiceHome, populate, report, type ServiceHome } from '../../testing/service-process.ts'

const health = async (home: ServiceHome) => (await fetch(`${home.opsUrl}/healthz`)).json()

/** Starts a PostgreSQL whose data can be replaced by an older copy. */
async function newPostgres() {
  const postgres = await startPostgres()
  onTestFinished(() => postgres.stop())
  await once(postgres.url('postgres'), 'create database svc')
  const client = new pg.Client({ connectionString: postgres.url('svc') })
  await client.connect()
  const folder: string = (await client.query('show data_directory')).rows[0].data_directory
  await client.end()
  const copy = `${folder}.older`
  const down = async (work: () => void) => {
    await postgres.kill?.()
    work()
    await postgres.again()
  }
  const copied = (from: string, to: string) => {
    for (const args of [
      ['rm', '-rf', to],
      ['cp', '-a', from, to],
    ]) {
      const [program = '', ...rest] = args
      expect(spawnSync(program, rest).status).toBe(0)
    }
    spawnSync('rm', ['-f', join(to, 'postmaster.pid')])
  }
  onTestFinished(() => void spawnSync('rm', ['-rf', copy]))
  return {
    url: postgres.url('svc'),
    /** Kills the server, keeps a copy of its data, and starts it again. */
    keep: () => down(() => copied(folder, copy)),
    /** Kills the server and starts it with the kept data. */
    goBack: () => down(() => copied(copy, folder)),
  }
}

const given = process.env.SVC_TEST_DATABASE_URL !== undefined
if (given)
  console.warn('NOT TESTED: a PostgreSQL that goes back, because SVC_TEST_DATABASE_URL names a running server.')

test.skipIf(given)(
  'a failover that loses changes is noticed, and no queued command is delivered a second time',
  async () => {
    const postgres = await newPostgres()
    const home = await newServiceHome({ SVC_DATABASE_URL: postgres.url })
    const service = await home.start()
    const { token } = await populate(home)
    await report(home.url, token, { controls: ['pause'] })
    await home.value(['command', 'send', 'north/mail', 'pause'])
    await postgres.keep()
    const delivered = await eventually('the service works again', async () => {
      const answer = await report(home.url, token, { controls: ['pause'] })
      expect(answer.status).toBe(200)
      return (await answer.json()) as { commands: object[] }
    })
    expect(delivered.commands).toHaveLength(1)
    const counted = () => onDatabase(postgres.url, 'select sum(count) from node_mark')
    const before = await counted()
    await eventually('a further commit is counted', async () => expect(await counted()).toBeGreaterThan(before + 1))

    await postgres.goBack()
    const after = await eventually('the service works again', async () => {
      const answer = await report(home.url, token, { controls: ['pause'] })
      expect(answer.status).toBe(200)
      return (await answer.json()) as { commands: object[] }
    })
    expect(after.commands).toEqual([])
    await service.logs('the database went back')
    await eventually('the health says so', async () =>
      expect(await health(home)).toMatchObject({ ok: true, warning: expect.stringContaining('database status') }),
    )
    expect(await home.value(['database', 'status'])).toMatchObject({
      from: expect.any(Number),
      until: expect.any(Number),
    })
    await home.value(['database', 'accept'])
    await eventually('the warning ends', async () => expect(await health(home)).not.toHaveProperty('warning'))
  },
)

async function onDatabase(url: string, query: string): Promise<number> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return Number(Object.values((await client.query(query)).rows[0])[0])
  } finally {
    await client.end()
  }
}

test('an older file of the embedded database is noticed at the next start, unless a restore put it there', async () => {
  const home = await newServiceHome()
  const file = join(home.dataDir, 'svc.db')
  const older = join(home.folder, 'older.db')
  await (await home.start()).kill()
  copyFileSync(file, older)
  await home.run(['backup', 'svc.backup'])
  const second = await home.start()
  await home.value(['workspace', 'create', 'north'])
  expect(await health(home)).not.toHaveProperty('warning')
  await second.kill()

  cpSync(older, file)
  const third = await home.start()
  await third.logs('the database went back')
  expect(await health(home)).toMatchObject({ ok: true, warning: expect.stringContaining('went back') })
  await third.kill()

  expect((await home.run(['restore', 'svc.backup'])).code).toBe(0)
  await home.start()
  expect(await health(home)).not.toHaveProperty('warning')
})

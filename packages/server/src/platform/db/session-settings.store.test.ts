import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { serve } from '../../../testing/page/service.ts'
import { newPostgresDatabase } from '../../../testing/stores.ts'
import { openPostgres, sessionSettings } from './open.ts'

/** For each setting on which the code relies, a value that a database may have instead. */
const others: Readonly<Record<keyof typeof sessionSettings, string>> = {
  DateStyle: 'German',
  IntervalStyle: 'iso_8601',
  TimeZone: 'Asia/Kolkata',
  bytea_output: 'escape',
  extra_float_digits: '-10',
  standard_conforming_strings: 'off',
  array_nulls: 'off',
  transform_null_equals: 'on',
  default_transaction_isolation: 'serializable',
  default_transaction_deferrable: 'on',
  exit_on_error: 'on',
  statement_timeout: '1h',
  lock_timeout: '1h',
  idle_in_transaction_session_timeout: '1h',
  idle_session_timeout: '1h',
}

/** Opens a database whose every new connection begins with these settings. */
async function openWith(settings: Readonly<Record<string, string>>) {
  const url = await newPostgresDatabase()
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query('select current_database() as name')
  for (const [name, value] of Object.entries(settings))
    await client.query(`alter database ${rows[0].name} set ${name} = '${value}'`)
  await client.end()
  const store = openPostgres(url)
  if (store.engine !== 'postgres') throw new Error('unreachable')
  return store
}

test('each connection has the settings on which the code relies, whatever the database has', async () => {
  const store = await openWith(others)
  onTestFinished(() => store.close())
  const clients = [await store.pool.connect(), await store.pool.connect()]
  for (const client of clients) {
    const { rows } = await client.query(
      'select name, current_setting(name) as value, reset_val from pg_settings where lower(name) = any($1)',
      [Object.keys(sessionSettings).map((name) => name.toLowerCase())],
    )
    expect(rows.length).toBe(Object.keys(sessionSettings).length)
    expect(Object.fromEntries(rows.map(({ name, value }) => [name, value]))).toEqual(sessionSettings)
    client.release()
  }
})

test('whatever the database has, people sign in and stay signed in', async () => {
  const service = await serve({ postgres: await openWith(others) })
  await service.workspace('north')
  const ann = await service.person('Ann', 'north', 'admin')
  expect((await ann.get<{ me: { name: string } }>('/api/web/door')).body.me.name).toBe('Ann')
  expect(service.errors).toEqual([])
})

test('a session that was just made and cannot be found is an error in the log', async () => {
  const store = await openWith({})
  const service = await serve({ postgres: store })
  await service.workspace('north')
  store.pool.on('acquire', (client) => void client.query("set datestyle = 'German'"))
  await service.person('Ann', 'north', 'admin').catch(() => {})
  expect(service.errors).toEqual([
    expect.objectContaining({ msg: expect.stringMatching(/^a session that was just made cannot be found/) }),
  ])
})

import { once as event } from 'node:events'
import { globSync, readFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { once } from '../../../testing/postgres.ts'
import { newPostgresDatabase, openTestPostgres } from '../../../testing/stores.ts'
import { newTestWorkspace } from '../../../testing/test-workspace.ts'
import { type Db, openPostgres } from './open.ts'
import { hasLostRace, maxTries, retryIfLost, transaction } from './transaction.ts'

test('two nodes whose transactions wait for each other both complete their work (PostgreSQL)', async () => {
  const url = await newPostgresDatabase()
  const nodes = [openPostgres(url), openPostgres(url)] as const
  const w = await newTestWorkspace(nodes[0])
  const ids = [w.agent.id, (await w.addAgent('second')).id] as const
  const bothHold = Promise.withResolvers<void>()
  let started = 0
  let holding = 0
  const rename = (db: Db, order: readonly string[], mark: string) =>
    transaction(db, async (trx) => {
      const first = ++started <= 2
      for (const [i, id] of order.entries()) {
        await trx
          .updateTable('agent')
          .set({ name: sql<string>`name || ${mark}::text` })
          .where('id', '=', id)
          .execute()
        if (i > 0 || !first) continue
        if (++holding === 2) bothHold.resolve()
        await bothHold.promise
      }
    })
  await Promise.all([rename(nodes[0].db, ids, 'x'), rename(nodes[1].db, [...ids].reverse(), 'x')])
  // The transaction that lost is retried. It may lock its first row again before the winner continues, and then one of
  // them loses once more.
  expect(started).toBeGreaterThan(2)
  const names = await w.store.db.selectFrom('agent').select('name').orderBy('name').execute()
  expect(names.map(({ name }) => name)).toEqual(['mail-triagexx', 'secondxx'])
  for (const node of nodes) await node.close()
})

test('work that loses every time ends with the error; other errors are not retried (PostgreSQL)', async () => {
  const store = await openTestPostgres()
  const { db } = store
  const raise = (code: string) => sql.raw(`do $$ begin raise exception using errcode = '${code}'; end $$`)
  for (const [code, expected] of [
    ['40001', maxTries],
    ['40P01', maxTries],
    ['23505', maxTries],
    ['23503', 1],
  ] as const) {
    let tries = 0
    const work = transaction(db, async (trx) => {
      tries++
      await raise(code).execute(trx)
    })
    await expect(work).rejects.toMatchObject({ code })
    expect([code, tries]).toEqual([code, expected])
  }
  await store.close()
})

test('a broken connection fails its transaction, not the process (PostgreSQL)', async () => {
  const url = await newPostgresDatabase()
  const store = openPostgres(url)
  const cut = transaction(store.db, async (trx) => {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(trx)
    await once(url, `select pg_terminate_backend(${rows[0]?.pid}, 10000)`)
    await sql`select 1`.execute(trx)
  })
  // The transaction must reject and nothing else may be thrown: an uncaught error would fail the whole test run.
  await expect(cut).rejects.toThrow()
  expect((await sql`select 1 as works`.execute(store.db)).rows).toEqual([{ works: 1 }])
  await store.close()
})

test('a connection without traffic is given up, and the next one works (PostgreSQL)', async () => {
  const url = await newPostgresDatabase()
  const [socket, database] = [
    new URL(url.replace('@/', '@host/')).searchParams.get('host'),
    url.split('@/')[1]?.split('?')[0],
  ]
  // The test puts a proxy between the store and the Unix socket of the database. It cannot do so with a database that
  // is only reachable by TCP.
  if (!socket) return
  let silent = false
  const network = createServer((near) => {
    const far = connect(join(socket, '.s.PGSQL.5432'))
    near.on('data', (bytes) => silent || far.write(bytes)).on('error', () => {})
    far.on('data', (bytes) => near.write(bytes)).on('error', () => {})
    near.on('close', () => far.destroy())
    far.on('close', () => near.destroy())
  }).listen(0, '127.0.0.1')
  await event(network, 'listening')
  const { port } = network.address() as AddressInfo
  const store = openPostgres(`postgres://svc@127.0.0.1:${port}/${database}`)
  if (store.engine !== 'postgres') return
  await sql`select 1`.execute(store.db)
  store.giveUpAfter(300)
  silent = true
  await expect(transaction(store.db, (trx) => sql`select 1`.execute(trx))).rejects.toThrow('silent for 0.3 s')
  silent = false
  store.giveUpAfter(60_000)
  expect((await sql`select 1 as works`.execute(store.db)).rows).toEqual([{ works: 1 }])
  await store.close()
  network.close()
})

test('an error without a code does not count as a lost transaction', async () => {
  expect(hasLostRace(new Error('the connection ended'))).toBe(false)
  await expect(retryIfLost(() => Promise.reject(new Error('no')))).rejects.toThrow('no')
})

test('only this helper opens a transaction', () => {
  const src = join(import.meta.dirname, '../..')
  // The file service/ops/health.ts may open a transaction directly, because it does so only on SQLite.
  const alone = ['platform/db/transaction.ts', 'service/ops/health.ts']
  const others = globSync('**/*.ts', { cwd: src })
    .filter((file) => !file.endsWith('.test.ts') && !alone.includes(file))
    .filter((file) => /\.transaction\(\)/.test(readFileSync(join(src, file), 'utf8')))
  expect(others).toEqual([])
})

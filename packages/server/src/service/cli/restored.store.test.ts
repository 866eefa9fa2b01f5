/**
 * Tests what a restore does to everything that gives access and ended since the backup, with and without later data.
 */
import { copyFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hour, otherTables, person, product, rows, start, workspace } from '../../../testing/ended.ts'
import { testConfig } from '../../../testing/service.ts'
import { newSqliteFile } from '../../../testing/stores.ts'
import { writeBackup } from '../../operator/backup/backup.ts'
import { type RestoreFacts, restoreBackup } from '../../operator/backup/restore.ts'
import { databaseFile, secretOf } from '../../platform/data-folder.ts'
import { openEmbedded, type Store } from '../../platform/db/open.ts'
import { commandHelps as commands } from './main.ts'
import { revivedLines, unknownLines } from './restore.ts'

describe('a restore', () => {
  const restored: Partial<Record<'with' | 'without', { result: RestoreFacts; store: Store }>> = {}
  beforeAll(async () => {
    const { folder, backup } = await backedUp()
    restored.without = await restoredIn(dirname(await newSqliteFile()), backup, true)
    await change(
      folder,
      Object.values(rows).map(({ end }) => end),
    )
    restored.with = await restoredIn(folder, backup)
  })
  afterAll(async () => {
    for (const { store } of Object.values(restored)) await store.close()
  })

  test.each(Object.entries(rows))('does what the table says with %s', (_, { holds, where }) => {
    const found = (how: 'with' | 'without') => sqliteOf(restored[how]?.store).prepare(holds).get() !== undefined
    expect([found('with'), found('without')]).toEqual([where === 'always', where !== 'never'])
  })

  test('names what it brought back, and only that', () => {
    const wanted: Record<string, string[]> = {}
    for (const { says } of Object.values(rows))
      for (const [kind, name] of Object.entries(says ?? {})) wanted[kind] = [...(wanted[kind] ?? []), name].sort()
    expect(restored.with?.result).toMatchObject({ revived: wanted, unknown: null })
    expect(Object.keys(restored.with?.result.revived ?? {}).sort()).toEqual(Object.keys(wanted).sort())
    const said = revivedLines(restored.with?.result.revived ?? ({} as never)).join('\n')
    for (const name of Object.values(wanted).flat()) expect(said).toContain(name)
  })

  test('says what to check where it does not know, with commands that exist', () => {
    expect(restored.without?.result).toMatchObject({ revived: null, unknown: 'it is missing' })
    const everything = Object.fromEntries(Object.keys(restored.with?.result.revived ?? {}).map((kind) => [kind, ['x']]))
    const said = [...unknownLines('it is missing'), ...revivedLines(everything as never)].join('\n')
    const named = [
      ...said.matchAll(/(?:person|workspace|member|agent|product|channel|bot) [a-z-]+(?= [A-Z]|[;,)\n])/g),
    ].map(([name]) => name)
    expect(named.length).toBeGreaterThan(12)
    expect(named.filter((name) => !Object.hasOwn(commands, name))).toEqual([])
  })

  test('has a row for each table of the database', () => {
    const sql = "select name from sqlite_master where type = 'table' and name not like 'sqlite_%'"
    const tables = sqliteOf(restored.with?.store)
      .prepare(sql)
      .all()
      .map(({ name }) => String(name))
    const inRows = Object.values(rows)
      .map(({ make = '', end = '', holds }) => `${make} ${end} ${holds}`)
      .join(' ')
    const others = Object.values(otherTables).flat()
    expect(tables.filter((name) => !others.includes(name) && !new RegExp(`\\b${name}\\b`).test(inRows))).toEqual([])
    expect(others.filter((name) => !tables.includes(name))).toEqual([])
  })
})

const both = 'it does not go on from this backup'
test.each<[string, (folder: string, backup: string) => Promise<void>, string | null]>([
  [
    'of a new service',
    async (folder) => copyFileSync(await newSqliteFile(), databaseFile(folder)),
    'it is not of the same service',
  ],
  [
    'that cannot be read',
    async (folder) => copyFileSync(import.meta.filename, databaseFile(folder)),
    'file is not a database',
  ],
  ['of an earlier time', (folder) => change(folder, [`update audit set at = ${start - hour}`]), both],
  ['that an unknown backup became', (folder) => change(folder, [restoreLine({})]), both],
  ['that an earlier backup became', (folder) => change(folder, [restoreLine({ from: start - hour })]), both],
  ['that a later backup became', (folder) => change(folder, [restoreLine({ from: start + hour })]), null],
  ['that this backup became', async (folder, backup) => void (await restoredIn(folder, backup, true)), null],
])('the data %s', async (_, prepare, unknown) => {
  const { folder, backup } = await backedUp()
  await prepare(folder, backup)
  const { result, store } = await restoredIn(folder, backup)
  await store.close()
  expect(result.unknown).toBe(unknown)
  expect(result.revived === null).toBe(unknown !== null)
})

const restoreLine = (details: object) => `insert into audit (id, at, actor, action, subject, details)
  values ('r', ${start + hour}, 'operator', 'service.restored', 'service', '${JSON.stringify(details)}')`

/** Makes a service with the things of all rows, and a backup of it. */
async function backedUp() {
  const folder = dirname(await newSqliteFile())
  secretOf(folder)
  const base = [workspace('north'), person('ann'), product('tasks'), `insert into service_beat values (1, ${start})`]
  const line = `insert into audit (id, at, actor, action, subject, details) values ('a', ${start}, 'operator', 'x', 'x', '{}')`
  await change(folder, [...base, line, ...Object.values(rows).map(({ make }) => make)])
  await change(folder, ['delete from service_beat'])
  const store = openEmbedded(databaseFile(folder))
  const backup = join(folder, 'backup')
  const made = await writeBackup({ store, config: testConfig({ dataDir: folder }) }, backup, start)
  await store.close()
  expect(made.ok).toBe(true)
  return { folder, backup }
}

async function change(folder: string, statements: readonly (string | undefined)[]): Promise<void> {
  const store = openEmbedded(databaseFile(folder))
  for (const statement of statements) if (statement) sqliteOf(store).exec(statement)
  await store.close()
}

/** Restores the backup in the folder, without the data that is there if it is to be `alone`. */
async function restoredIn(
  folder: string,
  backup: string,
  alone = false,
): Promise<{ result: RestoreFacts; store: Store }> {
  if (alone) rmSync(databaseFile(folder), { force: true })
  const restored = await restoreBackup(folder, backup, ['north/rotated'], start + 5 * hour)
  if (!restored.ok) throw new Error(restored.message)
  return { result: restored.value, store: openEmbedded(databaseFile(folder)) }
}

function sqliteOf(store: Store | undefined): DatabaseSync {
  if (store?.engine !== 'sqlite') throw new Error('There is no embedded database.')
  return store.sqlite
}

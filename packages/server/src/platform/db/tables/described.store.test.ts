import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { onBothEngines } from '../../../../testing/stores.ts'
import type { Store } from '../open.ts'
import type { DescribedTable } from './described.ts'
import * as reports from './reports.ts'

interface Found {
  name: string
  type: string
  required: boolean
}

/** The columns of a table as the database reports them. */
async function columnsIn({ db, engine }: Store, table: string): Promise<Found[]> {
  if (engine === 'sqlite') {
    const info = sql<{ name: string; type: string; notnull: number; pk: number }>`pragma table_info(${sql.ref(table)})`
    const { rows } = await info.execute(db)
    return rows.map(({ name, type, notnull, pk }) => ({ name, type, required: notnull === 1 || pk > 0 }))
  }
  const { rows } = await sql<{ column_name: string; data_type: string; is_nullable: string }>`
    select column_name, data_type, is_nullable from information_schema.columns
    where table_schema = current_schema() and table_name = ${table}`.execute(db)
  return rows.map((c) => ({ name: c.column_name, type: c.data_type, required: c.is_nullable === 'NO' }))
}

const types = {
  SQLite: { text: ['text'], bigint: ['integer'] },
  PostgreSQL: { text: ['text'], bigint: ['bigint', 'integer'] },
} as const

onBothEngines('the tables of a report', (open, engine) => {
  test('have the columns that are described, with these types', async () => {
    const store = await open()
    for (const { name: table, columns } of Object.values<DescribedTable>(reports)) {
      const found = await columnsIn(store, table)
      const described = Object.entries(columns).map(([name, { nullable }]) => ({ name, required: !nullable }))
      expect(byName(found.map(({ name, required }) => ({ name, required }))), table).toEqual(byName(described))
      for (const { name, type } of found)
        expect(types[engine][columns[name]?.kind ?? 'text'], `${table}.${name}`).toContain(type.toLowerCase())
    }
  })
})

const byName = <T extends { name: string }>(all: readonly T[]): T[] =>
  [...all].sort((a, b) => (a.name < b.name ? -1 : 1))

/**
 * Finds the tables to move: those of the service and those of the accounts library. Both databases are asked for their
 * tables, so that none is forgotten.
 */
import type { DatabaseSync } from 'node:sqlite'
import type pg from 'pg'

/** The types that columns have in PostgreSQL. */
export type ColumnKind = 'text' | 'bigint' | 'integer' | 'boolean' | 'timestamp with time zone' | 'bytea'
export interface MovedColumn {
  name: string
  kind: ColumnKind
  /**
   * True if the database numbers the rows in this column. PostgreSQL must then continue after the highest number that
   * was copied.
   */
  counted: boolean
}
/** A table whose rows are moved, with its columns. */
export interface TableToMove {
  name: string
  columns: MovedColumn[]
  /** The columns of the table's primary key. */
  key: string[]
}

/**
 * The tables that record which migrations were run. They are not copied, because both sides have been migrated to the
 * same version.
 */
const notData = new Set(['kysely_migration', 'kysely_migration_lock'])
const kinds: readonly string[] = ['text', 'bigint', 'integer', 'boolean', 'timestamp with time zone', 'bytea']

/** The tables to copy, parents first. Throws if PostgreSQL has other tables or columns than SQLite. */
export async function readTables(sqlite: DatabaseSync, client: pg.ClientBase): Promise<TableToMove[]> {
  const names = sqlite
    .prepare("select name from sqlite_master where type = 'table' and name not like 'sqlite\\_%' escape '\\'")
    .all()
    .map(({ name }) => String(name))
    .filter((name) => !notData.has(name))
  const target = await columnsThere(client)
  const tables = names.map((name): TableToMove => {
    const rows = sqlite.prepare('select name, pk from pragma_table_info(?)').all(name)
    const there = target.get(name) ?? new Map<string, MovedColumn>()
    const columns = rows.map((row) => {
      const column = there.get(String(row.name))
      if (!column) throw new Error(`The table ${name} has a column ${row.name} that PostgreSQL's does not have.`)
      return column
    })
    if (columns.length !== there.size) throw new Error(`The table ${name} has other columns in PostgreSQL.`)
    const key = rows.filter(({ pk }) => Number(pk) > 0).sort((a, b) => Number(a.pk) - Number(b.pk))
    return { name, columns, key: key.map((row) => String(row.name)) }
  })
  const more = [...target.keys()].filter((name) => !names.includes(name) && !notData.has(name))
  if (more.length > 0) throw new Error(`PostgreSQL has tables that are not known here: ${more.join(', ')}.`)
  return parentsFirst(tables, (name) =>
    sqlite
      .prepare('select distinct "table" as parent from pragma_foreign_key_list(?)')
      .all(name)
      .map(({ parent }) => String(parent)),
  )
}

async function columnsThere(client: pg.ClientBase): Promise<Map<string, Map<string, MovedColumn>>> {
  const { rows } = await client.query(`select table_name, column_name, data_type, is_identity
    from information_schema.columns where table_schema = current_schema()`)
  const tables = new Map<string, Map<string, MovedColumn>>()
  for (const { table_name, column_name, data_type, is_identity } of rows) {
    const columns = tables.get(table_name) ?? new Map<string, MovedColumn>()
    tables.set(table_name, columns)
    if (notData.has(table_name)) continue
    if (!kinds.includes(data_type)) throw new Error(`${table_name}.${column_name} is of the kind ${data_type}.`)
    columns.set(column_name, { name: column_name, kind: data_type as ColumnKind, counted: is_identity === 'YES' })
  }
  return tables
}

/** Orders tables so that parents come before children. A table that refers to itself, or a cycle, is an error. */
export function parentsFirst(tables: readonly TableToMove[], parentsOf: (name: string) => string[]): TableToMove[] {
  const placed: TableToMove[] = []
  const left = new Set(tables)
  while (left.size > 0) {
    const ready = [...left].filter(({ name }) =>
      parentsOf(name).every((parent) => placed.some((t) => t.name === parent)),
    )
    if (ready.length === 0)
      throw new Error(`These tables refer to each other: ${[...left].map((t) => t.name).join(', ')}.`)
    for (const table of ready) {
      placed.push(table)
      left.delete(table)
    }
  }
  return placed
}

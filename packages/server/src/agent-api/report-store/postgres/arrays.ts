/**
 * Passes many rows to PostgreSQL at once: one array for each column, which `unnest` turns into rows again. The arrays
 * are in PostgreSQL's binary form, in which no text needs to be escaped or parsed.
 */
import type { StoredKind } from '../../../platform/db/tables/described.ts'
import type { PipelineStep, PreparedStatement } from './pipeline.ts'

/** The name and kind (text or number) of a column whose values a statement takes from the rows it is given. */
export type ArrayCell = readonly [name: string, kind: StoredKind]

/**
 * A statement about many rows. `step` fills the statement with rows, and with the ids of the agents that own the rows
 * if the statement has the column `agent_id`.
 */
export interface ManyRowsStatement<T> {
  step(rows: readonly T[], owners?: readonly string[]): PipelineStep
}

/** The column that is filled with the ids of the agents that own the rows, because the rows do not contain them. */
const ownerColumn = 'agent_id'
/** The cell for the ids of the agents that own the rows. */
export const ownedCell: ArrayCell = [ownerColumn, 'text']

/**
 * Makes a statement about many rows. `sql` receives the source to select from, such as `unnest($1::text[]) as r
 * ("id")`.
 */
export function manyRows<T extends object>(
  name: string,
  cells: readonly ArrayCell[],
  sql: (rows: string) => string,
): ManyRowsStatement<T> {
  const arrays = cells.map(([, kind], i) => `$${i + 1}::${kind}[]`)
  const names = cells.map(([column]) => `"${column}"`)
  const statement: PreparedStatement = { name, text: sql(`unnest(${arrays.join(', ')}) as r (${names.join(', ')})`) }
  const arrayFrom = (rows: readonly Row[], owners: readonly string[] | undefined, [column, kind]: ArrayCell): Buffer =>
    owners && column === ownerColumn ? textArray(owners) : arrayOf(kind, rows, column)
  return {
    step: (rows, owners) => [statement, cells.map((cell) => arrayFrom(rows as readonly Row[], owners, cell))],
  }
}
type Row = Readonly<Record<string, unknown>>

/** Encodes texts as an array in PostgreSQL's binary form. */
export const textArray = (values: readonly string[]): Buffer =>
  arrayOf(
    'text',
    values.map((value) => ({ value })),
    'value',
  )

/** The ids of the types `text` and `bigint`, which are the same in every PostgreSQL. */
const typeOids = { text: 25, bigint: 20 } as const satisfies Record<StoredKind, number>
const headBytes = 20
const scratchBytes = 256 * 1024
let scratch = Buffer.allocUnsafe(scratchBytes)

/** Encodes an array of one dimension with lower bound 1: each value follows its length, and null is the length -1. */
function arrayOf(type: StoredKind, rows: readonly Row[], column: string): Buffer {
  let at = headBytes
  for (const row of rows) {
    const value = row[column]
    if (typeof value === 'number' && type === 'bigint') {
      room(at, 12)
      at = scratch.writeInt32BE(8, at)
      const high = Math.floor(value / 2 ** 32)
      at = scratch.writeInt32BE(high, at)
      at = scratch.writeUInt32BE(value - high * 2 ** 32, at)
    } else if (typeof value === 'string' && type === 'text') {
      room(at, 4 + value.length * 3)
      const bytes = scratch.write(value, at + 4)
      at = scratch.writeInt32BE(bytes, at) + bytes
    } else if (value instanceof Uint8Array && type === 'text') {
      room(at, 4 + value.length)
      at = scratch.writeInt32BE(value.length, at)
      scratch.set(value, at)
      at += value.length
    } else if (value === null) {
      room(at, 4)
      at = scratch.writeInt32BE(-1, at)
    } else {
      throw new TypeError(`${column} takes ${type}, not ${typeof value}.`)
    }
  }
  scratch.writeInt32BE(1, 0)
  scratch.writeInt32BE(1, 4)
  scratch.writeInt32BE(typeOids[type], 8)
  scratch.writeInt32BE(rows.length, 12)
  scratch.writeInt32BE(1, 16)
  const array = Buffer.from(scratch.subarray(0, at))
  if (scratch.length > scratchBytes) scratch = Buffer.allocUnsafe(scratchBytes)
  return array
}

function room(at: number, bytes: number): void {
  if (at + bytes <= scratch.length) return
  const larger = Buffer.allocUnsafe((at + bytes) * 2)
  scratch.copy(larger, 0, 0, at)
  scratch = larger
}

/**
 * Rows as PostgreSQL takes many at once: an array for each column, which `unnest` makes rows of again. The arrays are in
 * PostgreSQL's binary form, in which no text needs to be escaped by us or read letter by letter by it.
 */
import type { Prepared, Step } from './pipeline.ts'

type Type = 'text' | 'bigint'
type Value = string | number | null | undefined
/** The columns that a statement takes of its rows, by their names there. */
export type Columns<T> = { readonly [K in keyof T]?: NonNullable<T[K]> extends number ? 'bigint' : 'text' }

/** A statement about many rows; `step` gives it some. */
export interface Many<T> {
  step(rows: readonly T[]): Step
}

/** `sql` is given what to select the rows from, such as `unnest($1::text[]) as r ("id")`. */
export function many<T extends object>(name: string, columns: Columns<T>, sql: (rows: string) => string): Many<T> {
  const all = Object.entries(columns) as [keyof T & string, Type][]
  const arrays = all.map(([, type], i) => `$${i + 1}::${type}[]`)
  const names = all.map(([column]) => `"${column}"`)
  const statement: Prepared = { name, text: sql(`unnest(${arrays.join(', ')}) as r (${names.join(', ')})`) }
  return {
    step: (rows) => [statement, all.map(([column, type]) => arrayOf(type, rows as readonly Row[], column))],
  }
}
type Row = Readonly<Record<string, Value>>

export const textArray = (values: readonly string[]): Buffer =>
  arrayOf(
    'text',
    values.map((value) => ({ value })),
    'value',
  )

/** The number of a type in every PostgreSQL. */
const oids = { text: 25, bigint: 20 } as const satisfies Record<Type, number>
const headBytes = 20
const scratchBytes = 256 * 1024
let scratch = Buffer.allocUnsafe(scratchBytes)

/** One dimension from 1, then each value behind its length, null as the length -1. */
function arrayOf(type: Type, rows: readonly Row[], column: string): Buffer {
  let at = headBytes
  for (const row of rows) {
    const value = row[column]
    if (typeof value === 'number') {
      room(at, 12)
      at = scratch.writeInt32BE(8, at)
      const high = Math.floor(value / 2 ** 32)
      at = scratch.writeInt32BE(high, at)
      at = scratch.writeUInt32BE(value - high * 2 ** 32, at)
    } else if (typeof value === 'string') {
      room(at, 4 + value.length * 3)
      const bytes = scratch.write(value, at + 4)
      at = scratch.writeInt32BE(bytes, at) + bytes
    } else {
      room(at, 4)
      at = scratch.writeInt32BE(-1, at)
    }
  }
  scratch.writeInt32BE(1, 0)
  scratch.writeInt32BE(1, 4)
  scratch.writeInt32BE(oids[type], 8)
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

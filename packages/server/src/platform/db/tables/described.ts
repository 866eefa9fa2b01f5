/**
 * Describes a table by one list of columns. Row types, statements for both engines and the tests of the schema are made
 * from this list.
 */
import type { Generated } from 'kysely'

/** The type of a column, by its name in PostgreSQL. SQLite stores the same values as text and integer. */
export type StoredKind = 'text' | 'bigint'

export interface TableColumn<T> {
  readonly kind: StoredKind
  readonly nullable: boolean
  /** True if the database fills this column with ascending numbers, in the order in which rows arrive. */
  readonly autoIncrement: boolean
  /** Never has a value at run time: the field only carries the type of the column's values. */
  readonly holds?: T
}
export interface AutoIncrementColumn extends TableColumn<number> {
  readonly autoIncrement: true
}

export const text = <T extends string = string>(): TableColumn<T> => ({
  kind: 'text',
  nullable: false,
  autoIncrement: false,
})
export const integer = (): TableColumn<number> => ({ kind: 'bigint', nullable: false, autoIncrement: false })
export const autoIncrement = (): AutoIncrementColumn => ({ kind: 'bigint', nullable: false, autoIncrement: true })
export const orNull = <T>({ kind }: TableColumn<T>): TableColumn<T | null> => ({
  kind,
  nullable: true,
  autoIncrement: false,
})

type Columns = Readonly<Record<string, TableColumn<unknown>>>
type ValueOf<C> = C extends TableColumn<infer T> ? T : never

export interface DescribedTable<C extends Columns = Columns> {
  readonly name: string
  readonly columns: C
  /** Maps the name of each column to itself. */
  readonly names: { readonly [K in keyof C]: string }
}
/** The type of a row that was read. */
export type RowOf<D extends DescribedTable> = { [K in keyof D['columns']]: ValueOf<D['columns'][K]> }
/** The type of the table for Kysely. An insert may leave out a column that the database numbers. */
export type TableOf<D extends DescribedTable> = {
  [K in keyof D['columns']]: D['columns'][K] extends AutoIncrementColumn ? Generated<number> : ValueOf<D['columns'][K]>
}

export function describedTable<C extends Columns>(name: string, columns: C): DescribedTable<C> {
  const names = Object.fromEntries(Object.keys(columns).map((column) => [column, column]))
  return { name, columns, names: names as DescribedTable<C>['names'] }
}

/** A value to store. Bytes are text in UTF-8. */
export type StoredValue = string | number | Uint8Array | null

/** A value for each column of a row. `tableColumnsOf` puts the name of each column in place of its value. */
export type StoredValues<R> = { readonly [K in keyof R]: StoredValue }

/**
 * The names of a statement's columns, in the order in which `cells` returns their values. Calls `cells` with the column
 * names in place of the values, so the two orders cannot differ.
 */
export function tableColumnsOf<C extends Columns>(
  { name, columns, names }: DescribedTable<C>,
  cells: (names: DescribedTable<C>['names']) => readonly StoredValue[],
): string[] {
  const listed = cells(names).map(String)
  if (new Set(listed).size < listed.length || !listed.every((column) => Object.hasOwn(columns, column)))
    throw new Error(`No list of columns of ${name}: ${listed.join(', ')}.`)
  return listed
}

/**
 * Some columns of a table in the order in which a statement reads them. `at` gives the position of each column in a row
 * that the statement returns.
 */
export interface ColumnReader<Names extends readonly string[], Row extends readonly unknown[]> {
  readonly names: Names
  readonly at: Positions<Names>
  /** Never has a value at run time: the field only carries the type of a row. */
  readonly row?: Row
  readonly integers: readonly number[]
}
type Positions<Names extends readonly string[]> = {
  readonly [I in keyof Names as I extends `${number}`
    ? Names[I] & string
    : never]: I extends `${infer N extends number}` ? N : never
}
type Tuple<C extends Columns, Names extends readonly string[]> = {
  readonly [I in keyof Names]: Names[I] extends keyof C ? ValueOf<C[Names[I]]> : never
}
/** The type of a row that a statement with the column reader `R` returns. */
export type ReadRow<R> = R extends ColumnReader<readonly string[], infer Row> ? Row : never

/** Describes how a statement reads the columns `names`, in this order. `columns` has all columns of the table. */
export function columnReader<C extends Columns, const Names extends readonly (keyof C & string)[]>(
  columns: C,
  names: Names,
): ColumnReader<Names, Tuple<C, Names>> {
  const at = Object.fromEntries(names.map((name, i) => [name, i]))
  const integers = names.flatMap((name, i) => (columns[name]?.kind === 'bigint' ? [i] : []))
  return { names, at: at as Positions<Names>, integers }
}

/** Makes columns that may also be null, as after a `left join` that finds no row. */
export function leftJoined<C extends Columns>(columns: C): { [K in keyof C]: TableColumn<ValueOf<C[K]> | null> } {
  const joined = Object.entries(columns).map(([name, column]) => [name, orNull(column)])
  return Object.fromEntries(joined) as { [K in keyof C]: TableColumn<ValueOf<C[K]> | null> }
}

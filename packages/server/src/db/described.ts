/**
 * A table whose columns are listed once. Row types, statements for both engines and the tests of the schema follow from the list.
 */
import type { Generated } from 'kysely'

/** How PostgreSQL calls the type. SQLite stores the same values as text and integer. */
export type Kind = 'text' | 'bigint'

export interface Column<T> {
  readonly kind: Kind
  readonly nullable: boolean
  /** The database numbers the rows in this column, in order of arrival. */
  readonly arrival: boolean
  /** Has no value: it carries the type of the column's values. */
  readonly holds?: T
}
export interface Arrival extends Column<number> {
  readonly arrival: true
}

export const text = <T extends string = string>(): Column<T> => ({ kind: 'text', nullable: false, arrival: false })
export const integer = (): Column<number> => ({ kind: 'bigint', nullable: false, arrival: false })
export const arrival = (): Arrival => ({ kind: 'bigint', nullable: false, arrival: true })
export const orNull = <T>({ kind }: Column<T>): Column<T | null> => ({ kind, nullable: true, arrival: false })

type Columns = Readonly<Record<string, Column<unknown>>>
type ValueOf<C> = C extends Column<infer T> ? T : never

export interface Described<C extends Columns = Columns> {
  readonly name: string
  readonly columns: C
  /** The name of each column, by itself: the same function picks names from here and values from a row. */
  readonly names: { readonly [K in keyof C]: string }
}
/** A row as it is read. */
export type RowOf<D extends Described> = { [K in keyof D['columns']]: ValueOf<D['columns'][K]> }
/** The table as Kysely wants it. */
export type TableOf<D extends Described> = {
  [K in keyof D['columns']]: D['columns'][K] extends Arrival ? Generated<number> : ValueOf<D['columns'][K]>
}

export function described<C extends Columns>(name: string, columns: C): Described<C> {
  const names = Object.fromEntries(Object.keys(columns).map((column) => [column, column]))
  return { name, columns, names: names as Described<C>['names'] }
}

/**
 * A row, or the names of its columns. A function from cells to a list gives the values of a statement in their order, and given the
 * names it gives the columns of the statement: so the two cannot differ.
 */
export type Cells<R, T> = { readonly [K in keyof R]: T }

/** Some columns of a table in the order in which a statement reads them. `at` says where each stands in a row that was read. */
export interface Read<Names extends readonly string[], Row extends readonly unknown[]> {
  readonly names: Names
  readonly at: Positions<Names>
  /** Has no value: it carries the type of a row. */
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
export type ReadRow<R> = R extends Read<readonly string[], infer Row> ? Row : never

export function reads<C extends Columns, const Names extends readonly (keyof C & string)[]>(
  columns: C,
  names: Names,
): Read<Names, Tuple<C, Names>> {
  const at = Object.fromEntries(names.map((name, i) => [name, i]))
  const integers = names.flatMap((name, i) => (columns[name]?.kind === 'bigint' ? [i] : []))
  return { names, at: at as Positions<Names>, integers }
}

/** The data of a stacked chart: columns with their parts from the bottom up, and the series with their totals. */

/** The values of one column by the names of their series, before they are stacked. */
export interface Column {
  /** The key of the column, such as `2026-11-21`. */
  readonly key: string
  readonly parts: Readonly<Record<string, number>>
}
interface Series {
  readonly name: string
  readonly total: number
  /** The index of the series' colour in the palette; null for the series that combines the smallest ones. */
  readonly color: number | null
}
/** A column with its parts, whose ends `from` and `to` are heights in the units of the values. */
export interface StackedColumn {
  readonly key: string
  readonly total: number
  readonly parts: readonly {
    readonly series: Series
    readonly value: number
    readonly from: number
    readonly to: number
  }[]
}
/** The data of a stacked chart. */
export interface Stack {
  readonly columns: readonly StackedColumn[]
  /**
   * The series in their order, then the series that combines the smallest ones, if there is one. The first series is at
   * the bottom of each column.
   */
  readonly series: readonly Series[]
  readonly max: number
  readonly total: number
}

interface StackOptions {
  maxSeries?: number
  rest?: string
  order?: (a: string, b: string) => number
}

/**
 * Prepares columns for the chart. If there are more than `maxSeries` series, the smallest ones are combined into a last
 * series with the name `rest`. `order` sorts the other series by their names; without it, the largest comes first.
 */
export function stackOf(
  columns: readonly Column[],
  { maxSeries = 6, rest = 'others', order }: StackOptions = {},
): Stack {
  const sums = new Map<string, number>()
  for (const { parts } of columns)
    for (const [name, value] of Object.entries(parts)) if (value > 0) sums.set(name, (sums.get(name) ?? 0) + value)
  const ordered = [...sums].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
  const named = ordered.length > maxSeries ? ordered.slice(0, maxSeries - 1) : ordered
  if (order) named.sort(([a], [b]) => order(a, b))
  const series: Series[] = named.map(([name, total], color) => ({ name, total, color }))
  const left = ordered.slice(named.length).reduce((sum, [, total]) => sum + total, 0)
  if (left > 0) series.push({ name: rest, total: left, color: null })
  const own = new Set(named.map(([name]) => name))
  const stacked = columns.map((column) => stackOne(column, series, own))
  return {
    columns: stacked,
    series,
    max: Math.max(0, ...stacked.map((column) => column.total)),
    total: series.reduce((sum, one) => sum + one.total, 0),
  }
}

const stackOne = ({ key, parts }: Column, series: readonly Series[], own: ReadonlySet<string>): StackedColumn =>
  stackColumn(
    key,
    series.map((one) => [one, one.color === null ? restOf(parts, own) : (parts[one.name] ?? 0)]),
  )

/** Stacks the values of a column. A value that is not more than `above` is not drawn. */
export function stackColumn(
  key: string,
  values: readonly (readonly [series: Series, value: number])[],
  above = 0,
): StackedColumn {
  const drawn: { series: Series; value: number; from: number; to: number }[] = []
  let height = 0
  for (const [series, value] of values) {
    if (!(value > above)) continue
    drawn.push({ series, value, from: height, to: height + value })
    height += value
  }
  return { key, total: height, parts: drawn }
}

const restOf = (parts: Readonly<Record<string, number>>, own: ReadonlySet<string>) =>
  Object.entries(parts).reduce((sum, [name, value]) => (own.has(name) || !(value > 0) ? sum : sum + value), 0)

/** The last column with a figure, because today may not have been counted yet; the last column if none has a figure. */
export const lastCounted = ({ columns }: Pick<Stack, 'columns'>): StackedColumn | undefined =>
  columns.findLast(({ total }) => total > 0) ?? columns.at(-1)

// ---- Days as keys of columns ----

const day = 86_400_000

/** The last `count` days (UTC) up to `now`, as `2026-11-21`, oldest first. */
export const lastDays = (now: number, count: number): string[] =>
  Array.from({ length: count }, (_, i) => new Date(now - (count - 1 - i) * day).toISOString().slice(0, 10))

const short = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })

/** Shows a day such as `2026-11-21` as `21 Nov`. */
export const dayName = (key: string): string => {
  const time = Date.parse(`${key}T00:00:00Z`)
  return Number.isNaN(time) ? key : short.format(time)
}

/** Names columns with `nameOf`, and adds the year to columns of another year than the last column's. */
export function withYears(
  nameOf: (key: string) => string,
  columns: readonly Pick<Column, 'key'>[],
): (key: string) => string {
  const last = yearOf(columns.at(-1)?.key ?? '')
  return (key) => {
    const [name, year] = [nameOf(key), yearOf(key)]
    return year === undefined || year === last || name.includes(year) ? name : `${name} ${year}`
  }
}

const yearOf = (key: string): string | undefined => /^(\d{4})-/.exec(key)?.[1]

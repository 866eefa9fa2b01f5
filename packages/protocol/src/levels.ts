import { type Field, field } from './fields.ts'

/** The levels (3.1), from good to bad. When levels are compared, `info` is no worse than `ok` (D27). */
export const levels = ['ok', 'info', 'warn', 'bad'] as const
export type Level = (typeof levels)[number]

/** A field for a level. An unknown level is read as `info` (2.1). */
export const level: Field<Level> = field(
  (v) =>
    v === undefined || v === null ? undefined : (levels as readonly unknown[]).includes(v) ? (v as Level) : 'info',
  { enum: levels },
)

/** The weight of each level: ok = info < warn < bad (D27). */
export const rank: Readonly<Record<Level, number>> = { ok: 0, info: 0, warn: 1, bad: 2 }

/** The worst of several levels, `info` being worse than `ok` here; `ok` for an empty list. */
export const worst = (all: readonly Level[]): Level =>
  all.reduce<Level>((a, b) => (rank[b] > rank[a] || (rank[b] === rank[a] && a === 'ok') ? b : a), 'ok')

import { type Field, field } from './fields.ts'

/** The levels (3.1), from good to bad. Where levels are compared, `info` counts as equal to `ok` (D27). */
export const levels = ['ok', 'info', 'warn', 'bad'] as const
export type Level = (typeof levels)[number]

/** A field for a level. An unknown level is read as `info` (2.1). */
export const level: Field<Level> = field(
  (v) =>
    v === undefined || v === null ? undefined : (levels as readonly unknown[]).includes(v) ? (v as Level) : 'info',
  { enum: levels },
)

/** The weight of each level: ok = info < warn < bad (D27). */
export const levelRank: Readonly<Record<Level, number>> = { ok: 0, info: 0, warn: 1, bad: 2 }

/**
 * Returns the worst of several levels; `ok` for an empty list. If there are only `ok` and `info`, the result is `info`.
 */
export const worstLevel = (all: readonly Level[]): Level =>
  all.reduce<Level>(
    (a, b) => (levelRank[b] > levelRank[a] || (levelRank[b] === levelRank[a] && a === 'ok') ? b : a),
    'ok',
  )

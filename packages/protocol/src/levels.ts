import { type Field, field } from './fields.ts'

/** 3.1, from good to bad; `info` weighs no more than `ok` when levels are compared for better or worse (D27). */
export const levels = ['ok', 'info', 'warn', 'bad'] as const
export type Level = (typeof levels)[number]

/** 2.1: an unknown level is read as `info`. */
export const level: Field<Level> = field(
  (v) =>
    v === undefined || v === null ? undefined : (levels as readonly unknown[]).includes(v) ? (v as Level) : 'info',
  { enum: levels },
)

/** D27: ok = info < warn < bad. */
export const rank: Readonly<Record<Level, number>> = { ok: 0, info: 0, warn: 1, bad: 2 }

/** The worst of several levels; `ok` of none. */
export const worst = (all: readonly Level[]): Level =>
  all.reduce<Level>((a, b) => (rank[b] > rank[a] || (rank[b] === rank[a] && a === 'ok') ? b : a), 'ok')

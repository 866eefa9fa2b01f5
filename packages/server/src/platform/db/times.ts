/** The conditions about stored times in SQL, with the rule of `times.ts` in packages/protocol. */
import { latestDeadline } from '@svc/protocol'
import { type RawBuilder, sql } from 'kysely'

/**
 * The condition that a deadline lies ahead, and not farther than one of the length `fullMs` can. The columns of the
 * accounts library hold dates.
 */
export function liesAhead(
  column: string,
  now: number,
  fullMs: number,
  form: 'number' | 'date' = 'number',
): RawBuilder<boolean> {
  const [from, to] = [now, latestDeadline(now, fullMs)].map((at) => (form === 'date' ? new Date(at) : at))
  return sql<boolean>`(${sql.ref(column)} > ${from} and ${sql.ref(column)} <= ${to})`
}

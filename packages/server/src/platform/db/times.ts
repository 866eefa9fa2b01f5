/** SQL conditions for stored times, with the same rules as `times.ts` in packages/protocol. */
import { latestDeadline } from '@svc/protocol'
import { type RawBuilder, sql } from 'kysely'

/**
 * The condition that a deadline is in the future, but not farther ahead than a deadline of the length `fullMs` can be.
 * `form` is `date` for columns of the accounts library.
 */
export function isAheadSql(
  column: string,
  now: number,
  fullMs: number,
  form: 'number' | 'date' = 'number',
): RawBuilder<boolean> {
  const [from, to] = [now, latestDeadline(now, fullMs)].map((at) => (form === 'date' ? new Date(at) : at))
  return sql<boolean>`(${sql.ref(column)} > ${from} and ${sql.ref(column)} <= ${to})`
}

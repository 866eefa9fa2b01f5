/** The conditions about stored times in SQL, with the rule of `times.ts` in packages/protocol. */
import { latestDeadline } from '@svc/protocol'
import { type RawBuilder, sql } from 'kysely'

/** The condition that a deadline lies ahead, and not farther than one of the length `fullMs` can. */
export const liesAhead = (column: string, now: number, fullMs: number): RawBuilder<boolean> =>
  sql<boolean>`(${sql.ref(column)} > ${now} and ${sql.ref(column)} <= ${latestDeadline(now, fullMs)})`

/** The activity of a workspace as its page shows it. */

import { setImmediate } from 'node:timers/promises'
import type { AuditEntry } from '@svc/api'
import { wordSearch } from '@svc/api/filter'
import type { ExpressionBuilder } from 'kysely'
import type { Db } from '../../platform/db/open.ts'
import type { AuditRow, Tables } from '../../platform/db/tables.ts'
import { shortValues } from './short.ts'

export interface ActivityFilter {
  /** Only lines before this time, in Unix milliseconds. */
  before: number
  /** Only lines from this time on, in Unix milliseconds. */
  since: number
  /** Only what the person of exactly this name did, as the lines have it. */
  by?: string | undefined
  /** Only kinds of actions that begin with one of these words, such as `command,log`. */
  kind?: string | undefined
  /** Words that must all occur in a line, ignoring case. */
  text?: string | undefined
}

/** The number of lines that are searched in one turn of the event loop. */
const atOnce = 500

/** The lines that fit a filter, newest first, at most `limit`. */
export async function activityOf(
  db: Db,
  workspace: { id: string },
  { before, since, by, kind, text }: ActivityFilter,
  limit: number,
): Promise<AuditEntry[]> {
  const hasAll = wordSearch(text ?? '')
  const kinds = kind?.split(',').filter((one) => /^[a-z]+$/.test(one))
  const newest = db
    .selectFrom('audit')
    .selectAll()
    .where('workspace_id', '=', workspace.id)
    .where('at', '<', before)
    .where('at', '>=', since)
    .$if(by !== undefined, (q) => q.where('actor', '=', by ?? ''))
    .$if(kinds !== undefined, (q) =>
      q.where((eb) => eb.or((kinds ?? []).map((one) => eb('action', 'like', `${one}.%`)))),
    )
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
  if (text === undefined) return (await newest.limit(limit).execute()).map(entryOf)
  const found: AuditRow[] = []
  for (let last: AuditRow | undefined; ; ) {
    const rows = await (last ? newest.where(isAfter(last)) : newest).limit(atOnce).execute()
    found.push(...rows.filter((row) => hasAll(textsIn(row))))
    if (found.length >= limit || rows.length < atOnce) return found.slice(0, limit).map(entryOf)
    last = rows.at(-1)
    await setImmediate()
  }
}

const isAfter =
  ({ at, id }: AuditRow) =>
  (eb: ExpressionBuilder<Tables, 'audit'>) =>
    eb.or([eb('at', '<', at), eb.and([eb('at', '=', at), eb('id', '<', id)])])

const textsIn = ({ actor, action, subject, details }: AuditRow): unknown[] => [
  ...[actor, action, action.replaceAll(/[._]/g, ' '), subject],
  ...valuesIn(JSON.parse(details)),
]

/** The texts, numbers and other plain values in a JSON value, without the names of its fields. */
const valuesIn = (value: unknown): unknown[] =>
  typeof value === 'object' && value !== null ? Object.values(value).flatMap(valuesIn) : [value]

const entryOf = ({ id, at, actor, action, subject, details }: AuditRow): AuditEntry => ({
  id,
  at,
  actor,
  action,
  subject,
  details: shortValues(JSON.parse(details) as Record<string, unknown>).values,
})

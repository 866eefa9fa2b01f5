/** The activity of a workspace, for its page and the operator's command. */

import { setImmediate } from 'node:timers/promises'
import type { AuditEntry } from '@svc/api'
import { wordSearch } from '@svc/api/filter'
import type { ExpressionBuilder } from 'kysely'
import { isKindOfActivity } from '../../people/audit/kinds.ts'
import { csvOf } from '../../platform/csv.ts'
import type { Db } from '../../platform/db/open.ts'
import type { AuditRow, Tables } from '../../platform/db/tables.ts'
import { shortValues } from './short.ts'

export interface ActivityFilter {
  /** Only lines before this time, in Unix milliseconds. */
  before: number
  /** Only lines from this time on, in Unix milliseconds. */
  since: number
  /** The name of the person whose lines are wanted, exactly as the lines have it. */
  by?: string | undefined
  /** Kinds of actions, or the beginnings of kinds, separated by commas, such as `log,agent.created`. */
  kind?: string | undefined
  /** Words that must all occur in a line, ignoring case. */
  text?: string | undefined
}

/** The number of lines that are searched in one turn of the event loop. */
const linesAtOnce = 500

/** The lines that fit a filter as the page shows them, newest first, at most `limit`. */
export const readActivity = async (
  db: Db,
  workspace: { id: string },
  filter: ActivityFilter,
  limit: number,
): Promise<AuditEntry[]> => (await activityRows(db, workspace, filter, limit)).map(entryOf)

/** The maximum number of lines of a download, and of characters in it. */
const maxExported = { lines: 10_000, characters: 8 * 1024 * 1024 } as const

/** The newest lines that fit a filter, as CSV. Times are UTC, in ISO form. */
export async function activityCsv(
  db: Db,
  workspace: { id: string },
  filter: ActivityFilter,
  max: { readonly lines: number; readonly characters: number } = maxExported,
): Promise<string> {
  let csv = csvOf([['time', 'who', 'action', 'subject', 'details']])
  let lines = 0
  for await (const rows of linesInTurns(db, workspace, filter)) {
    const wanted = rows.slice(0, max.lines - lines).map(entryOf)
    lines += wanted.length
    csv += csvOf(
      wanted.map(({ at, actor, action, subject, details }) => [
        ...[new Date(at).toISOString(), actor, action, subject],
        Object.keys(details).length === 0 ? undefined : JSON.stringify(details),
      ]),
    ).slice(1)
    if (lines >= max.lines || csv.length >= max.characters) break
  }
  return csv
}

/** The lines that fit a filter, newest first, at most `limit`. With the id null, lines that belong to no workspace. */
export async function activityRows(
  db: Db,
  workspace: { id: string | null },
  filter: ActivityFilter,
  limit?: number,
): Promise<AuditRow[]> {
  if (filter.text === undefined)
    return newestLines(db, workspace, filter)
      .$if(limit !== undefined, (q) => q.limit(limit ?? 0))
      .execute()
  const found: AuditRow[] = []
  for await (const rows of linesInTurns(db, workspace, filter)) {
    found.push(...rows)
    if (found.length >= (limit ?? Infinity)) break
  }
  return found.slice(0, limit)
}

/** The lines that fit a filter, newest first. Each turn of the event loop searches `linesAtOnce` lines. */
async function* linesInTurns(
  db: Db,
  workspace: { id: string | null },
  filter: ActivityFilter,
): AsyncGenerator<AuditRow[]> {
  const newest = newestLines(db, workspace, filter)
  const hasAll = filter.text === undefined ? undefined : wordSearch(filter.text)
  for (let last: AuditRow | undefined; ; ) {
    const rows = await (last ? newest.where(isAfter(last)) : newest).limit(linesAtOnce).execute()
    yield hasAll ? rows.filter((row) => hasAll(textsIn(row))) : rows
    if (rows.length < linesAtOnce) return
    last = rows.at(-1)
    await setImmediate()
  }
}

/** The lines that fit a filter apart from its `text`, newest first. */
function newestLines(
  db: Db,
  { id: workspaceId }: { id: string | null },
  { before, since, by, kind }: Omit<ActivityFilter, 'text'>,
) {
  const kinds = kind?.split(',').filter(isKindOfActivity)
  return db
    .selectFrom('audit')
    .selectAll()
    .where('workspace_id', workspaceId === null ? 'is' : '=', workspaceId)
    .where('at', '<', before)
    .where('at', '>=', since)
    .$if(by !== undefined, (q) => q.where('actor', '=', by ?? ''))
    .$if(kinds !== undefined, (q) =>
      q.where((eb) =>
        eb.or(
          (kinds ?? []).map((one) => (one.includes('.') ? eb('action', '=', one) : eb('action', 'like', `${one}.%`))),
        ),
      ),
    )
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
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

/** Reads words of agents for messages about them, from the body of their last report. */
import { otherItems } from '@svc/api'
import { cut, limits, type Report, shortened } from '@svc/protocol'
import { storedReport } from '../fleet/reports/body.ts'
import { maxItemName } from '../fleet/reports/signs.ts'
import type { Db } from '../platform/db/open.ts'
import type { AlertRow } from '../platform/db/tables.ts'
import { needsFact } from './rules/rules.ts'

type AlertSubjectColumns = Pick<AlertRow, 'rule' | 'subject_id'>

/**
 * Reads the words in which an agent describes its present level. Null if the agent's last report has no such words, or
 * if the alert is not about the agent's level.
 */
export async function agentsOwnWords(db: Db, about: AlertSubjectColumns): Promise<string | null> {
  if (!needsFact(about.rule, 'level')) return null
  return (await lastReport(db, about))?.state?.detail ?? null
}

/**
 * Returns a function that reads the words in which an agent describes a bad health item, as short as a label. Null if
 * the last report has no such words; undefined if the alert is not about a single item. Consecutive calls about one
 * agent read its report once.
 */
export function itemWordsIn(
  db: Db,
): (about: AlertSubjectColumns & Pick<AlertRow, 'item'>) => Promise<string | null | undefined> {
  let last: { of: string; bad: ReturnType<typeof badItems> } | undefined
  return async (about) => {
    if (about.rule !== 'item' || about.item === otherItems) return undefined
    if (last?.of !== about.subject_id) last = { of: about.subject_id, bad: badItems(await lastReport(db, about)) }
    return last.bad.get(about.item) ?? null
  }
}

/** The bad health items of a report, by the names that their alerts have, with the agent's words about them. */
export function badItems(report: Pick<Report, 'health'> | undefined): Map<string, string | null> {
  const bad = new Map<string, string | null>()
  for (const { name = '', level, detail } of report?.health ?? []) {
    const item = cut(name, maxItemName)
    if (level === 'bad' && !bad.has(item)) bad.set(item, detail ? shortened(detail, limits.label) : null)
  }
  return bad
}

/** True if the agent's last report has the health item that an alert is about, at whatever level. */
export async function isItemReported(db: Db, about: AlertSubjectColumns & Pick<AlertRow, 'item'>): Promise<boolean> {
  const { health = [] } = (await lastReport(db, about)) ?? {}
  return health.some(({ name = '' }) => cut(name, maxItemName) === about.item)
}

async function lastReport(db: Db, { subject_id }: AlertSubjectColumns): Promise<Report | undefined> {
  const row = await db.selectFrom('agent_report').select('body').where('agent_id', '=', subject_id).executeTakeFirst()
  return row && storedReport(row.body)
}

/**
 * Delays alerts of rules that the previous version of the service does not know. While nodes of both versions run, no
 * alert of such a rule opens, since the older node could neither list nor word it. The migration that adds a rule notes
 * in `agreed` the time from which its alerts may open, under the name `alerts from RULE` and in Unix milliseconds.
 */
import type { RuleName } from '@svc/api'
import type { Db } from '../../platform/db/open.ts'
import type { SetRule } from '../store.ts'

const prefix = 'alerts from '

/** Reads the names of the rules whose alerts may not open yet. */
export async function rulesToCome(db: Db, now: number): Promise<ReadonlySet<string>> {
  const rows = await db.selectFrom('agreed').selectAll().where('name', 'like', `${prefix}%`).execute()
  return new Set(rows.filter(({ value }) => now < Number(value)).map(({ name }) => name.slice(prefix.length)))
}

/** The rules as they are set, with those that are still `toCome` switched off. */
export function withoutRulesToCome(
  rules: (name: RuleName) => SetRule,
  toCome: ReadonlySet<string>,
): (name: RuleName) => SetRule {
  return (name) => (toCome.has(name) ? { ...rules(name), on: false } : rules(name))
}

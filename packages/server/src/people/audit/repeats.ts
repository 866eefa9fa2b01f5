/**
 * Keeps lines of the activity that say nothing new from piling up: when a person repeats one thing many times in a
 * minute, the last line counts the further times.
 */
import type { Db } from '../../platform/db/open.ts'
import { ordinary } from './kinds.ts'

/** The number of equal lines of a person in a minute; further ones are counted in the last of them. */
const maxEqual = 10
const withinMs = 60_000
/** The number of latest lines about the same thing among which equal ones are looked for. */
const looksAt = 100

interface Repeated {
  workspaceId: string | null
  at: number
  by: { id: string | null }
  action: string
  subject: string
  details: Record<string, unknown>
}

/** Counts the action in an earlier line if enough equal lines were written in the last minute. False if it needs its own. */
export async function isCounted(db: Db, { workspaceId, at, by, action, subject, details }: Repeated): Promise<boolean> {
  if (by.id === null || !ordinary.includes(action)) return false
  const latest = await db
    .selectFrom('audit')
    .select(['id', 'workspace_id', 'details'])
    .where('actor_id', '=', by.id)
    .where('at', '>', at - withinMs)
    .where('action', '=', action)
    .where('subject', '=', subject)
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(looksAt)
    .execute()
  const facts = factsOf(details)
  const equal = latest.filter((row) => row.workspace_id === workspaceId && factsOf(JSON.parse(row.details)) === facts)
  const [last] = equal
  if (!last || equal.length < maxEqual) return false
  const { times = 1 } = JSON.parse(last.details) as { times?: number }
  await db
    .updateTable('audit')
    .set({ details: JSON.stringify({ ...details, times: times + 1 }) })
    .where('id', '=', last.id)
    .execute()
  return true
}

/** The details that say something new: not when a mute ends, and not how often. */
const factsOf = ({ until: _, times: __, ...facts }: Record<string, unknown>): string => JSON.stringify(facts)

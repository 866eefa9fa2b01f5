/**
 * Limits how many lines of the audit trail a person's actions can fill, by mistake or on purpose. Beyond the limit, old
 * lines are replaced ("folded") by one line per workspace and kind of action, which counts them. Lines about the most
 * frequent actions are folded first, so lines about rare ones stay. Evidence (kinds.ts) has a higher limit of its own,
 * and a limit for each day.
 */
import { sql } from 'kysely'
import { type Attempt, attemptOrThrow } from '../../platform/attempt.ts'
import type { Db } from '../../platform/db/open.ts'
import type { AuditRow } from '../../platform/db/tables.ts'
import { transaction } from '../../platform/db/transaction.ts'
import { newId } from '../../platform/ids.ts'
import { dayMs } from '../../platform/limits/units.ts'
import { foldableKinds } from './kinds.ts'

/** The two groups of a person's lines, each with a limit of its own: ordinary actions and evidence. */
type Room = 'ordinary' | 'evidence'

interface FoldLimits {
  /** The number of lines of a person that are left after a fold. */
  kept: number
  /** The number of lines beyond `kept` that a person may have without a fold, so that folds are rare. */
  slack: number
}
/** The limits for each group of a person's lines. */
export const foldLimits: Readonly<Record<Room, FoldLimits>> = {
  ordinary: { kept: 10_000, slack: 1_000 },
  evidence: { kept: 100_000, slack: 1_000 },
}
/** The maximum number of lines of evidence that a person can write with one operation in a day. */
export const maxEvidence = 10_000
const linesAtOnce = 1000
/** If a person has at least this many lines about one action and subject, they are folded before all others. */
const manyOfOne = 100
/** The kind of a line that sums up others. */
export const foldedAction = 'activity.folded'

export async function foldActivity(
  db: Db,
  {
    limits = foldLimits,
    attempt = attemptOrThrow,
  }: { limits?: Readonly<Record<Room, FoldLimits>>; attempt?: Attempt } = {},
): Promise<void> {
  for (const room of ['ordinary', 'evidence'] as const) {
    const { kept, slack } = limits[room]
    const all = await db
      .selectFrom('audit')
      .select((eb) => ['actor_id', eb.fn.countAll<number>().as('lines')])
      .where('actor_id', 'is not', null)
      .where(isIn(room))
      .groupBy('actor_id')
      .having((eb) => eb.fn.countAll(), '>', kept + slack)
      .execute()
    for (const { actor_id: actorId, lines } of all)
      if (actorId !== null)
        await attempt(`${room} ${actorId}`, () => foldLines(db, { actorId, room, excess: Number(lines) - kept }))
  }
}

const isIn = (room: Room) =>
  sql<boolean>`${sql.ref('action')} ${sql.raw(room === 'ordinary' ? 'in' : 'not in')} (${sql.join(foldableKinds)})`

/** True if a person has written as many lines of these kinds in the last day as a person may write. */
export async function isEvidenceFull(
  db: Db,
  personId: string,
  kinds: readonly string[],
  { now, max = maxEvidence }: { now: number; max?: number },
): Promise<boolean> {
  if (kinds.length === 0) return false
  const last = await db
    .selectFrom('audit')
    .select('at')
    .where('actor_id', '=', personId)
    .where('at', '>', now - dayMs)
    .where('action', 'in', kinds)
    .orderBy('at', 'desc')
    .offset(max - 1)
    .limit(1)
    .executeTakeFirst()
  return last !== undefined
}

interface ExcessLines {
  actorId: string
  room: Room
  /** The number of lines to remove. */
  excess: number
}

/**
 * Folds lines of a person until the excess is gone: first lines about an action that was repeated many times on one
 * object, and then lines of the most frequent kind of action. So lines about rare actions and objects stay.
 */
async function foldLines(db: Db, { actorId, room, excess }: ExcessLines): Promise<void> {
  let left = excess
  while (left > 0) {
    const next =
      (await findLargestGroup(db, { actorId, room, by: 'subject' })) ??
      (await findLargestGroup(db, { actorId, room, by: 'kind' }))
    if (!next) return
    const { action, subject, above } = next
    const folded = await foldOldest(db, { actorId, action, subject, count: Math.min(left, linesAtOnce, above) })
    if (folded <= 0) return
    left -= folded
  }
}

interface LargestGroup {
  action: string
  subject?: string | undefined
  /** The number of lines to fold: the group's excess over the next largest one, or a tenth of the group if more. */
  above: number
}

/**
 * The kind of action with the most lines, or, by subject, the pair of action and subject with the most lines if these
 * are at least `manyOfOne`. Undefined if there is no such group.
 */
async function findLargestGroup(
  db: Db,
  { actorId, room, by }: { actorId: string; room: Room; by: 'subject' | 'kind' },
): Promise<LargestGroup | undefined> {
  const [most, next] = await db
    .selectFrom('audit')
    .select((eb) => ['action', eb.fn.min('subject').as('subject'), eb.fn.countAll<number>().as('lines')])
    .where('actor_id', '=', actorId)
    .where('action', '!=', foldedAction)
    .where(isIn(room))
    .groupBy(by === 'subject' ? ['action', 'subject'] : ['action'])
    .orderBy('lines', 'desc')
    .orderBy('action')
    .limit(2)
    .execute()
  if (!most || (by === 'subject' && Number(most.lines) < manyOfOne)) return undefined
  const share = Math.floor(Number(most.lines) / 10)
  const above = Math.max(1, share, Number(most.lines) - Number(next?.lines ?? 0))
  return { action: most.action, above, ...(by === 'subject' && { subject: most.subject }) }
}

interface OldestLines {
  actorId: string
  action: string
  /** The subject of the lines; missing if it does not matter. */
  subject: string | undefined
  count: number
}

/**
 * Replaces the `count` + 1 oldest lines of a person about one kind of action, and the lines that already sum up this
 * kind, by one line per workspace. Returns by how much the number of lines has decreased.
 */
function foldOldest(db: Db, { actorId, action, subject, count }: OldestLines): Promise<number> {
  return transaction(db, async (trx) => {
    const own = trx.selectFrom('audit').where('actor_id', '=', actorId)
    const oldest = own
      .select('id')
      .where('action', '=', action)
      .$if(subject !== undefined, (query) => query.where('subject', '=', subject ?? ''))
      .orderBy('at')
      .orderBy('id')
      .limit(count + 1)
    const rows = await trx.deleteFrom('audit').where('id', 'in', oldest).returningAll().execute()
    const sums = await own.selectAll().where('action', '=', foldedAction).execute()
    const before = sums.filter(({ details }) => kindOf(details) === action).map(({ id }) => id)
    if (before.length > 0)
      rows.push(...(await trx.deleteFrom('audit').where('id', 'in', before).returningAll().execute()))
    const groups = [...Map.groupBy(rows, ({ workspace_id }) => workspace_id).values()]
    for (const group of groups) await trx.insertInto('audit').values(lineFor(group, action)).execute()
    return rows.length - groups.length
  })
}

/** The kind of action that a line sums up; undefined for a line of an earlier version, which summed up all kinds. */
const kindOf = (details: string): string | undefined => (JSON.parse(details) as { kind?: string }).kind

function lineFor(rows: readonly AuditRow[], kind: string): AuditRow {
  const last = rows.reduce((a, b) => (b.at > a.at ? b : a))
  const sums = rows.map(({ action, at, details }) =>
    action === foldedAction ? (JSON.parse(details) as { lines: number; since: number }) : { lines: 1, since: at },
  )
  const lines = sums.reduce((sum, each) => sum + each.lines, 0)
  const since = Math.min(...sums.map((each) => each.since))
  const { workspace_id, at, actor_id, actor } = last
  const subject = `${lines} lines`
  const details = JSON.stringify({ lines, since, kind })
  return { id: newId(at), workspace_id, at, actor_id, actor, action: foldedAction, subject, details }
}

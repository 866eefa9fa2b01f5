/**
 * Limits how many lines of the audit trail are stored about each person's actions. Beyond the limit, the oldest lines
 * are replaced ("folded") by one line per workspace and kind of action that says how many there were. So a person who acts without end, by
 * mistake or on purpose, cannot fill the disk.
 */
import type { Db } from '../../platform/db/open.ts'
import type { AuditRow } from '../../platform/db/tables.ts'
import { transaction } from '../../platform/db/transaction.ts'
import { newId } from '../../platform/ids.ts'

interface FoldLimits {
  /** The number of a person's newest lines in the audit trail that are never folded. */
  kept: number
  /**
   * The number of a person's lines beyond `kept` that may exist before the oldest lines are folded, so that not every
   * new line causes a fold.
   */
  slack: number
}
export const inForce: FoldLimits = { kept: 10_000, slack: 1_000 }
const atOnce = 1000
export const folded = 'activity.folded'

export async function foldActivity(db: Db, limits: FoldLimits = inForce): Promise<void> {
  const all = await db
    .selectFrom('audit')
    .select((eb) => ['actor_id', eb.fn.countAll<number>().as('lines')])
    .where('actor_id', 'is not', null)
    .groupBy('actor_id')
    .having((eb) => eb.fn.countAll(), '>', limits.kept + limits.slack)
    .execute()
  for (const { actor_id, lines } of all)
    if (actor_id !== null) await foldLines(db, actor_id, Number(lines) - limits.kept)
}

/**
 * Folds lines of a person until `excess` are gone, always of the kind of action that has the most. So somebody who
 * repeats one action removes only lines about that action, and lines about rare ones, such as new tokens, stay.
 */
async function foldLines(db: Db, actorId: string, excess: number): Promise<void> {
  let left = excess
  while (left > 0) {
    const [most, next] = await db
      .selectFrom('audit')
      .select((eb) => ['action', eb.fn.countAll<number>().as('lines')])
      .where('actor_id', '=', actorId)
      .where('action', '!=', folded)
      .groupBy('action')
      .orderBy('lines', 'desc')
      .orderBy('action')
      .limit(2)
      .execute()
    if (!most) return
    const above = Math.max(1, Number(most.lines) - Number(next?.lines ?? 0))
    const gone = await foldOldest(db, { actorId, action: most.action, count: Math.min(left, atOnce, above) })
    if (gone <= 0) return
    left -= gone
  }
}

interface Oldest {
  actorId: string
  action: string
  count: number
}

/**
 * Replaces the `count` + 1 oldest lines of a person about one kind of action by one line per workspace, together with
 * the line that summed up earlier ones. Returns by how much the number of lines has decreased. Two nodes never replace
 * the same line.
 */
function foldOldest(db: Db, { actorId, action, count }: Oldest): Promise<number> {
  return transaction(db, async (trx) => {
    const own = trx.selectFrom('audit').where('actor_id', '=', actorId)
    const oldest = own
      .select('id')
      .where('action', '=', action)
      .orderBy('at')
      .orderBy('id')
      .limit(count + 1)
    const rows = await trx.deleteFrom('audit').where('id', 'in', oldest).returningAll().execute()
    const sums = await own.selectAll().where('action', '=', folded).execute()
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
    action === folded ? (JSON.parse(details) as { lines: number; since: number }) : { lines: 1, since: at },
  )
  const lines = sums.reduce((sum, each) => sum + each.lines, 0)
  const since = Math.min(...sums.map((each) => each.since))
  const { workspace_id, at, actor_id, actor } = last
  const subject = `${lines} lines`
  const details = JSON.stringify({ lines, since, kind })
  return { id: newId(at), workspace_id, at, actor_id, actor, action: folded, subject, details }
}

/**
 * Limits how many lines of the audit trail are stored about each person's actions. Beyond the limit, the oldest lines
 * are replaced ("folded") by one line per workspace that says how many there were. So a person who acts without end, by
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
  for (const { actor_id, lines } of all) {
    let excess = Number(lines) - limits.kept
    while (actor_id !== null && excess > 0) {
      const gone = await foldOldest(db, actor_id, Math.min(excess, atOnce))
      if (gone === 0) break
      excess -= gone
    }
  }
}

/**
 * Replaces the `count` + 1 oldest lines of a person in the audit trail by one line per workspace. Returns by how much
 * the number of lines has decreased. Two nodes never replace the same line.
 */
function foldOldest(db: Db, actorId: string, count: number): Promise<number> {
  return transaction(db, async (trx) => {
    const oldest = trx
      .selectFrom('audit')
      .select('id')
      .where('actor_id', '=', actorId)
      .orderBy('at')
      .orderBy('id')
      .limit(count + 1)
    const rows = await trx.deleteFrom('audit').where('id', 'in', oldest).returningAll().execute()
    const groups = [...Map.groupBy(rows, ({ workspace_id }) => workspace_id).values()]
    for (const group of groups) await trx.insertInto('audit').values(lineFor(group)).execute()
    return rows.length - groups.length
  })
}

function lineFor(rows: readonly AuditRow[]): AuditRow {
  const last = rows.reduce((a, b) => (b.at > a.at ? b : a))
  const sums = rows.map(({ action, at, details }) =>
    action === folded ? (JSON.parse(details) as { lines: number; since: number }) : { lines: 1, since: at },
  )
  const lines = sums.reduce((sum, each) => sum + each.lines, 0)
  const since = Math.min(...sums.map((each) => each.since))
  const { workspace_id, at, actor_id, actor } = last
  const subject = `${lines} lines`
  const details = JSON.stringify({ lines, since })
  return { id: newId(at), workspace_id, at, actor_id, actor, action: folded, subject, details }
}

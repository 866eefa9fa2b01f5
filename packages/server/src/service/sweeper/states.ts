/** Limits the stored states of agents: level changes, pauses and times offline. */
import { type Level, levels, pausedLabel } from '@svc/protocol'
import { stateDays } from '../../fleet/agents/offline.ts'
import { lockAgent } from '../../fleet/commands/lock.ts'
import type { Attempt } from '../../platform/attempt.ts'
import type { Db } from '../../platform/db/open.ts'
import { transaction } from '../../platform/db/transaction.ts'
import { dayMs, dayNumber } from '../../platform/limits/units.ts'

/**
 * `kept` is the maximum number of level changes of an agent. If there are more, all but the newest `unfolded` are
 * folded.
 */
const maxLevels = { kept: 5000, unfolded: 4000 } as const
const levelsAtOnce = 5000
const maxOffline = 5000

/** Limits the stored states of some agents, after it has added what nodes of earlier versions did not store. */
export async function boundStates(db: Db, ids: readonly string[], now: number, attempt: Attempt): Promise<void> {
  await noteFirstReports(db, ids, attempt)
  await notePauses(db, ids, attempt)
  await eraseOldStates(db, ids, now - stateDays * dayMs, attempt)
  for (const id of await agentsWithTooMany(db, 'level_change', ids, maxLevels.kept))
    await attempt(`levels ${id}`, () => foldLevels(db, id))
  for (const id of await agentsWithTooMany(db, 'agent_offline', ids, maxOffline))
    await attempt(`times offline ${id}`, () => eraseOldestOffline(db, id))
}

/** The agents that have more than `max` rows in a table. */
export async function agentsWithTooMany(
  db: Db,
  table: 'usage_day' | 'level_change' | 'agent_offline' | 'command',
  ids: readonly string[],
  max: number,
): Promise<string[]> {
  const rows = await db
    .selectFrom(table)
    .select('agent_id')
    .where('agent_id', 'in', ids)
    .groupBy('agent_id')
    .having((eb) => eb.fn.countAll(), '>', max)
    .execute()
  return rows.map((row) => row.agent_id)
}

/**
 * Sets `first_report_at` of agents whose first report arrived at a node of an earlier version. It becomes the time of
 * the oldest level change or of the last report, whichever is earlier. Each agent has its own statement, so that it
 * cannot deadlock with a batch of reports.
 */
async function noteFirstReports(db: Db, ids: readonly string[], attempt: Attempt): Promise<void> {
  const unknown = await db
    .selectFrom('agent')
    .innerJoin('agent_report', 'agent_report.agent_id', 'agent.id')
    .select(['agent.id', 'agent_report.received_at'])
    .where('agent.id', 'in', ids)
    .where('first_report_at', 'is', null)
    .execute()
  for (const { id, received_at } of unknown)
    await attempt(`first report ${id}`, async () => {
      const oldest = db.selectFrom('level_change').select('at').where('agent_id', '=', id).orderBy('at').limit(1)
      const first_report_at = Math.min((await oldest.executeTakeFirst())?.at ?? received_at, received_at)
      await db.updateTable('agent').set({ first_report_at }).where('id', '=', id).execute()
    })
}

/**
 * Adds a row for each pause that began or ended without a change of level, for which nodes of an earlier version wrote
 * none. The row has the time of the last report, because the true time is not known.
 */
async function notePauses(db: Db, ids: readonly string[], attempt: Attempt): Promise<void> {
  for (const id of (await missedPauses(db, ids)).map((row) => row.agent_id))
    await attempt(`pauses ${id}`, () => transaction(db, (trx) => notePausesInTransaction(trx, id)))
}

async function notePausesInTransaction(trx: Db, id: string): Promise<void> {
  // A report may have written the row meanwhile, so the missed pauses are read again under the lock.
  await lockAgent(trx, id)
  for (const { agent_id, received_at: at, level, label } of await missedPauses(trx, [id]))
    if (level !== null)
      await trx
        .insertInto('level_change')
        .values({ agent_id, at, level, label, paused: label === pausedLabel ? 1 : 0 })
        .execute()
}

/** The agents whose last level change is from an earlier version, and disagrees with their last report on a pause. */
async function missedPauses(db: Db, ids: readonly string[]) {
  const rows = await db
    .selectFrom('agent_report as r')
    .innerJoin('level_change as l', (join) =>
      join.on('l.seq', '=', (eb) =>
        eb
          .selectFrom('level_change as other')
          .select('other.seq')
          .whereRef('other.agent_id', '=', 'r.agent_id')
          .orderBy('other.at', 'desc')
          .orderBy('other.seq', 'desc')
          .limit(1),
      ),
    )
    .select(['r.agent_id', 'r.received_at', 'r.level', 'r.label', 'l.label as noted'])
    .where('r.agent_id', 'in', ids)
    .where('r.level', 'is not', null)
    .where('l.paused', 'is', null)
    .execute()
  return rows.filter(({ label, noted }) => (label === pausedLabel) !== (noted === pausedLabel))
}

/**
 * Erases states from before a time. The last level change before that time stays, because it says which level the agent
 * had at that time.
 */
async function eraseOldStates(db: Db, ids: readonly string[], before: number, attempt: Attempt): Promise<void> {
  const old = await db
    .selectFrom('level_change')
    .select(['agent_id', (eb) => eb.fn.max('at').as('last')])
    .where('agent_id', 'in', ids)
    .where('at', '<=', before)
    .groupBy('agent_id')
    .having((eb) => eb.fn.countAll(), '>', 1)
    .execute()
  const outdated = (id: string, last: number) =>
    db.deleteFrom('level_change').where('agent_id', '=', id).where('at', '<', last)
  for (const { agent_id: id, last } of old) await attempt(`old levels ${id}`, () => outdated(id, last).execute())
  await db
    .deleteFrom('agent_offline')
    .where('agent_id', 'in', ids)
    .where('from_at', '<=', before)
    .where('until_at', '<=', before)
    .execute()
}

async function eraseOldestOffline(db: Db, id: string): Promise<void> {
  const rows = db.selectFrom('agent_offline').select('from_at').where('agent_id', '=', id).orderBy('from_at', 'desc')
  const last = await rows.offset(maxOffline).limit(1).executeTakeFirst()
  if (last)
    await db.deleteFrom('agent_offline').where('agent_id', '=', id).where('from_at', '<=', last.from_at).execute()
}

/** Folds an agent's level changes except the newest ones. */
async function foldLevels(db: Db, id: string): Promise<void> {
  const changes = db.selectFrom('level_change').where('agent_id', '=', id)
  const newest = changes.select('at').orderBy('at', 'desc').orderBy('seq', 'desc')
  const { at } = (await newest.limit(1).offset(maxLevels.unfolded).executeTakeFirst()) ?? { at: 0 }
  const old = changes.select(['seq', 'at', 'level', 'paused']).where('at', '<=', at).orderBy('at').orderBy('seq')
  for (let gone = [0]; gone.length > 0; ) {
    const folded = foldedDays(await old.limit(levelsAtOnce).execute())
    gone = folded.gone
    for (const [seq, at] of folded.moved)
      await db.updateTable('level_change').set({ at }).where('seq', '=', seq).execute()
    if (gone.length > 0) await db.deleteFrom('level_change').where('seq', 'in', gone).execute()
  }
}

interface KeptLevel {
  seq: number
  at: number
  level: Level
  paused: number | null
}

/**
 * Folds level changes, which are sorted by time. Each day (UTC) then shows its worst level from its beginning on; this
 * may be the level from the day before. The last change of a day moves to the beginning of the next day, except on the
 * last day, because further changes may follow.
 */
export function foldedDays(changes: readonly KeptLevel[]): { gone: number[]; moved: Map<number, number> } {
  const gone: number[] = []
  const moved = new Map<number, number>()
  const move = (change: KeptLevel, at: number): KeptLevel => {
    if (change.at !== at) moved.set(change.seq, at)
    return { ...change, at }
  }
  const drop = ({ seq }: KeptLevel) => {
    gone.push(seq)
    moved.delete(seq)
  }
  const days = [...Map.groupBy(changes, ({ at }) => dayNumber(at))]
  let before: KeptLevel | undefined
  for (const [i, [day, changed]] of days.entries()) {
    const worst = changed.reduce((a, b) => (rankOf(b) > rankOf(a) ? b : a))
    const last = changed.at(-1) ?? worst
    // If a change is at the very beginning of the day, the level before it had no time on that day.
    const begins = (changed[0]?.at ?? 0) > day * dayMs ? before : undefined
    const shown = begins && rankOf(begins) > rankOf(worst) ? begins : worst
    const isKept = last !== shown && (last.level !== shown.level || last.paused !== shown.paused)
    for (const change of changed) if (change !== shown && !(isKept && change === last)) drop(change)
    if (shown === worst && before?.at === day * dayMs) drop(before)
    const start = shown === worst ? move(worst, day * dayMs) : shown
    if (!isKept) before = start
    else before = i === days.length - 1 ? last : move(last, (day + 1) * dayMs)
  }
  return { gone, moved }
}

const rankOf = ({ level }: KeptLevel): number => levels.indexOf(level)

/** Reads the alerts of the last days for a timeline. */
import { setImmediate } from 'node:timers/promises'
import type { AlertBar, AlertTimeline } from '@svc/api'
import type { Db } from '../../platform/db/open.ts'
import { dayMs } from '../../platform/limits/units.ts'
import { type AlertsWanted, hasWords, isWanted } from './alerts-wanted.ts'

/**
 * The maximum number of alerts in a timeline, and the number that is read at a time. Pages and reports are answered in
 * between.
 */
const [maxBars, barsAtOnce] = [5000, 200]

/** The alerts of a workspace that were open within the last days. */
export async function alertTimeline(
  db: Db,
  { id: scope }: { id: string },
  { days, now, ...wanted }: AlertsWanted & { days: number; now: number },
): Promise<AlertTimeline> {
  const since = now - days * dayMs
  const bars: AlertBar[] = []
  const isFound = hasWords(wanted)
  for (const isOpen of [true, false]) {
    for (let after: ReadRow | undefined, rest = true; rest && bars.length <= maxBars; ) {
      const rows = await rowsAfter(db, { scope, isOpen, since, wanted, after })
      bars.push(...rows.filter(isFound).map(barOf))
      after = rows.at(-1)
      rest = rows.length === barsAtOnce
      await setImmediate()
    }
  }
  return { rows: bars.slice(0, maxBars), more: bars.length > maxBars }
}

interface BarsWanted {
  scope: string
  isOpen: boolean
  since: number
  wanted: AlertsWanted
  after: { id: string; ended_at: number | null } | undefined
}

type ReadRow = Awaited<ReturnType<typeof rowsAfter>>[number]

/** The next alerts after `after`: ended ones in the order of their ends, open ones in the order of their ids. */
const rowsAfter = (db: Db, { scope, isOpen, since, wanted, after }: BarsWanted) =>
  db
    .selectFrom('alert')
    .leftJoin('agent', (join) => join.onRef('agent.id', '=', 'subject_id').on('subject_kind', '=', 'agent'))
    .select(['alert.id', 'rule', 'alert.level', 'subject_kind', 'subject_name', 'item', 'opened_at', 'ended_at'])
    .select(['agent.name as agentName', 'alert.label', 'agents'])
    .where('scope', '=', scope)
    .where('opened_at', 'is not', null)
    .where(isWanted(wanted))
    .where('ended_at', isOpen ? 'is' : 'is not', null)
    .$if(!isOpen, (query) => query.where('ended_at', '>', since))
    .$if(after !== undefined, (query) =>
      query.where((eb) => {
        const isOlder = eb('alert.id', '<', after?.id ?? '')
        if (isOpen) return isOlder
        const ended = after?.ended_at ?? 0
        // The first condition is redundant, but an index can use it.
        return eb.and([eb('ended_at', '<=', ended), eb.or([eb('ended_at', '<', ended), isOlder])])
      }),
    )
    .orderBy('ended_at', 'desc')
    .orderBy('alert.id', 'desc')
    .limit(barsAtOnce)
    .execute()

function barOf({ id, rule, level, subject_kind: kind, subject_name, item, opened_at, ended_at, agentName }: ReadRow) {
  return {
    id,
    rule,
    level,
    subject: { kind, name: agentName ?? subject_name, ...(item !== '' && { item }) },
    openedAt: opened_at ?? 0,
    endedAt: ended_at,
    ...(kind === 'agent' && agentName === null && { gone: true as const }),
  }
}

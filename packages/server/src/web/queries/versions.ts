/** The numbers of agents by version and day, as they were counted (fleet/versions/days.ts). */
import type { VersionDays } from '@svc/api'
import type { Db } from '../../platform/db/open.ts'
import { dayMs, dayNumber } from '../../platform/limits/units.ts'
import { byText } from '../../platform/lists.ts'

/**
 * The last days of one blueprint: the named one or, without a name, that of the most agents on the last day counted.
 */
export async function versionDaysOf(
  db: Db,
  workspace: { id: string },
  { days, blueprint }: { days: number; blueprint?: string | undefined },
  now: number,
): Promise<VersionDays> {
  const counted = db
    .selectFrom('version_day')
    .where('workspace_id', '=', workspace.id)
    .where('day', '>', dayNumber(now) - days)
  const sums = await counted
    .select(({ fn }) => ['blueprint', 'day', fn.sum<number | string>('agents').as('agents')])
    .groupBy(['blueprint', 'day'])
    .orderBy('day')
    .execute()
  const latest = new Map(sums.map((row) => [row.blueprint, { day: row.day, agents: Number(row.agents) }]))
  const blueprints = [...latest]
    .sort(([a, one], [b, other]) => other.day - one.day || other.agents - one.agents || byText(a, b))
    .map(([name]) => name)
  const shown = blueprint !== undefined && latest.has(blueprint) ? blueprint : (blueprints[0] ?? null)
  const rows =
    shown === null
      ? []
      : await counted.select(['day', 'version', 'agents']).where('blueprint', '=', shown).orderBy('day').execute()
  return {
    now,
    blueprint: shown,
    blueprints,
    days: [...Map.groupBy(rows, ({ day }) => day)].map(([day, versions]) => ({
      date: new Date(day * dayMs).toISOString().slice(0, 10),
      agents: Object.fromEntries(versions.map(({ version, agents }) => [version, Number(agents)])),
    })),
  }
}

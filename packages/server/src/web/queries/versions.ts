/** The numbers of agents by version and day: those of today, and of earlier days as they were counted. */
import type { VersionDays } from '@svc/api'
import { versionCounts } from '../../fleet/versions/days.ts'
import type { Db } from '../../platform/db/open.ts'
import { dayMs, dayNumber } from '../../platform/limits/units.ts'
import { byText } from '../../platform/lists.ts'

/**
 * The last days of the named blueprint. If it had no agents on these days, or none is named, the blueprint with the
 * most agents on the latest day is taken.
 */
export async function readVersionDays(
  db: Db,
  workspace: { id: string },
  { days, blueprint }: { days: number; blueprint?: string | undefined },
  now: number,
): Promise<VersionDays> {
  const today = dayNumber(now)
  const present = Map.groupBy(await versionCounts(db, workspace.id), (count) => count.blueprint)
  const counted = db
    .selectFrom('version_day')
    .where('workspace_id', '=', workspace.id)
    .where('day', '>', today - days)
    .where('day', '<', today)
  const sums = await counted
    .select(({ fn }) => ['blueprint', 'day', fn.sum<number | string>('agents').as('agents')])
    .groupBy(['blueprint', 'day'])
    .orderBy('day')
    .execute()
  const latest = new Map(sums.map((row) => [row.blueprint, { day: row.day, agents: Number(row.agents) }]))
  for (const [name, counts] of present)
    latest.set(name, { day: today, agents: counts.reduce((sum, { agents }) => sum + agents, 0) })
  const blueprints = [...latest]
    .sort(([a, one], [b, other]) => other.day - one.day || other.agents - one.agents || byText(a, b))
    .map(([name]) => name)
  const shown = blueprint !== undefined && latest.has(blueprint) ? blueprint : (blueprints[0] ?? null)
  const rows =
    shown === null
      ? []
      : await counted.select(['day', 'version', 'agents']).where('blueprint', '=', shown).orderBy('day').execute()
  if (shown !== null) rows.push(...(present.get(shown) ?? []).map((count) => ({ ...count, day: today })))
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

/**
 * The numbers of agents by blueprint version and day (UTC). Once an hour the agents of each workspace are counted for
 * the present day. A count replaces the earlier count of its day, so any node may count, and counting twice does no
 * harm.
 */
import type { VersionDays } from '@svc/api'
import { type Attempt, attemptOrThrow } from '../../platform/attempt.ts'
import type { Db } from '../../platform/db/open.ts'
import { betweenTransactions, transaction } from '../../platform/db/transaction.ts'
import { dayMs, dayNumber } from '../../platform/limits/units.ts'
import { byText, piecesOf } from '../../platform/lists.ts'

/** The number of days for which the counts are kept. */
export const keptVersionDays = 400
/** The maximum number of versions of a blueprint with a separate count. The most frequent versions get one. */
const maxVersions = 50
/** The version under which the agents of all other versions are counted, and agents whose version is not known. */
const otherVersions = ''

interface VersionCount {
  readonly blueprint: string
  readonly version: string
  readonly agents: number
}

/**
 * The maximum number of counts that one statement stores. A database limits the number of parameters of a statement.
 */
const storedAtOnce = 500

/** Counts and stores the versions of all workspaces. */
export async function countVersions(db: Db, now: number, attempt: Attempt = attemptOrThrow): Promise<void> {
  const workspaces = await db.selectFrom('workspace').select('id').orderBy('id').execute()
  for (const { id } of workspaces) {
    await attempt(id, async () => {
      const counts = await versionCounts(db, id)
      await transaction(db, (trx) => store(trx, id, dayNumber(now), counts))
    })
    await betweenTransactions(db)
  }
}

const mostFrequentOfEach = (counts: readonly VersionCount[]): VersionCount[] =>
  [...Map.groupBy(counts, ({ blueprint }) => blueprint).values()].flatMap(mostFrequent)

/** The number of agents that one statement counts, which takes about 8 ms. */
const countedAtOnce = 10_000

/**
 * The agents of a workspace by blueprint and by the version that they run, the most frequent versions first. Agents
 * without a blueprint are not counted. One statement counts `atOnce` agents.
 */
export async function versionCounts(
  db: Db,
  workspaceId: string,
  atOnce: number = countedAtOnce,
): Promise<VersionCount[]> {
  const counts = new Map<string, VersionCount>()
  for (let after: string | undefined = ''; after !== undefined; ) {
    const last: string | undefined = await lastCounted(db, workspaceId, { after, atOnce })
    for (const count of await countsBetween(db, workspaceId, { after, last })) {
      const key = JSON.stringify([count.blueprint, count.version])
      counts.set(key, { ...count, agents: count.agents + (counts.get(key)?.agents ?? 0) })
    }
    after = last
    await betweenTransactions(db)
  }
  return mostFrequentOfEach([...counts.values()])
}

/**
 * The name of the last agent that the next statement counts; undefined if that statement counts all remaining agents.
 */
async function lastCounted(
  db: Db,
  workspaceId: string,
  { after, atOnce }: { after: string; atOnce: number },
): Promise<string | undefined> {
  const query = db.selectFrom('agent').select('name').where('workspace_id', '=', workspaceId).where('name', '>', after)
  const last = query
    .orderBy('name')
    .offset(atOnce - 1)
    .limit(1)
  return (await last.executeTakeFirst())?.name
}

interface NameRange {
  after: string
  last: string | undefined
}

async function countsBetween(db: Db, workspaceId: string, { after, last }: NameRange): Promise<VersionCount[]> {
  const rows = await db
    .selectFrom('agent')
    .select(({ fn }) => [
      'blueprint',
      fn.coalesce('reported_version', 'installed_version').as('version'),
      fn.countAll<number | string>().as('agents'),
    ])
    .where('workspace_id', '=', workspaceId)
    .where('name', '>', after)
    .$if(last !== undefined, (q) => q.where('name', '<=', last ?? ''))
    .where('blueprint', 'is not', null)
    .groupBy(['blueprint', ({ fn }) => fn.coalesce('reported_version', 'installed_version')])
    .execute()
  return rows.flatMap(({ blueprint, version, agents }) =>
    blueprint === null ? [] : [{ blueprint, version: version ?? otherVersions, agents: Number(agents) }],
  )
}

/** The counts of a blueprint. All versions except the most frequent ones are combined into one count. */
export function mostFrequent(counts: readonly VersionCount[]): VersionCount[] {
  const ordered = counts.toSorted((a, b) => b.agents - a.agents || byText(a.version, b.version))
  const [first] = ordered
  const named = ordered.filter(({ version }) => version !== otherVersions).slice(0, maxVersions)
  const rest = ordered.reduce((sum, count) => (named.includes(count) ? sum : sum + count.agents), 0)
  return first && rest > 0 ? [...named, { blueprint: first.blueprint, version: otherVersions, agents: rest }] : named
}

async function store(trx: Db, workspaceId: string, day: number, counts: readonly VersionCount[]): Promise<void> {
  await trx.deleteFrom('version_day').where('workspace_id', '=', workspaceId).where('day', '=', day).execute()
  for (const piece of piecesOf(counts, storedAtOnce))
    await trx
      .insertInto('version_day')
      .values(piece.map((count) => ({ workspace_id: workspaceId, day, ...count })))
      .onConflict((conflict) =>
        conflict
          .columns(['workspace_id', 'day', 'blueprint', 'version'])
          .doUpdateSet((eb) => ({ agents: eb.ref('excluded.agents') })),
      )
      .execute()
}

/**
 * The numbers of agents by version on the last days of the named blueprint; those of today are counted now. If the
 * blueprint had no agents on these days, or none is named, the blueprint with the most agents on the latest day is
 * taken.
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

/** The tags of agents. Filters read them from the rows of the fleet's list. */
import type { TaggedAgent } from '@svc/api'
import { changedTags, maxTags, type TagChange } from '@svc/api/filter'
import { shown, type Verdict } from '@svc/protocol'
import { type RawBuilder, sql } from 'kysely'
import type { ChangeContext } from '../../people/audit/by.ts'
import { audit } from '../../people/audit/store.ts'
import { lockWorkspace } from '../../people/workspaces/lock.ts'
import { isPostgres } from '../../platform/db/engine.ts'
import type { Db } from '../../platform/db/open.ts'
import { betweenTransactions, type RunInTransaction, transaction } from '../../platform/db/transaction.ts'
import { piecesOf } from '../../platform/lists.ts'
import { done, refuse } from '../../platform/verdict.ts'

type TagsWanted = { agents: readonly string[] } & TagChange
/** The agents after a change of their tags. */
export interface TagResult {
  /** The named agents, sorted by name, without those that `tagAgents` skipped. */
  agents: TaggedAgent[]
  /** The ids of the agents whose tags changed. */
  changed: string[]
}
type TagRefusal = 'agent_unknown' | 'tags_too_many'

/** The number of agents whose tags are read or written in one transaction, so that reports do not wait long. */
const agentsAtOnce = 250

/**
 * Adds tags to agents and removes others. If one of the agents is unknown or would have too many tags, nothing is
 * changed. Many agents are changed in several transactions, which skip an agent that was deleted meanwhile, or got
 * other tags and would now have too many.
 */
export async function tagAgents(
  { db, by, now }: Omit<ChangeContext, 'db'> & { db: Db | RunInTransaction },
  workspace: { id: string },
  wanted: TagsWanted,
): Promise<Verdict<TagResult, TagRefusal>> {
  if (wanted.agents.length <= agentsAtOnce)
    return transaction(db, async (trx) => {
      // The lock makes changes of tags follow one another, so that two of them together cannot exceed the maximum.
      await lockWorkspace(trx, workspace.id)
      const after = await changedBy(trx, workspace, wanted, { lock: true })
      if (!after.ok) return after
      await write(trx, after.value, wanted)
      await note({ db: trx, by, now }, workspace, after.value.filter(isChanged), wanted)
      return done(taggedOf(after.value))
    })
  const planned = await changedBy(db, workspace, wanted, { lock: false })
  if (!planned.ok) return planned
  const changing = planned.value.filter(isChanged)
  const written: ChangedTags[] = []
  for (const [i, piece] of piecesOf(changing, agentsAtOnce).entries()) {
    await betweenTransactions(db)
    const done = await transaction(db, async (trx) => {
      await lockWorkspace(trx, workspace.id)
      const found = await changedIn(trx, await named(trx, workspace, namesOf(piece), { lock: true }), wanted)
      const fitting = found.filter(({ tags }) => tags.length <= maxTags)
      await write(trx, fitting, wanted)
      if (i === 0) await note({ db: trx, by, now }, workspace, changing, wanted)
      return fitting
    })
    written.push(...done)
  }
  return done(taggedOf([...planned.value.filter((agent) => !isChanged(agent)), ...written]))
}

const taggedOf = (after: readonly ChangedTags[]): TagResult => ({
  agents: byName(after),
  changed: idsOf(after.filter(isChanged)),
})

async function write(trx: Db, after: readonly ChangedTags[], { add = [], remove = [] }: TagsWanted): Promise<void> {
  await take(trx, idsOf(after.filter(isLosing)), remove)
  await give(trx, idsOf(after.filter(isGaining)), add)
}

/**
 * Writes one line to the activity for the whole change. The line names the agent or, if there are several, says how
 * many.
 */
async function note(
  { db, by, now }: ChangeContext,
  workspace: { id: string },
  changing: readonly ChangedTags[],
  { add, remove }: TagsWanted,
): Promise<void> {
  const [first] = changing
  if (!first) return
  const subject = changing.length === 1 ? `agent ${first.name}` : `${changing.length} agents`
  const details = { agents: changing.length, add: sortTags(add), remove: sortTags(remove) }
  await audit(db, { workspaceId: workspace.id, at: now, by, action: 'agent.tagged', subject, details })
}

/** The tags that agents would have after a change, sorted by name. Changes nothing. */
export async function previewTags(
  on: Db | RunInTransaction,
  workspace: { id: string },
  wanted: TagsWanted,
): Promise<Verdict<TaggedAgent[], TagRefusal>> {
  const after = await changedBy(on, workspace, wanted, { lock: false })
  return after.ok ? done(byName(after.value)) : after
}

interface NamedAgent {
  id: string
  name: string
}

interface ChangedTags extends TaggedAgent {
  id: string
  before: readonly string[]
}

const isLosing = ({ before, tags }: ChangedTags): boolean => before.some((tag) => !tags.includes(tag))
const isGaining = ({ before, tags }: ChangedTags): boolean => tags.some((tag) => !before.includes(tag))
const isChanged = (agent: ChangedTags): boolean => isLosing(agent) || isGaining(agent)

/** Computes which tags the named agents have after a change, or why the change is refused. */
async function changedBy(
  on: Db | RunInTransaction,
  workspace: { id: string },
  { agents: wanted, ...change }: TagsWanted,
  how: { lock: boolean },
): Promise<Verdict<ChangedTags[], TagRefusal>> {
  const names = [...new Set(wanted)]
  const after: ChangedTags[] = []
  for (const piece of piecesOf(names, agentsAtOnce)) {
    const read = (db: Db) => named(db, workspace, piece, how).then((found) => changedIn(db, found, change))
    after.push(...(await transaction(on, read)))
    await betweenTransactions(on)
  }
  const known = new Set(namesOf(after))
  const stranger = names.find((name) => !known.has(name))
  if (stranger !== undefined)
    return refuse('agent_unknown', `There is no agent ${shown(stranger)} in the workspace. Nothing was changed.`)
  const full = after.filter(({ tags }) => tags.length > maxTags)
  return full.length > 0 ? tooMany(full) : done(after)
}

async function changedIn(db: Db, found: readonly NamedAgent[], change: TagChange): Promise<ChangedTags[]> {
  const tagsBefore = await readTags(db, idsOf(found))
  return found.map(({ id, name }) => {
    const before = tagsBefore.get(id) ?? []
    return { id, name, before, tags: changedTags(before, change) }
  })
}

const byName = (agents: readonly TaggedAgent[]): TaggedAgent[] =>
  agents.map(({ name, tags }) => ({ name, tags })).sort((a, b) => (a.name < b.name ? -1 : 1))

const sortTags = (tags: readonly string[] = []): string[] => changedTags([], { add: tags })

export const tagNewAgent = (trx: Db, { id }: { id: string }, tags: readonly string[]): Promise<void> =>
  give(trx, [id], tags)

/** The sorted tags of agents by id. An agent without tags is not in the map. */
export async function readTags(db: Db, ids: readonly string[]): Promise<Map<string, string[]>> {
  const tags = new Map<string, string[]>()
  if (ids.length === 0) return tags
  const rows = await db.selectFrom('agent_tag').select(['agent_id', 'tag']).where('agent_id', 'in', ids).execute()
  for (const { agent_id, tag } of rows) {
    const own = tags.get(agent_id)
    if (own) own.push(tag)
    else tags.set(agent_id, [tag])
  }
  for (const own of tags.values()) own.sort()
  return tags
}

/**
 * Finds agents by their names. `lock` locks them until the transaction ends, by ascending id. Reports lock agents in
 * the same order, so a change of tags and a report cannot deadlock.
 */
function named(
  db: Db,
  workspace: { id: string },
  names: readonly string[],
  { lock }: { lock: boolean },
): Promise<NamedAgent[]> {
  const rows = db
    .selectFrom('agent')
    .select(['id', 'name'])
    .where('workspace_id', '=', workspace.id)
    .where('name', 'in', names)
    .orderBy('id')
  return (lock && isPostgres(db) ? rows.forUpdate() : rows).execute()
}

async function take(trx: Db, ids: readonly string[], tags: readonly string[]): Promise<void> {
  if (ids.length === 0 || tags.length === 0) return
  await trx.deleteFrom('agent_tag').where('agent_id', 'in', ids).where('tag', 'in', tags).execute()
}

/** Adds each tag to each agent that does not have it. */
async function give(trx: Db, ids: readonly string[], tags: readonly string[]): Promise<void> {
  const [first, ...others] = [...new Set(tags)]
  if (ids.length === 0 || first === undefined) return
  const rows = others.reduce<RawBuilder<unknown>>(
    (all, tag) => sql`${all} union all select ${tag}`,
    sql`select cast(${first} as text) as tag`,
  )
  await sql`insert into agent_tag (agent_id, tag)
    select agent.id, given.tag from agent cross join (${rows}) as given
    where agent.id in (${sql.join(ids)}) order by agent.id
    on conflict do nothing`.execute(trx)
}

const namesOf = (rows: readonly { name: string }[]): string[] => rows.map(({ name }) => name)
const idsOf = (rows: readonly { id: string }[]): string[] => rows.map(({ id }) => id)

function tooMany(full: readonly TaggedAgent[]) {
  const [first, ...others] = full
  const what =
    others.length === 0
      ? `The agent ${first?.name} would have ${first?.tags.length} tags`
      : `${full.length} agents would have too many tags, for example ${first?.name} with ${first?.tags.length}`
  return refuse('tags_too_many', `${what}; an agent has at most ${maxTags}. Remove others first. Nothing was changed.`)
}

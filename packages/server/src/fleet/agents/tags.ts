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
import { transaction } from '../../platform/db/transaction.ts'
import { done, refuse } from '../../platform/verdict.ts'

type TagsWanted = { agents: readonly string[] } & TagChange
type TagRefusal = 'agent_unknown' | 'tags_too_many'

/**
 * Gives tags to agents and takes others from them, with the same number of statements for any number of agents. If one
 * of the agents is unknown or would have too many tags, nothing is changed. Returns all named agents, sorted by name,
 * and the ids of those whose tags changed.
 */
export const tagAgents = (
  { db, by, now }: ChangeContext,
  workspace: { id: string },
  wanted: TagsWanted,
): Promise<Verdict<{ agents: TaggedAgent[]; changed: string[] }, TagRefusal>> =>
  transaction(db, async (trx) => {
    // The lock makes changes of tags follow one another, so that two of them together cannot exceed the maximum.
    await lockWorkspace(trx, workspace.id)
    const after = await changedBy(trx, workspace, wanted, { lock: true })
    if (!after.ok) return after
    const losing = after.value.filter(({ before, tags }) => before.some((tag) => !tags.includes(tag)))
    const gaining = after.value.filter(({ before, tags }) => tags.some((tag) => !before.includes(tag)))
    await take(trx, idsOf(losing), wanted.remove ?? [])
    await give(trx, idsOf(gaining), wanted.add ?? [])
    const changed = [...new Set([...losing, ...gaining])]
    const [first, ...others] = changed
    if (first) {
      const subject = others.length === 0 ? `agent ${first.name}` : `${changed.length} agents`
      const details = { agents: changed.length, add: sorted(wanted.add), remove: sorted(wanted.remove) }
      await audit(trx, { workspaceId: workspace.id, at: now, by, action: 'agent.tagged', subject, details })
    }
    return done({ agents: byName(after.value), changed: idsOf(changed) })
  })

/** The tags that agents would have after a change, sorted by name. Changes nothing. */
export async function previewTags(
  db: Db,
  workspace: { id: string },
  wanted: TagsWanted,
): Promise<Verdict<TaggedAgent[], TagRefusal>> {
  const after = await changedBy(db, workspace, wanted, { lock: false })
  return after.ok ? done(byName(after.value)) : after
}

interface ChangedTags extends TaggedAgent {
  id: string
  before: readonly string[]
}

/** Decides which tags the named agents have after a change, or why it is refused. */
async function changedBy(
  db: Db,
  workspace: { id: string },
  { agents: names, ...change }: TagsWanted,
  { lock }: { lock: boolean },
): Promise<Verdict<ChangedTags[], TagRefusal>> {
  const found = await named(db, workspace, names, lock)
  const known = new Set(found.map(({ name }) => name))
  const stranger = names.find((name) => !known.has(name))
  if (stranger !== undefined)
    return refuse('agent_unknown', `There is no agent ${shown(stranger)} in the workspace. Nothing was changed.`)
  const had = await tagsOf(db, idsOf(found))
  const after = found.map(({ id, name }) => {
    const before = had.get(id) ?? []
    return { id, name, before, tags: changedTags(before, change) }
  })
  const full = after.filter(({ tags }) => tags.length > maxTags)
  return full.length > 0 ? tooMany(full) : done(after)
}

const byName = (agents: readonly TaggedAgent[]): TaggedAgent[] =>
  agents.map(({ name, tags }) => ({ name, tags })).sort((a, b) => (a.name < b.name ? -1 : 1))

const sorted = (tags: readonly string[] = []): string[] => changedTags([], { add: tags })

/** Gives tags to a new agent. */
export const tagNewAgent = (trx: Db, { id }: { id: string }, tags: readonly string[]): Promise<void> =>
  give(trx, [id], tags)

/** The sorted tags of agents by id. An agent without tags is not in the map. */
export async function tagsOf(db: Db, ids: readonly string[]): Promise<Map<string, string[]>> {
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
 * Finds agents by their names, and may lock them until the transaction ends. They are locked by ascending id, as reports
 * do, so that the two cannot deadlock.
 */
function named(db: Db, workspace: { id: string }, names: readonly string[], lock: boolean) {
  const rows = db
    .selectFrom('agent')
    .select(['id', 'name'])
    .where('workspace_id', '=', workspace.id)
    .where('name', 'in', [...new Set(names)])
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

const idsOf = (rows: readonly { id: string }[]): string[] => rows.map(({ id }) => id)

function tooMany(full: readonly TaggedAgent[]) {
  const [first, ...others] = full
  const what =
    others.length === 0
      ? `The agent ${first?.name} would have ${first?.tags.length} tags`
      : `${full.length} agents would have too many tags, for example ${first?.name} with ${first?.tags.length}`
  return refuse('tags_too_many', `${what}; an agent has at most ${maxTags}. Remove others first. Nothing was changed.`)
}

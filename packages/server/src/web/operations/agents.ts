/** Carries out the operations on agents, and on the views of their list. */
import { agents, views } from '@svc/api'
import type { FilterTerm, Grouping } from '@svc/api/filter'
import { createAgent, deleteAgent, renameAgent, rotateToken } from '../../fleet/agents/store.ts'
import { previewTags, type TagResult, tagAgents } from '../../fleet/agents/tags.ts'
import { readViews, removeView, setView } from '../../fleet/views/store.ts'
import { countHaltedRollouts } from '../../updates/rollouts/store.ts'
import type { FleetCache } from '../live/fleet.ts'
import { agentPage } from '../queries/agent.ts'
import { filterOf } from '../queries/filter.ts'
import { fleetFacets, fleetNames, fleetPage, type OneGroup, workspaceTurns } from '../queries/fleet.ts'
import { fleetGroups, fleetMap, mapJson } from '../queries/groups.ts'
import { jobRuns } from '../queries/job-runs.ts'
import { readRuns, runsCsv } from '../queries/runs.ts'
import { usagePerDay } from '../queries/usage.ts'
import { maxListBytes, SlicedAnswer } from '../routing/bounded.ts'
import { bindChange, bindLongChange, bindReading } from '../routing/operations.ts'

const bytes = new TextEncoder()

/** The rows of a workspace. They may lack costs unless the order or a term of the filter needs them. */
async function rowsFor(fleet: FleetCache, workspaceId: string, filter: readonly FilterTerm[], byCost = false) {
  if (byCost || filter.some(({ key }) => key === 'cost' || key === 'cost30'))
    return { rows: await fleet.read(workspaceId), costsPending: false }
  return fleet.readRows(workspaceId)
}

/** The group that a request names. Without a value, it is the group of the agents that have no value. */
const groupOf = (asked: { group: Grouping | undefined; in: string | undefined }): OneGroup | undefined =>
  asked.group && { by: asked.group, value: asked.in ?? null }

export const agentOperations = [
  bindReading(agents.fleet, async ({ deps: { live, store }, workspace: { id }, now }, asked) => {
    const { sort, desc = false, offset, limit } = asked
    const filter = filterOf(asked)
    return live.answer(id, JSON.stringify(asked), async () => {
      const halted = await countHaltedRollouts(store.db, id)
      const query = { filter, group: groupOf(asked), sort, desc, offset, limit }
      const isByCost = sort === 'cost_today' || sort === 'cost_30'
      // The rows are read after the wait: costs that arrive during a wait would contradict `costsPending`.
      await workspaceTurns.next(id)
      const { rows, costsPending } = await rowsFor(live.fleet, id, filter, isByCost)
      return bytes.encode(
        JSON.stringify(await workspaceTurns.run(id, fleetPage(rows, query, { now, halted, costsPending }))),
      )
    })
  }),
  bindReading(agents.fleetGroups, ({ deps: { live }, workspace: { id }, now }, asked) => {
    const filter = filterOf(asked)
    return live.answer(id, `groups ${JSON.stringify(asked)}`, async () => {
      await workspaceTurns.next(id)
      const { rows } = await rowsFor(live.fleet, id, filter)
      return workspaceTurns.run(id, fleetGroups(rows, filter, asked.by, now))
    })
  }),
  bindReading(agents.fleetMap, ({ deps: { live }, workspace: { id }, now }, asked) => {
    const filter = filterOf(asked)
    return live.answer(id, `map ${JSON.stringify(asked)}`, async () => {
      await workspaceTurns.next(id)
      const { rows } = await rowsFor(live.fleet, id, filter)
      const map = await workspaceTurns.run(id, fleetMap(rows, filter, asked.by, now))
      const { json, leftOff } = await workspaceTurns.run(id, mapJson(map, maxListBytes))
      return new SlicedAnswer(bytes.encode(json), leftOff)
    })
  }),
  bindReading(agents.fleetFacets, async ({ deps: { live }, workspace: { id }, now }, asked) => {
    const filter = filterOf(asked)
    await workspaceTurns.next(id)
    const { rows } = await rowsFor(live.fleet, id, filter)
    return workspaceTurns.run(id, fleetFacets(rows, filter, now))
  }),
  bindReading(agents.fleetNames, async ({ deps: { live }, workspace: { id }, now }, asked) => {
    const filter = filterOf(asked)
    await workspaceTurns.next(id)
    const { rows } = await rowsFor(live.fleet, id, filter)
    return workspaceTurns.run(id, fleetNames(rows, { filter, group: groupOf(asked) }, now))
  }),
  bindChange(agents.createAgent, ({ workspace, ...ctx }, { name, tags }) => createAgent(ctx, workspace, name, tags), {
    answer: ({ agent, token }) => ({ name: agent.name, token }),
  }),
  bindReading(agents.showAgent, ({ deps, agent, role, now }) => agentPage(deps.store.db, agent, role, now)),
  bindChange(agents.renameAgent, ({ agent, ...ctx }, { name }) => renameAgent(ctx, agent, name), {
    answer: ({ name }) => ({ name }),
  }),
  bindChange(agents.deleteAgent, ({ agent, ...ctx }) => deleteAgent(ctx, agent), {
    answer: () => ({ ok: true }),
  }),
  bindChange(agents.rotateToken, ({ agent, ...ctx }) => rotateToken(ctx, agent), {
    answer: ({ agent, token }) => ({ name: agent.name, token }),
  }),
  bindLongChange(
    agents.tagAgents,
    ({ write, by, now, workspace }, wanted) => tagAgents({ db: write, by, now }, workspace, wanted),
    { agents: ({ changed }: TagResult) => changed, answer: ({ agents }: TagResult) => agents },
  ),
  bindLongChange(agents.previewTags, ({ write, workspace }, wanted) => previewTags(write, workspace, wanted)),
  bindReading(agents.runs, ({ deps, agent }, { offset, limit, ...filter }) =>
    readRuns(deps.store.db, agent, filter, { offset, limit }),
  ),
  bindReading(agents.exportRuns, async ({ deps, agent }, filter) => {
    const headers = {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="${agent.name}-runs.csv"`,
    }
    return new Response(await runsCsv(deps.store.db, agent, filter), { headers })
  }),
  bindReading(agents.jobRuns, ({ deps, agent }) => jobRuns(deps.store.db, agent)),
  bindReading(agents.usage, ({ deps, agent, now }, { days }) => usagePerDay(deps.store.db, agent, days, now)),
]

export const viewOperations = [
  bindReading(views.views, ({ deps, workspace, who }) => readViews(deps.store.db, workspace, who.person)),
  bindChange(
    views.setView,
    async ({ workspace, ...ctx }, wanted) => {
      filterOf({ q: wanted.q })
      return setView(ctx, workspace, wanted)
    },
    { made: ({ made }) => made, answer: ({ view }) => view },
  ),
  bindChange(views.removeView, ({ workspace, params, ...ctx }) => removeView(ctx, workspace, params.id)),
]

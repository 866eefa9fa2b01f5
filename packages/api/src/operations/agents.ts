/** Operations on agents, and on what they have reported. */
import { levels } from '@svc/protocol'
import type { AgentPage, JobRuns, NewToken, Runs, TaggedAgent, UsageDay } from '../answers/agents.ts'
import type { Fleet, FleetColumn, FleetFacets, FleetNames, FleetOrder } from '../answers/fleet.ts'
import type { FleetGroups, FleetMap } from '../answers/groups.ts'
import * as bounds from '../bounds.ts'
import { groupings } from '../filter/groups.ts'
import { maxTags } from '../filter/tags.ts'
import { count, list, object, optional, pasted, query, reportedText, wordOf, words, yesOrNo } from '../input.ts'
import { change, reading } from '../operation.ts'
import { agentArgument, tagsOption } from './arguments.ts'
import { maxBytesOfMany } from './many.ts'
import { optionalTagging, tag, tagging } from './tags.ts'

export const fleetSorts = ['name', 'level', 'seen', 'cost_today', 'cost_30', 'version'] as const
export const fleetOrders = [
  ...fleetSorts,
  ...fleetSorts.map((sort) => `-${sort}` as const),
] satisfies readonly FleetOrder[]
/** The columns of the list of agents, from the left. */
export const fleetColumns = [
  'state',
  'day',
  'doing',
  'tags',
  'host',
  'blueprint',
  'seen',
  'today',
  'month',
  'version',
  'runtime',
] as const satisfies readonly FleetColumn[]
const piece = { offset: count(1_000_000, 0), limit: count(200, 50) }
const named = object({ name: pasted() })
export const runSorts = ['started', 'cost', 'duration'] as const
const whichRuns = {
  id: reportedText,
  status: reportedText,
  model: reportedText,
  text: words,
  job: reportedText,
  sort: wordOf(runSorts, 'started'),
  rising: yesOrNo,
}

/**
 * The parameters that select agents: the filter, and the parameters of earlier versions. An agent must fit all of them.
 */
const whichAgents = {
  q: words,
  search: words,
  level: wordOf([...levels, 'never'], undefined),
  silent: yesOrNo,
  stopped: yesOrNo,
}
/** The parameters that limit the agents to one group. Without `in`, it is the group of agents that have no value. */
const oneGroup = { group: wordOf(groupings, undefined), in: reportedText }
export const fleet = reading<Fleet>()('GET /w/:slug/fleet', {
  says: 'list the agents of a workspace, page by page',
  input: query({
    ...whichAgents,
    sort: wordOf(fleetSorts, 'name'),
    desc: yesOrNo,
    ...piece,
    ...oneGroup,
  }),
})
export const fleetGroups = reading<FleetGroups>()('GET /w/:slug/fleet/groups', {
  says: 'count the agents that a filter selects by tag, host or blueprint, with the worst level of each group',
  input: query({ ...whichAgents, by: wordOf(groupings, 'tag') }),
})
export const fleetMap = reading<FleetMap>()('GET /w/:slug/fleet/map', {
  says: 'list the names and states of the agents that a filter selects, for the map',
  input: query({ ...whichAgents, by: wordOf(groupings, undefined) }),
})
export const fleetFacets = reading<FleetFacets>()('GET /w/:slug/fleet/facets', {
  says: 'list the most frequent tags, hosts, blueprints and versions of the agents that a filter selects',
  input: query(whichAgents),
})
export const fleetNames = reading<FleetNames>()('GET /w/:slug/fleet/names', {
  says: 'list the names of the agents that a filter selects, or of one group of them, up to 10,000',
  input: query({ ...whichAgents, ...oneGroup }),
})
export const createAgent = change<NewToken>()('POST /w/:slug/agents', {
  says: 'make an agent and show its token, once',
  input: object({ name: pasted(), tags: optional(list(tag, maxTags)) }),
  makes: true,
  audit: ['agent.created'],
  pages: ['list'],
  again: 'refused',
  adds: bounds.agents,
  command: { name: 'agent create', args: [agentArgument], options: [tagsOption] },
})
export const showAgent = reading<AgentPage>()('GET /w/:slug/agents/:name', {
  says: 'show an agent and its last report; for 90 days also by a name that it had before',
  oldNames: true,
})
export const renameAgent = change<{ name: string }>()('PATCH /w/:slug/agents/:name', {
  says: 'rename an agent; its token stays',
  input: named,
  audit: ['agent.renamed'],
  pages: ['list'],
  again: 'refused',
  adds: bounds.oldNames,
})
export const deleteAgent = change<{ ok: true }>()('DELETE /w/:slug/agents/:name', {
  says: 'delete an agent with its reports, runs, commands and logs',
  proof: true,
  audit: ['agent.deleted'],
  pages: ['list'],
  again: 'refused',
  adds: null,
  command: { name: 'agent delete', args: [agentArgument] },
})
export const rotateToken = change<NewToken>()('POST /w/:slug/agents/:name/token', {
  says: 'give an agent a new token and show it, once; the old one is refused from now on',
  proof: true,
  audit: ['agent.token_rotated'],
  pages: ['agent'],
  again: 'new',
  adds: null,
  command: { name: 'agent rotate', args: [agentArgument] },
})
export const tagAgents = change<TaggedAgent[]>()('POST /w/:slug/tags', {
  says: 'give agents tags and take tags from them; an agent has at most 20',
  input: tagging,
  maxBytes: maxBytesOfMany,
  audit: ['agent.tagged'],
  pages: ['report', 'agent'],
  again: 'same',
  adds: bounds.tags,
  command: {
    name: 'agent tag',
    args: [['<slug[/name]>', 'the workspace, with --filter; or the workspace and the name of one agent']],
    options: [
      ['--filter <filter>', 'the agents that a filter selects, as in svc-server agent list'],
      ['--expect <number>', 'with --filter: refuse unless it selects exactly this many agents'],
      ['--add <tags>', 'the tags to give: TAG,TAG…'],
      ['--remove <tags>', 'the tags to take: TAG,TAG…'],
    ],
  },
})
export const previewTags = change<TaggedAgent[]>()('POST /w/:slug/tags/preview', {
  says: 'preview a change of tags: the tags that each of the agents would have; without a change, those that it has',
  input: optionalTagging,
  maxBytes: maxBytesOfMany,
  large: 'refused',
  audit: { none: 'it changes nothing; it is a POST since its body may be large' },
  pages: { none: 'it changes nothing' },
  again: 'same',
  adds: null,
})
export const runs = reading<Runs>()('GET /w/:slug/agents/:name/runs', {
  says: 'list the kept runs of an agent, newest first unless another order is asked for',
  input: query({ ...whichRuns, ...piece }),
})
export const exportRuns = reading<string>()('GET /w/:slug/agents/:name/runs/export', {
  says: 'download kept runs of an agent as CSV',
  input: query(whichRuns),
})
export const jobRuns = reading<JobRuns[]>()('GET /w/:slug/agents/:name/jobs', {
  says: 'show the last 30 runs of each job of an agent, among its kept runs',
})
export const usage = reading<UsageDay[]>()('GET /w/:slug/agents/:name/usage', {
  says: 'show the runs, costs and tokens of an agent by day',
  input: query({ days: count(400, 30) }),
})

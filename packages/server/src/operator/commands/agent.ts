import { agentArgument, agents, type FleetGroup, slugArgument, views } from '@svc/api'
import { type Grouping, groupings } from '@svc/api/filter'
import { type Level, type StoppedBy, shown } from '@svc/protocol'
import type { WorkspaceInfo } from '../../people/workspaces/store.ts'
import type { StatusAge } from '../../web/queries/age.ts'
import type { listAgents } from '../../web/queries/agents.ts'
import { defineCommand, operationCommand } from '../shared/command.ts'
import { agentsToActOn, expectedIn, findByFilter, idleLines, withIdleTerms } from '../shared/filter.ts'
import { agentForm, findWorkspaceNamed, inWorkspace, onAgent, slugAndNameOf } from '../shared/params.ts'
import { perform } from '../shared/perform.ts'
import {
  argument,
  type CommandCall,
  grantedToOperator,
  listOption,
  option,
  rawArgument,
  rawOption,
  readTypedInput,
  UsageError,
} from '../shared/request.ts'
import { linesForMachine, oneSafeLine, tableText, timeText } from '../shared/show.ts'
import { wishText } from '../shared/updates.ts'

const stoppedBy: Readonly<Record<StoppedBy, string>> = { person: 'by a person', signal: 'by a signal' }

/**
 * The words for an agent's level, or `stopped` for an agent that was stopped (D66). If the agent's status file is old,
 * the time of the file is added. If the file is so late that lists count a warning, the level is at least `warn` (D65).
 */
function levelOf(a: { level: Level | null; stopped: StoppedBy | null } & StatusAge): string {
  if (a.stopped !== null) return 'stopped'
  const level = a.statusLate && a.level !== 'bad' ? 'warn' : (a.level ?? '-')
  return a.statusOld ? `${level} (status of ${timeText(a.statusAt)})` : level
}

/** The filter that `--filter` gives, or the one of the view that `--view` names. */
async function filterIn(call: CommandCall, workspace: { id: string }): Promise<string> {
  const { sharedView } = await import('../../fleet/views/store.ts')
  const [filter = '', view] = [rawOption(call, 'filter'), option(call, 'view')]
  if (view === undefined) return filter
  if (filter !== '') throw new UsageError('Give --filter or --view: a view has a filter of its own.')
  return grantedToOperator(await sharedView(call.store.db, workspace, view)).q
}

/** The fact by which agents are grouped, as the option `--group` names it. */
function groupingIn(call: CommandCall): Grouping | undefined {
  const typed = rawOption(call, 'group')
  if (typed === undefined) return undefined
  const by = groupings.find((one) => one === typed)
  if (by) return by
  throw new UsageError(`--group takes ${groupings.join(', ')}: got ${shown(typed)}.`)
}

/**
 * True if the rows are groups, for which `--group` asks. An empty list has neither groups nor agents, so the result is
 * false.
 */
const areGroups = (rows: readonly object[]): rows is readonly FleetGroup[] =>
  rows[0] !== undefined && 'worst' in rows[0]

const groupTable = (groups: readonly FleetGroup[]): string =>
  tableText(
    ['GROUP', 'AGENTS', 'WORST', 'BAD', 'OFFLINE', 'WARNING'],
    groups.map(({ value, agents, worst, counts: { bad, silent, warn } }) => [
      ...[value, agents, worst],
      ...[bad, silent, warn].map((number) => number || null),
    ]),
    'No agents.',
  )

type ListedAgent = Parameters<typeof levelOf>[0] & {
  name: string
  label: string | null
  version: string | null
  seenAt: number | null
}

const agentTable = (agents: readonly ListedAgent[]): string =>
  tableText(
    ['AGENT', 'LEVEL', 'STATE', 'VERSION', 'LAST REPORT'],
    agents.map((a) => [a.name, levelOf(a), a.label, a.version, timeText(a.seenAt)]),
    'No agents.',
  )

/** The agents that `SLUG/NAME` names, or that `--filter` selects in the workspace `SLUG`. */
async function tagged(call: CommandCall): Promise<{ workspace: WorkspaceInfo; names: string[]; idle: string[] }> {
  const filter = rawOption(call, 'filter')
  if (argument(call, 0).includes('/') === (filter !== undefined))
    throw new UsageError('Name one agent, or select agents: agent tag SLUG/NAME … or agent tag SLUG --filter FILTER …')
  expectedIn(call)
  if (filter === undefined) {
    const { workspace, agent } = await onAgent(call)
    return { workspace, names: [agent.name], idle: [] }
  }
  const { workspace } = await inWorkspace(call)
  return { workspace, ...(await agentsToActOn(call, workspace, filter, 'Nothing was changed.')) }
}

/** An agent as `agent list --json` and the assistant's tool `fleet` print it. */
export const listedAgent = (agent: Awaited<ReturnType<typeof listAgents>>['rows'][number]) => ({
  name: agent.name,
  seenAt: agent.received_at,
  level: agent.level,
  ...agent.age,
  stopped: agent.stopped,
  offline: agent.offline,
  label: agent.label,
  detail: agent.detail,
  version: agent.version,
  blueprint: agent.blueprint,
  host: agent.host,
  tags: agent.tags,
})

export const agentCommands = {
  ...operationCommand(agents.createAgent, {
    run: async (call) => {
      const { slug, name } = slugAndNameOf(argument(call, 0), agentForm)
      const workspace = await findWorkspaceNamed(call, slug)
      const wanted = readTypedInput(agents.createAgent, { name, tags: listOption(call, 'tags') })
      const { agent, token } = await perform(call, agents.createAgent, { workspace }, wanted)
      return { name: agent.name, token, url: call.config.baseUrl }
    },
    show: ({ name, token, url }) =>
      `Created the agent ${name}. Its token, shown this once:\n\n  ${token}\n\n${linesForMachine(url, `connect --url ${url}`)}`,
  }),
  'agent list': defineCommand({
    says: 'the agents of a workspace',
    args: [slugArgument],
    options: [
      ['--filter <filter>', 'only agents that this selects, such as "host:build-* level:bad"'],
      ['--view <name>', 'only agents of this view of the workspace, as svc-server view list shows it'],
      ['--group <fact>', `the number of these agents for each ${groupings.join(', ')}, instead of the agents`],
    ],
    at: inWorkspace,
    run: async (call, { workspace }) => {
      const { listAgents, listGroups } = await import('../../web/queries/agents.ts')
      const by = groupingIn(call)
      const filter = await filterIn(call, workspace)
      if (by) {
        const { rows, idle } = await findByFilter(filter, (q) =>
          listGroups(call.store.db, workspace, by, call.now(), q),
        )
        return withIdleTerms(rows, idle)
      }
      const all = await findByFilter(filter, (q) => listAgents(call.store.db, workspace, call.now(), q))
      const rows = all.rows.map(listedAgent)
      return withIdleTerms(rows, all.idle)
    },
    show: (rows) => (areGroups(rows) ? groupTable(rows) : agentTable(rows)) + idleLines(rows),
  }),
  'agent show': defineCommand({
    says: 'an agent and its last report',
    args: [agentArgument],
    at: onAgent,
    run: async ({ store, now }, { agent }) => {
      const { agentSnapshot } = await import('../../web/queries/agents.ts')
      return agentSnapshot(store.db, agent, now())
    },
    show: ({ name, tags, seenAt, version, report, updates, stopped, ...age }) =>
      [
        `${name}: ${levelOf({ level: report?.state?.level ?? null, stopped, ...age })} ${oneSafeLine(report?.state?.label ?? '')}`.trimEnd(),
        `last report ${timeText(seenAt)}, version ${oneSafeLine(version ?? '-')}`,
        ...(tags.length > 0 ? [`  tags ${tags.join(', ')}`] : []),
        ...(stopped === null ? [] : [`  stopped on its machine ${stoppedBy[stopped]}, ${timeText(seenAt)}`]),
        ...(age.statusOld && stopped === null
          ? [`  its status, runs in progress, gauges and panels are from ${timeText(age.statusAt)}`]
          : []),
        ...(updates.blueprint ? [`  blueprint ${updates.blueprint.blueprint}: ${wishText(updates.blueprint)}`] : []),
        `  runtime ${oneSafeLine(updates.runtime.running ?? '-')}: ${wishText(updates.runtime)}`,
        ...(report?.health ?? []).map(({ name, level, detail }) =>
          oneSafeLine(`  ${level ?? '-'} ${name} ${detail ?? ''}`),
        ),
        `${report?.runs?.length ?? 0} runs kept; the whole report: svc-server agent show … --json`,
      ].join('\n'),
  }),
  ...operationCommand(agents.tagAgents, {
    run: async (call) => {
      const { workspace, names, idle } = await tagged(call)
      const [add, remove] = [listOption(call, 'add'), listOption(call, 'remove')]
      const wanted = readTypedInput(agents.tagAgents, { agents: names, add, remove })
      const { agents: rows } = await perform(call, agents.tagAgents, { workspace }, wanted)
      return withIdleTerms(rows, idle)
    },
    show: (rows) =>
      tableText(
        ['AGENT', 'TAGS'],
        rows.map(({ name, tags }) => [name, tags.length > 0 ? tags.join(', ') : null]),
        'No agents.',
      ) + idleLines(rows),
  }),
  ...operationCommand(agents.rotateToken, {
    at: onAgent,
    run: async (call, at) => {
      const { agent, token } = await perform(call, agents.rotateToken, at)
      return { name: agent.name, token }
    },
    show: ({ name, token }) => `The new token of ${name}, shown this once:\n\n  ${token}`,
  }),
  ...operationCommand(agents.deleteAgent, {
    at: onAgent,
    run: async (call, at) => {
      await perform(call, agents.deleteAgent, at)
      return { name: at.agent.name, deleted: true }
    },
    show: ({ name }) => `Deleted the agent ${name}. Its token is now refused.`,
  }),
}

/** Commands for the views of a workspace. People save views of their own on the page. */
export const viewCommands = {
  ...operationCommand(views.views, {
    at: inWorkspace,
    run: async ({ store }, { workspace }) => {
      const { readViews } = await import('../../fleet/views/store.ts')
      const all = await readViews(store.db, workspace, { id: null })
      return all.map(({ name, q }) => ({ name, q }))
    },
    show: (all) =>
      tableText(
        ['NAME', 'FILTER'],
        all.map(({ name, q }) => [name, q]),
        'No views.',
      ),
  }),
  ...operationCommand(views.setView, {
    run: async (call) => {
      const { readViews } = await import('../../fleet/views/store.ts')
      const filter = rawOption(call, 'filter')
      if (filter === undefined) throw new UsageError('A view needs a filter: view set SLUG NAME --filter FILTER')
      const wanted = readTypedInput(views.setView, { name: rawArgument(call, 1), q: filter, shared: true })
      const { workspace } = await inWorkspace(call)
      // The order and the columns of an existing view were chosen on the page, and stay.
      const before = (await readViews(call.store.db, workspace, { id: null })).find(({ name }) => name === wanted.name)
      const kept = before && { sort: before.sort, columns: before.columns }
      const { view } = await findByFilter(filter, () =>
        perform(call, views.setView, { workspace }, { ...wanted, ...kept }),
      )
      return { name: view.name, q: view.q }
    },
    show: ({ name, q }) => oneSafeLine(`The view ${name} shows ${q === '' ? 'all agents' : q}.`),
  }),
  ...operationCommand(views.removeView, {
    at: inWorkspace,
    run: async (call, { workspace }) => {
      const { sharedView } = await import('../../fleet/views/store.ts')
      const { id, name } = grantedToOperator(await sharedView(call.store.db, workspace, argument(call, 1)))
      await perform(call, views.removeView, { workspace, id })
      return { name, removed: true }
    },
    show: ({ name }) => oneSafeLine(`Removed the view ${name}.`),
  }),
}

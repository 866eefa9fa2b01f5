import { type ActionPage, type ActionRow, type ActionState, actionStates, actions } from '@svc/api'
import { listIn, shown } from '@svc/protocol'
import type { WorkspaceInfo } from '../../people/workspaces/store.ts'
import { commandOf, type Stores } from '../shared/command.ts'
import { idleLines, selectedBy, withIdle } from '../shared/filter.ts'
import {
  argument,
  Missing,
  Misused,
  option,
  Refused,
  type Request,
  readTyped,
  type Service,
  typedOption,
} from '../shared/request.ts'
import { line, moment, table } from '../shared/show.ts'
import { payloadOf } from './command.ts'

/** The maximum number of actions that the terminal lists, newest first. The page shows all of them. */
const listed = 100

export const actionCommands = {
  ...commandOf(actions.actions, {
    run: async (request, service, { workspaceOf, actionsOf }) => {
      const workspace = await workspaceOf(service, argument(request, 0))
      return (await actionsOf(service.store.db, workspace, { limit: listed })).rows
    },
    show: (all) =>
      table(
        ['ID', 'WHAT', 'AGENTS', 'OUTCOME', 'SENT', 'BY'],
        all.map((row) => [row.id, whatOf(row), agentsIn(row.counts), countsText(row.counts), moment(row.at), row.by]),
        'No actions in the last 30 days.',
      ),
  }),
  ...commandOf(actions.startAction, {
    run: async (request, service, stores) => {
      const { finishAction, perform, startedAction } = stores
      const workspace = await stores.workspaceOf(service, argument(request, 0))
      const { idle, ...chosen } = await agentsOf(request, service, stores, workspace)
      const wanted = wantedOf(request, chosen)
      const { id } = await perform(service, startedAction, { workspace }, wanted)
      await finishAction(service, id)
      return withIdle({ id }, idle)
    },
    show: (started) => startedText(started.id) + idleLines(started),
  }),
  ...commandOf(actions.showAction, {
    run: async (request, service, stores) => {
      const { workspace, id } = await at(request, service, stores)
      return (await stores.actionPage(service.store.db, workspace, id)) ?? unknown(id)
    },
    show: (page) => `${headOf(page)}\n\n${outcomesOf(page)}`,
  }),
  ...commandOf(actions.retryAction, {
    run: async (request, service, stores) => {
      const { workspace, id } = await at(request, service, stores)
      const params = { slug: workspace.slug, id }
      const again = await stores.perform(service, stores.retriedAction, { workspace, params }, undefined)
      await stores.finishAction(service, again.id)
      return { id: again.id }
    },
    show: ({ id }) => startedText(id),
  }),
  ...commandOf(actions.cancelAction, {
    run: async (request, service, stores) => {
      const { workspace, id } = await at(request, service, stores)
      const params = { slug: workspace.slug, id }
      const { cancelled } = await stores.perform(service, stores.cancelledAction, { workspace, params }, undefined)
      return { id, cancelled }
    },
    show: ({ cancelled }) => `Cancelled for ${cancelled} ${cancelled === 1 ? 'agent' : 'agents'}.`,
  }),
}

const startedText = (id: string) =>
  `Queued (${id}). Each agent gets the command in the answer to its next report: svc-server action show SLUG/${id}`

/** Reads what is to be sent from the typed arguments, with the reader of the page's route. */
function wantedOf(request: Request, chosen: { agents: string[]; filter?: string }) {
  const [, type = '', ...values] = request.args
  const payload = payloadOf('action send SLUG', type, values)
  return readTyped(actions.startAction, { type, ...chosen, values: payload })
}

/** The agents that `--agents` names or `--filter` selects. */
async function agentsOf(
  request: Request,
  { store, now }: Service,
  { listAgents }: Stores,
  workspace: WorkspaceInfo,
): Promise<{ agents: string[]; filter?: string; idle: string[] }> {
  const named = option(request, 'agents')
  const filter = typedOption(request, 'filter')
  const expected = typedOption(request, 'expect')
  if ((named === undefined) === (filter === undefined))
    throw new Misused('Name the agents, or select them: action send SLUG WHAT --agents NAME,NAME… or --filter FILTER')
  if (expected !== undefined && (filter === undefined || !/^\d{1,6}$/.test(expected)))
    throw new Misused(`--expect is the number of agents that --filter selects: got ${shown(expected)}.`)
  if (named !== undefined) return { agents: listIn(named), idle: [] }
  const text = filter ?? ''
  const { rows: fitting, idle } = await selectedBy(text, (q) => listAgents(store.db, workspace, now(), q))
  if (fitting.length === 0) throw new Refused('The filter selects no agent. Nothing was sent.')
  if (expected !== undefined && fitting.length !== Number(expected))
    throw new Refused(`The filter selects ${fitting.length} agents, not ${Number(expected)}. Nothing was sent.`)
  return { agents: fitting.map(({ name }) => name), filter: text, idle }
}

/** Finds what `SLUG/ID` names. */
async function at(
  request: Request,
  service: Service,
  { workspaceOf }: Stores,
): Promise<{ workspace: WorkspaceInfo; id: string }> {
  const path = argument(request, 0)
  const [slug, id, more] = path.split('/')
  if (!slug || !id || more !== undefined) throw new Misused(`An action is named SLUG/ID: got ${shown(path)}.`)
  return { workspace: await workspaceOf(service, slug), id }
}

function unknown(id: string): never {
  throw new Missing(`There is no action ${shown(id)} in the workspace; actions are kept for 30 days.`)
}

type Counts = Readonly<Record<ActionState, number>>
const agentsIn = (counts: Counts): number => Object.values(counts).reduce((sum, count) => sum + count, 0)
const countsText = (counts: Counts): string =>
  actionStates
    .filter((state) => counts[state] > 0)
    .map((state) => `${counts[state]} ${state}`)
    .join(', ')
const whatOf = ({ type, values }: ActionRow): string =>
  Object.keys(values).length === 0 ? type : `${type} ${JSON.stringify(values)}`

const headOf = (page: ActionPage): string =>
  [
    `${whatOf(page)}: ${countsText(page.counts)} (${page.id})`,
    `Sent ${moment(page.at)} by ${page.by}${page.retryOf === null ? '' : `, the rest of ${page.retryOf}`}.`,
  ]
    .map(line)
    .join('\n')

const outcomesOf = ({ agents }: ActionPage): string =>
  table(
    ['AGENT', 'STATE', 'MESSAGE'],
    agents.map(({ name, state, message }) => [name, state, message]),
    'It has no agents.',
  )

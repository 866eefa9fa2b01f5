import { type ActionPage, type ActionRow, type ActionState, actionStates, actions } from '@svc/api'
import { listIn, shown } from '@svc/protocol'
import type { WorkspaceInfo } from '../../people/workspaces/store.ts'
import { operationCommand } from '../shared/command.ts'
import { agentsToActOn, expectedIn, idleLines, withIdleTerms } from '../shared/filter.ts'
import { inWorkspace, onAction } from '../shared/params.ts'
import { perform } from '../shared/perform.ts'
import {
  type CommandCall,
  MissingError,
  type OperatorRequest,
  option,
  rawOption,
  readTypedInput,
  UsageError,
} from '../shared/request.ts'
import { oneSafeLine, tableText, timeText } from '../shared/show.ts'
import { payloadOf } from './command.ts'

/** The maximum number of actions that the terminal lists, newest first. The page shows all of them. */
const maxListed = 100

export const actionCommands = {
  ...operationCommand(actions.actions, {
    at: inWorkspace,
    run: async ({ store }, { workspace }) => {
      const { actionsOfWorkspace } = await import('../../web/queries/actions.ts')
      return (await actionsOfWorkspace(store.db, workspace, { limit: maxListed })).rows
    },
    show: (all) =>
      tableText(
        ['ID', 'WHAT', 'AGENTS', 'OUTCOME', 'SENT', 'BY'],
        all.map((row) => [row.id, whatOf(row), agentsIn(row.counts), countsText(row.counts), timeText(row.at), row.by]),
        'No actions in the last 30 days.',
      ),
  }),
  ...operationCommand(actions.sendAction, {
    at: inWorkspace,
    run: async (call, { workspace }) => {
      const { finishAction } = await import('../../updates/actions/runner.ts')
      const { idle, ...chosen } = await readChosenAgents(call, workspace)
      const wanted = readSentAction(call, chosen)
      const { id } = await perform(call, actions.sendAction, { workspace }, wanted)
      await finishAction(call, id)
      return withIdleTerms({ id }, idle)
    },
    show: (started) => startedText(started.id) + idleLines(started),
  }),
  ...operationCommand(actions.showAction, {
    at: onAction,
    run: async ({ store }, { workspace, id }) => {
      const { actionPage } = await import('../../web/queries/actions.ts')
      const page = await actionPage(store.db, workspace, id)
      if (page) return page
      throw new MissingError(`There is no action ${shown(id)} in the workspace; actions are kept for 30 days.`)
    },
    show: (page) => `${headOf(page)}\n\n${outcomesOf(page)}`,
  }),
  ...operationCommand(actions.retryAction, {
    at: onAction,
    run: async (call, at) => {
      const { finishAction } = await import('../../updates/actions/runner.ts')
      const { id } = await perform(call, actions.retryAction, at)
      await finishAction(call, id)
      return { id }
    },
    show: ({ id }) => startedText(id),
  }),
  ...operationCommand(actions.cancelAction, {
    at: onAction,
    run: async (call, at) => {
      const { cancelled } = await perform(call, actions.cancelAction, at)
      return { id: at.id, cancelled }
    },
    show: ({ cancelled }) => `Cancelled for ${cancelled} ${cancelled === 1 ? 'agent' : 'agents'}.`,
  }),
}

const startedText = (id: string) =>
  `Queued (${id}). Each agent gets the command in the answer to its next report: svc-server action show SLUG/${id}`

/** Reads the action to send from the typed arguments, with the same checks as on the page. */
function readSentAction(request: OperatorRequest, chosen: { agents: string[]; filter?: string }) {
  const [, type = '', ...values] = request.args
  const payload = payloadOf('action send SLUG', type, values)
  return readTypedInput(actions.sendAction, { type, ...chosen, values: payload })
}

/** The agents that `--agents` names or `--filter` selects. */
async function readChosenAgents(
  call: CommandCall,
  workspace: WorkspaceInfo,
): Promise<{ agents: string[]; filter?: string; idle: string[] }> {
  const named = option(call, 'agents')
  const filter = rawOption(call, 'filter')
  if ((named === undefined) === (filter === undefined))
    throw new UsageError(
      'Name the agents, or select them: action send SLUG WHAT --agents NAME,NAME… or --filter FILTER',
    )
  expectedIn(call)
  if (named !== undefined) return { agents: listIn(named), idle: [] }
  const text = filter ?? ''
  const { names, idle } = await agentsToActOn(call, workspace, text, 'Nothing was sent.')
  return { agents: names, filter: text, idle }
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
    `Sent ${timeText(page.at)} by ${page.by}${page.retryOf === null ? '' : `, the rest of ${page.retryOf}`}.`,
  ]
    .map(oneSafeLine)
    .join('\n')

const outcomesOf = ({ agents }: ActionPage): string =>
  tableText(
    ['AGENT', 'STATE', 'MESSAGE'],
    agents.map(({ name, state, message }) => [name, state, message]),
    'It has no agents.',
  )

/**
 * Carries out the operations on commands (3.2), actions and logs (2.8). Logs are for admins only, and for 30 days
 * (I32).
 */
import { actions, type BulkResult, commands } from '@svc/api'
import { sendAgain, sendCommand } from '../../fleet/commands/store.ts'
import { noteReading } from '../../fleet/logs/reading.ts'
import { granted, requireFound } from '../../platform/refusal.ts'
import { done, unknownAgent } from '../../platform/verdict.ts'
import { actionOffers, previewAction } from '../../updates/actions/preview.ts'
import { actionAgentsAtOnce, finishAction, runAction } from '../../updates/actions/runner.ts'
import { cancelAction, existingAgents, retryAction, sendAction } from '../../updates/actions/store.ts'
import { actionPage, actionsOfWorkspace } from '../queries/actions.ts'
import { readCommandsPage, shownCommand } from '../queries/commands.ts'
import { findLog, readLogs } from '../queries/logs.ts'
import { bindChange, bindLongChange, bindReading, type OperationNeeds } from '../routing/operations.ts'

export const commandOperations = [
  bindReading(commands.commandLedger, ({ deps, agent, now }, piece) =>
    readCommandsPage(deps.store.db, agent, piece, now),
  ),
  bindChange(commands.sendCommand, ({ agent, ...ctx }, body) => sendCommand(ctx, agent, body), {
    answer: ({ command }) => shownCommand(command, null),
    made: ({ made }) => made,
  }),
  bindChange(commands.sendAgain, ({ agent, params, ...ctx }) => sendAgain(ctx, agent, params.id), {
    answer: ({ command }) => shownCommand(command, null),
    made: ({ made }) => made,
  }),
  // Starts an action with those of the named agents that exist. When all commands are queued, answers with the outcome
  // for each agent.
  bindLongChange(
    commands.sendToMany,
    async ({ write, people, workspace, by, now }, { agents, type }) => {
      const names = [...new Set(agents)]
      const started = await write(async (db) => {
        const there = (await existingAgents(db, workspace, names)).map(({ name }) => name)
        if (there.length === 0) return undefined
        return granted(await sendAction({ db, by, now }, workspace, { type, agents: there }))
      })
      if (!started) return done(names.map((agent) => ({ agent, ok: false, message: unknownAgent.message })))
      await finishAction(people, started.id)
      const page = requireFound(await actionPage(people.store.db, workspace, started.id), 'action_unknown')
      const outcomes = new Map(page.agents.map((agent) => [agent.name, agent]))
      const resultOf = (agent: string): BulkResult => {
        const { state, message } = outcomes.get(agent) ?? { state: 'skipped', message: unknownAgent.message }
        const ok = state !== 'skipped' && state !== 'cancelled'
        return { agent, ok, message: ok ? null : message }
      }
      return done(names.map(resultOf))
    },
    { agents: () => [] },
  ),
  bindReading(commands.logs, ({ deps, agent, now }) => readLogs(deps.store.db, agent, now)),
  bindReading(commands.showLog, async ({ deps, workspace, agent, who, now, params }) => {
    const log = requireFound(await findLog(deps.store.db, agent, params.id, now), 'log_unknown')
    const reading = { workspaceId: workspace.id, agent, by: who.person, now, log, how: 'log.read' as const }
    await noteReading(deps.store.db, reading)
    return log
  }),
]

/** The number of groups of agents that get the command before a request is answered: 500 agents together. */
const slicesBefore = Math.ceil(500 / actionAgentsAtOnce)

const sends = {
  continueWork: async (deps: OperationNeeds, _at: unknown, { id }: { id: string }) => {
    if ((await runAction(deps, id, slicesBefore)) === 'more') deps.hurrySweeper?.()
  },
  answer: ({ id }: { id: string }) => ({ id }),
}

/** The first agents of an action get their command before the request is answered; the sweeper sends the others. */
export const actionOperations = [
  bindReading(actions.actions, ({ deps, workspace }, piece) => actionsOfWorkspace(deps.store.db, workspace, piece)),
  bindChange(actions.sendAction, ({ workspace, ...ctx }, wanted) => sendAction(ctx, workspace, wanted), sends),
  bindLongChange(actions.previewAction, ({ write, workspace }, wanted) => previewAction(write, workspace, wanted)),
  bindLongChange(actions.actionOffers, ({ write, workspace }, wanted) => actionOffers(write, workspace, wanted)),
  bindReading(actions.showAction, async ({ deps, workspace, params, now }, { state }) =>
    requireFound(await actionPage(deps.store.db, workspace, params.id, { now, state }), 'action_unknown'),
  ),
  bindChange(actions.retryAction, ({ workspace, params, ...ctx }) => retryAction(ctx, workspace, params.id), sends),
  bindChange(actions.cancelAction, ({ workspace, params, ...ctx }) => cancelAction(ctx, workspace, params.id), {
    continueWork: async ({ live }: OperationNeeds, _at, { workspaceId, agents }) => {
      for (const agent of agents) live.changed(workspaceId, agent)
    },
    answer: ({ cancelled }) => ({ cancelled }),
  }),
]

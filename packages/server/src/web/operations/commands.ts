/** Carries out the operations on commands (3.2) and logs (2.8). Logs are for admins only, and for 30 days (I32). */
import { type BulkResult, commands } from '@svc/api'
import { sendAgain, sendCommand } from '../../fleet/commands/store.ts'
import { noteReading } from '../../fleet/logs/reading.ts'
import { found, granted } from '../../platform/refusal.ts'
import { done, unknownAgent } from '../../platform/verdict.ts'
import { finishAction } from '../../updates/actions/runner.ts'
import { existing, sendAction } from '../../updates/actions/store.ts'
import { actionPage } from '../queries/actions.ts'
import { commandOf, ledgerOf } from '../queries/commands.ts'
import { logOf, logsOf } from '../queries/logs.ts'
import { acts, actsOften, looks } from '../routing/operations.ts'

export const commandOperations = [
  looks(commands.commandLedger, ({ deps, agent, now }, piece) => ledgerOf(deps.store.db, agent, piece, now)),
  acts(commands.sendCommand, ({ agent, ...ctx }, body) => sendCommand(ctx, agent, body), {
    answer: ({ command }) => commandOf(command, null),
    made: ({ made }) => made,
  }),
  acts(commands.sendAgain, ({ agent, params, ...ctx }) => sendAgain(ctx, agent, params.id), {
    answer: ({ command }) => commandOf(command, null),
    made: ({ made }) => made,
  }),
  // Starts an action with those of the agents that exist. The answer has the outcome for each, once all are queued.
  actsOften(
    commands.sendToMany,
    async ({ write, people, workspace, by, now }, { agents, type }) => {
      const names = [...new Set(agents)]
      const started = await write(async (db) => {
        const there = (await existing(db, workspace, names)).map(({ name }) => name)
        if (there.length === 0) return undefined
        return granted(await sendAction({ db, by, now }, workspace, { type, agents: there }))
      })
      if (!started) return done(names.map((agent) => ({ agent, ok: false, message: unknownAgent.message })))
      await finishAction(people, started.id)
      const page = found(await actionPage(people.store.db, workspace, started.id), 'action_unknown')
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
  looks(commands.logs, ({ deps, agent, now }) => logsOf(deps.store.db, agent, now)),
  looks(commands.log, async ({ deps, workspace, agent, who, now, params }) => {
    const log = found(await logOf(deps.store.db, agent, params.id, now), 'log_unknown')
    const reading = { workspaceId: workspace.id, agent, by: who.person, now, log, how: 'log.read' as const }
    await noteReading(deps.store.db, reading)
    return log
  }),
]

/** Carries out the operations on commands (3.2) and logs (2.8). Logs are for admins only, and for 30 days (I32). */
import { type BulkResult, commands } from '@svc/api'
import { findAgent } from '../../fleet/agents/store.ts'
import { queueCommand, queueMany, sendAgain } from '../../fleet/commands/store.ts'
import { noteReading } from '../../fleet/logs/reading.ts'
import { found } from '../../platform/refusal.ts'
import { unknownAgent } from '../../platform/verdict.ts'
import { commandOf, ledgerOf } from '../queries/commands.ts'
import { logOf, logsOf } from '../queries/logs.ts'
import { acts, actsOften, type Bound, looks } from '../routing/operations.ts'

export const sendCommand = acts(commands.sendCommand, ({ agent, ...ctx }, body) => queueCommand(ctx, agent, body), {
  answer: ({ command }) => commandOf(command, null),
  made: ({ made }) => made,
})

const again = acts(commands.sendAgain, ({ agent, params, ...ctx }) => sendAgain(ctx, agent, params.id), {
  answer: ({ command }) => commandOf(command, null),
  made: ({ made }) => made,
})

const toMany = actsOften(
  commands.sendToMany,
  async ({ write, deps, workspace, by, now }, { agents, type }) => {
    const names = [...new Set(agents)]
    const asked = await Promise.all(names.map((name) => findAgent(deps.store.db, workspace, name)))
    const there = asked.filter((each) => each !== undefined)
    const queued = await queueMany({ db: write, by, now }, workspace, there, { type, payload: {} })
    const results = names.map((agent): BulkResult => {
      const each = queued.get(agent)
      const message = each ? (each.ok ? null : each.message) : unknownAgent.message
      return { agent, ok: message === null, message }
    })
    return { results, changed: there.filter(({ name }) => queued.get(name)?.ok).map(({ id }) => id) }
  },
  { agents: ({ changed }) => changed, answer: ({ results }) => results },
)

export const commandOperations: readonly Bound[] = [
  looks(commands.commandLedger, ({ deps, agent, now }, piece) => ledgerOf(deps.store.db, agent, piece, now)),
  sendCommand,
  again,
  toMany,
  looks(commands.logs, ({ deps, agent, now }) => logsOf(deps.store.db, agent, now)),
  looks(commands.log, async ({ deps, workspace, agent, who, now, params }) => {
    const log = found(await logOf(deps.store.db, agent, params.id, now), 'log_unknown')
    const reading = { workspaceId: workspace.id, agent, by: who.person, now, log, how: 'log.read' as const }
    await noteReading(deps.store.db, reading)
    return log
  }),
]

import { commands } from '@svc/api'
import { clean, shown } from '@svc/protocol'
import { commandOf } from '../shared/command.ts'
import { argument, Missing, operator } from '../shared/request.ts'
import { moment, table } from '../shared/show.ts'

export const logCommands = {
  ...commandOf(commands.logs, {
    run: async (request, service, { agentOf, logsOf }) => {
      const { agent } = await agentOf(service, argument(request, 0))
      return logsOf(service.store.db, agent, service.now())
    },
    show: (all) =>
      table(
        ['ID', 'LOG', 'RECEIVED', 'BYTES', 'KEPT UNTIL', 'ASKED BY'],
        all.map((l) => [l.id, l.name, moment(l.receivedAt), l.bytes, moment(l.expiresAt), l.askedBy]),
        'No logs are stored. Request one: svc-server command send SLUG/NAME log NAME',
      ),
  }),
  ...commandOf(commands.log, {
    run: async (request, { store: { db }, now }, { logOf, noteReading }) => {
      const id = argument(request, 0)
      const agent = await db
        .selectFrom('log')
        .innerJoin('agent', 'agent.id', 'log.agent_id')
        .select(['agent.id', 'agent.name', 'agent.workspace_id'])
        .where('log.id', '=', id)
        .executeTakeFirst()
      const log = agent && (await logOf(db, agent, id, now()))
      if (!log) throw new Missing(`There is no log ${shown(id)}. It may have been deleted.`)
      await noteReading(db, { workspaceId: agent.workspace_id, agent, by: operator, now: now(), log, how: 'log.read' })
      return log
    },
    show: ({ text }) => clean(text).trimEnd(),
  }),
}

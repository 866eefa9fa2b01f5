import { commands } from '@svc/api'
import { clean, shown } from '@svc/protocol'
import { commandOf } from '../shared/command.ts'
import { onAgent } from '../shared/params.ts'
import { argument, asOperator, Missing } from '../shared/request.ts'
import { moment, table } from '../shared/show.ts'

export const logCommands = {
  ...commandOf(commands.logs, {
    at: onAgent,
    run: async ({ store, now }, { agent }) => {
      const { logsOf } = await import('../../web/queries/logs.ts')
      return logsOf(store.db, agent, now())
    },
    show: (all) =>
      table(
        ['ID', 'LOG', 'RECEIVED', 'BYTES', 'KEPT UNTIL', 'ASKED BY'],
        all.map((l) => [l.id, l.name, moment(l.receivedAt), l.bytes, moment(l.expiresAt), l.askedBy]),
        'No logs are stored. Request one: svc-server command send SLUG/NAME log NAME',
      ),
  }),
  ...commandOf(commands.log, {
    run: async (call) => {
      const { noteReading } = await import('../../fleet/logs/reading.ts')
      const { logOf } = await import('../../web/queries/logs.ts')
      const { db, by, now } = asOperator(call)
      const id = argument(call, 0)
      const agent = await db
        .selectFrom('log')
        .innerJoin('agent', 'agent.id', 'log.agent_id')
        .select(['agent.id', 'agent.name', 'agent.workspace_id'])
        .where('log.id', '=', id)
        .executeTakeFirst()
      const log = agent && (await logOf(db, agent, id, now))
      if (!log) throw new Missing(`There is no log ${shown(id)}. It may have been deleted.`)
      await noteReading(db, { workspaceId: agent.workspace_id, agent, by, now, log, how: 'log.read' })
      return log
    },
    show: ({ text }) => clean(text).trimEnd(),
  }),
}

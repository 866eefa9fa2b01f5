import { shown } from '@svc/protocol'
import { command } from '../shared/command.ts'
import { inPlace } from '../shared/params.ts'
import { Misused, option } from '../shared/request.ts'
import { moment, table } from '../shared/show.ts'

export const auditCommands = {
  'audit list': command({
    says: 'who did what, when, to what in a workspace, newest first',
    args: [['<slug>', "the workspace's short name, or @service for what belongs to no workspace"]],
    options: [['--since <time>', 'from this moment on: 2026-11-21, 2026-11-21T12:00:00Z or Unix seconds']],
    at: inPlace,
    run: async (call, { workspace }) => {
      const { scopeOf } = await import('../../alerts/store.ts')
      const { workspaceId: id } = scopeOf(workspace)
      const rows = await call.store.db
        .selectFrom('audit')
        .select(['id', 'at', 'actor', 'action', 'subject', 'details'])
        .where('workspace_id', id === null ? 'is' : '=', id)
        .where('at', '>=', momentOf(option(call, 'since')))
        .orderBy('at', 'desc')
        .orderBy('id', 'desc')
        .execute()
      return rows.map((row) => ({ ...row, details: JSON.parse(row.details) as Record<string, unknown> }))
    },
    show: (all) =>
      table(
        ['WHEN', 'WHO', 'WHAT', 'TO WHAT', ''],
        all.map((e) => [
          moment(e.at),
          e.actor,
          e.action,
          e.subject,
          Object.keys(e.details).length === 0 ? '' : JSON.stringify(e.details),
        ]),
        'No activity is recorded for this time.',
      ),
  }),
}

/** Reads the time of an option as Unix milliseconds; 0 if the option is missing. */
function momentOf(text: string | undefined): number {
  if (text === undefined) return 0
  const at = /^\d{1,10}$/.test(text) ? Number(text) * 1000 : Date.parse(text)
  if (Number.isNaN(at))
    throw new Misused(`A time looks like 2026-11-21T12:00:00Z or is Unix seconds: got ${shown(text)}.`)
  return at
}

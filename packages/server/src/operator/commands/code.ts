import { command } from '../kit/command.ts'
import { argument, granted, Missing, operator, option } from '../kit/request.ts'
import { line, moment, onItsMachine, table } from '../kit/show.ts'
import { versionedOf } from './blueprint.ts'

const slug: [string, string] = ['<slug>', "the workspace's short name"]

export const codeCommands = {
  'code issue': command({
    says: 'an install code for one agent, shown once and good for fifteen minutes',
    args: [slug, ['<blueprint@version>', 'what it installs']],
    options: [['--agent <name>', "the agent's name (default: the blueprint's, with a number where that is taken)"]],
    run: async (request, service, { workspaceOf, issueCode }) => {
      const { store, live, config, now } = service
      const workspace = await workspaceOf(service, argument(request, 0))
      const { name: blueprint, version } = versionedOf(argument(request, 1))
      const wanted = { blueprint, version, agentName: option(request, 'agent') }
      const { row, code, warnings } = granted(await issueCode(store.db, workspace, wanted, operator, now()))
      live.listChanged(workspace.id)
      const { id, agent_name: agent, expires_at: expiresAt } = row
      return { code, id, blueprint, version, agent, expiresAt, url: config.baseUrl, warnings }
    },
    show: ({ code, agent, expiresAt, url, warnings }) =>
      [
        `The install code for the agent ${agent}, shown this once, good until ${moment(expiresAt)}:`,
        `\n  ${code}\n`,
        onItsMachine(url, `init --url ${url}`),
        ...warnings.map((warning) => line(`As things are, it would be refused: ${warning}`)),
      ].join('\n'),
  }),
  'code list': command({
    says: 'the install codes of a workspace of the last 30 days',
    args: [slug],
    run: async (request, service, { workspaceOf, listCodes }) =>
      listCodes(service.store.db, await workspaceOf(service, argument(request, 0)), service.now()),
    show: (all) =>
      table(
        ['ID', 'STATE', 'BLUEPRINT', 'VERSION', 'AGENT', 'ISSUED', 'BY', 'GOOD UNTIL'],
        all.map((c) => [
          c.id,
          c.state,
          c.blueprint,
          c.version,
          c.agentName,
          moment(c.issuedAt),
          c.issuedBy,
          moment(c.expiresAt),
        ]),
        'No install code was issued.',
      ),
  }),
  'code revoke': command({
    says: 'make an install code worthless that was not used yet',
    args: [['<id>', 'as svc-server code list names it']],
    run: async (request, { store: { db }, live, now }, { revokeCode, workspaceOfCode }) => {
      const id = argument(request, 0)
      const workspace = await workspaceOfCode(db, id)
      if (!workspace) throw new Missing('There is no such install code.')
      granted(await revokeCode(db, workspace, id, operator, now()))
      live.listChanged(workspace.id)
      return { id, revoked: true }
    },
    show: () => 'The install code is worthless from now on.',
  }),
}

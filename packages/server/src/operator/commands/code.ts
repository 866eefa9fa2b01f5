import { blueprints } from '@svc/api'
import type { Issued } from '../../updates/installs/codes.ts'
import { commandOf } from '../shared/command.ts'
import { argument, listOption, Missing, option, readTyped } from '../shared/request.ts'
import { line, moment, onItsMachine, table } from '../shared/show.ts'
import { versionedOf } from './blueprint.ts'

export const codeCommands = {
  ...commandOf(blueprints.issueCode, {
    run: async (request, service, { issuedCode, perform, workspaceOf }) => {
      const workspace = await workspaceOf(service, argument(request, 0))
      const { name: blueprint, version } = versionedOf(argument(request, 1))
      const named = option(request, 'agent')
      const agentNamed = { ...(named !== undefined && { agent: named }) }
      const tags = listOption(request, 'tags')
      const wanted = readTyped(blueprints.issueCode, { blueprint, version, ...agentNamed, tags })
      const { row, code, warnings }: Issued = await perform(service, issuedCode, { workspace }, wanted)
      const { id, agent_name: agent, expires_at: expiresAt } = row
      return {
        code,
        id,
        blueprint,
        version,
        agent,
        tags: wanted.tags ?? [],
        expiresAt,
        url: service.config.baseUrl,
        warnings,
      }
    },
    show: ({ code, agent, expiresAt, url, warnings }) =>
      [
        `The install code for the agent ${agent}, shown this once, good until ${moment(expiresAt)}:`,
        `\n  ${code}\n`,
        onItsMachine(url, `init --url ${url}`),
        ...warnings.map((warning) => line(`It would currently be refused: ${warning}`)),
      ].join('\n'),
  }),
  ...commandOf(blueprints.codes, {
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
        'No install codes have been issued.',
      ),
  }),
  ...commandOf(blueprints.revokeCode, {
    run: async (request, service, { perform, revokedCode, workspaceOfCode }) => {
      const id = argument(request, 0)
      const workspace = await workspaceOfCode(service.store.db, id)
      if (!workspace) throw new Missing('There is no such install code.')
      await perform(service, revokedCode, { workspace, params: { slug: workspace.slug, id } }, undefined)
      return { id, revoked: true }
    },
    show: () => 'The install code can no longer be used.',
  }),
}

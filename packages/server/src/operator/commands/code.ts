import { blueprints } from '@svc/api'
import { commandOf } from '../shared/command.ts'
import { inWorkspace, onCode } from '../shared/params.ts'
import { perform } from '../shared/perform.ts'
import { argument, listOption, option, readTyped } from '../shared/request.ts'
import { line, moment, onItsMachine, table } from '../shared/show.ts'
import { versionedOf } from './blueprint.ts'

export const codeCommands = {
  ...commandOf(blueprints.issueCode, {
    at: inWorkspace,
    run: async (call, { workspace }) => {
      const { name: blueprint, version } = versionedOf(argument(call, 1))
      const typed = { blueprint, version, agent: option(call, 'agent'), tags: listOption(call, 'tags') }
      const wanted = readTyped(blueprints.issueCode, typed)
      const { row, code, warnings } = await perform(call, blueprints.issueCode, { workspace }, wanted)
      const { id, agent_name: agent, expires_at: expiresAt } = row
      return {
        code,
        id,
        blueprint,
        version,
        agent,
        tags: wanted.tags ?? [],
        expiresAt,
        url: call.config.baseUrl,
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
    at: inWorkspace,
    run: async ({ store, now }, { workspace }) => {
      const { listCodes } = await import('../../updates/installs/codes.ts')
      return listCodes(store.db, workspace, now())
    },
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
    at: onCode,
    run: async (call, at) => {
      await perform(call, blueprints.revokeCode, at)
      return { id: at.id, revoked: true }
    },
    show: () => 'The install code can no longer be used.',
  }),
}

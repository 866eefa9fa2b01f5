/** Commands for blueprints and their install codes. */
import { blueprints, slugArgument } from '@svc/api'
import { limits, shown } from '@svc/protocol'
import { defineCommand, operationCommand } from '../shared/command.ts'
import { findWorkspaceNamed, inWorkspace, onCode, slugAndNameOf } from '../shared/params.ts'
import { perform } from '../shared/perform.ts'
import {
  argument,
  asOperator,
  grantedToOperator,
  listOption,
  MissingError,
  numberOption,
  option,
  RefusedError,
  readTypedInput,
  UsageError,
} from '../shared/request.ts'
import { linesForMachine, oneSafeLine, tableText, timeText } from '../shared/show.ts'

export const blueprintCommands = {
  'blueprint upload': defineCommand({
    says: 'upload a bundle as a new version of its blueprint; a refusal gives every reason',
    args: [slugArgument, ['<file.zip>', 'a bundle, as svc pack makes it; 20 MB at most']],
    paths: [1],
    reads: { at: 1, maxBytes: limits.bundleBytes, what: 'A bundle' },
    at: inWorkspace,
    run: async (call, { workspace }) => {
      const { findingText } = await import('@svc/blueprint')
      const { uploadBlueprint } = await import('../../updates/blueprints/upload.ts')
      const upload = await uploadBlueprint(asOperator(call), workspace, Buffer.from(call.file ?? '', 'base64'))
      if (!upload.ok && upload.code === 'bundle_refused') {
        throw new RefusedError(
          `The bundle is refused:\n${upload.findings.map((f) => `  ${oneSafeLine(findingText(f))}`).join('\n')}`,
        )
      }
      const uploaded = grantedToOperator(upload)
      call.live.listChanged(workspace.id)
      return uploaded
    },
    show: ({ blueprint, version, sha256, neededSvc, note }) =>
      `Uploaded ${blueprint} ${version} (SHA-256 ${sha256}).${neededSvc ? `\nMachines need ${neededSvc}; agents with an older one are left out.` : ''}${note ? `\n${oneSafeLine(note)}` : ''}`,
  }),
  ...operationCommand(blueprints.blueprints, {
    at: inWorkspace,
    run: async ({ store }, { workspace }) => {
      const { listBlueprints } = await import('../../updates/blueprints/store.ts')
      return listBlueprints(store.db, workspace)
    },
    show: (all) =>
      tableText(
        ['BLUEPRINT', 'LATEST', 'VERSIONS', 'AGENTS', 'UPLOADED', 'BY', 'DESCRIPTION'],
        all.map((b) => [b.name, b.latest, b.versions, b.agents, timeText(b.uploadedAt), b.uploadedBy, b.description]),
        'No blueprints yet: svc-server blueprint upload SLUG FILE.zip',
      ),
  }),
  ...operationCommand(blueprints.showBlueprint, {
    run: async (call) => {
      const { blueprintPage } = await import('../../updates/blueprints/store.ts')
      const { slug, name } = slugAndNameOf(argument(call, 0), 'A blueprint is named SLUG/NAME')
      const workspace = await findWorkspaceNamed(call, slug)
      const page = await blueprintPage(call.store.db, workspace, name, call.now())
      if (!page) throw new MissingError(`There is no blueprint ${shown(name)} in the workspace ${shown(slug)}.`)
      const { now: _, ...rest } = page
      return rest
    },
    show: ({ versions, agents }) =>
      [
        tableText(
          ['VERSION', 'UPLOADED', 'BY', 'BYTES', 'RUN BY', 'KEPT BY', 'CODES'],
          versions.map((v) => [
            v.version,
            timeText(v.uploadedAt),
            v.uploadedBy,
            v.size,
            v.runs.join(', ') || '-',
            v.keeps.join(', ') || '-',
            v.codes,
          ]),
          '',
        ),
        '',
        tableText(
          ['AGENT', 'RUNS', 'LEVEL', 'LAST REPORT'],
          agents.map((a) => [a.name, a.running, a.level, timeText(a.seenAt)]),
          'No agents were installed from it.',
        ),
      ].join('\n'),
  }),
  ...operationCommand(blueprints.deleteVersion, {
    run: async (call) => {
      const { slug, name: both } = slugAndNameOf(argument(call, 0), 'A version is named SLUG/NAME@VERSION')
      const { name: blueprint, version } = splitVersionName(both)
      const workspace = await findWorkspaceNamed(call, slug)
      await perform(call, blueprints.deleteVersion, { workspace, blueprint, version })
      return { blueprint, version, deleted: true }
    },
    show: ({ blueprint, version }) => `Deleted ${blueprint} ${version}.`,
  }),
}

/** Splits `NAME@VERSION`. Throws `UsageError` for any other text. */
export function splitVersionName(text: string): { name: string; version: string } {
  const at = text.indexOf('@')
  if (at < 1 || at === text.length - 1) {
    throw new UsageError(`A version of a blueprint is named NAME@VERSION: got ${shown(text)}.`)
  }
  return { name: text.slice(0, at), version: text.slice(at + 1) }
}

export const codeCommands = {
  ...operationCommand(blueprints.issueCodes, {
    at: inWorkspace,
    run: async (call, { workspace }) => {
      const { name: blueprint, version } = splitVersionName(argument(call, 1))
      const count = numberOption(call, 'count')
      const typed = { blueprint, version, agent: option(call, 'agent'), tags: listOption(call, 'tags'), count }
      const wanted = readTypedInput(blueprints.issueCodes, typed)
      const issued = await perform(call, blueprints.issueCodes, { workspace }, wanted)
      const shown = issued.map(({ row: { id, agent_name: agent, expires_at: expiresAt }, code, warnings }) => ({
        ...{ code, id, blueprint, version, agent, tags: wanted.tags ?? [], expiresAt },
        ...{ url: call.config.baseUrl, warnings },
      }))
      const [first] = shown
      if (first === undefined) throw new Error('No code was issued.')
      return { ...first, ...(count !== undefined && { codes: shown }) }
    },
    show: ({ codes, code, agent, expiresAt, url, warnings }) =>
      [
        ...(codes
          ? [
              `Install codes, each for one agent, shown this once, good until ${timeText(expiresAt)}:\n`,
              `${tableText(
                ['AGENT', 'CODE'],
                codes.map((one) => [one.agent, one.code]),
                '',
              )}\n`,
            ]
          : [
              `The install code for the agent ${agent}, shown this once, good until ${timeText(expiresAt)}:`,
              `\n  ${code}\n`,
            ]),
        linesForMachine(url, `init --url ${url}`),
        ...[...new Set((codes ?? [{ warnings }]).flatMap((one) => one.warnings))].map((warning) =>
          oneSafeLine(`It would currently be refused: ${warning}`),
        ),
      ].join('\n'),
  }),
  ...operationCommand(blueprints.codes, {
    at: inWorkspace,
    run: async ({ store, now }, { workspace }) => {
      const { listCodes } = await import('../../updates/installs/codes.ts')
      return listCodes(store.db, workspace, now())
    },
    show: (all) =>
      tableText(
        ['ID', 'STATE', 'BLUEPRINT', 'VERSION', 'AGENT', 'ISSUED', 'BY', 'GOOD UNTIL'],
        all.map((c) => [
          c.id,
          c.state,
          c.blueprint,
          c.version,
          c.agentName,
          timeText(c.issuedAt),
          c.issuedBy,
          timeText(c.expiresAt),
        ]),
        'No install codes have been issued.',
      ),
  }),
  ...operationCommand(blueprints.revokeCode, {
    at: onCode,
    run: async (call, at) => {
      await perform(call, blueprints.revokeCode, at)
      return { id: at.id, revoked: true }
    },
    show: () => 'The install code can no longer be used.',
  }),
}

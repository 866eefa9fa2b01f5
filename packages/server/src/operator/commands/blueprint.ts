import { blueprints, slugArgument } from '@svc/api'
import { limits, shown } from '@svc/protocol'
import { command, commandOf } from '../shared/command.ts'
import { inWorkspace, partsOf, workspaceOf } from '../shared/params.ts'
import { perform } from '../shared/perform.ts'
import { argument, asOperator, granted, Missing, Misused, Refused } from '../shared/request.ts'
import { line, moment, table } from '../shared/show.ts'

export const blueprintCommands = {
  'blueprint upload': command({
    says: 'upload a bundle as a new version of its blueprint; a refusal gives every reason',
    args: [slugArgument, ['<file.zip>', 'a bundle, as svc pack makes it; 20 MB at most']],
    paths: [1],
    reads: { at: 1, maxBytes: limits.bundleBytes, what: 'A bundle' },
    at: inWorkspace,
    run: async (call, { workspace }) => {
      const { sentence } = await import('@svc/blueprint')
      const { uploadBlueprint } = await import('../../updates/blueprints/upload.ts')
      const upload = await uploadBlueprint(asOperator(call), workspace, Buffer.from(call.file ?? '', 'base64'))
      if (!upload.ok && upload.code === 'bundle_refused') {
        throw new Refused(`The bundle is refused:\n${upload.findings.map((f) => `  ${line(sentence(f))}`).join('\n')}`)
      }
      const uploaded = granted(upload)
      call.live.listChanged(workspace.id)
      return uploaded
    },
    show: ({ blueprint, version, sha256, neededSvc, note }) =>
      `Uploaded ${blueprint} ${version} (SHA-256 ${sha256}).${neededSvc ? `\nMachines need ${neededSvc}; agents with an older one are left out.` : ''}${note ? `\n${line(note)}` : ''}`,
  }),
  ...commandOf(blueprints.blueprints, {
    at: inWorkspace,
    run: async ({ store }, { workspace }) => {
      const { listBlueprints } = await import('../../updates/blueprints/store.ts')
      return listBlueprints(store.db, workspace)
    },
    show: (all) =>
      table(
        ['BLUEPRINT', 'LATEST', 'VERSIONS', 'AGENTS', 'UPLOADED', 'BY', 'DESCRIPTION'],
        all.map((b) => [b.name, b.latest, b.versions, b.agents, moment(b.uploadedAt), b.uploadedBy, b.description]),
        'No blueprints yet: svc-server blueprint upload SLUG FILE.zip',
      ),
  }),
  ...commandOf(blueprints.showBlueprint, {
    run: async (call) => {
      const { blueprintPage } = await import('../../updates/blueprints/store.ts')
      const { slug, name } = partsOf(argument(call, 0), 'A blueprint is named SLUG/NAME')
      const workspace = await workspaceOf(call, slug)
      const page = await blueprintPage(call.store.db, workspace, name, call.now())
      if (!page) throw new Missing(`There is no blueprint ${shown(name)} in the workspace ${shown(slug)}.`)
      const { now: _, ...rest } = page
      return rest
    },
    show: ({ versions, agents }) =>
      [
        table(
          ['VERSION', 'UPLOADED', 'BY', 'BYTES', 'RUN BY', 'KEPT BY', 'CODES'],
          versions.map((v) => [
            v.version,
            moment(v.uploadedAt),
            v.uploadedBy,
            v.size,
            v.runs.join(', ') || '-',
            v.keeps.join(', ') || '-',
            v.codes,
          ]),
          '',
        ),
        '',
        table(
          ['AGENT', 'RUNS', 'LEVEL', 'LAST REPORT'],
          agents.map((a) => [a.name, a.running, a.level, moment(a.seenAt)]),
          'No agents were installed from it.',
        ),
      ].join('\n'),
  }),
  ...commandOf(blueprints.deleteVersion, {
    run: async (call) => {
      const { slug, name: both } = partsOf(argument(call, 0), 'A version is named SLUG/NAME@VERSION')
      const { name: blueprint, version } = versionedOf(both)
      const workspace = await workspaceOf(call, slug)
      await perform(call, blueprints.deleteVersion, { workspace, blueprint, version })
      return { blueprint, version, deleted: true }
    },
    show: ({ blueprint, version }) => `Deleted ${blueprint} ${version}.`,
  }),
}

/** Splits `NAME@VERSION`. */
export function versionedOf(text: string): { name: string; version: string } {
  const at = text.indexOf('@')
  if (at < 1 || at === text.length - 1) {
    throw new Misused(`A version of a blueprint is named NAME@VERSION: got ${shown(text)}.`)
  }
  return { name: text.slice(0, at), version: text.slice(at + 1) }
}

import { command } from '../command.ts'
import { table } from '../show.ts'

export const releaseCommands = {
  'release list': command({
    says: 'the build of svc.pyz that /cli/ serves',
    run: async (_, { config }, { pino, releasesIn, versionOf }) => {
      const build = await releasesIn(config.releaseDir, pino({ level: 'silent' })).current()
      if (!build) return []
      const { bytes, sha256, signature } = build
      return [{ version: versionOf(bytes) ?? null, sha256, bytes: bytes.length, signed: signature !== undefined }]
    },
    show: (all) =>
      table(
        ['VERSION', 'SHA-256', 'BYTES', 'SIGNED'],
        all.map((r) => [r.version, r.sha256, r.bytes, r.signed ? 'yes' : 'no']),
        'No build is served: run "npm run build", or set SVC_RELEASE_DIR.',
      ),
  }),
}

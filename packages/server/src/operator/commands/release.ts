import { defineCommand } from '../shared/command.ts'
import { asOperator, grantedToOperator, RefusedError, rawArgument } from '../shared/request.ts'
import { tableText, timeText } from '../shared/show.ts'

/**
 * The note of `release add` when a served build gets another signature. The service then ends its holds on that
 * release, but a machine that refused the old signature keeps its own hold (3.5).
 */
const heldSays =
  'Agents can be updated to it again. A runtime that refused the previous signature keeps the version on hold until another one is requested.'

export const releaseCommands = {
  'release add': defineCommand({
    says: 'serve the build of svc.pyz in a folder, as npm run release makes it in a checkout',
    args: [['<folder>', 'holds svc.pyz, and beside it svc.pyz.sha256 and svc.pyz.sig']],
    options: [
      ['--older', 'also when it is older than the served release: pending requests for newer ones are dropped'],
    ],
    paths: [0],
    run: async (call) => {
      const { readBuild, unknownSignerRemarks } = await import('../../updates/releases/build.ts')
      const { addRelease, servedFiles } = await import('../../updates/releases/store.ts')
      const { db, by, now } = asOperator(call)
      const folder = rawArgument(call, 0)
      const read = await readBuild(folder)
      if (!read) throw new RefusedError(`There is no svc.pyz in ${folder}: npm run release makes one in a checkout.`)
      const build = grantedToOperator(read)
      const before = await servedFiles(db)
      const older = call.options.older === true
      const { size, ...release } = grantedToOperator(await addRelease(db, build, { older, by, now }))
      return { ...release, bytes: size, remarks: [...build.remarks, ...unknownSignerRemarks(build, before)] }
    },
    show: ({ version, sha256, changed, signature, remarks }) =>
      (signature === 'replaced'
        ? [
            `Still served: ${version} (SHA-256 ${sha256}), now with this signature instead of the previous one.`,
            heldSays,
            ...remarks,
          ]
        : [`${changed ? 'Now' : 'Already'} served: ${version} (SHA-256 ${sha256}).`, ...remarks]
      ).join('\n'),
  }),
  'release list': defineCommand({
    says: 'list the builds of svc.pyz that /cli/ served; the first one is served now',
    run: async ({ store }) => {
      const { listReleases } = await import('../../updates/releases/store.ts')
      const all = await listReleases(store.db)
      return all.map(({ size, ...release }, i) => ({ ...release, bytes: size, served: i === 0 }))
    },
    show: (all) =>
      tableText(
        ['VERSION', 'SERVED', 'SIGNED', 'ADDED', 'BY', 'BYTES', 'SHA-256'],
        all.map((r) => [
          r.version,
          r.served ? 'yes' : 'no',
          r.signed ? 'yes' : 'no',
          timeText(r.addedAt),
          r.addedBy,
          r.bytes,
          r.sha256,
        ]),
        'No release is served. svc-server release add FOLDER serves one; npm run release makes it in a checkout.',
      ),
  }),
}

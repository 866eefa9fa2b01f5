/** `svc pack`: packs the folder of a blueprint into a bundle, which a person then uploads. */
import { statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type PackedBundle, packFolder } from '@svc/blueprint'
import { sizeText } from '@svc/protocol'
import { Command } from 'commander'
import { counted } from '../../machine/base/sentence.ts'
import { writeDurably } from '../../machine/files/durable.ts'
import { folderAt } from '../../machine/files/folder.ts'
import { examples } from '../../machine/hint.ts'
import { readManifestNow } from '../../reporter/manifest.ts'
import { oneLine, printResult, Refusal } from '../kit/output.ts'
import { findingLine } from './check.ts'

export const pack = (): Command =>
  new Command('pack')
    .argument('[dir]', 'the folder of the blueprint', '.')
    .option('--out <file>', 'where to write the bundle (default: NAME-VERSION.zip here)')
    .option('--json', 'print one JSON value for programs')
    .summary('make a bundle of a blueprint')
    .description(
      "Checks the folder and packs it. The same files give the same bytes on every machine.\nLeaves out .svc, .git and the like, .env files, the agent's own data (state, status, logs) and everything named in .svcignore; a line such as !state/seed.json in .svcignore includes a file again.",
    )
    .addHelpText('after', examples('pack', 'pack mail-triage --out dist/mail-triage.zip'))
    .action(async (dir: string, { out, json }: { out?: string; json?: boolean }) => {
      const target = out === undefined ? undefined : targetOf(out, dir)
      const packed = await packFolder(dir, target === undefined ? {} : { except: target })
      if (!packed.ok)
        throw new Refusal([...packed.findings.map(findingLine), `Nothing was packed from ${resolve(dir)}.`].join('\n'))
      const { manifest, sha256, bytes, entries, leftOut, warnings } = packed.value
      const file = target ?? resolve(nameOf(packed.value))
      writeDurably(file, bytes)
      const { name, version } = manifest
      printResult(json, { file, name, version, sha256, size: bytes.length, entries, leftOut, warnings }, () => [
        ...warnings.map((warning) => `warning: ${findingLine(warning)}`),
        `Packed ${name} ${version} into ${file}: ${counted(entries.length, 'file')}, ${sizeText(bytes.length)}.`,
        `sha256 ${sha256}`,
        ...(leftOut.length > 0 ? [oneLine(`Left out: ${leftOut.join(', ')}`)] : []),
      ])
    })

/**
 * Returns the path of the bundle to write. If `out` is an existing folder, the path is a file in that folder, named
 * after the blueprint and its version.
 */
function targetOf(out: string, dir: string): string {
  const path = resolve(out)
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) return path
  const manifest = readManifestNow(folderAt(dir))
  if (!manifest.ok) return path
  return join(path, nameOf({ manifest: manifest.value }))
}
const nameOf = ({ manifest: { name, version } }: Pick<PackedBundle, 'manifest'>): string => `${name}-${version}.zip`

/** `svc check`: lists everything in a blueprint that the service or a machine would refuse. */
import { statSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import {
  type BundleFinding,
  type ExaminedFolder,
  examineBundle,
  examineFolder,
  findingText,
  neededSvc,
  neededSvcText,
} from '@svc/blueprint'
import { limits } from '@svc/protocol'
import { Command } from 'commander'
import { counted } from '../../machine/base/sentence.ts'
import { readFile } from '../../machine/files/read.ts'
import { examples } from '../../machine/hint.ts'
import { exits, oneLine, printResult, Refusal } from '../kit/output.ts'

export const check = (): Command =>
  new Command('check')
    .argument('[path]', 'the folder of a blueprint, or a bundle', '.')
    .option('--json', 'print one JSON value for programs')
    .summary('check a blueprint or bundle')
    .description(
      'Applies the rules that the service applies at upload and the runtime at install, and lists everything they would refuse, with file and line. Warnings and hints refuse nothing. A warning is about something that is probably a mistake, such as a status that is never read.',
    )
    .addHelpText('after', examples('check', 'check mail-triage-1.4.0.zip --json'))
    .action(async (path: string, { json }: { json?: boolean }) => {
      const { findings, warnings, hints, manifest } = await examine(resolve(path))
      const ok = findings.length === 0
      const named = manifest && { name: manifest.name, version: manifest.version }
      const needed = manifest && neededSvc(manifest)
      printResult(
        json,
        { ok, ...named, ...(needed && { neededSvc: needed.version }), findings, warnings, hints },
        () => [
          ...findings.map(findingLine),
          ...warnings.map((warning) => `warning: ${findingLine(warning)}`),
          ...hints.map((hint) => `hint: ${findingLine(hint)}`),
          ...(needed ? [`Machines need ${neededSvcText(needed)}.`] : []),
          ok ? `${named ? `${named.name} ${named.version} is` : 'This is'} good to go.` : count(findings),
        ],
      )
      if (!ok) process.exitCode = exits.refused
    })

async function examine(path: string): Promise<ExaminedFolder> {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return examineFolder(path)
  const read = readFile(path, limits.bundleBytes)
  if (read.is === 'missing') throw new Refusal(`There is no folder or bundle at ${path}.`, exits.usage)
  if (read.is === 'unreadable')
    return { findings: [{ file: basename(path), message: read.why }], warnings: [], hints: [] }
  return examineBundle(read.bytes)
}

export const findingLine = (finding: BundleFinding): string => oneLine(findingText(finding))
const count = ({ length }: readonly BundleFinding[]): string => `${counted(length, 'finding')}.`

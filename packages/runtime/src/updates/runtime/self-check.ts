/**
 * `svc --self-check`, which a runtime runs on a file that is about to replace it. A run that gets this far has already
 * proved that the file loads, since main.ts loads the launcher and the worker first. The check changes nothing.
 */
import { ownVersion } from '../../machine/base/version.ts'
import { folderAt } from '../../machine/files/folder.ts'
import { readManifestNow } from '../../reporter/manifest.ts'
import { readRuntimeNote } from '../../state/versions/runtime-note.ts'
import { selfCheckLine } from './probe.ts'

export function selfCheck(args: readonly string[]): void {
  const at = args.indexOf('--dir')
  const folder = folderAt(at < 0 ? '.' : (args[at + 1] ?? '.'))
  readRuntimeNote(folder)
  const manifest = readManifestNow(folder)
  if (!manifest.ok) {
    process.stderr.write(`It cannot read the agent's manifest: ${manifest.message.split('\n')[0]}\n`)
    process.exitCode = 1
    return
  }
  process.stdout.write(`${selfCheckLine(ownVersion)}\n`)
}

/**
 * `svc --self-check`: a runtime runs its new file with this option before the file replaces its own. main.ts loads the
 * launcher and the worker before this check, so they are known to load. The check changes nothing.
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

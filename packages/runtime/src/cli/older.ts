/**
 * Warns if the running `svc` command is older than the runtime in the agent's folder. The runtime updates itself, but
 * the command that a person installed on the machine does not.
 */
import { compareVersions, isVersion } from '@svc/protocol'
import { version } from '../machine/base/version.ts'
import { folderAt } from '../machine/files/folder.ts'
import { quoted } from '../machine/hint.ts'
import { insideOf } from '../updates/runtime/release.ts'

/**
 * Returns the warning to print before the command does its work; undefined if the command is at least as new as the
 * runtime in the folder.
 */
export function olderThanFolder(dir: string, own: string = version): string | undefined {
  const { runtime } = folderAt(dir)
  const there = insideOf(runtime)?.version
  if (there === undefined || !isVersion(own) || !isVersion(there) || compareVersions(own, there) >= 0) return undefined
  return `This svc is ${own}, and the runtime in this folder is ${there}. Renew the command with: ${quoted(runtime)} self install`
}

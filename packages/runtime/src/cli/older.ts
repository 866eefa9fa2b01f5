/**
 * Warns if this command is older than the runtime in the agent's folder. The runtime updates itself, but the command
 * that a person installed does not.
 */
import { compareVersions, isVersion } from '@svc/protocol'
import { folderAt } from '../files/folder.ts'
import { quoted } from '../hint.ts'
import { insideOf } from '../self-update/release.ts'
import { version } from '../version.ts'

/**
 * The warning to print before the command does its work; undefined if this svc is at least as new as the one in the
 * folder.
 */
export function olderThanFolder(dir: string, own: string = version): string | undefined {
  const { runtime } = folderAt(dir)
  const there = insideOf(runtime)?.version
  if (there === undefined || !isVersion(own) || !isVersion(there) || compareVersions(own, there) >= 0) return undefined
  return `This svc is ${own}, and the runtime in this folder is ${there}. Renew the command with: ${quoted(runtime)} self install`
}

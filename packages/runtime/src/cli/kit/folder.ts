/** Finds what most commands need first: the agent's folder, its manifest, and the user who runs the command. */
import type { Manifest } from '@svc/blueprint'
import { wholeSeconds } from '../../machine/base/time.ts'
import { userName } from '../../machine/base/user.ts'
import type { Folder } from '../../machine/files/folder.ts'
import { manifestForCommand } from '../../reporter/known.ts'
import type { Author } from '../../state/changes.ts'
import { type CommonOptions, existingFolder, withCommonOptions } from './common.ts'
import { Refusal } from './output.ts'

export { type CommonOptions, existingFolder, withCommonOptions }

/** An agent as its folder has it: the paths and the manifest. */
export interface AgentOnDisk {
  readonly folder: Folder
  readonly manifest: Manifest
}

/**
 * Returns the folder and the manifest of the agent in `dir`. If the manifest is missing or not valid, refuses with a
 * list of all errors.
 */
export async function agentAt(dir: string): Promise<AgentOnDisk> {
  const folder = existingFolder(dir)
  const manifest = await manifestForCommand(folder)
  if (!manifest.ok) throw new Refusal(manifest.message)
  return { folder, manifest: manifest.value }
}

/** Returns the user who runs this command, in the form in which svc notes the author of a change. */
export function currentAuthor(): Author {
  const user = nameOfUser()
  return { by: 'machine', at: wholeSeconds(Date.now()), ...(user !== undefined && { user }) }
}

/**
 * Returns the name of the current user. For a user id without a name, as in containers, returns a text such as `uid
 * 1000`.
 */
export const nameOfUser = (): string | undefined =>
  userName() ?? (process.getuid ? `uid ${process.getuid()}` : undefined)

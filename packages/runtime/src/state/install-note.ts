/**
 * The note of an installation, `.svc/journal/install.json`. It is written before each step that cannot be undone, so
 * that a process after a kill knows how far the installation got (docs/decisions/kills.md, D44). `made`: the folder
 * exists, and the code is unused. `redeeming`: the code was sent and may be used up. `redeemed`: the agent exists in
 * the service, and the work on the machine is unfinished. `installed`: the installation is complete.
 */
import { boolean, number, object, oneOf } from '@svc/protocol/fields'
import type { Folder } from '../machine/files/folder.ts'
import { anyText, describeNote, type NoteValue, withDefaults } from '../machine/files/note.ts'
import { commandHint } from '../machine/hint.ts'

const install = withDefaults(
  object(
    {
      is: oneOf(['made', 'redeeming', 'redeemed', 'installed']),
      url: anyText,
      /** The agent's name in the service. */
      agent: anyText,
      blueprint: anyText,
      version: anyText,
      /** When the installation started, in Unix seconds. */
      at: number(),
      /** The checksum of the bundle, once it is known. */
      sha256: anyText,
      /** `pid` is the id of the process that runs `svc init`, and `start` the time at which that process started. */
      pid: number(),
      start: anyText,
      /** True if the installation created the folder itself, and not only its content. */
      madeFolder: boolean,
    },
    'is',
  ),
  { url: '', agent: '', blueprint: '', version: '', at: 0, pid: 0, start: '', madeFolder: false },
)
export type Install = NoteValue<typeof install>

const file = describeNote('install', install, 65_536)
type InstallPath = Pick<Folder, 'install'>

export const writeInstall: (folder: InstallPath, install: Install) => void = file.write

/**
 * A sentence about why the note of the installation cannot be read or is damaged. Undefined if it can be read, or if
 * there is none. A damaged note does not count as missing: it proves that something was installed in the folder.
 */
export function unreadableInstall(folder: InstallPath): string | undefined {
  const read = file.inspect(folder)
  if (read.is === 'damaged') return `the note of the installation (${folder.install}) is damaged`
  return read.is === 'unreadable' ? `the note of the installation ${read.why}` : undefined
}

/**
 * Reads the note of the installation; undefined if nothing was ever installed in the folder, or if the note cannot be
 * read or is damaged.
 */
export const readInstall: (folder: InstallPath) => Install | undefined = file.read

/**
 * A sentence about why nothing can be started in this folder, and what to do (4, rule 6, D44). Undefined if the
 * installation is complete, or if the folder holds no readable note of an installation.
 */
export function unfinishedInstallText(folder: Folder): string | undefined {
  const install = readInstall(folder)
  if (!install || install.is === 'installed') return undefined
  if (install.is === 'made')
    return `The installation of ${install.agent} in ${folder.root} was interrupted before the code was used. Run "${commandHint('init')}" again.`
  return withoutMachine(install, folder.root)
}

/** The message about what to do if the agent may exist in the service although no machine runs it. */
export function withoutMachine({ is, agent, url }: Pick<Install, 'is' | 'agent' | 'url'>, root: string): string {
  return is === 'redeeming'
    ? `The code was sent to ${url} and no answer came, so it may be used up. Check in the service: if there is an agent "${agent}", delete it there. Then remove ${root} and use a new code. If there is none, the code may still be valid.`
    : `The agent "${agent}" exists in the service ${url}, but without a machine: the installation in ${root} was not finished. Delete the agent there, remove ${root}, and issue a new code.`
}

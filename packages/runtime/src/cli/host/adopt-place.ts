/** The folders and programs that `svc adopt` uses. */
import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { findForeignFolder } from '../../host/adopt/place.ts'
import { accountHostFolder, jobsFolderOf } from '../../host/jobs/account.ts'
import { isLauncher } from '../../host/jobs/launcher-file.ts'
import { programFile } from '../../launcher/file.ts'
import { type Folder, folderAt } from '../../machine/files/folder.ts'
import { ownerOf } from '../../machine/files/own.ts'
import { readInsideRelease } from '../../updates/runtime/release.ts'
import { installSelf, programsFolder, renewLauncher } from '../install/self.ts'
import { Refusal } from '../kit/output.ts'

export interface HostFolder {
  /** The folder of the host agent. */
  readonly folder: Folder
  /** The folder with the records of jobs. */
  readonly jobs: string
  /** The path of `svc-exec`. */
  readonly program: string
}

/** Finds the folders of this user. Refuses those of another user. */
export function findHostFolder(): HostFolder {
  const programs = ownFolder(programFile()) ?? programsFolder()
  const root = accountHostFolder(process.env, join(programs, 'svc-exec'))
  if (root === undefined)
    throw new Refusal('There is no folder for the agent: set HOME, or XDG_STATE_HOME, to an absolute path.')
  const jobs = jobsFolderOf(root, process.env)
  const uid = process.getuid?.()
  const own = { what: 'The folder of the agent', path: root }
  const places =
    uid === 0
      ? [{ what: 'The home folder', path: homedir() }, { what: 'The folder for svc-exec', path: programs }, own]
      : [own]
  const stranger =
    uid === undefined
      ? undefined
      : findForeignFolder(
          uid,
          places.map((each) => ({ ...each, owner: ownerOf(each.path) })),
        )
  if (stranger) throw new Refusal(`${stranger} Nothing was done.`)
  const folder = folderAt(root)
  return { folder, jobs, program: join(programs, 'svc-exec') }
}

/** The folder of the running program, if `svc self install` put the program there. */
function ownFolder(program: string): string | undefined {
  const folder = dirname(program)
  const launcher = join(folder, 'svc-exec')
  if (basename(program) !== 'svc' || !existsSync(launcher)) return undefined
  return isLauncher(readFileSync(launcher, 'utf8')) ? folder : undefined
}

/** Refuses if no `svc-exec` can be installed at the path that the crontab would call. */
export function mustInstall(program: string): void {
  if (existsSync(program) || readInsideRelease(programFile())) return
  throw new Refusal(
    `There is no ${program}, and svc runs from source, so it cannot be written. Use svc.pyz. Nothing was done.`,
  )
}

/**
 * Installs `svc` and `svc-exec` for this user, unless both exist. An existing `svc-exec` is written again if the Node
 * that it names is gone, or would not survive an update of Node. Returns lines that tell a person what was done.
 */
export async function installPrograms({ program, folder: { root } }: HostFolder): Promise<string[]> {
  const folder = join(program, '..')
  if (existsSync(join(folder, 'svc')) && existsSync(program))
    return renewLauncher(program) ? [`Wrote ${program} again, with another path of Node.`] : []
  if (!readInsideRelease(programFile())) return []
  return (await installSelf(folder, root)).lines
}

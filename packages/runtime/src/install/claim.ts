/**
 * Claims the folder of a new agent before the code is sent (D44): creates the folder, or uses an empty one, and creates
 * `.svc` in it exclusively. Until the code is sent, everything can be undone, by this process or by a later one.
 */
import { mkdirSync, readdirSync, renameSync, rmdirSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { codeOf, messageOf } from '../machine/base/errors.ts'
import { createFolder, syncFolder } from '../machine/files/durable.ts'
import { type Folder, folderAt } from '../machine/files/folder.ts'
import { judgeSpace, mountOf, spaceAt, spaceSentence } from '../machine/files/space.ts'
import { isAlive, ownIdentity } from '../machine/process/identity.ts'
import {
  type Install,
  readInstall,
  unfinishedInstallText,
  unreadableInstall,
  writeInstall,
} from '../state/install-note.ts'

type ClaimedCode =
  | { readonly ok: true; readonly folder: Folder; readonly install: Install }
  | { readonly ok: false; readonly message: string }

/** Why no agent can be installed in this folder; undefined if one can. The function changes nothing. */
export function whyFolderIsTaken(root: string): string | undefined {
  const folder = folderAt(root)
  const stat = statSync(root, { throwIfNoEntry: false })
  if (!stat) {
    const above = dirname(root)
    return statSync(above, { throwIfNoEntry: false })?.isDirectory()
      ? undefined
      : `There is no folder ${above}. Create it first.`
  }
  if (!stat.isDirectory()) return `${root} already exists and is not a folder.`
  const install = readInstall(folder)
  if (install?.is === 'installed') return `The agent ${install.agent} is already installed in ${root}.`
  if (install?.is === 'made' && isAlive(install)) return `Process ${install.pid} is installing into ${root}.`
  if (install && install.is !== 'made') return unfinishedInstallText(folder)
  const unread = unreadableInstall(folder)
  if (unread)
    return `In ${root}, ${unread}, so a code may have been used there. Choose another folder with --dir, or remove ${root} if nobody needs what is in it.`
  const asides = asidesIn(root)
  const sweeper = asides.find(({ pid }) => pid !== process.pid && isAlive({ pid, start: '' }))
  if (sweeper) return `Process ${sweeper.pid} is installing into ${root}.`
  const others = readdirSync(root).filter((name) => name !== '.svc' && !asides.some((aside) => aside.name === name))
  if (others.length === 0 && [folder.svc, ...asides.map(({ path }) => path)].every(isRemnant)) return undefined
  return `The folder ${root} already exists and is not empty. Choose another with --dir.`
}

/** Claims the folder for a new agent, or returns why that is not possible. */
export function claimFolder(
  root: string,
  known: Pick<Install, 'url' | 'agent' | 'blueprint' | 'version' | 'at'>,
): ClaimedCode {
  const taken = whyFolderIsTaken(root)
  if (taken) return { ok: false, message: taken }
  const full = noRoomReason(dirname(root))
  if (full) return { ok: false, message: `Nothing was installed, and the code was not used. ${full}` }
  const folder = folderAt(root)
  const left = readInstall(folder)
  let madeFolder = left?.madeFolder ?? false
  try {
    if (make(root)) madeFolder = true
    else sweepRemnant(folder)
    if (!make(folder.svc)) return { ok: false, message: `Another process took ${root} meanwhile.` }
    syncFolder(root)
    syncFolder(dirname(root))
    createFolder(folder.journal, 0o700)
    const install: Install = { ...known, is: 'made', ...ownIdentity(), madeFolder }
    writeInstall(folder, install)
    return { ok: true, folder, install }
  } catch (error) {
    unclaim(folder, madeFolder)
    return {
      ok: false,
      message: `The folder ${root} could not be created: ${messageOf(error)}.`,
    }
  }
}

/**
 * Returns a sentence if the file system is full or read-only. An installation on it would fail after the code was used
 * up, and leave an agent that exists only in the service.
 */
function noRoomReason(above: string): string | undefined {
  const space = spaceAt(above)
  const is = space && judgeSpace(space)
  return space && (is === 'full' || is === 'read-only') ? spaceSentence(space, mountOf(above)) : undefined
}

/**
 * Undoes `claimFolder`: removes `.svc`, and the agent's folder too if the installation created it and nothing else is
 * in it.
 */
export function unclaim(folder: Folder, madeFolder: boolean): void {
  rmSync(folder.svc, { recursive: true, force: true })
  if (!madeFolder) return
  try {
    rmdirSync(folder.root)
  } catch {
    // Somebody has meanwhile put something into the folder, so the folder is left.
  }
}

/**
 * True if the folder `svc` does not exist, or if it holds only what is left of an installation that was killed before
 * it sent its code: the journal's folder with the note of the installation.
 */
function isRemnant(svc: string): boolean {
  const names = list(svc)
  if (names === undefined) return true
  const isOwn = (list(join(svc, 'journal')) ?? []).every((n) => n === 'install.json' || n.startsWith('.install.json.'))
  return names.every((n) => n === 'journal') && isOwn
}

/**
 * Removes what killed installations left. `.svc` is renamed first, so that only one of two processes removes it. If a
 * process is killed after the rename, the next installation removes the renamed folder.
 */
function sweepRemnant(folder: Folder): void {
  for (const { path } of asidesIn(folder.root)) rmSync(path, { recursive: true, force: true })
  const aside = join(folder.root, `.svc.${process.pid}.old`)
  try {
    renameSync(folder.svc, aside)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return
    throw error
  }
  rmSync(aside, { recursive: true, force: true })
}

/** The folders to which `sweepRemnant` has renamed `.svc`, each with the id of the process that did so. */
const asidesIn = (root: string) =>
  (list(root) ?? []).flatMap((name) => {
    const pid = /^\.svc\.(\d+)\.old$/.exec(name)?.[1]
    return pid === undefined ? [] : [{ name, path: join(root, name), pid: Number(pid) }]
  })

function make(folder: string): boolean {
  try {
    mkdirSync(folder)
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
}

function list(folder: string): string[] | undefined {
  try {
    return readdirSync(folder)
  } catch {
    return undefined
  }
}

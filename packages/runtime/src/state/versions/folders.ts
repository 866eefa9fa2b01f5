/**
 * The versions of an agent on the disk: the version to which `current` leads, the change of `current` by one rename,
 * and the removal of versions that are no longer needed.
 */
import { existsSync, readlinkSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { codeOf } from '../../machine/base/errors.ts'
import { createFolder, fileNamesIn, syncFolder } from '../../machine/files/durable.ts'
import type { Folder } from '../../machine/files/folder.ts'
import { withSpares } from '../../machine/files/reserve.ts'
import { explainErrors } from '../../machine/files/space.ts'

type VersionPaths = Pick<Folder, 'root' | 'current' | 'versions' | 'svc'>

/**
 * The folder name of a version. It is made from the checksum, since a version may contain characters that are not
 * allowed in the name of a folder (D48).
 */
export const versionFolderName = (sha256: string): string => sha256.toLowerCase().slice(0, 32)
export const versionFolder = (folder: Pick<Folder, 'versions'>, sha256: string): string =>
  join(folder.versions, versionFolderName(sha256))

/** The folder name of the version to which `current` leads; undefined if there is no such link. */
export function currentVersionFolder({ current }: Pick<Folder, 'current'>): string | undefined {
  const target = targetOf(current)
  return target === undefined ? undefined : basename(target)
}

function targetOf(link: string): string | undefined {
  try {
    return readlinkSync(link)
  } catch {
    return undefined
  }
}

/**
 * Returns the agent's folder with the paths of the version to which the link `current` leads now. Files that are read
 * through the result belong to that version, even if an update changes `current` meanwhile.
 */
export function folderOfCurrent(folder: Folder): Folder {
  const name = folder.installed ? currentVersionFolder(folder) : undefined
  if (name === undefined) return folder
  const home = join(folder.versions, name)
  return { ...folder, home, manifest: resolve(home, basename(folder.manifest)) }
}

/**
 * True if a version of the agent is on this machine. It is enough that its manifest exists, since each folder in
 * `versions` is complete.
 */
export const hasVersion = (folder: Pick<Folder, 'versions' | 'manifest'>, sha256: string): boolean =>
  existsSync(join(versionFolder(folder, sha256), basename(folder.manifest)))

/** Makes `current` lead to a version, by one rename (I17). */
export function linkCurrentTo(folder: VersionPaths & Pick<Folder, 'manifest'>, sha256: string): void {
  if (!hasVersion(folder, sha256)) throw new Error(`${versionFolder(folder, sha256)} is not there`)
  prepareCurrentLink(folder, sha256)
  renameSync(temporaryOf(folder), folder.current)
  syncFolder(folder.root)
}

/**
 * Creates the link that `linkCurrentTo` renames, unless it is there already. A caller can do this early to find out
 * whether the disk has room, since the rename needs none. `sweepVersions` removes a link that was not renamed.
 */
export function prepareCurrentLink(folder: VersionPaths, sha256: string): void {
  const temporary = temporaryOf(folder)
  const target = join(basename(folder.versions), versionFolderName(sha256))
  if (targetOf(temporary) === target) return
  rmSync(temporary, { force: true })
  explainErrors(folder.current, () =>
    withSpares(join(folder.svc, 'current'), 'state', () => symlinkSync(target, temporary)),
  )
}

/** Removes the link that `prepareCurrentLink` has created. */
export const dropPreparedLink = (folder: VersionPaths): void => rmSync(temporaryOf(folder), { force: true })

/**
 * Removes the remains of an interrupted update, and all versions except the current one and those in `keep`. Each
 * folder is first moved to `staging`, so that no half-removed version stays in `versions`.
 */
export function sweepVersions(folder: Folder, keep: readonly string[]): void {
  dropPreparedLink(folder)
  const kept = new Set([currentVersionFolder(folder), ...keep.map(versionFolderName)])
  const removable = fileNamesIn(folder.versions).filter((name) => !kept.has(name))
  if (removable.length > 0) createFolder(folder.staging)
  for (const name of removable) renameAway(join(folder.versions, name), join(folder.staging, name))
  for (const name of fileNamesIn(folder.staging)) rmSync(join(folder.staging, name), { recursive: true, force: true })
}

function renameAway(from: string, to: string): void {
  rmSync(to, { recursive: true, force: true })
  try {
    renameSync(from, to)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
  }
}

const temporaryOf = ({ root }: Pick<Folder, 'root'>): string => join(root, '.current.new')

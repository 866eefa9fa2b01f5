/**
 * Simulates a power failure: a folder on a separate file system, in an image, is copied while its writers are stopped.
 * Data that they had only passed to the kernel is missing from the copy; data that they had synced is there.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export const mayMount =
  process.getuid?.() === 0 &&
  existsSync('/dev/loop-control') &&
  ['mkfs.ext4', 'mount', 'umount'].every((tool) => spawnSync('which', [tool]).status === 0)

export interface Disk {
  readonly image: string
  readonly folder: string
}

/** Mounts an ext4 that writes by itself only every five minutes; until then only synced data is on the disk. */
export function mounted(home: string, name: string, from?: string): Disk {
  const [image, folder] = [join(home, `${name}.img`), join(home, name)]
  if (from) copyFileSync(from, image)
  else {
    writeFileSync(image, '')
    truncateSync(image, 256 * 1024 * 1024)
    execFileSync('mkfs.ext4', ['-q', image])
  }
  mkdirSync(folder)
  execFileSync('mount', ['-o', 'loop,commit=300', image, folder])
  return { image, folder }
}
export const unmount = ({ folder }: Disk) => spawnSync('umount', ['-l', folder])

const unsynced = 'never synced'
const witness = ({ folder }: Disk) => join(folder, 'unsynced')
/** Writes a file that nobody syncs. If it survives, the failure was not simulated. */
export const leaveUnsynced = (disk: Disk): void => writeFileSync(witness(disk), unsynced)
/** True if the content survived. The name alone may survive, written together with what others synced. */
export const unsyncedSurvived = (disk: Disk): boolean =>
  existsSync(witness(disk)) && readFileSync(witness(disk), 'utf8') === unsynced

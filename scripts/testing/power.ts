/**
 * The power fails: a folder on a file system of its own, in an image, is copied while its writers are stopped in their tracks. What they
 * had only handed to the kernel is not in the copy; what they had synced is.
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

/** Ext4 that writes by itself only every five minutes: until then all that is on the disk was synced. */
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
/** A file that nobody syncs: if it survives, the cut was none. */
export const leaveUnsynced = (disk: Disk): void => writeFileSync(witness(disk), unsynced)
/** The name may be there, written along with what others synced; what stands in the file is not. */
export const unsyncedSurvived = (disk: Disk): boolean =>
  existsSync(witness(disk)) && readFileSync(witness(disk), 'utf8') === unsynced

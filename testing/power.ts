/**
 * Simulates a power failure. The tested folder is a separate file system in an image file, and the image is copied
 * while the processes that write are stopped. Data that was synced is in the copy; data that only reached the kernel is
 * missing.
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

/**
 * Mounts an ext4 file system that writes unsynced data to its image only every five minutes. Until then the image
 * contains only synced data.
 */
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
/**
 * Writes a file that nobody syncs. If its content is still there after the power failure, the failure was not
 * simulated.
 */
export const leaveUnsynced = (disk: Disk): void => writeFileSync(witness(disk), unsynced)
/**
 * True if the content of the file that `leaveUnsynced` wrote survived. Only the name of the file may survive, since
 * other syncs can write it too.
 */
export const unsyncedSurvived = (disk: Disk): boolean =>
  existsSync(witness(disk)) && readFileSync(witness(disk), 'utf8') === unsynced

/** Small file systems that a test can fill. They need the right to mount. */
import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { ServiceHome } from './service-process.ts'

/**
 * Mounts a file system of this size below the home, until the end of the test. Undefined without the right to mount.
 */
export function smallDisk(home: ServiceHome, size = '64k'): string | undefined {
  const folder = join(home.folder, 'small')
  mkdirSync(folder)
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder]).status !== 0) return undefined
  onTestFinished(() => void spawnSync('umount', ['--lazy', folder]))
  return folder
}

export const mayMount = spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'tmpfs', '/tmp']).status === 0
if (!mayMount) console.warn('NOT TESTED: full disks, because this user may not mount a file system.')

/** Writes a file until the disk is full. */
export function fill(folder: string): string {
  const file = join(folder, 'filling')
  const { error } = spawnSync('dd', ['if=/dev/zero', `of=${file}`, 'bs=4k'])
  if (error) throw error
  return file
}

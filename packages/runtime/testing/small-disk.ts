/**
 * Provides real file systems that are full: small ones in memory, which only root can mount. Without that right the
 * tests that need them are skipped, and say so.
 */
import { execFileSync } from 'node:child_process'
import { closeSync, mkdirSync, mkdtempSync, openSync, realpathSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The thing that a small file system runs out of: bytes, or inodes, of which each file needs one. */
export type Scarce = 'bytes' | 'inodes'

const options: Readonly<Record<Scarce, string>> = { bytes: 'size=24m', inodes: 'size=24m,nr_inodes=300' }

export interface SmallDisk {
  /** The folder on which the file system is mounted. */
  readonly root: string
  /** Uses up everything that is left, except this many bytes. Programs in the folder may free something later. */
  fill(but?: number): void
  /** Removes what `fill` has written. */
  free(): void
  unmount(): void
}

/** Mounts a file system of 24 MB. */
export function smallDisk(scarce: Scarce): SmallDisk {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'svc-small-disk-')))
  execFileSync('mount', ['-t', 'tmpfs', '-o', options[scarce], 'tmpfs', root], { stdio: ['ignore', 'ignore', 'pipe'] })
  const filler = join(root, 'filler')
  let count = 0
  return {
    root,
    fill: (but = 0) => {
      mkdirSync(filler, { recursive: true })
      if (scarce === 'bytes') return writeBytes(join(filler, String(count++)), but)
      for (;;) if (!couldMake(join(filler, String(count++)))) return
    },
    free: () => rmSync(filler, { recursive: true, force: true }),
    unmount: () => {
      execFileSync('umount', ['-l', root])
      rmSync(root, { recursive: true })
    },
  }
}

function writeBytes(file: string, but: number): void {
  const fd = openSync(file, 'w')
  try {
    for (let size = 1024 * 1024; size >= 1; ) {
      try {
        writeSync(fd, Buffer.alloc(size))
      } catch {
        size = Math.floor(size / 4)
      }
    }
  } finally {
    closeSync(fd)
  }
  if (but > 0) execFileSync('truncate', ['-s', `-${but}`, file])
}

function couldMake(file: string): boolean {
  try {
    closeSync(openSync(file, 'wx'))
    return true
  } catch {
    return false
  }
}

/**
 * Why no file system can be mounted here; undefined if one can. The reason is also printed on standard error, with the
 * names of what is then not tested.
 */
export function mountMissing(untested: string): string | undefined {
  try {
    smallDisk('bytes').unmount()
    return undefined
  } catch (error) {
    const why = error instanceof Error ? error.message.trim().replaceAll('\n', ' ') : String(error)
    process.stderr.write(`NOT TESTED: ${untested}, since no file system can be mounted here: ${why}\n`)
    return why
  }
}

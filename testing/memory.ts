/**
 * Makes folders in memory for the files of tests. Tests write, copy and sync many small files, which costs less there
 * than on a disk.
 */
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { freemem } from 'node:os'
import { join } from 'node:path'

const memory = '/dev/shm'
const prefix = 'svc-test-'
/** The minimum number of free bytes for a folder in memory. A whole test run uses about 800 MB. */
const minFree = 3 * 2 ** 30

/**
 * Makes a folder in memory that every user may enter. Returns undefined if the system has no such place, if it has too
 * little room, or if programs cannot be run from it. The caller removes the folder; if the caller is killed, a later
 * call does, since the folder's name contains the id of its process.
 */
export function memoryFolder(): string | undefined {
  try {
    removeAbandoned()
    const { bavail, bsize } = statfsSync(memory)
    if (Math.min(bavail * bsize, freemem()) < minFree) return undefined
    const folder = mkdtempSync(join(memory, `${prefix}${process.pid}-`))
    chmodSync(folder, 0o755)
    if (runsPrograms(folder)) return folder
    rmSync(folder, { recursive: true })
    return undefined
  } catch {
    return undefined
  }
}

function runsPrograms(folder: string): boolean {
  const file = join(folder, 'program')
  writeFileSync(file, '#!/bin/sh\n', { mode: 0o755 })
  const { status } = spawnSync(file)
  rmSync(file)
  return status === 0
}

/** Removes the folders in memory of processes that have ended without removing them. */
function removeAbandoned(): void {
  for (const name of readdirSync(memory)) {
    const pid = name.startsWith(prefix) ? /^\d+/.exec(name.slice(prefix.length))?.[0] : undefined
    if (pid !== undefined && !existsSync(`/proc/${pid}`)) rmSync(join(memory, name), { recursive: true, force: true })
  }
}

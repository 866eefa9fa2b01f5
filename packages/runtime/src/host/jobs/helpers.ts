/**
 * Finds the processes that the command of a run has started, also in a session of their own: their environment names
 * the file of the run, which no other run has. Other systems than Linux do not show environments, so none is found
 * there.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { procStat } from '../../machine/process/identity.ts'

/** The running processes of this user that have this variable. */
export function processesWith(variable: string): number[] {
  if (process.platform !== 'linux') return []
  const needle = Buffer.from(`\0${variable}\0`)
  return readdirSync('/proc').flatMap((name) => {
    const pid = Number(name)
    return /^\d+$/.test(name) && pid !== process.pid && isMarked(pid, needle) ? [pid] : []
  })
}

function isMarked(pid: number, needle: Buffer): boolean {
  try {
    if (!Buffer.concat([start, readFileSync(`/proc/${pid}/environ`)]).includes(needle)) return false
    process.kill(pid, 0)
    return !['Z', 'X'].includes(procStat(pid)[0] ?? '')
  } catch {
    return false // it has ended, or belongs to another user
  }
}
const start = Buffer.from([0])

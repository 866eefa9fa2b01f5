/**
 * Ends agents and services that a test run has left behind. A run of `npm run test:faults` ends at the first test that
 * fails, before that test has cleaned up.
 */
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Kills every process that was started with this folder as its TMPDIR, and empties the folder. This needs Linux's
 * `/proc`.
 */
export function endLeftovers(temporary: string): void {
  for (const pid of process.platform === 'linux' ? readdirSync('/proc') : []) {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid || !environmentOf(pid).includes(`TMPDIR=${temporary}`))
      continue
    try {
      process.kill(Number(pid), 'SIGKILL')
    } catch {
      // The process has ended before it could be killed.
    }
  }
  for (const name of readdirSync(temporary))
    rmSync(join(temporary, name), { recursive: true, force: true, maxRetries: 10 })
}

function environmentOf(pid: string): string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0')
  } catch {
    return [] // the process has ended, or belongs to another user
  }
}

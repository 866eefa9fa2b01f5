/**
 * Identifies a process by boot and start time besides its pid, so that a later process with the same pid is not
 * confused with it.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** A process that cannot be confused with a later one. */
export interface ProcessIdentity {
  readonly pid: number
  /**
   * The boot and the start time of the process, which no other process with the same pid has. Empty if the system does
   * not show them.
   */
  readonly start: string
}

/** The ticks in a second of the times in /proc, whatever the frequency of the kernel's clock. */
export const ticksPerSecond = 100

export const ownIdentity = (): ProcessIdentity => ({ pid: process.pid, start: startOf(process.pid) ?? '' })

/** The identity of the process with this pid; undefined if there is none, or only a zombie. */
export function identityOf(pid: number): ProcessIdentity | undefined {
  const start = startOf(pid)
  return start === undefined ? undefined : { pid, start }
}

/**
 * True if the very same process still lives; if its start is not known, any process with its pid counts. A zombie does
 * not count as living.
 */
export function isAlive({ pid, start }: ProcessIdentity): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false
  const current = startOf(pid)
  return current !== undefined && (current === start || current === '' || start === '')
}

/**
 * Why a process that exists does nothing: it was stopped by a signal (T), or has ended and was not reaped (Z, a
 * zombie).
 */
export type Halt = 'T' | 'Z'

/** Why the process does nothing; undefined if it is active, or if the system does not show it. */
export function haltOf(pid: number): Halt | undefined {
  const letter = letterOf(pid)
  return letter === 'T' || letter === 'Z' ? letter : undefined
}

/**
 * The state of a process as the letter that Linux and `ps` use. The use on macOS follows the documentation of `ps` and
 * was not tried.
 */
function letterOf(pid: number): string | undefined {
  try {
    return process.platform === 'linux' ? procStat(pid)[0] : ps('stat=', pid).slice(0, 1)
  } catch {
    return undefined
  }
}

function ps(columns: string, pid: number): string {
  const env = { ...process.env, LC_ALL: 'C', TZ: 'UTC' }
  const stdio = ['ignore', 'pipe', 'ignore'] as const
  return execFileSync('ps', ['-o', columns, '-p', String(pid)], { env, stdio: [...stdio], encoding: 'utf8' }).trim()
}

/**
 * The start of a process: on Linux the boot id and the start time as `boot:start`, elsewhere the start time alone.
 * Undefined if there is no such process, or only a zombie.
 */
function startOf(pid: number): string | undefined {
  if (process.platform === 'linux') return linuxStart(pid)
  try {
    const shown = ps('stat=,lstart=', pid)
    return shown === '' || shown.startsWith('Z') ? undefined : shown.replace(/^\S+\s+/, '')
  } catch {
    return undefined
  }
}

let boot: string | undefined

/**
 * The id of the boot of this machine. It is read only once, since it cannot change while this process lives. Linux
 * only.
 */
export function bootId(): string {
  boot ??= readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()
  return boot
}

function linuxStart(pid: number): string | undefined {
  try {
    const fields = procStat(pid)
    if (fields[0] === 'Z' || fields[0] === 'X') return undefined
    return `${bootId()}:${fields[19]}`
  } catch {
    return undefined
  }
}

/**
 * The fields of /proc/PID/stat that follow the name: state, parent, group, and so on. The name is skipped, since it may
 * contain any character.
 */
export function procStat(pid: number | string): string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}

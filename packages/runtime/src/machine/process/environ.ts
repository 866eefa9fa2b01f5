/**
 * Reads from /proc the facts about a process for the table in ownership.ts, and finds processes by their environment.
 * This works on Linux only.
 */
import { closeSync, openSync, readdirSync, readFileSync, readlinkSync, readSync, realpathSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { procStat } from './identity.ts'
import { isSvcCommand } from './ownership.ts'
import { dirMarkVariable, startedMarkVariable } from './unmark.ts'

interface Mark {
  /** The agent's folder. */
  readonly dir: string
  /** The time of the start, in Unix seconds with three decimals. */
  readonly started: string
}

/** The pids of all processes that this user may see. */
export function allPids(): number[] {
  try {
    return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []))
  } catch {
    return [] // there is no /proc
  }
}

/**
 * The other running processes of this user with `variable`, such as `NAME=value`, in their environment. Empty on other
 * systems than Linux, which do not show environments.
 */
export function processesWith(variable: string): number[] {
  if (process.platform !== 'linux') return []
  const wanted = Buffer.from(`\0${variable}\0`)
  return allPids().filter((pid) => pid !== process.pid && hasVariable(pid, wanted))
}

function hasVariable(pid: number, wanted: Buffer): boolean {
  try {
    if (!Buffer.concat([Buffer.from([0]), readFileSync(`/proc/${pid}/environ`)]).includes(wanted)) return false
    process.kill(pid, 0)
    return !['Z', 'X'].includes(procStat(pid)[0] ?? '')
  } catch {
    return false // the process has ended, or belongs to another user
  }
}

/** The size of the buffer in bytes at first. Most environments fit into it. */
const usualBytes = 65_536
const needle = Buffer.from(`${startedMarkVariable}=`)

/** Reads the marks of many processes; the function that it returns uses one buffer for all of them. */
export function markReader(): (pid: number) => Mark | 'none' | 'unreadable' {
  const buffer = Buffer.allocUnsafe(usualBytes)
  return (pid) => {
    const bytes = environOf(pid, buffer)
    if (!bytes) return 'unreadable'
    if (!bytes.includes(needle)) return isWhole(bytes) ? 'none' : 'unreadable'
    const entries = bytes.toString('utf8').split('\0')
    const read = (name: string) => entries.find((entry) => entry.startsWith(`${name}=`))?.slice(name.length + 1)
    const dir = read(dirMarkVariable)
    const started = read(startedMarkVariable)
    return dir === undefined || started === undefined ? 'none' : { dir, started }
  }
}

/**
 * Reads the environment of a process; undefined if it may not be read, or if there is none, as for a zombie or a kernel
 * thread.
 */
function environOf(pid: number, buffer: Buffer): Buffer | undefined {
  try {
    const first = readBytes(`/proc/${pid}/environ`, buffer)
    if (first.length > 0) return first
    // a process has no environment for a moment while it executes another program
    if (readFileSync(`/proc/${pid}/statm`, 'latin1').startsWith('0 ')) return undefined
    const second = readBytes(`/proc/${pid}/environ`, buffer)
    return second.length > 0 ? second : undefined
  } catch {
    return undefined
  }
}

function readBytes(file: string, buffer: Buffer): Buffer {
  const fd = openSync(file, 'r')
  try {
    let length = 0
    for (let got = 1; got > 0 && length < buffer.length; length += got)
      got = readSync(fd, buffer, length, buffer.length - length, null)
    return length < buffer.length ? buffer.subarray(0, length) : readFileSync(file)
  } finally {
    closeSync(fd)
  }
}

/** False if the program has overwritten its environment, as programs do that change their title. */
const isWhole = (environ: Buffer): boolean =>
  /^[A-Za-z_]\w*=/.test(environ.toString('latin1', 0, 256)) && !environ.includes('\0\0')

/** The ids that relate a process to others. */
interface ProcessRelations {
  readonly parent: number
  readonly group: number
  readonly session: number
}

/**
 * The parent, the process group and the session of a process; undefined if there is no such process, or only a zombie.
 */
export function relationsOf(pid: number): ProcessRelations | undefined {
  try {
    const [state, parent, group, session] = procStat(pid)
    if (state === 'Z' || state === 'X') return undefined
    return { parent: Number(parent), group: Number(group), session: Number(session) }
  } catch {
    return undefined
  }
}

/** The command of a process with its arguments; empty if it is not known. */
export function argsOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(0, -1)
  } catch {
    return []
  }
}

const own = realPathOf(process.argv[1] ?? '')

/** True if the process is a runtime or a command of svc that must not be ended with an agent. */
export function isSvcProcess(pid: number): boolean {
  return isSvcCommand(argsOf(pid), (arg) => {
    try {
      return realpathSync(resolve(readlinkSync(`/proc/${pid}/cwd`), arg)) === own
    } catch {
      return false
    }
  })
}

/**
 * True if the process has a file system of its own, as in a container, and another folder at this path, or none. An
 * agent in a container may have the same path as an agent of this machine.
 */
export function seesOtherFiles(pid: number, dir: string): boolean {
  try {
    if (readlinkSync(`/proc/${pid}/ns/mnt`) === readlinkSync('/proc/self/ns/mnt')) return false
  } catch {
    return false
  }
  try {
    const [there, here] = [statSync(`/proc/${pid}/root${dir}`), statSync(dir)]
    return there.dev !== here.dev || there.ino !== here.ino
  } catch {
    return true
  }
}

/** The real path of a folder or file; the same text if it does not exist. */
export function realPathOf(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

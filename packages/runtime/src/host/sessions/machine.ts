/** Asks this machine about processes and locks. Without /proc, as on macOS (untried), less is known. */
import { readFileSync, readlinkSync, statfsSync, statSync } from 'node:fs'
import { uptime } from 'node:os'
import { fileNamesIn } from '../../machine/files/durable.ts'
import { isOwner } from '../../machine/files/own.ts'
import { bootId, isAlive, procStat, ticksPerSecond } from '../../machine/process/identity.ts'

/** The facts about processes and locks that the readers of sessions ask for. */
export interface Machine {
  /** True if /proc shows which locks are held, and which process has a pid. */
  readonly hasProc: boolean
  /** The machine and the pid namespace of this process, as Claude Code writes them; undefined if not known. */
  readonly domain: string | undefined
  /** True if the process lives. `start` is field 22 of its /proc/PID/stat. */
  lives(pid: number, start: string): boolean
  /** The function that finds the process which holds the lock of a file; undefined if this machine does not tell. */
  lockHolders(): LockHolders | undefined
  /** The processes of this user whose program has this name; undefined if this machine does not tell. */
  processesNamed(name: string): readonly NamedProcess[] | undefined
}

/** A file on which a process may hold a lock. */
export interface LockFile {
  readonly dev: number
  readonly ino: number
  /** True if /proc/locks may show another device for the file than `stat`, so that only the inode is compared. */
  readonly hasOtherDevice: boolean
}
type LockHolders = (file: LockFile) => number | undefined

/** A process that was found by its name. */
export interface NamedProcess {
  readonly pid: number
  /** The folder in which it works. */
  readonly folder: string
  /** Its command line, which does not leave the machine. */
  readonly args: readonly string[]
  /** When it started, in Unix seconds. */
  readonly started: number
}

export function thisMachine(): Machine {
  const hasProc = process.platform === 'linux'
  return {
    hasProc,
    domain: hasProc ? ownDomain() : undefined,
    lives: (pid, start) => isAlive({ pid, start: hasProc ? `${bootId()}:${start}` : '' }),
    lockHolders: () => {
      const locks = textIn('/proc/locks')
      return locks === undefined ? undefined : holdersIn(locks)
    },
    processesNamed: (name) => (hasProc ? processesIn(name) : undefined),
  }
}

function processesIn(name: string): NamedProcess[] {
  const now = Date.now() / 1000
  const running = uptime()
  return fileNamesIn('/proc').flatMap((entry): NamedProcess[] => {
    if (!/^\d+$/.test(entry) || textOf(`/proc/${entry}/comm`).trim() !== name) return []
    const pid = Number(entry)
    const [folder, ticks] = [linkOf(`/proc/${entry}/cwd`), startTicks(pid)]
    const isOwn = isOwner(statSync(`/proc/${entry}`, { throwIfNoEntry: false })?.uid ?? -1)
    if (!isOwn || folder === '' || ticks === undefined) return []
    const args = textOf(`/proc/${entry}/cmdline`).split('\0')
    return [{ pid, folder, args, started: now - running + ticks / ticksPerSecond }]
  })
}
function startTicks(pid: number): number | undefined {
  try {
    const fields = procStat(pid)
    return fields[0] === 'Z' ? undefined : Number(fields[19])
  } catch {
    return undefined // the process has ended
  }
}

/** Returns `linux:MACHINE-ID:pid:[INODE]`. MACHINE-ID is empty if the machine has none. */
function ownDomain(): string | undefined {
  const space = linkOf('/proc/self/ns/pid')
  return space === '' ? undefined : `linux:${textOf('/etc/machine-id').trim()}:${space}`
}

/** True if two domains name the same machine and pid namespace. A domain without a machine id fits any machine. */
export function isSameDomain(one: string, other: string): boolean {
  const [a, b] = [domainPattern.exec(one), domainPattern.exec(other)]
  if (!a || !b) return one === other
  return a[2] === b[2] && (a[1] === b[1] || a[1] === '' || b[1] === '')
}
const domainPattern = /^linux:([^:]*):(pid:.+)$/

/** Reads the text of /proc/locks, with lines such as `1: FLOCK ADVISORY WRITE 812 08:01:1234 0 EOF`. */
export function holdersIn(locks: string): LockHolders {
  const holders = new Map<string, number>()
  for (const [, pid, major = '', minor = '', inode = ''] of locks.matchAll(lockPattern)) {
    const device = `${Number.parseInt(major, 16)}:${Number.parseInt(minor, 16)}`
    for (const key of [inode, `${device}:${inode}`]) holders.set(key, Number(pid))
  }
  return ({ dev, ino, hasOtherDevice }) => holders.get(hasOtherDevice ? `${ino}` : `${deviceText(dev)}:${ino}`)
}
const lockPattern = /^\d+: \w+ +\w+ +\w+ +(\d+) ([\da-f]+):([\da-f]+):(\d+) /gm

/** A device as /proc shows it, from the number that `stat` gives. */
const deviceText = (dev: number): string => `${(dev >>> 8) & 0xfff}:${(dev & 0xff) | ((dev >>> 12) & 0xfff00)}`

/** True if files in this folder have another device in /proc/locks than `stat` tells. */
export function hasOtherDevice(folder: string): boolean {
  try {
    return otherDevices.has(statfsSync(folder).type)
  } catch {
    return true
  }
}
/** The types of btrfs, overlayfs and bcachefs. Each folder of btrfs may have a device of its own. */
const otherDevices: ReadonlySet<number> = new Set([0x9123683e, 0x794c7630, 0xca451a4e])

const textOf = (file: string): string => textIn(file) ?? ''

function textIn(file: string): string | undefined {
  try {
    return readFileSync(file, 'latin1')
  } catch {
    return undefined
  }
}

function linkOf(file: string): string {
  try {
    return readlinkSync(file)
  } catch {
    return ''
  }
}

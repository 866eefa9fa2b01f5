/**
 * Simulates failing disks in this process, one for each folder, so that many cases run at once. At a change that
 * `picks` selects, the runtime of that folder behaves as if it were killed (nothing changes there after that), or the
 * change fails, or all later changes that need space fail, too.
 */
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

export const faults = ['killed before', 'killed after', 'ENOSPC', 'EIO', 'ENOSPC from then on'] as const
export type Fault = (typeof faults)[number]
const growing = ['openSync', 'writeSync', 'writeFileSync', 'linkSync', 'mkdirSync', 'copyFileSync', 'symlinkSync']
const changing = [...growing, 'renameSync', 'unlinkSync', 'rmSync', 'fsyncSync']
type Act = (...args: unknown[]) => unknown

export interface Disk {
  /**
   * Called before each change; returns true for the change at which the fault happens. It can also check what must be
   * true at every moment.
   */
  picks: (call: string, file: string) => boolean
  fault: Fault | undefined
  /** True for files that cannot be opened for reading. */
  unreadable?: (file: string) => boolean
  struck: boolean
  dead: boolean
}

const disks = new Map<string, Disk>()
const opened = new Map<unknown, string>()
const real = new Map<string, Act>()

/** Applies this simulated disk to all later changes below `root`. */
export function addFaultyDisk(root: string, disk: Omit<Disk, 'struck' | 'dead'>): Disk {
  const made = { ...disk, struck: false, dead: false }
  disks.set(root, made)
  return made
}
export const removeFaultyDisk = (root: string): boolean => disks.delete(root)

export function breakDisks(): void {
  for (const name of changing) {
    const act = fs[name as 'openSync'] as unknown as Act
    real.set(name, act)
    Object.assign(fs, { [name]: (...args: unknown[]) => actOnDisk(name, act, args) })
  }
  syncBuiltinESMExports()
}
export function mendDisks(): void {
  for (const [name, act] of real) Object.assign(fs, { [name]: act })
  syncBuiltinESMExports()
}

function actOnDisk(name: string, act: Act, args: unknown[]): unknown {
  const path = typeof args[0] === 'number' ? (opened.get(args[0]) ?? '') : String(args[name === 'symlinkSync' ? 1 : 0])
  const disk = diskOf(path)
  const go = (): unknown => {
    if (name === 'fsyncSync' && disk) return undefined // a power failure is not simulated here, so nothing is synced
    const result = act(...args)
    if (name === 'openSync') opened.set(result, path)
    return result
  }
  const reads = name === 'openSync' && (args[1] === 'r' || typeof args[1] === 'number')
  if (reads && disk?.unreadable?.(path)) throw failure('EIO', name)
  return disk && !reads ? onDisk(disk, name, path, go) : go()
}

function onDisk(disk: Disk, name: string, path: string, go: () => unknown): unknown {
  const { fault } = disk
  if (disk.dead) throw failure('EIO', name)
  const now = disk.struck ? fault === 'ENOSPC from then on' : disk.picks(name, path)
  if (!now || fault === undefined) return go()
  const full = fault.startsWith('ENOSPC')
  if (full && !growing.includes(name)) return go()
  disk.struck = true
  if (full || fault === 'EIO') throw failure(full ? 'ENOSPC' : 'EIO', name)
  disk.dead = true
  if (fault === 'killed after') go()
  throw failure('EIO', name)
}

function diskOf(path: string): Disk | undefined {
  for (const [root, disk] of disks) if (path === root || path.startsWith(`${root}/`)) return disk
  return undefined
}
const failure = (code: string, name: string) =>
  Object.assign(new Error(`${code}: a fault that was asked for, ${name}`), { code })

/**
 * Simulates a failing disk in this process. At the n-th change of the disk, the process behaves as if it were killed
 * (nothing changes after that), either before or after that change; or the change fails, alone or together with all
 * later changes that need space.
 */
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

export const kinds = ['killed before', 'killed after', 'EIO', 'ENOSPC', 'ENOSPC from then on'] as const
export type Kind = (typeof kinds)[number]

const changing = [
  'renameSync',
  'fsyncSync',
  'unlinkSync',
  'linkSync',
  'openSync',
  'mkdirSync',
  'writeFileSync',
  'writeSync',
  'copyFileSync',
  'rmSync',
] as const
/** The functions of `node:fs` that need free space on the disk. */
const growing: readonly string[] = ['linkSync', 'openSync', 'mkdirSync', 'writeFileSync', 'writeSync', 'copyFileSync']

/**
 * Calls `work` on a disk on which the change with number `at` fails. Returns how many changes `work` made, and whether
 * they were enough to reach the fault.
 */
export function onFaultyDisk(at: number, kind: Kind, work: () => void): { changes: number; struck: boolean } {
  const real = new Map(changing.map((name) => [name, fs[name] as (...args: unknown[]) => unknown]))
  let count = 0
  let dead = false
  const fail = (code: string, name: string) => {
    throw Object.assign(new Error(`${code}: a fault that was asked for, ${name}`), { code })
  }
  for (const [name, act] of real) {
    const faulty = (...args: unknown[]) => {
      if (name === 'openSync' && (args[1] === 'r' || typeof args[1] === 'number')) return act(...args)
      if (dead) throw new Killed()
      count++
      if (kind.startsWith('ENOSPC') && growing.includes(name) && (count === at || (count > at && kind.endsWith('on'))))
        fail('ENOSPC', name)
      if (count !== at || kind.startsWith('ENOSPC')) return act(...args)
      if (kind === 'EIO') fail('EIO', name)
      dead = true
      if (kind === 'killed after') act(...args)
      throw new Killed()
    }
    Object.assign(fs, { [name]: faulty })
  }
  syncBuiltinESMExports()
  try {
    work()
  } catch (error) {
    if (!(error instanceof Killed)) throw error
  } finally {
    for (const [name, act] of real) Object.assign(fs, { [name]: act })
    syncBuiltinESMExports()
  }
  return { changes: count, struck: count >= at }
}

class Killed extends Error {}

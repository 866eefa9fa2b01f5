/**
 * A disk that fails, in this process: at its n-th change the process is as good as killed (nothing changes any more), before or after that
 * change took place; or that change fails, alone or with every one of its kind after it.
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
/** What needs room on the disk. */
const growing: readonly string[] = ['linkSync', 'openSync', 'mkdirSync', 'writeFileSync', 'writeSync', 'copyFileSync']

/** Does some work on such a disk; gives how many changes there were, and whether it came to the fault. */
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

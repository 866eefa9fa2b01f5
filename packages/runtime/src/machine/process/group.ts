/**
 * The process group of an agent: its leader, and all processes that the leader started and that did not leave the
 * group.
 */
import { readdirSync } from 'node:fs'
import { codeOf } from '../base/errors.ts'
import { procStat } from './identity.ts'

/**
 * True if any process of the group still lives. The system does not reuse the id of a group while the group has
 * members.
 */
export function groupLives(pid: number): boolean {
  try {
    process.kill(-pid, 0)
  } catch (error) {
    return codeOf(error) === 'EPERM'
  }
  return process.platform !== 'linux' || processesOfGroup(pid).length > 0
}

/** The processes of a group that are not zombies. This works on Linux only. */
export const processesOfGroup = (group: number): number[] =>
  readdirSync('/proc').flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return []
    try {
      const [state, , inGroup] = procStat(pid)
      return inGroup === String(group) && state !== 'Z' && state !== 'X' ? [Number(pid)] : []
    } catch {
      return []
    }
  })

/**
 * Sends a signal to the whole process group. Returns false if that is not possible, usually because the group no longer
 * exists.
 */
export function signalGroup(pid: number, signal: NodeJS.Signals): boolean {
  try {
    process.kill(-pid, signal)
    return true
  } catch {
    return false
  }
}

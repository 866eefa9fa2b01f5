/** The group of processes that an agent is: its leader and everything that the leader started and that did not leave the group. */
import { readdirSync } from 'node:fs'
import { codeOf } from '../errors.ts'
import { statOf } from './identity.ts'

/** Whether anything of the group still lives. The number of a group is not given away while it has members. */
export function groupLives(pid: number): boolean {
  try {
    process.kill(-pid, 0)
  } catch (error) {
    return codeOf(error) === 'EPERM'
  }
  return process.platform !== 'linux' || membersOf(pid).length > 0
}

/** Linux: the members that are more than an entry which nobody has read yet (a zombie). */
export const membersOf = (group: number): number[] =>
  readdirSync('/proc').flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return []
    try {
      const [state, , inGroup] = statOf(pid)
      return inGroup === String(group) && state !== 'Z' && state !== 'X' ? [Number(pid)] : []
    } catch {
      return []
    }
  })

/** Sends a signal to the whole group; false when there is none any more. */
export function signalGroup(pid: number, signal: NodeJS.Signals): boolean {
  try {
    process.kill(-pid, signal)
    return true
  } catch {
    return false
  }
}

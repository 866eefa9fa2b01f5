/** Watches the processes that an agent started, and sends them signals. leftovers.ts and supervision.ts decide when. */
import { groupLives, signalGroup } from '../machine/process/group.ts'
import type { ProcessIdentity } from '../machine/process/identity.ts'
import type { AgentProcess } from '../machine/process/listed.ts'
import { agentProcesses, createMarkCheck, groupMembersOf, signalProcess } from '../machine/process/mark.ts'

type StopSignal = 'SIGTERM' | 'SIGKILL'

/** The processes that an agent started, and the functions that send them signals. */
export interface LeftProcesses {
  /**
   * The known processes of the agent that live. If none of them lives, the machine is searched again, but not too
   * often, since a search is slow. Between two searches, processes that have ended may be returned.
   */
  now(): readonly AgentProcess[]
  /** Searches the whole machine for processes of the agent. */
  search(): readonly AgentProcess[]
  /** Sends a signal to every process of the agent, except to those of this group. */
  signal(signal: StopSignal, except: number | undefined): void
  /** Notes the members of a group whose leader has just ended, so that the group is recognised later. */
  orphaned(group: number): void
  /** True if the group still has members that belong to the agent. */
  groupLives(group: number): boolean
  /** Sends a signal to a group. `led` is true if its leader is known to be the agent's process. */
  signalGroup(group: number, signal: StopSignal, led: boolean): void
}

/** A search is not repeated within this many milliseconds, nor within twenty times the time that it took. */
const pauseMs = 200

/**
 * Watches the processes of the agent in the folder `dir`. `ignored` are process groups that have the agent's mark but
 * do not belong to the agent.
 */
export function leftProcessesOf(dir: string, ignored: ReadonlySet<number>): LeftProcesses {
  const isStill = createMarkCheck(dir)
  let known: readonly AgentProcess[] = []
  let again = 0
  let orphans: readonly ProcessIdentity[] = []
  let sent: StopSignal | undefined
  const search = (): readonly AgentProcess[] => {
    const began = performance.now()
    known = agentProcesses(dir).filter(({ group }) => !ignored.has(group))
    const ended = performance.now()
    again = ended + Math.max(pauseMs, 20 * (ended - began))
    return known
  }
  /** True if the group lives and belongs to the agent. Outside of Linux, every living group counts. */
  const owns = (group: number): boolean => {
    if (!groupLives(group)) return false
    if (process.platform !== 'linux') return true
    const { members, marked } = groupMembersOf(group, dir)
    const isKnown = ({ pid, start }: ProcessIdentity) =>
      orphans.some((each) => each.pid === pid && each.start === start)
    if (!marked && !members.some(isKnown)) return false
    orphans = members
    return true
  }
  return {
    now: () => {
      const living = known.filter(isStill)
      if (living.length === 0 && performance.now() >= again) return search()
      if (living.length > 0) known = living
      return known
    },
    search,
    signal: (signal, except) => {
      const isRepeated = signal === sent && performance.now() < again
      sent = signal
      for (const each of isRepeated ? known.filter(isStill) : search())
        if (each.group !== except) signalProcess(each, signal)
    },
    orphaned: (group) => {
      orphans = groupMembersOf(group, dir).members
    },
    groupLives: owns,
    signalGroup: (group, signal, led) => {
      if (led || owns(group)) signalGroup(group, signal)
    },
  }
}

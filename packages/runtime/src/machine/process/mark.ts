/**
 * Finds the processes that an agent started, by the mark in their environment. The mark consists of two variables
 * (2.12): the agent's folder and the time of the start, which is noted before the start and which no other start has.
 * The table in ownership.ts decides about each process.
 */
import { execFileSync } from 'node:child_process'
import { allPids, argsOf, isSvcProcess, markReader, realPathOf, relationsOf, seesOtherFiles } from './environ.ts'
import { processesOfGroup } from './group.ts'
import { identityOf, isAlive, type ProcessIdentity } from './identity.ts'
import { type AgentProcess, oldestProcess } from './listed.ts'
import { ownershipRuleOf, type ProcessFacts } from './ownership.ts'

/**
 * The living processes that the agent of this folder started, at any start and in any process group, except those of
 * the start `spared`. Empty on other systems than Linux, which do not show environments.
 */
export function agentProcesses(dir: string, spared?: string): AgentProcess[] {
  if (process.platform !== 'linux') return []
  const found = search(dir, spared)
  // A process that forks and ends during the search hides its child. So an empty list counts only if it is found twice.
  return found.length > 0 ? found : search(dir, spared)
}

/**
 * Returns a function that says whether a process that was found earlier still lives and still has the mark. A process
 * loses its mark by executing a program without it. A process whose environment cannot be read counts as marked.
 */
export function createMarkCheck(dir: string): (found: ProcessIdentity) => boolean {
  const markOf = markReader()
  const isThisFolder = sameAs(dir)
  return (found) => {
    if (!isAlive(found)) return false
    const mark = markOf(found.pid)
    return typeof mark === 'object' ? isThisFolder(mark.dir) : mark === 'unreadable'
  }
}

/** Sends a signal to a process that was found, unless another process has its pid by now. */
export function signalProcess(found: ProcessIdentity, signal: NodeJS.Signals): void {
  const life = isAlive(found) ? 'alive' : 'reused'
  if (ownershipRuleOf({ ...decidedFacts, life }).verdict !== 'end') return
  try {
    process.kill(found.pid, signal)
  } catch {
    // the process has just ended, or now runs as another user
  }
}

/** The facts about a process that the table has already attributed to the agent. */
const decidedFacts: Omit<ProcessFacts, 'life'> = {
  mark: 'this agent',
  start: 'any',
  sees: 'this folder',
  relation: 'none',
  session: 'of the agent',
}

function search(dir: string, spared: string | undefined): AgentProcess[] {
  const markOf = markReader()
  const isThisFolder = sameAs(dir)
  let family: ReturnType<typeof familyOf> | undefined
  return allPids().flatMap((pid): AgentProcess[] => {
    const mark = markOf(pid)
    const read = typeof mark === 'object'
    const kin = read ? relationsOf(pid) : undefined
    // Most processes have no mark. The other facts are read only if the table asks for them.
    const facts: ProcessFacts = {
      mark: !read ? mark : isThisFolder(mark.dir) ? 'this agent' : 'another agent',
      life: kin ? 'alive' : 'ended',
      start: read && mark.started === spared ? 'spared' : 'any',
      get sees() {
        return read && seesOtherFiles(pid, mark.dir) ? 'another folder' : 'this folder'
      },
      get relation() {
        family ??= familyOf(markOf)
        return family.relationOf(pid)
      },
      get session() {
        return kin && isStrange(kin.session, pid, markOf, isThisFolder) ? 'of a stranger' : 'of the agent'
      },
    }
    const identity = ownershipRuleOf(facts).verdict === 'end' ? identityOf(pid) : undefined
    if (!identity || !kin || !read) return []
    return [{ ...identity, started: mark.started, group: kin.group, command: argsOf(pid).join(' ') }]
  })
}

/** Returns a function that says whether a path leads to this folder, perhaps through links. */
function sameAs(dir: string): (path: string) => boolean {
  const real = realPathOf(dir)
  const known = new Map([[dir, true]])
  return (path) => {
    const same = known.get(path) ?? realPathOf(path) === real
    known.set(path, same)
    return same
  }
}

/**
 * True if the session was opened by another process that still lives and was not started by the agent. Session 0 was
 * opened outside of this container.
 */
function isStrange(
  session: number,
  pid: number,
  markOf: ReturnType<typeof markReader>,
  isThisFolder: (dir: string) => boolean,
): boolean {
  if (session === pid) return false
  if (session === 0) return true
  if (!relationsOf(session)) return false
  const mark = markOf(session)
  return mark === 'none' || (typeof mark === 'object' && !isThisFolder(mark.dir))
}

/** Relates processes to the runtimes and commands of svc on this machine. */
function familyOf(markOf: ReturnType<typeof markReader>) {
  const parents = new Map(allPids().map((pid) => [pid, relationsOf(pid)?.parent ?? 0]))
  const above = (pid: number): number[] => {
    const chain: number[] = []
    for (let at = parents.get(pid) ?? 0; at > 0 && !chain.includes(at); at = parents.get(at) ?? 0) chain.push(at)
    return chain
  }
  const svc = new Set([process.pid, ...[...parents.keys()].filter(isSvcProcess)])
  const aboveSvc = new Set([...svc].flatMap(above))
  const sameMark = (one: number, other: number): boolean => {
    const [a, b] = [markOf(one), markOf(other)]
    return typeof a === 'object' && typeof b === 'object' && a.dir === b.dir && a.started === b.started
  }
  return {
    relationOf(pid: number): ProcessFacts['relation'] {
      if (svc.has(pid)) return 'svc'
      if (aboveSvc.has(pid)) return 'above svc'
      const chain = above(pid)
      const others = chain.findIndex((each) => !sameMark(each, pid))
      return (others < 0 ? chain : chain.slice(0, others)).some((each) => svc.has(each)) ? 'below svc' : 'none'
    },
  }
}

/** The oldest process of this start that leads a process group; undefined if none lives. */
export function findMarked(dir: string, started: string): ProcessIdentity | undefined {
  const leaders =
    process.platform === 'linux'
      ? agentProcesses(dir).filter((each) => each.started === started && each.group === each.pid)
      : byPs(dir, started).flatMap((pid) => identityOf(pid) ?? [])
  return oldestProcess(leaders)
}

/**
 * The members of a process group. `marked` is true if one of them has the mark of this agent: the id of a group whose
 * leader is dead does not prove that the group is the agent's. This works on Linux only.
 */
export function groupMembersOf(
  group: number,
  dir: string,
): { readonly members: ProcessIdentity[]; readonly marked: boolean } {
  if (process.platform !== 'linux') return { members: [], marked: false }
  const members = processesOfGroup(group).flatMap((pid) => identityOf(pid) ?? [])
  const markOf = markReader()
  const isThisFolder = sameAs(dir)
  const isMarked = ({ pid }: ProcessIdentity): boolean => {
    const mark = markOf(pid)
    return typeof mark === 'object' && isThisFolder(mark.dir)
  }
  return { members, marked: members.some(isMarked) }
}

/** Finds the leaders of process groups of a start on other systems, where `ps` shows the environment. */
function byPs(agentDir: string, started: string): number[] {
  try {
    const shown = execFileSync('ps', ['-axEww', '-o', 'pid=,pgid=,command='], { encoding: 'utf8', maxBuffer: 1 << 26 })
    return shown.split('\n').flatMap((line) => {
      const [pid, group] = line.trim().split(/\s+/, 2)
      const marked = line.includes(`SVC_AGENT_DIR=${agentDir}`) && line.includes(`SVC_AGENT_STARTED=${started}`)
      return marked && pid === group ? [Number(pid)] : []
    })
  } catch {
    return []
  }
}

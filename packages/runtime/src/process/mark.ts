/**
 * Finds an agent's process by its environment: after a kill between the start of the process and the note about it, and
 * for processes that a dead agent left running. The mark consists of two variables that section 2.12 requires anyway:
 * the folder and the time of the start. The journal has that time before the process is started, and no two starts
 * share it.
 */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { membersOf } from './group.ts'
import { type Identity, identityOf, statOf } from './identity.ts'

/** The oldest process that has this mark in its environment and leads a process group; undefined if none lives. */
export function findMarked(agentDir: string, started: string): Identity | undefined {
  const found = process.platform === 'linux' ? onLinux(agentDir, started) : byPs(agentDir, started)
  const leaders = found.flatMap((pid) => identityOf(pid) ?? [])
  return leaders.sort((a, b) => a.start.localeCompare(b.start, 'en', { numeric: true }))[0]
}

/**
 * True if this process group contains a process that was started with this mark. The id of a group whose leader is dead
 * does not prove that the group is the agent's. This works on Linux only; elsewhere the result is false.
 */
export const markedGroup = (group: number, agentDir: string, started: string): boolean =>
  process.platform === 'linux' && membersOf(group).some((pid) => isMarked(String(pid), agentDir, started))

const onLinux = (agentDir: string, started: string): number[] =>
  readdirSync('/proc').flatMap((pid) =>
    /^\d+$/.test(pid) && isMarked(pid, agentDir, started) && leads(pid) ? [Number(pid)] : [],
  )

function isMarked(pid: string, agentDir: string, started: string): boolean {
  try {
    const env = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0')
    return env.includes(`SVC_AGENT_DIR=${agentDir}`) && env.includes(`SVC_AGENT_STARTED=${started}`)
  } catch {
    return false // the process has ended meanwhile, or belongs to another user
  }
}

function leads(pid: string): boolean {
  try {
    return statOf(pid)[2] === pid
  } catch {
    return false
  }
}

/** Finds processes on other systems, where `ps` shows the environment after the command. */
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

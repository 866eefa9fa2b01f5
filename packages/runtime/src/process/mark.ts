/**
 * Finding an agent's process by its environment: for the moment between a spawn and the note of it (a kill may land there), and
 * for what a dead agent left running. The mark is what 2.12 gives it anyway: its folder and the moment of its start, which the
 * journal holds before the spawn and which no two starts share.
 */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { type Identity, identityOf, statOf } from './identity.ts'

/** The leader of the group that was started with this mark; undefined when none lives. */
export function findMarked(agentDir: string, started: string): Identity | undefined {
  const found = process.platform === 'linux' ? onLinux(agentDir, started) : byPs(agentDir, started)
  const leaders = found.flatMap((pid) => identityOf(pid) ?? [])
  return leaders.sort((a, b) => a.start.localeCompare(b.start, 'en', { numeric: true }))[0]
}

function onLinux(agentDir: string, started: string): number[] {
  const wanted = [`SVC_AGENT_DIR=${agentDir}`, `SVC_AGENT_STARTED=${started}`]
  return readdirSync('/proc').flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return []
    try {
      const env = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0')
      return wanted.every((line) => env.includes(line)) && statOf(pid)[2] === pid ? [Number(pid)] : []
    } catch {
      return [] // gone meanwhile, or another user's
    }
  })
}

/** Elsewhere `ps` shows the environment behind the command. */
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

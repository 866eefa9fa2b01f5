/**
 * Cleans up after a demo, even if the demo was killed. It reads lines `+pid` and `-pid` from the demo about process
 * groups that start and end. When the demo is gone, its pipe closes. The guard then ends the remaining groups and the
 * agents in the demo's folder, and removes the folder. Arguments: the folder, and `keep` to keep it.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { hostIn } from './machine.ts'

const softMs = 15_000
const lookMs = 100
const stopMs = 30_000
// The guard ignores signals, since it must outlive the demo.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})

const groups = new Set<number>()
for await (const line of createInterface({ input: process.stdin })) {
  const pid = Number(line.slice(1))
  if (line.startsWith('+')) groups.add(pid)
  else groups.delete(pid)
}

const left = (signal: NodeJS.Signals | 0) => [...groups].filter((pid) => send(pid, signal)).length > 0
const until = performance.now() + softMs
left('SIGTERM')
while (left(0) && performance.now() < until) await sleep(lookMs)
left('SIGKILL')
const [folder, keep] = process.argv.slice(2)
if (folder) {
  await Promise.all([...agentsIn(join(folder, 'agents')), hostIn(folder)].map(stop))
  if (keep !== 'keep') rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}

/** Sends a signal to a process group. Returns false if the group has no processes left. */
function send(group: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-group, signal)
  } catch {
    return false
  }
}

function agentsIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : []
}

/**
 * Stops an agent with the copy of svc in its folder. `svc stop` also finds the agent's program if a killed runtime left
 * it running.
 */
async function stop(agent: string): Promise<void> {
  const svc = join(agent, '.svc/runtime/svc.pyz')
  if (!existsSync(svc)) return // the agent was never started, because its installation was not completed
  const args = ['-e', 'require(process.argv[1])', svc, 'stop', '--dir', agent]
  const child = spawn(process.execPath, args, { cwd: '/', stdio: 'ignore', timeout: stopMs, killSignal: 'SIGKILL' })
  await once(child, 'close').catch(() => {})
}

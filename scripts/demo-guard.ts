/**
 * Cleans up after a demo, even one that could not do it itself (SIGKILL, out of memory). It reads `+pid` or `-pid`
 * lines from the demo, one for each process group that starts or ends. When the demo is gone its end of the pipe
 * closes: the guard then ends the groups that still run and the agents left in the demo's folder (a killed runtime
 * leaves its agent running), and removes the folder. Arguments: the folder, and `keep` to keep it.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'

const softMs = 15_000
const lookMs = 100
const stopMs = 30_000
// signals are ignored, since the guard must outlive the demo
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
  await Promise.all(agentsIn(join(folder, 'agents')).map(stop))
  if (keep !== 'keep') rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}

/** Sends a signal to a process group. Returns false if no process of the group is left. */
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

/** Runs `svc stop` with the agent's own copy of svc, which can also find a process that a killed runtime left. */
async function stop(agent: string): Promise<void> {
  const svc = join(agent, '.svc/runtime/svc.pyz')
  if (!existsSync(svc)) return // the installation was never completed, so the agent was never started
  const args = ['-e', 'require(process.argv[1])', svc, 'stop', '--dir', agent]
  const child = spawn(process.execPath, args, { cwd: '/', stdio: 'ignore', timeout: stopMs, killSignal: 'SIGKILL' })
  await once(child, 'close').catch(() => {})
}

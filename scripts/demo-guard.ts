/**
 * Cleans up after a demo, also after one that was ended in a way it could not hear of (SIGKILL, no memory). Reads from the demo which
 * process groups run, one `+pid` or `-pid` a line; when the demo is gone, however, its end of the pipe closes: what still
 * runs is ended, then every agent in the demo's folder that is left (a runtime that was killed leaves its agent running), and
 * the folder is removed. Arguments: the folder, and `keep` when it is not to be removed.
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
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {}) // ends with the demo, not before

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

/** False when nothing of the group is left. */
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

/** `svc stop` by the agent's own copy of svc: it knows how to find what a killed runtime left. */
async function stop(agent: string): Promise<void> {
  const svc = join(agent, '.svc/runtime/svc.pyz')
  if (!existsSync(svc)) return // never wholly installed, so never started
  const args = ['-e', 'require(process.argv[1])', svc, 'stop', '--dir', agent]
  const child = spawn(process.execPath, args, { cwd: '/', stdio: 'ignore', timeout: stopMs, killSignal: 'SIGKILL' })
  await once(child, 'close').catch(() => {})
}

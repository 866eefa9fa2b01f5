/**
 * Cleans up after a demo that was ended in a way it could not hear of (SIGKILL, no memory). Reads from the demo which
 * process groups run, one `+pid` or `-pid` a line; when the demo is gone, however, its end of the pipe closes: what still
 * runs is ended, and the folder, the only argument, is removed. Without an argument no folder is removed.
 */
import { rmSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'

const softMs = 5000
const lookMs = 100
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
const [folder] = process.argv.slice(2)
if (folder) rmSync(folder, { recursive: true, force: true, maxRetries: 5 })

/** False when nothing of the group is left. */
function send(group: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-group, signal)
  } catch {
    return false
  }
}

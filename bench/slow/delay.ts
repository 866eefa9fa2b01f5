/**
 * A module that Node loads into a server before its program (`--import`). Every tenth of a second it adds a line to the
 * file SVC_BENCH_DELAY: the time, the longest turn of the event loop since the last line, and the maximum CPU time that
 * the main thread took in one turn, in milliseconds. A turn that takes longer than its CPU time was waiting for the
 * disk or for a core.
 */
import { appendFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

/**
 * The milliseconds between two readings of the clock. If turns take longer than this, there is one reading per turn.
 */
const resolution = 2
const everyMs = 100

let longest = 0
let maxWork = 0
let at = performance.now()
let cpu = process.threadCpuUsage()

function check(): void {
  const now = performance.now()
  const used = process.threadCpuUsage(cpu)
  longest = Math.max(longest, now - at - resolution)
  maxWork = Math.max(maxWork, (used.user + used.system) / 1000)
  at = now
  cpu = process.threadCpuUsage()
}

function note(): void {
  appendFileSync(
    process.env.SVC_BENCH_DELAY ?? '/dev/null',
    `${Date.now()} ${longest.toFixed(2)} ${maxWork.toFixed(2)}\n`,
  )
  longest = maxWork = 0
}

if (isMainThread) {
  setInterval(check, resolution).unref()
  setInterval(note, everyMs).unref()
}

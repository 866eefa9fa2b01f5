/**
 * Loaded into a server before its program (`--import`). Records the turns of its event loop for each tenth of a second, one
 * line each, in the file SVC_BENCH_DELAY: the time, the longest turn, and the most CPU time that the main thread took in
 * one turn, in milliseconds. A turn that takes longer than its CPU time waited for the disk or for a core.
 */
import { appendFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

/** Milliseconds between two looks. A look comes once a turn while turns are longer than this. */
const resolution = 2
const everyMs = 100

let longest = 0
let maxWork = 0
let at = performance.now()
let cpu = process.threadCpuUsage()

function look(): void {
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
  setInterval(look, resolution).unref()
  setInterval(note, everyMs).unref()
}

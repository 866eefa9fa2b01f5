/**
 * Loaded into a server before its program (`--import`). Records the longest turn of its event loop in each tenth of a
 * second, one line each, in the file SVC_BENCH_DELAY.
 */
import { appendFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { isMainThread } from 'node:worker_threads'

const resolution = 2
const everyMs = 100
const turns = monitorEventLoopDelay({ resolution })
turns.enable()
function note(): void {
  const longest = Math.max(0, turns.max / 1e6 - resolution)
  turns.reset()
  appendFileSync(process.env.SVC_BENCH_DELAY ?? '/dev/null', `${Date.now()} ${longest.toFixed(2)}\n`)
}
if (isMainThread) setInterval(note, everyMs).unref()

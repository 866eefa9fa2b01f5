/**
 * Loaded into a server before its program (`--import`): the longest turn of its event loop in each tenth of a second, a line each in the
 * file SVC_BENCH_DELAY.
 */
import { appendFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'

const resolution = 2
const everyMs = 100
const turns = monitorEventLoopDelay({ resolution })
turns.enable()
setInterval(() => {
  const longest = Math.max(0, turns.max / 1e6 - resolution)
  turns.reset()
  appendFileSync(process.env.SVC_BENCH_DELAY ?? '/dev/null', `${Date.now()} ${longest.toFixed(2)}\n`)
}, everyMs).unref()

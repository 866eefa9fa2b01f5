/**
 * A small agent that tests run as a separate process: it obeys the runtime's files for pause and run now, writes its
 * status file, and records each step in a trace. It does not know the service. Its arguments are its folder and the
 * number of steps.
 */
import { appendFileSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const [folder = '.', steps = '10'] = process.argv.slice(2)
const at = (...parts: string[]) => join(folder, ...parts)
mkdirSync(at('state'), { recursive: true })

let step = 0
const timer = setInterval(() => {
  const paused = existsSync(at('.svc/paused'))
  const asked = existsSync(at('.svc/run_now'))
  if (asked) rmSync(at('.svc/run_now'))
  appendFileSync(at('state/trace'), `step ${step} ${paused ? 'paused' : 'works'}${asked ? ' as asked' : ''}\n`)
  writeFileSync(
    at('state/status.json.new'),
    JSON.stringify({ state: { level: 'ok', label: paused ? 'Resting' : 'Working', detail: `step ${step}` } }),
  )
  renameSync(at('state/status.json.new'), at('state/status.json'))
  step++
  if (step === Number(steps)) clearInterval(timer)
}, 20)

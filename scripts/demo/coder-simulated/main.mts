/**
 * The agent of the demo whose work is simulated: it invents runs with models and costs, so that the page has costs to
 * show. Everything else about it is real: its bundle, its runtime, its files, and how it obeys the page.
 */
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { costOfToday, doingAt, historyBefore, maxRuns, modelAt, type Run, runAfter, stepsOf } from './work.mts'

const version = '1.0.0'
const restSeconds = 20
const lookMs = 250
const logBytes = 256 * 1024
const { SVC_STATE_DIR, SVC_SETTINGS_FILE, SVC_RUN_NOW_FILE } = process.env
const state = SVC_STATE_DIR || join(import.meta.dirname, 'state')
const statusFile = join(state, 'status.json')
const logFile = join(state, 'work.log')
const runNowFile = SVC_RUN_NOW_FILE || join(import.meta.dirname, '.svc/run_now')

const stop = new AbortController()
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stop.abort())
mkdirSync(state, { recursive: true })
let runs = earlierRuns() ?? historyBefore(seconds())
log(`started, process ${process.pid}; the work is simulated`)
while (!stop.signal.aborted) {
  if (costOfToday(runs, seconds()) < settings().budget || pressed()) await work()
  write(undefined)
  await rest()
}
log('stopped')

/** Carries out one run, step by step. */
async function work() {
  rmSync(runNowFile, { force: true })
  const started = seconds()
  const steps = stepsOf(started)
  const before = runs
  log(`run fix-${started} begins (simulated)`)
  for (let step = 1; step <= steps && !stop.signal.aborted; step++) {
    runs = [runAfter(started, step), ...before].slice(0, maxRuns)
    log(`  step ${step}: ${modelAt(step)}, ${doingAt(step)}`)
    write(step)
    await wait(settings().step_seconds)
  }
  if (stop.signal.aborted) return
  runs = [runAfter(started, steps, seconds()), ...before].slice(0, maxRuns)
  log(`run fix-${started} ends: ${runs[0]?.status}, ${runs[0]?.cost_usd} simulated USD`)
}

/** Waits for the next run, or until somebody presses Run now or changes the settings. */
async function rest() {
  const { budget } = settings()
  const until = performance.now() + restSeconds * 1000
  while (performance.now() < until && !stop.signal.aborted && !pressed() && settings().budget === budget)
    await wait(lookMs / 1000)
}

/** Writes the status file. `step` is the step of the run in progress; undefined if there is none. */
function write(step: number | undefined) {
  const [run] = runs
  const { budget } = settings()
  const cost = costOfToday(runs, seconds())
  const done = cost >= budget
  replace(statusFile, {
    agent: { version },
    state: {
      level: done && step === undefined ? 'info' : 'ok',
      label: step === undefined ? (done ? 'Budget of today is used up' : 'Waiting') : 'Working',
      detail: step === undefined ? 'Simulated: the next run begins soon.' : `${doingAt(step)}, step ${step}.`,
    },
    health: [{ name: 'Models', level: 'ok', detail: 'Simulated: this agent calls no model.' }],
    active:
      step === undefined || !run
        ? []
        : [
            {
              kind: run.kind,
              model: modelAt(step),
              started: run.started,
              steps: step,
              detail: doingAt(step),
              subjects: run.subjects,
              log: 'work',
            },
          ],
    gauges:
      budget > 0
        ? [
            {
              name: 'Budget of today',
              used: Math.min(1, cost / budget),
              mark: 0.8,
              detail: `${cost.toFixed(2)} of ${budget} simulated USD`,
            },
          ]
        : [],
    runs,
    panels: [
      {
        type: 'text',
        title: 'Simulated',
        lines: [
          'This agent belongs to the demo.',
          'Its runs, models and costs are invented.',
          'It calls no model and costs nothing.',
        ],
      },
    ],
  })
}

/** The runs that an earlier start of this agent has reported. One that was in progress then is interrupted. */
function earlierRuns(): Run[] | undefined {
  const { runs: found } = (readJson(statusFile) ?? {}) as { runs?: Run[] }
  return found?.map((run) => (run.ended === undefined ? { ...run, status: 'interrupted', ended: seconds() } : run))
}

/** The settings as the runtime last wrote them; the agent's defaults where the file has no valid value. */
function settings() {
  const given = SVC_SETTINGS_FILE ? readJson(SVC_SETTINGS_FILE) : undefined
  const of = (key: string, usual: number, min: number) => {
    const value = given?.[key]
    return typeof value === 'number' && value >= min ? value : usual
  }
  return { budget: of('budget', 10, 0), step_seconds: of('step_seconds', 5, 0.1) }
}

function readJson(file: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) ?? undefined
  } catch {
    return undefined // the file is not there yet, or is being written
  }
}

function log(line: string) {
  appendFileSync(logFile, `${new Date().toISOString()} ${line}\n`)
  if (statSync(logFile).size > logBytes) renameSync(logFile, `${logFile}.old`)
}

function replace(path: string, content: object) {
  writeFileSync(`${path}.new`, JSON.stringify(content))
  renameSync(`${path}.new`, path)
}

function pressed() {
  return existsSync(runNowFile)
}

async function wait(forSeconds: number) {
  await sleep(forSeconds * 1000, undefined, { signal: stop.signal }).catch(() => {})
}

function seconds(): number {
  return Math.floor(Date.now() / 1000)
}

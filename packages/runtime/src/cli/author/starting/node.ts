import { limits } from '@svc/protocol'

/** The command in the manifest of a new blueprint in JavaScript. */
export const command = '[node, main.mjs]'
/**
 * The command with which the README runs the program by hand. Spaces make it as long as the Python command, so that the
 * comment after it is aligned.
 */
export const run = 'node main.mjs  '

/** The program of a new blueprint in JavaScript, which needs Node 20 or newer and nothing else. */
export const main = String.raw`/** The work goes into work(). Everything else lets people watch and control the agent; see README.md. */
import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const { env } = process
const folder = env.SVC_AGENT_DIR || dirname(fileURLToPath(import.meta.url))
const state = env.SVC_STATE_DIR || join(folder, 'state')
const pauseFile = env.SVC_PAUSE_FILE || join(folder, '.svc/paused')
const runNowFile = env.SVC_RUN_NOW_FILE || join(folder, '.svc/run_now')
const settingsFile = env.SVC_SETTINGS_FILE || join(folder, '.svc/settings.json')
const defaults = { every: 10 }
/** The status is written at least this often: its age shows that the agent works. */
const writeSeconds = ${limits.statusEverySeconds}

/** REPLACE ME: do the work here, and return what the page shows (state, health, gauges, panels). */
function work(settings) {
  log('worked; again in ' + settings.every + ' minutes')
  return { state: { level: 'info', label: 'Nothing to do yet', detail: 'Replace the function work in main.mjs.' } }
}

mkdirSync(state, { recursive: true })
let seen = {}
let runs = []
let due = 0
let before = ''
let written = ''
let writtenAt = 0
turn()
const timer = setInterval(turn, 500)
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => clearInterval(timer))

function turn() {
  const settings = readSettings()
  const paused = existsSync(pauseFile)
  if (paused) {
    before = ''
  } else if (pressed() || JSON.stringify(settings) !== before || performance.now() >= due) {
    const started = Date.now()
    seen = work(settings)
    const run = { id: 'work-' + started, kind: 'work', status: 'ok', started: seconds(started), ended: seconds(Date.now()), log: 'work' }
    runs = [run, ...runs].slice(0, 50)
    before = JSON.stringify(settings)
    due = performance.now() + settings.every * 60_000
  }
  write({ ...seen, ...(paused && { state: { level: 'info', label: 'Paused' } }), runs })
}

function seconds(ms) {
  return Math.floor(ms / 1000)
}

function readSettings() {
  let given
  try {
    given = JSON.parse(readFileSync(settingsFile, 'utf8'))
  } catch {
    given = undefined // none yet, or somebody is writing it
  }
  const value = (key) => (typeof given?.[key] === 'number' ? given[key] : defaults[key])
  return { every: value('every') }
}

/** True once for each press of run now: the file is removed before the work starts. */
function pressed() {
  if (!existsSync(runNowFile)) return false
  rmSync(runNowFile, { force: true })
  return true
}

/** Writes what is new, or is due again, into a new file and renames it, so that nobody reads half of it. */
function write(status) {
  const text = JSON.stringify(status)
  if (text === written && performance.now() - writtenAt < writeSeconds * 1000) return
  const file = join(state, 'status.json')
  writeFileSync(file + '.new', text)
  renameSync(file + '.new', file)
  written = text
  writtenAt = performance.now()
}

function log(line) {
  const file = join(state, 'work.log')
  if (existsSync(file) && statSync(file).size > 256 * 1024) renameSync(file, file + '.1')
  appendFileSync(file, new Date().toISOString() + ' ' + line + '\n')
}
`

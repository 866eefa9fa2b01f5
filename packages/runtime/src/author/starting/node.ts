/** The starting agent for Node: 20 or newer, nothing to install. */
export const command = '[node, main.mjs]'
export const run = 'node main.mjs  '

export const main = String.raw`/** Watches how full the disk is. Everything but look() is how an agent is heard and steered; see README.md. */
import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const { env } = process
const folder = env.SVC_AGENT_DIR || dirname(fileURLToPath(import.meta.url))
const state = env.SVC_STATE_DIR || join(folder, 'state')
const pauseFile = env.SVC_PAUSE_FILE || join(folder, '.svc/paused')
const runNowFile = env.SVC_RUN_NOW_FILE || join(folder, '.svc/run_now')
const settingsFile = env.SVC_SETTINGS_FILE || join(folder, '.svc/settings.json')
const defaults = { every: 10, warn_at: 90 }

/** The work: gives what is to be seen (state, health, gauges, panels). */
function look(settings) {
  const { blocks, bfree, bavail, bsize } = statfsSync(state)
  const used = blocks - bfree
  const share = used / Math.max(1, used + bavail)
  const level = share * 100 >= settings.warn_at ? 'warn' : 'ok'
  const inGb = (count) => ((count * bsize) / 1024 ** 3).toFixed(1)
  const detail = inGb(bavail) + ' GB free of ' + inGb(blocks) + ' GB'
  return {
    state: { level, label: level === 'ok' ? 'Disk has room' : 'Disk is filling up', detail },
    health: [{ name: 'Disk', level, detail }],
    gauges: [{ name: 'Disk', used: Number(share.toFixed(4)), mark: settings.warn_at / 100, detail }],
  }
}

mkdirSync(state, { recursive: true })
let seen = {}
let runs = []
let due = 0
let before = ''
turn()
const timer = setInterval(turn, 500)
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => clearInterval(timer))

function turn() {
  const settings = readSettings()
  if (existsSync(pauseFile)) {
    write({ ...seen, state: { level: 'info', label: 'Paused' }, runs })
    before = ''
  } else if (pressed() || JSON.stringify(settings) !== before || performance.now() >= due) {
    const started = Date.now()
    seen = look(settings)
    const run = { id: 'look-' + started, kind: 'look', status: 'ok', started: seconds(started), ended: seconds(Date.now()), log: 'work' }
    runs = [run, ...runs].slice(0, 50)
    before = JSON.stringify(settings)
    due = performance.now() + settings.every * 60_000
    write({ ...seen, runs })
    log(seen.state.detail)
  }
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
  return { every: value('every'), warn_at: value('warn_at') }
}

/** True once for each press of run now: the file is removed before the work starts. */
function pressed() {
  if (!existsSync(runNowFile)) return false
  rmSync(runNowFile, { force: true })
  return true
}

/** Beside and renamed, so that nobody reads half of it. */
function write(status) {
  const file = join(state, 'status.json')
  writeFileSync(file + '.new', JSON.stringify({ agent: { version: '0.1.0' }, ...status }))
  renameSync(file + '.new', file)
}

function log(line) {
  const file = join(state, 'work.log')
  if (existsSync(file) && statSync(file).size > 256 * 1024) renameSync(file, file + '.1')
  appendFileSync(file, new Date().toISOString() + ' ' + line + '\n')
}
`

/** The example agent git-reader: reads the history of a git checkout at intervals, and reports it. */
import { choice, flag, number, openChannel, type Run, text, time } from './channel.mts'
import { dayRuns, healthOf, panelsOf, subjectsOf, titleOf } from './digest.mts'
import { type History, headOf, readHistory, type Wanted } from './history.mts'

const readingsKept = 30
/** The status is written at least this often, because its age shows that the agent works. */
const writeSeconds = 60
const channel = openChannel('reader', '1.0.0', {
  folder: text(''),
  branch: text(''),
  commits: number(300, 1, 5000),
  since: time,
  merges: flag(false),
  every: number(1, 0.1, 1440),
  quiet_days: number(30, 1, 3650),
  order: choice('newest', 'largest'),
})
type Settings = ReturnType<typeof channel.settings>

/** The result of the last reading: a git history, or the reason why there is none. */
let last: { history: History } | { trouble: string } | undefined
let lastWanted = ''
let settings: Settings = channel.settings()
let readings: Run[] = channel.earlierRuns().filter((run) => run.kind === 'reading')
let active: object | undefined

const stop = new AbortController()
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stop.abort())

channel.log(`started, process ${process.pid}`)
let due = performance.now()
let wasPaused = false
while (!stop.signal.aborted) await round()
active = undefined
write({ level: 'info', label: 'Stopped', detail: 'The agent was asked to end.' })
channel.log('stopped')

async function round() {
  const before = settings
  settings = channel.settings()
  const paused = channel.paused()
  if (paused !== wasPaused) channel.log(paused ? 'paused' : 'resumed')
  wasPaused = paused
  if (paused) {
    write({ level: 'info', label: 'Paused', detail: 'Nothing is read until somebody resumes.' })
    return channel.wait(3600, { paused }, stop.signal)
  }
  const pressed = channel.takeRunNow()
  const changed = JSON.stringify(before) !== JSON.stringify(settings)
  if (pressed || changed || performance.now() >= due) {
    due = performance.now() + settings.every * 60_000
    await readIfChanged(pressed ? 'run now' : changed ? 'settings changed' : 'schedule')
  }
  if (!stop.signal.aborted) write()
  await channel.wait(Math.min(writeSeconds, (due - performance.now()) / 1000), { paused }, stop.signal)
}

/**
 * Looks up the commit that the branch is at, and reads the history, which is reported as a run. A scheduled call does
 * not read again if the last reading succeeded and neither the commit nor the settings have changed since.
 */
async function readIfChanged(why: 'run now' | 'settings changed' | 'schedule') {
  const { folder, branch, commits, since, merges } = settings
  const wanted: Wanted = { folder: folder || channel.folder, branch, commits, since, merges }
  const known = last && 'history' in last ? last.history : undefined
  const head = await headOf(wanted, stop.signal).catch((error: Error) => error)
  if (why === 'schedule' && known && known.head === head && lastWanted === JSON.stringify(wanted)) return
  if (stop.signal.aborted) return
  lastWanted = JSON.stringify(wanted)
  await read(why, wanted, head, known)
}

async function read(why: string, wanted: Wanted, head: string | Error, known: History | undefined) {
  const now = Date.now()
  const run: Run = { id: `reading-${now}`, kind: 'reading', status: 'running', started: seconds(now), log: 'reader' }
  readings = [run, ...readings].slice(0, readingsKept)
  active = { kind: 'reading', started: run.started, detail: `reads ${wanted.folder}`.slice(0, 300), log: 'reader' }
  write()
  try {
    if (head instanceof Error) throw head
    const history = await readHistory(wanted, head, stop.signal)
    const old = new Set(known?.commits.map((c) => c.hash))
    const news = history.commits.filter((c) => !old.has(c.hash))
    last = { history }
    run.status = news.length > 0 ? 'done' : 'nothing new'
    run.subjects = subjectsOf(news, history)
    channel.log(`read (${why}): ${history.commits.length} commits of ${history.name}, ${news.length} new`)
    for (const c of news.slice(0, 10)) channel.log(`  ${c.hash.slice(0, 7)} ${titleOf(c)}`)
  } catch (error) {
    run.status = stop.signal.aborted ? 'stopped' : 'failed'
    if (stop.signal.aborted) return
    last = { trouble: error instanceof Error ? error.message : String(error) }
    channel.log(`could not read (${why}) ${wanted.folder}: ${last.trouble}`)
  } finally {
    run.ended = seconds(Date.now())
    active = undefined
  }
}

function write(state: object = stateOf()) {
  const history = last && 'history' in last ? last.history : undefined
  const trouble = last && 'trouble' in last ? last.trouble : undefined
  channel.writeStatus({
    state,
    health: history
      ? healthOf(history, settings.quiet_days, seconds(Date.now()))
      : trouble === undefined
        ? []
        : [{ name: 'Repository', level: 'bad', detail: trouble.slice(0, 300) }],
    active: active ? [active] : [],
    runs: [...readings, ...(history ? dayRuns(history) : [])],
    panels: history ? panelsOf(history, settings.order) : [],
  })
}

function stateOf() {
  if (!last) return { level: 'info', label: 'Reading' }
  if ('trouble' in last) return { level: 'bad', label: 'Cannot read the history', detail: last.trouble.slice(0, 300) }
  const { history } = last
  const quiet = healthOf(history, settings.quiet_days, seconds(Date.now())).some(
    (h) => 'level' in h && h.level === 'warn',
  )
  const label = quiet ? 'It has been quiet' : active ? 'Reading' : 'Up to date'
  return {
    level: quiet ? 'warn' : 'ok',
    label,
    detail: `${history.commits.length} commits of ${history.name}, branch ${history.branch}.`,
  }
}

function seconds(ms: number): number {
  return Math.floor(ms / 1000)
}

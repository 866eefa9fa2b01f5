/**
 * The first files of a new blueprint: its manifest, a program in Python or in JavaScript, and a README for its author.
 * An agent made from them runs before the author changes anything.
 */
import { manifestName } from '@svc/blueprint'
import { limits } from '@svc/protocol'

export const languages = ['python', 'node'] as const
export type Language = (typeof languages)[number]

/** Returns the files of a new blueprint: first the manifest, then the program, then the README. */
export function startingFiles(name: string, language: Language): [path: string, content: string][] {
  const program = programs[language]
  return [
    [manifestName, manifestText(name, program.command)],
    [program.file, program.text],
    ['README.md', readmeOf(name, program)],
  ]
}

/** Makes the manifest of a new blueprint, with explanations for its author. */
const manifestText = (
  name: string,
  command: string,
) => `# The blueprint: its name, how it is started, and what people can see and set.
# "svc check" lists what is wrong with it; "svc pack" makes the bundle to upload.
name: ${name}
version: 0.1.0 # a semantic version; each upload needs a new one
description: Replace me with one line that says what it does.

runtime:
  kind: process # or compose, with files: [compose.yaml]
  command: ${command} # an argument list; no shell reads it
  workdir: .
  restart: always # always | on-failure | never
  stop_seconds: 10 # between asking the agent to end and killing it
health: { start_seconds: 60 } # how long a new version may take to report its state

# The state of the agent: the agent writes it, the runtime reads and reports it.
status: state/status.json
logs: [{ name: work, path: state/work.log }]

# Commands that the agent obeys, from the page or from "svc pause", "svc run-now" and "svc set".
controls: [pause, resume, run_now]
settings:
  - { key: every, label: Minutes between runs, type: number, min: 1, max: 1440, default: 10, group: Schedule }

# Data that outlives versions. It is not packed, unless .svcignore takes it back.
state: [state]

# Secrets that a person types at "svc init"; the agent finds them in its environment.
# secrets: [{ name: MAIL_PASSWORD, purpose: reads the mailbox, optional: false }]
# Products that the agent works with; it finds SVC_BINDING_TASKS_URL, _WORKSPACE and _TOKEN in its environment.
# bindings: [{ product: tasks, role: editor, scopes: [tasks.write] }]
`

/** Makes the README of a new blueprint, which is written for its author. */
const readmeOf = (name: string, { file, run }: StartingProgram) => `# ${name}

A skeleton that runs unchanged and does nothing yet. The work goes into the function \`work\` in \`${file}\`. Then change the
description in \`svc.agent.yaml\`. Complete agents to copy from are in the examples of the svc repository.

The command \`svc\` comes from your service. Once on each machine, with its address:

    curl -fsSO https://svc.example.com/cli/svc.pyz
    python3 svc.pyz self install

Then, in this folder:

    ${run}             # runs it by hand; its state is in state/status.json
    svc check                  # lists everything that is wrong with this folder
    svc pack                   # makes the bundle ${name}-0.1.0.zip; upload it on the page
    svc report                 # or: reports this folder, after "svc connect"

It obeys the files that the runtime names in its environment, and those in \`.svc/\` when it is run by hand:
pause (\`SVC_PAUSE_FILE\`), run now (\`SVC_RUN_NOW_FILE\`, which it removes) and settings (\`SVC_SETTINGS_FILE\`).
Everything it keeps is in \`state/\`, which is not packed. To leave out more, add patterns to \`.svcignore\`, one per line.
`

interface StartingProgram {
  readonly file: string
  /** The command in the manifest. */
  readonly command: string
  /** The command with which the README runs the program by hand. */
  readonly run: string
  readonly text: string
}

/** The program in Python, which needs Python 3.8 or newer and nothing else. */
const python: StartingProgram = {
  file: 'main.py',
  command: '[python3, -u, -B, main.py]',
  run: 'python3 main.py',
  text: String.raw`"""The work goes into work(). Everything else lets people watch and control the agent; see README.md."""
import json
import os
import signal
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
FOLDER = Path(os.environ.get("SVC_AGENT_DIR") or HERE)
STATE = Path(os.environ.get("SVC_STATE_DIR") or FOLDER / "state")
PAUSE = Path(os.environ.get("SVC_PAUSE_FILE") or FOLDER / ".svc/paused")
RUN_NOW = Path(os.environ.get("SVC_RUN_NOW_FILE") or FOLDER / ".svc/run_now")
SETTINGS = Path(os.environ.get("SVC_SETTINGS_FILE") or FOLDER / ".svc/settings.json")
DEFAULTS = {"every": 10}
WRITE_SECONDS = ${limits.statusEverySeconds}  # the status is written at least this often: its age shows that the agent works


def work(settings):
    """REPLACE ME: do the work here, and return what the page shows (state, health, gauges, panels)."""
    log(f"worked; again in {settings['every']} minutes")
    return {"state": {"level": "info", "label": "Nothing to do yet", "detail": "Replace the function work in main.py."}}


def main():
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)
    STATE.mkdir(parents=True, exist_ok=True)
    seen, runs, due, before, written, written_at = {}, [], 0.0, None, None, 0.0
    while True:
        settings = read_settings()
        paused = PAUSE.exists()
        if paused:
            before = None
        elif pressed() or settings != before or time.monotonic() >= due:
            started = time.time()
            seen = work(settings)
            run = {"id": f"work-{int(started * 1000)}", "kind": "work", "status": "ok", "started": int(started), "ended": int(time.time()), "log": "work"}
            runs = [run, *runs][:50]
            before, due = settings, time.monotonic() + settings["every"] * 60
        status = {**seen, **({"state": {"level": "info", "label": "Paused"}} if paused else {}), "runs": runs}
        if status != written or time.monotonic() >= written_at + WRITE_SECONDS:
            write(status)
            written, written_at = status, time.monotonic()
        time.sleep(0.5)


def read_settings():
    try:
        given = json.loads(SETTINGS.read_text("utf-8"))
    except (OSError, ValueError):
        given = {}
    fits = lambda value: isinstance(value, (int, float)) and not isinstance(value, bool)
    return {key: given[key] if fits(given.get(key)) else usual for key, usual in DEFAULTS.items()}


def pressed():
    """True once for each press of run now: the file is removed before the work starts."""
    try:
        RUN_NOW.unlink()
        return True
    except FileNotFoundError:
        return False


def write(status):
    """Writes a new file and renames it, so that nobody reads half of it."""
    beside = STATE / ".status.json.new"
    beside.write_text(json.dumps(status), "utf-8")
    os.replace(beside, STATE / "status.json")


def log(line):
    path = STATE / "work.log"
    if path.exists() and path.stat().st_size > 256 * 1024:
        os.replace(path, STATE / "work.log.1")
    with open(path, "a", encoding="utf-8") as file:
        file.write(f"{time.strftime('%Y-%m-%dT%H:%M:%S%z')} {line}\n")


def stop(*_):
    raise SystemExit(0)


if __name__ == "__main__":
    main()
`,
}

/** The program in JavaScript, which needs Node 20 or newer and nothing else. */
const node: StartingProgram = {
  file: 'main.mjs',
  command: '[node, main.mjs]',
  // The spaces make it as long as the Python command, so that the comment after it is aligned.
  run: 'node main.mjs  ',
  text: String.raw`/** The work goes into work(). Everything else lets people watch and control the agent; see README.md. */
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
`,
}

const programs: Readonly<Record<Language, StartingProgram>> = { python, node }

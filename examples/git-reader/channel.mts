/**
 * The files through which an agent reports and is controlled. The agent writes a log, and a status file that is renamed
 * into place so that a reader never sees half of it. It reads its settings, the pause file, and the run-now file, which
 * it removes when it starts that run. Under `svc run` the environment names these files; by default they are in `.svc/`
 * and `state/` of the agent's folder, where `svc report` finds them.
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

const logBytes = 256 * 1024
const lookMs = 250

export interface Run {
  id: string
  kind: string
  status: string
  started: number
  ended?: number
  subjects?: { title: string; url?: string; share?: number }[]
  log?: string
}

/**
 * A rule for one value of the settings file: a function that returns the value, or the agent's default if it is
 * invalid.
 */
export type Rule<T> = (value: unknown) => T
export const number =
  (usual: number, min: number, max: number): Rule<number> =>
  (v) =>
    typeof v === 'number' && v >= min && v <= max ? v : usual
export const text =
  (usual: string): Rule<string> =>
  (v) =>
    typeof v === 'string' ? v : usual
export const flag =
  (usual: boolean): Rule<boolean> =>
  (v) =>
    typeof v === 'boolean' ? v : usual
export const choice =
  <const C extends string>(usual: C, ...others: C[]): Rule<C> =>
  (v) =>
    others.find((o) => o === v) ?? usual
/** A rule for a time in Unix seconds. It returns undefined if the setting has no valid value. */
export const time: Rule<number | undefined> = (v) => (typeof v === 'number' && v >= 0 ? v : undefined)

type Values<T extends Record<string, Rule<unknown>>> = { [K in keyof T]: ReturnType<T[K]> }

export function openChannel<T extends Record<string, Rule<unknown>>>(name: string, version: string, table: T) {
  const env = process.env
  const folder = env.SVC_AGENT_DIR || import.meta.dirname
  const state = env.SVC_STATE_DIR || join(folder, 'state')
  const pauseFile = env.SVC_PAUSE_FILE || join(folder, '.svc/paused')
  const runNowFile = env.SVC_RUN_NOW_FILE || join(folder, '.svc/run_now')
  const settingsFile = env.SVC_SETTINGS_FILE || join(folder, '.svc/settings.json')
  const statusFile = join(state, 'status.json')
  const logFile = join(state, `${name}.log`)
  mkdirSync(state, { recursive: true })
  let seen: string | undefined
  let given: Record<string, unknown> = {}

  const stamp = () => {
    const facts = statSync(settingsFile, { throwIfNoEntry: false })
    return facts && `${facts.mtimeMs} ${facts.ino} ${facts.size}`
  }
  const paused = () => existsSync(pauseFile)

  /** Appends one line to the agent's log. When the log file grows past its limit, only its newer half is kept. */
  function log(line: string) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: exactly those must not reach a terminal
    appendFileSync(logFile, `${new Date().toISOString()} ${line.replace(/[\x00-\x08\x0a-\x1f\x7f-\x9f]/g, ' ')}\n`)
    if (statSync(logFile).size <= logBytes) return
    const newest = readFileSync(logFile).subarray(-logBytes / 2)
    replace(logFile, newest.subarray(newest.indexOf('\n') + 1))
  }

  /**
   * Reads the settings file. While it is unreadable, for example because somebody is writing it, the last values stay.
   */
  function readSettings() {
    try {
      const values: unknown = JSON.parse(readFileSync(settingsFile, 'utf8'))
      given = typeof values === 'object' && values !== null ? { ...values } : {}
    } catch (error) {
      if (isMissing(error)) given = {}
      else log(`settings are not readable, the last ones stay: ${error}`)
    }
  }

  return {
    folder,
    paused,
    log,
    /** Returns true once for each time that somebody pressed Run now: it removes the run-now file. */
    takeRunNow(): boolean {
      if (!existsSync(runNowFile)) return false
      rmSync(runNowFile, { force: true })
      return true
    },
    /** Reads the settings file, and returns the values of the settings. */
    settings(): Values<T> {
      seen = stamp()
      readSettings()
      return Object.fromEntries(Object.entries(table).map(([key, read]) => [key, read(given[key])])) as Values<T>
    },
    /**
     * Waits for this time. The wait ends early when the agent is paused or resumed, when the settings file changes, or
     * when somebody asks for a run while the agent is not paused.
     */
    async wait(seconds: number, before: { paused: boolean }, signal: AbortSignal) {
      const until = performance.now() + seconds * 1000
      while (!signal.aborted) {
        const left = until - performance.now()
        if (left <= 0 || paused() !== before.paused || stamp() !== seen || (!before.paused && existsSync(runNowFile)))
          return
        await sleep(Math.min(left, lookMs), undefined, { signal }).catch(() => {})
      }
    },
    /** Writes the status file, which may hold only keys that version 1 of the protocol knows. */
    writeStatus(status: object) {
      replace(statusFile, JSON.stringify({ agent: { version }, ...status }))
    },
    /**
     * The runs that the status file has from before this start of the agent. A run that was in progress then is marked
     * as interrupted.
     */
    earlierRuns(): Run[] {
      try {
        const { runs = [] } = JSON.parse(readFileSync(statusFile, 'utf8')) as { runs?: Run[] }
        const now = Math.floor(Date.now() / 1000)
        return runs.map((run) => (run.ended === undefined ? { ...run, status: 'interrupted', ended: now } : run))
      } catch {
        return []
      }
    },
  }
}

function replace(path: string, content: string | Uint8Array) {
  writeFileSync(`${path}.new`, content)
  renameSync(`${path}.new`, path)
}

const isMissing = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'ENOENT'

/**
 * Owns the agent's process: starts, watches, stops it, takes it over from an earlier runtime. Decides nothing (moves.ts) and knows
 * no service: whether it is paused says the file that everybody writes, how it is started says whoever is asked.
 */

import type { ChildProcess } from 'node:child_process'
import { statSync } from 'node:fs'
import type { Restart } from '@svc/blueprint'
import { messageOf } from '../errors.ts'
import type { Folder } from '../files/folder.ts'
import { leadsInside } from '../logs/open.ts'
import { howEnded } from '../process/ended.ts'
import { groupLives, signalGroup } from '../process/group.ts'
import { identityOf, lives } from '../process/identity.ts'
import { findMarked, markedGroup } from '../process/mark.ts'
import { duration, unhurried } from '../time.ts'
import { leadsTo } from '../versions/folders.ts'
import { type Event, move, type ProcessState, type Rules } from './moves.ts'
import { readNote, writeNote } from './note.ts'
import { rotateOutput } from './output.ts'
import { type RunSpec, start } from './spawn.ts'

export interface Order extends RunSpec {
  readonly restart: Restart
  readonly stopSeconds: number
  /** Of an installed agent: the version that it is about, by the name of its folder. */
  readonly version?: string
}
export interface Supervisor {
  state(): ProcessState
  /** Looks at the files now instead of within a second. */
  look(): void
  /** Ends the agent, softly, then hard; resolves when nothing of it is left. */
  stop(): Promise<void>
  /** At once. */
  kill(): void
}
export interface Hands {
  /** How to start the agent now; undefined when nobody can say, `silent` when nobody answers. */
  readonly order: () => Promise<Order | 'silent' | undefined>
  readonly changed: (state: ProcessState) => void
  readonly say: (line: string) => void
}

export function supervise(folder: Folder, found: Found, { order, changed, say }: Hands): Supervisor {
  let state = found.state
  let started = found.started
  let version = found.version
  let output = found.output
  /** The last restart for another version. */
  let turned: { readonly to: string; readonly at: number } | undefined
  let last: Order | undefined
  let child: ChildProcess | undefined
  let asked = false
  let busy = false
  let silent = false
  let timer: NodeJS.Timeout | undefined
  let stopped: (() => void) | undefined
  let rotated = 0
  let over = false

  const rules = (): Rules => ({
    restart: last?.restart ?? 'always',
    least: duration(1),
    most: duration(300),
    counts: unhurried(5),
    stop: duration(last?.stopSeconds ?? 10),
  })

  function step(event: Event): void {
    const { state: next, act } = move(state, event, rules(), clock())
    const news = next !== state
    const was = state
    state = next
    if (news) {
      note()
      tell(was, next, say)
      changed(shown())
    }
    if (act === 'start') void begin()
    if (act === 'end' && 'pid' in state) signalGroup(state.pid, 'SIGTERM')
    if (act === 'kill' && 'pid' in state) {
      signalGroup(state.pid, 'SIGKILL')
      void cleanUp()
    }
    if (state.is === 'stopped' && stopped) stopped()
  }

  /** A disk that refuses must not end the agent: the note is then older than the truth, and the mark still finds the process. */
  function note(starting = false): void {
    try {
      writeNote(folder, { state, started, ...(starting && { starting: true }), version, output })
    } catch (error) {
      say(`the note about the agent's process could not be written: ${messageOf(error)}`)
    }
  }

  async function begin(): Promise<void> {
    if (busy) return
    busy = true
    try {
      const told = await order()
      if (told !== 'silent') last = told ?? last
      if (asked || state.is !== 'waiting') return
      if (!last && told === 'silent') return unanswered()
      if (!last) return step({ is: 'unstartable', exit: { error: 'nobody could say how it is started', at: clock() } })
      started = nextMark(started)
      version = last.version
      output = last.output
      note(true)
      const got = await start(folder, last, started)
      if (!got.ok) return step({ is: 'unstartable', exit: { error: got.error, at: clock() } })
      child = got.child
      output = got.output
      if (output !== last.output) say(`the agent's output cannot go to ${last.output}, so it goes to ${folder.output}`)
      const { pid } = got
      got.child.once('exit', (code, signal) => ended(pid, code, signal))
      step({ is: 'started', pid, start: identityOf(pid)?.start ?? '' })
    } finally {
      busy = false
      if (asked) look()
    }
  }

  /** The runtime proper is slow, or hangs: that says nothing of the agent, and the next look asks again. */
  function unanswered(): void {
    if (!silent) say('nobody says yet how the agent is started; it is asked again')
    silent = true
  }

  function ended(pid: number, code: number | null, signal: string | null): void {
    if (!('pid' in state) || state.pid !== pid) return
    child = undefined
    const exit = { at: clock(), ...(code !== null && { code }), ...(signal !== null && { signal }) }
    step({ is: 'exit', exit, remains: groupLives(pid) })
    schedule()
  }

  function look(): void {
    if (over) return
    if (state.is === 'running' && !child && !lives(state))
      step({ is: 'exit', exit: { at: clock() }, remains: state.start !== '' && groupLives(state.pid) })
    else if (state.is === 'stopping' && !child && !lives(state) && !remains(state)) step({ is: 'gone', at: clock() })
    const wanted = asked ? 'asked' : isThere(folder.paused) ? 'paused' : 'run'
    step({ is: 'look', wanted, asked: runAsked(), other: wanted === 'run' && otherVersion() })
    rotate()
    schedule()
  }

  /**
   * 3.3, the restart after a swap: the last start was of another version than `current` leads to. What is looked at is the disk, so
   * it does not matter who swapped, nor what was killed in between. Where nobody can say how the new one starts, it is not tried all the time.
   */
  function otherVersion(): boolean {
    if (!folder.installed || version === undefined || state.is === 'stopping') return false
    const to = leadsTo(folder)
    if (to === undefined || to === version) return false
    if (turned?.to === to && clock() - turned.at < duration(againSeconds)) return false
    turned = { to, at: clock() }
    return true
  }

  const shown = (): ProcessState => ({
    ...state,
    ...(version !== undefined && { version }),
    ...(started !== undefined && { started }),
  })

  /** What was killed and does not go is nobody's any more after two seconds: a zombie that its parent does not reap looks alive. */
  function remains(s: Extract<ProcessState, { is: 'stopping' }>): boolean {
    return groupLives(s.pid) && !(s.killed && clock() > s.killAt + duration(2))
  }

  function schedule(): void {
    clearTimeout(timer)
    if (!over) timer = setTimeout(look, state.is === 'stopping' ? Math.min(duration(1), 50) : duration(1))
  }

  /** A wish to run that came after the last start: an agent that waits or has ended starts for it. */
  function runAsked(): boolean {
    if (state.is !== 'waiting' && state.is !== 'stopped') return false
    const made = statSync(folder.runNow, { throwIfNoEntry: false })?.mtimeMs
    return made !== undefined && made > Number(started ?? 0) * 1000
  }

  function rotate(): void {
    if (clock() - rotated < duration(5)) return
    rotated = clock()
    try {
      if (output === undefined || leadsInside(folder, output)) rotateOutput(output ?? folder.output)
    } catch (error) {
      say(`the agent's output could not be rotated: ${messageOf(error)}`)
    }
  }

  async function cleanUp(): Promise<void> {
    if (!last?.cleanup) return
    const done = await start(folder, { ...last, argv: last.cleanup }, started ?? '')
    if (!done.ok) say(`${last.cleanup.join(' ')}: ${done.error}`)
  }

  if (state.is === 'stopping') signalGroup(state.pid, 'SIGTERM') // what a dead agent left behind
  if (found.unnoted) note()
  tell(undefined, state, say)
  changed(shown())
  void order()
    .then((first) => {
      if (first !== 'silent') last ??= first
    })
    .finally(look)

  return {
    state: shown,
    look,
    stop: () =>
      new Promise((resolve) => {
        asked = true
        stopped = () => {
          over = true
          clearTimeout(timer)
          resolve()
        }
        look()
      }),
    kill: () => {
      if ('pid' in state) signalGroup(state.pid, 'SIGKILL')
    },
  }
}

/** Until a start of another version that did not come about is tried again. */
const againSeconds = 5

export interface Found {
  readonly state: ProcessState
  readonly started?: string | undefined
  /** The version that it was started from. */
  readonly version?: string | undefined
  /** The declared file to which it prints. */
  readonly output?: string | undefined
  /** It runs, and the note does not say so. */
  readonly unnoted?: boolean
}

/** What an earlier runtime left: its process if that very one still lives, else a start. */
export function takeOver(folder: Folder): Found {
  const note = readNote(folder)
  const now = clock()
  if (!note) return { state: { is: 'waiting', crashes: 0, startAt: now } }
  const { state, started, output } = note
  // a runtime that noted no version did not swap any
  const version = note.version ?? (folder.installed ? leadsTo(folder) : undefined)
  const known = { started, version, output }
  const marked = note.starting && started !== undefined ? findMarked(folder.root, started) : undefined
  if (marked) {
    const since = Number(started) * 1000
    return { state: { is: 'running', ...marked, since, crashes: 0, adopted: true }, ...known, unnoted: true }
  }
  if ('pid' in state && lives(state)) return { state: { ...state, is: 'running', adopted: true }, ...known }
  const left = 'pid' in state && started !== undefined && markedGroup(state.pid, folder.root, started)
  if ('pid' in state && left) {
    const ending = { because: 'ended', killAt: now + duration(10), exit: { at: now } } as const
    return { state: { ...state, is: 'stopping', ...ending }, ...known }
  }
  const crashes = 'crashes' in state ? state.crashes : 0
  const exit = 'exit' in state ? state.exit : undefined
  return { state: { is: 'waiting', crashes, startAt: now, ...(exit && { exit }) }, ...known }
}

/** Unix ms that never go back while this process lives (D20). */
const wall = Date.now() - performance.now()
export const clock = (): number => Math.round(wall + performance.now())

/** 2.12: the moment of a start, Unix seconds with three decimals; later than the one before, so that it marks this start alone. */
export function nextMark(before: string | undefined): string {
  const now = Math.max(Date.now(), Math.round(Number(before ?? 0) * 1000) + 1)
  return (now / 1000).toFixed(3)
}

const isThere = (file: string): boolean => statSync(file, { throwIfNoEntry: false }) !== undefined

function tell(was: ProcessState | undefined, now: ProcessState, say: (line: string) => void): void {
  if (now.is === 'running' && was?.is !== 'running')
    say(now.adopted ? `took the agent over: process ${now.pid}` : `started the agent: process ${now.pid}`)
  if (now.is === 'stopping' && was?.is !== 'stopping') say(`stops the agent: process ${now.pid}`)
  if (now.is === 'stopping' && now.killed) say(`kills the agent: process ${now.pid} did not end in time`)
  if (now.is === 'waiting' && now.exit && was)
    say(
      `the agent ${howEnded(now.exit)}; it starts again in ${Math.max(0, Math.round((now.startAt - clock()) / 100) / 10)} s`,
    )
  if (now.is === 'stopped' && was?.is !== 'stopped')
    say(now.because === 'ended' && now.exit ? `the agent ${howEnded(now.exit)}` : 'the agent is stopped')
}

/** `svc start`, `stop`, `restart`: through the machine's service manager when a unit is installed, else as a process in the background. */
import { spawn } from 'node:child_process'
import { Command } from 'commander'
import type { Folder } from '../files/folder.ts'
import { inTurn, named, tryLock, whoHolds } from '../files/lock.ts'
import { examples, hint } from '../hint.ts'
import { startArgs } from '../launcher/file.ts'
import type { ProcessState } from '../launcher/moves.ts'
import { readNote } from '../launcher/note.ts'
import { supervise, takeOver } from '../launcher/supervisor.ts'
import { manifestNow } from '../reporter/known.ts'
import { control, findUnit, unitState } from '../service/units.ts'
import { noteStop } from '../state/own.ts'
import { readPause } from '../state/pause.ts'
import { wait } from '../time.ts'
import { orderOf } from '../worker/order.ts'
import { sentence } from '../worker/process-health.ts'
import { type Agent, agentAt, type Common, common, me } from './folder.ts'
import { Refusal, show } from './output.ts'
import { runnable } from './runnable.ts'

export const start = (): Command =>
  common(new Command('start'))
    .summary('start this agent in the background')
    .description(
      `Starts the agent and its runtime: through its service where one is installed, else in the background.\nWithout a service it does not come back after a reboot; "${hint('service install')}" mends that.`,
    )
    .addHelpText('after', examples('start --dir /srv/mail-triage'))
    .action(async ({ dir, json }: Common) => {
      const { folder, manifest } = runnable(dir)
      const unit = findUnit(folder, manifest.name)
      const holder = whoHolds(folder, 'runtime')
      if (holder) return show(json, { started: false, pid: holder.pid }, () => `It runs already: ${named(holder)}.`)
      const line = unit ? await throughUnit(unit, 'start', folder) : await startInBackground(folder)
      show(
        json,
        { started: true, pid: whoHolds(folder, 'runtime')?.pid ?? null, process: readNote(folder)?.state ?? null },
        () => line,
      )
    })

export const stop = (): Command =>
  common(new Command('stop'))
    .summary('stop this agent and its runtime')
    .description(
      'Ends the agent softly, then hard after its stop_seconds, and its runtime with it. A pause is kept as it is.',
    )
    .addHelpText('after', examples('stop'))
    .action(async ({ dir, json }: Common) => {
      const agent = agentAt(dir)
      const changed = await stopAgent(agent)
      show(json, { stopped: true, changed }, () => (changed ? 'Stopped.' : 'It was not running.'))
    })

export const restart = (): Command =>
  common(new Command('restart'))
    .summary('stop this agent and start it again')
    .description('Stops the agent and its runtime and starts them again, with the secrets and settings of now.')
    .addHelpText('after', examples('restart'))
    .action(async ({ dir, json }: Common) => {
      const agent = runnable(dir)
      const { folder, manifest } = agent
      await stopAgent(agent)
      const unit = findUnit(folder, manifest.name)
      const line = unit ? await throughUnit(unit, 'start', folder) : await startInBackground(folder)
      show(json, { started: true, pid: whoHolds(folder, 'runtime')?.pid ?? null }, () => line)
    })

/** Starts `svc run` apart from this terminal and waits until the agent's process is decided. */
export async function startInBackground(folder: Folder): Promise<string> {
  await manifestNow(folder) // the runtime then finds it read, and stays small
  const before = JSON.stringify(readNote(folder)?.state)
  const child = spawn(process.execPath, [...startArgs(folder), 'run', '--dir', folder.root], {
    cwd: folder.root,
    detached: true,
    stdio: 'ignore',
    env: { MALLOC_ARENA_MAX: '1', ...process.env }, // glibc keeps an arena for each thread, megabytes that nothing uses
  })
  let ended = false
  child.once('exit', () => {
    ended = true
  })
  child.once('error', () => {
    ended = true
  })
  child.unref()
  const decided = await until(15, () => ended || (holdsLock(folder, child.pid) && isDecided(folder, before)))
  if (ended || !decided)
    throw new Refusal(`It did not start; see ${folder.runtimeLog}, or run "${hint('run')}" to watch it.`)
  const state = readNote(folder)?.state
  return readPause(folder)
    ? `The runtime is started; the agent is paused, "${hint('resume')}" starts it.`
    : `Started. ${state ? sentence(state) : ''}`.trim()
}

const holdsLock = (folder: Folder, pid: number | undefined): boolean => whoHolds(folder, 'runtime')?.pid === pid
function isDecided(folder: Folder, before: string | undefined): boolean {
  const state: ProcessState | undefined = readNote(folder)?.state
  if (!state || readPause(folder)) return state !== undefined
  return state.is === 'running' || (JSON.stringify(state) !== before && (state.is !== 'waiting' || state.crashes > 0))
}

async function throughUnit(
  unit: Parameters<typeof control>[0],
  what: 'start' | 'stop',
  folder: Folder,
): Promise<string> {
  const ran = await control(unit, what)
  if (ran.code !== 0)
    throw new Refusal(`${unit.name}: ${(ran.err || ran.out).trim().split('\n')[0] || 'the service manager refused'}.`)
  if (what === 'start') await until(15, () => whoHolds(folder, 'runtime') !== undefined)
  return what === 'start' ? `Started ${unit.name}.` : `Stopped ${unit.name}.`
}

/** Ends whatever runs: the unit, the runtime in the background, or an agent that a killed runtime left. */
async function stopAgent({ folder, manifest }: Agent): Promise<boolean> {
  const patience = (manifest.runtime?.stop_seconds ?? 10) + 20
  const holder = whoHolds(folder, 'runtime')
  if (holder?.what === 'svc report') throw new Refusal(`${named(holder)} only reports; end it where it was started.`)
  const unit = findUnit(folder, manifest.name)
  const byUnit = unit !== undefined && ['active', 'activating', 'reloading'].includes(await unitState(unit))
  if (!holder && !byUnit) return endLeft({ folder, manifest })
  inTurn(folder, 'svc stop', () => noteStop(folder, me()))
  if (unit && byUnit) await throughUnit(unit, 'stop', folder)
  else if (holder) process.kill(holder.pid, 'SIGTERM')
  if (!(await until(patience, () => whoHolds(folder, 'runtime') === undefined)))
    throw new Refusal(`It did not stop within ${patience} s; see ${folder.runtimeLog}.`)
  return true
}

/** The agent of a runtime that was killed is still there: it is ended the same way. */
async function endLeft({ folder, manifest }: Agent): Promise<boolean> {
  if (!('pid' in takeOver(folder).state)) return false
  const lock = tryLock(folder, 'runtime', 'svc stop')
  if (!lock.ok) throw new Refusal(`${named(lock.holder)} runs this agent; try again.`)
  try {
    noteStop(folder, me())
    await supervise(folder, takeOver(folder), {
      order: async () => orderOf(folder, manifest),
      changed: () => {},
      say: () => {},
    }).stop()
  } finally {
    lock.held.release()
  }
  return true
}

/** Looks ten times a second; real seconds, since other processes are waited for. */
async function until(seconds: number, holds: () => boolean): Promise<boolean> {
  const never = new AbortController().signal
  for (const end = performance.now() + seconds * 1000; performance.now() < end; await wait(100, never))
    if (holds()) return true
  return holds()
}

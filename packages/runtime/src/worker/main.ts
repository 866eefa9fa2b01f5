/**
 * The worker, in its own thread: it reports, processes commands, sends logs, updates, and tells the launcher how to
 * start the agent. The launcher starts the agent and handles signals, so the agent goes on if this thread ends.
 */

import { statSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import type { Manifest } from '@svc/blueprint'
import { isTooFarAhead, type StoppedBy } from '@svc/protocol'
import { contractVersion, type FromWorker, type ToWorker, type WorkerStart } from '../launcher/contract.ts'
import { messageOf } from '../machine/base/errors.ts'
import { scaledMs, wait } from '../machine/base/time.ts'
import { ownVersion } from '../machine/base/version.ts'
import { type Folder, folderAt } from '../machine/files/folder.ts'
import { plainHint } from '../machine/hint.ts'
import { watchPrograms } from '../machine/programs/needs.ts'
import { watchBindings } from '../reporter/bindings.ts'
import { manifestNow } from '../reporter/known.ts'
import { reportUntil } from '../reporter/run.ts'
import { machinePathOf } from '../state/paths.ts'
import type { ProcessState } from '../state/process-note.ts'
import { secretsHealth } from '../state/secrets.ts'
import { folderOfCurrent } from '../state/versions/folders.ts'
import type { RuntimeNote } from '../state/versions/runtime-note.ts'
import type { AgentUpdater } from '../updates/agent/unread.ts'
import { startUpdater as agentUpdates } from '../updates/agent/update.ts'
import { runtimeNow } from '../updates/runtime/now.ts'
import { type SelfUpdate, selfUpdate } from '../updates/runtime/update.ts'
import { missingRuntime, startOrderOf } from './order.ts'

/** True if `data` is what the launcher passes to the worker thread. */
const isRuntime = (data: unknown): data is WorkerStart =>
  typeof data === 'object' && data !== null && 'svc' in data && data.svc === 'runtime'

/** Runs the worker until the launcher ends it. `renew` is called before each start of the agent. */
export async function runWorker(renew: (folder: Folder) => unknown): Promise<void> {
  if (!parentPort || !isRuntime(workerData)) throw new Error(`The runtime runs in a worker of "${plainHint('run')}".`)
  const port = parentPort
  const folder = folderAt(workerData.root)
  const tell = (message: FromWorker) => port.postMessage(message)
  const stop = new AbortController()
  let state: ProcessState = workerData.process
  let runtime: RuntimeNote = workerData.runtime ?? {}
  let versions: AgentUpdater | undefined
  let stoppedBy: StoppedBy | undefined
  tell({ is: 'here', contract: contractVersion, version: ownVersion })
  const say = (line: string) => tell({ is: 'say', line })
  const cannot =
    workerData.contract < 2
      ? `its launcher is older and cannot replace it; run "${plainHint('restart')}" once`
      : undefined
  const updates = selfUpdate(folder, stop.signal, { tell, say, note: () => runtime, cannot })
  port.on('message', (message: ToWorker) => {
    if (message.is === 'ping') tell({ is: 'pong' })
    if (message.is === 'runtime') runtime = message.note
    if (message.is === 'unswapped') updates.unswapped(message.why)
    if (message.is === 'process') {
      state = message.state
      versions?.changed(state)
    }
    if (message.is === 'stop') {
      stoppedBy = message.by
      stop.abort()
    }
    if (message.is === 'order?')
      void howToStart(folder, renew).then((how) => tell({ is: 'order', id: message.id, ...how }))
  })
  const manifest = await manifestNow(folder)
  versions = manifest.ok
    ? agentUpdates(folder, manifest.value.version, stop.signal, {
        say,
        look: () => tell({ is: 'look' }),
        process: () => state,
        manifest: async () => {
          const now = await manifestNow(folderOfCurrent(folder))
          return now.ok ? now.value : undefined
        },
        cannot,
      })
    : undefined
  const unfit = manifest.ok
    ? manifest.value.runtime
      ? undefined
      : missingRuntime(folder, manifest.value.name)
    : manifest.message
  if (unfit !== undefined) tell({ is: 'unfit', why: unfit })
  if (manifest.ok)
    await report(folder, manifest.value, stop.signal, {
      tell,
      say,
      state: () => state,
      runtime: () => runtime,
      stoppedBy: () => stoppedBy,
      updates,
      versions,
    })
  await versions?.over
  port.close()
}

/**
 * Determines with which command, folder and environment the launcher must start the agent. All files are read from one
 * version of the agent, even if an update changes `current` meanwhile.
 */
async function howToStart(
  through: Folder,
  renew: (folder: Folder) => unknown,
): Promise<Omit<Extract<FromWorker, { is: 'order' }>, 'is' | 'id'>> {
  try {
    renew(through)
  } catch {
    // The manifest could not be renewed, for example on a full disk. The present one may still be right.
  }
  try {
    const folder = folderOfCurrent(through)
    const manifest = await manifestNow(folder)
    if (!manifest.ok) return { why: `the manifest is not valid, so the last valid one is used: ${manifest.message}` }
    let why: string | undefined
    const order = startOrderOf(folder, manifest.value, (line) => {
      why = line
    })
    if (order) return { order, ...(why !== undefined && { why }) }
    return { why: 'the manifest has no "runtime", so there is nothing to start' }
  } catch (error) {
    return { why: `the agent cannot be started: ${messageOf(error)}` }
  }
}

async function report(
  folder: Folder,
  manifest: Manifest,
  stop: AbortSignal,
  {
    tell,
    say,
    state,
    runtime,
    stoppedBy,
    updates,
    versions,
  }: {
    tell: (message: FromWorker) => void
    say: (line: string) => void
    state: () => ProcessState
    runtime: () => RuntimeNote
    stoppedBy: () => StoppedBy | undefined
    updates: SelfUpdate
    versions: AgentUpdater | undefined
  },
): Promise<void> {
  const bindings = watchBindings(folder, manifest, stop)
  const programs = watchPrograms(stop)
  await reportUntil(folder, manifest, stop, {
    say,
    stoppedBy,
    ready: agentSettled(folder, manifest, state, stop),
    own: (now) => ({
      process: state(),
      applied: versions?.applied(),
      remarks: [...(versions?.health() ?? []), ...programs.health(now), ...secretsHealth(folder, now)],
      bindings: bindings.health(now),
      runtime: runtimeNow(folder, runtime()),
    }),
    heard: (result) => {
      tell({ is: 'reported', ok: result.ok })
      if (result.ok && result.handled.length > 0) tell({ is: 'look' })
      if (!result.ok) return
      // D31: the wish for the runtime comes after the commands of an answer and before the wish for the agent's
      // version.
      updates.heard(result.answer)
      versions?.heard(result.answer)
    },
  })
}

// The first report of the runtime waits until the agent has started. Otherwise the page would show "about to start"
// for a whole interval, although the agent has started meanwhile.

/** The maximum number of seconds that the first report is delayed. */
const patienceSeconds = 10

async function agentSettled(
  folder: Folder,
  manifest: Manifest,
  state: () => ProcessState,
  stop: AbortSignal,
): Promise<void> {
  const file = manifest.status === undefined ? undefined : machinePathOf(folder, manifest, manifest.status)
  const written = () => (file === undefined ? Number.POSITIVE_INFINITY : writtenAt(file))
  const end = performance.now() + scaledMs(patienceSeconds)
  while (!isReadyToReport(state(), written(), Date.now()) && performance.now() < end)
    if (!(await wait(Math.min(scaledMs(0.1), 100), stop))) return
}

/**
 * The maximum milliseconds from the start of the agent's process to the time that the launcher notes as its start. The
 * process may write its status file in between.
 */
const noteMs = 250

/**
 * True if the first report need not wait: it is clear whether the agent's process runs and, if the process runs, it has
 * written its status file. `written` is the time of that file in Unix milliseconds.
 */
export function isReadyToReport(state: ProcessState, written: number | undefined, now: number): boolean {
  if (state.is === 'waiting') return state.startAt > now
  if (state.is !== 'running') return true
  return written !== undefined && (written > state.since - noteMs || isTooFarAhead(state.since, now))
}

function writtenAt(file: string): number | undefined {
  try {
    return statSync(file).mtimeMs
  } catch {
    return undefined // The status file is missing or unreadable; the report says which of the two.
  }
}

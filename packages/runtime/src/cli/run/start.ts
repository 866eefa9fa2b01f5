/**
 * `svc start`, `stop` and `restart`. If a service unit is installed for the agent, they use the machine's service
 * manager. Otherwise `svc run` runs as a process in the background.
 */
import { spawn } from 'node:child_process'
import { Command } from 'commander'
import { isStartOver, requireStart, stateBeforeStart } from '../../install/service/begin.ts'
import { findUnits, type ServiceUnit } from '../../install/service/find.ts'
import { controlUnit, doesNotAnswer, isRunning, managerFailure, unitState } from '../../install/service/manager.ts'
import { mendUnits } from '../../install/service/mend.ts'
import { uninstallHint } from '../../install/service/units.ts'
import { startArgs } from '../../launcher/file.ts'
import { stateNow } from '../../launcher/now.ts'
import { waitUntil } from '../../machine/base/time.ts'
import type { Folder } from '../../machine/files/folder.ts'
import { holderName, whoHolds, withTurnOnFullDisk } from '../../machine/files/lock.ts'
import { refuseWithoutRoom } from '../../machine/files/reserve.ts'
import { commandHint, examples, sudoHint } from '../../machine/hint.ts'
import { manifestNow } from '../../reporter/known.ts'
import { diskHealth, diskNote } from '../../reporter/status/disk.ts'
import { readPause } from '../../state/controls.ts'
import { processStateSentence } from '../../state/process-health.ts'
import { noteStop } from '../../state/stop-note.ts'
import { agentAt, type CommonOptions, currentAuthor, withCommonOptions } from '../kit/folder.ts'
import { printResult, Refusal } from '../kit/output.ts'
import { endLeftProcesses, requireGone, type StoppableAgent } from './end.ts'
import { runnableAgent } from './runnable.ts'

export const start = (): Command =>
  withCommonOptions(new Command('start'))
    .summary('start this agent in the background')
    .description(
      `Starts the agent and its runtime, through its service if one is installed, otherwise in the background.\nWithout a service it does not restart after a reboot; "${commandHint('service install')}" changes that.`,
    )
    .addHelpText('after', examples('start --dir /srv/mail-triage'))
    .action(async ({ dir, json }: CommonOptions) => {
      const { folder } = await runnableAgent(dir)
      const mended = await mendUnits(folder)
      const holder = whoHolds(folder, 'runtime')
      if (holder)
        return printResult(json, { started: false, pid: holder.pid }, () => [
          ...mended,
          `It is already running: ${holderName(holder)}.`,
        ])
      refuseWithoutRoom(folder.svc)
      const line = await startAgent(folder)
      printResult(
        json,
        { started: true, pid: whoHolds(folder, 'runtime')?.pid ?? null, process: stateNow(folder) ?? null },
        () => [...mended, line],
      )
    })

export const stop = (): Command =>
  withCommonOptions(new Command('stop'))
    .summary('stop this agent and its runtime')
    .description('Asks the agent to stop, kills it after its stop_seconds, and stops its runtime. A pause stays.')
    .addHelpText('after', examples('stop'))
    .action(async ({ dir, json }: CommonOptions) => {
      const agent = await agentAt(dir)
      const changed = await stopAgent(agent)
      printResult(json, { stopped: true, changed }, () => (changed ? 'Stopped.' : 'It was not running.'))
    })

export const restart = (): Command =>
  withCommonOptions(new Command('restart'))
    .summary('stop this agent and start it again')
    .description('Stops the agent and its runtime and starts them again, with the current secrets and settings.')
    .addHelpText('after', examples('restart'))
    .action(async ({ dir, json }: CommonOptions) => {
      const agent = await runnableAgent(dir)
      const { folder } = agent
      refuseWithoutRoom(folder.svc)
      const mended = await mendUnits(folder)
      await stopAgent(agent)
      const line = await startAgent(folder)
      printResult(json, { started: true, pid: whoHolds(folder, 'runtime')?.pid ?? null }, () => [...mended, line])
    })

/**
 * Starts `svc run` as a process that does not depend on this terminal. Waits until the agent's process runs or its
 * start has failed.
 */
export async function startInBackground(folder: Folder): Promise<string> {
  // This call stores the parsed manifest for the runtime. Otherwise the runtime would have to load the YAML parser,
  // which would stay in its memory.
  await manifestNow(folder)
  const before = stateBeforeStart(folder)
  const child = spawn(process.execPath, [...startArgs(folder), 'run', '--dir', folder.root], {
    cwd: folder.root,
    detached: true,
    stdio: 'ignore',
    // Without this variable, glibc keeps a memory arena for each thread, which wastes megabytes.
    env: { MALLOC_ARENA_MAX: '1', ...process.env },
  })
  let ended = false
  child.once('exit', () => {
    ended = true
  })
  child.once('error', () => {
    ended = true
  })
  child.unref()
  const decided = await waitUntil(15, () => ended || (holdsLock(folder, child.pid) && isStartOver(folder, before)))
  if (!ended && !decided && holdsLock(folder, child.pid)) {
    // The runtime runs, but a full disk may keep it from noting the state of the agent's process.
    const [disk] = diskHealth(folder)
    if (disk?.level === 'bad') return `The runtime is started, but cannot note whether the agent runs. ${disk.detail}`
  }
  if (ended || !decided)
    throw new Refusal(
      `It did not start; see ${folder.runtimeLog}, or run "${commandHint('run')}" to watch it.${diskNote(folder)}`,
    )
  const state = stateNow(folder)
  return readPause(folder)
    ? `The runtime is started, but the agent is paused; "${commandHint('resume')}" starts it.`
    : `Started. ${state ? processStateSentence(state) : ''}`.trim()
}

const holdsLock = (folder: Folder, pid: number | undefined): boolean => whoHolds(folder, 'runtime')?.pid === pid

/**
 * Starts the agent through its service unit. If there is no unit, or the service manager does not answer, starts the
 * agent in the background.
 */
async function startAgent(folder: Folder): Promise<string> {
  const [unit] = findUnits(folder)
  if (!unit) return startInBackground(folder)
  const before = stateBeforeStart(folder)
  const ran = await controlUnit(unit, 'start')
  if (ran.code === 0) {
    await requireStart(folder, unit, before)
    return `Started ${unit.name}.`
  }
  if (!doesNotAnswer(ran)) throw refusedBy(unit, managerFailure(ran), 'start', folder)
  const line = await startInBackground(folder)
  return `${line}\nIt runs in the background and does not restart after a reboot: the manager of ${unit.name} does not answer here (${managerFailure(ran)}). To remove the unit: ${uninstallHint(unit, folder.root)}`
}

async function stopUnit(unit: ServiceUnit, folder: Folder): Promise<void> {
  const ran = await controlUnit(unit, 'stop')
  if (ran.code !== 0) throw refusedBy(unit, managerFailure(ran), 'stop', folder)
}

function refusedBy({ kind, name }: ServiceUnit, reason: string, command: string, { root }: Folder): Refusal {
  const advice = kind === 'systemd system' && process.getuid?.() !== 0 ? ` Try: ${sudoHint(command, root)}` : ''
  return new Refusal(`${name}: ${reason}.${advice}`)
}

/**
 * Stops the agent, whether it runs through a service unit, through a runtime in the background, or as processes that
 * were left when the runtime was killed. Refuses and names the processes that could not be ended.
 */
export async function stopAgent(agent: StoppableAgent): Promise<boolean> {
  const stopped = await stopRuntime(agent)
  const by = stopped ? undefined : () => noteStop(agent.folder, currentAuthor())
  const ended = await endLeftProcesses(agent, { what: 'svc stop', before: by })
  requireGone(agent.folder)
  return stopped || ended
}

/** Stops the runtime, which ends the agent first. Resolves to false if no runtime runs and no unit is active. */
async function stopRuntime({ folder, manifest }: StoppableAgent): Promise<boolean> {
  const patience = (manifest?.runtime?.stop_seconds ?? 10) + 20
  const holder = whoHolds(folder, 'runtime')
  if (holder?.what === 'svc report')
    throw new Refusal(`${holderName(holder)} only reports; stop it where it was started.`)
  const units = await runningUnits(folder)
  if (!holder && units.length === 0) return false
  withTurnOnFullDisk(folder, 'svc stop', () => noteStop(folder, currentAuthor()))
  for (const unit of units) await stopUnit(unit, folder)
  const left = whoHolds(folder, 'runtime')
  if (left) process.kill(left.pid, 'SIGTERM')
  if (!(await waitUntil(patience, () => whoHolds(folder, 'runtime') === undefined)))
    throw new Refusal(`It did not stop within ${patience} s; see ${folder.runtimeLog}.`)
  return true
}

/**
 * Returns the service units of the agent that are active. An active unit would start the agent again after it was
 * stopped.
 */
async function runningUnits(folder: Folder): Promise<ServiceUnit[]> {
  const units = findUnits(folder)
  const states = await Promise.all(units.map(unitState))
  return units.filter((_, i) => states[i] && isRunning(states[i]))
}

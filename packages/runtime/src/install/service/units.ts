/** Installs and removes the unit that starts an agent: a systemd unit of the user or the system, or a launchd agent. */
import { createHash } from 'node:crypto'
import { accessSync, constants, existsSync, readFileSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { runtimeFile, startArgs } from '../../launcher/file.ts'
import { Refusal } from '../../machine/base/errors.ts'
import { userName } from '../../machine/base/user.ts'
import { createFolder, writeDurably } from '../../machine/files/durable.ts'
import { rememberNetwork } from '../../machine/files/env.ts'
import type { Folder } from '../../machine/files/folder.ts'
import { whoHolds } from '../../machine/files/lock.ts'
import { commandHint, sudoHint } from '../../machine/hint.ts'
import { lastingNode, lastingPath } from '../../machine/programs/node.ts'
import { manifestForCommand } from '../../reporter/known.ts'
import { requireStart, stateBeforeStart } from './begin.ts'
import {
  findUnit,
  findUnits,
  folderStartedBy,
  isMac,
  type ServiceUnit,
  sameFolder,
  type UnitKind,
  unitNamed,
  unitText,
} from './find.ts'
import {
  controlUnit,
  doesNotAnswer,
  isRunning,
  managerFailure,
  type ProgramResult,
  runProgram,
  systemctl,
  type UnitState,
  unitState,
} from './manager.ts'
import { launchdPlist, systemdUnit, type UnitFacts } from './text.ts'

/** The result of an installation: the unit, and lines about it for a person. */
export interface InstalledUnit {
  readonly unit: ServiceUnit
  readonly lines: readonly string[]
}

interface UnitRequest {
  /** The agent's name, which a new unit gets by default. */
  readonly agent: string
  /** A name for the unit that a person chose. */
  readonly name?: string | undefined
  readonly system: boolean
  readonly start: boolean
  /** The user as which a unit of the system runs; by default the owner of the folder. */
  readonly user?: string | undefined
  /** The path of Python, if the unit must start through it. Python then finds Node at each start. */
  readonly python?: string | undefined
}

/**
 * Writes and enables the unit, and starts it if requested. If the folder has a unit of another name, it is removed.
 * If the service manager refuses the new unit, both units are restored.
 */
export async function installService(folder: Folder, request: UnitRequest): Promise<InstalledUnit> {
  const kind = kindOf(request.system)
  const present = findUnit(folder)
  if (present && present.kind !== kind)
    throw new Refusal(
      `${present.file} already starts this agent. Remove it first: ${uninstallHint(present, folder.root)}`,
    )
  const unit = unitFor(folder, kind, request, present)
  mustWrite(unit, 'install')
  const before = unitText(unit.file)
  const facts = await factsOf(folder, unit, request)
  rememberNetwork(folder)
  createFolder(dirname(unit.file))
  // The present unit is removed after this: if the disk refuses the new one, nothing has changed.
  writeDurably(unit.file, unit.kind === 'launchd' ? launchdPlist(facts) : systemdUnit(facts))
  let replaced: ReplacedUnit | undefined
  let stateBefore: string | undefined
  let lines: string[]
  try {
    replaced = present && present.file !== unit.file ? await replace(present) : undefined
    stateBefore = stateBeforeStart(folder)
    lines = [...(replaced?.lines ?? []), `Wrote ${unit.file}.`, ...(await enable(unit, folder, request))]
  } catch (error) {
    try {
      await undo(unit, before)
    } finally {
      await replaced?.putBack()
    }
    throw error
  }
  // If the agent does not start, the command fails, but the unit stays: the service manager tries again.
  if (request.start) await requireStart(folder, unit, stateBefore)
  return { unit, lines }
}

const kindOf = (system: boolean): UnitKind => (isMac ? 'launchd' : system ? 'systemd system' : 'systemd user')

/** True if the machine's service manager answers. */
export const managerAnswers = async ({ agent, system }: Pick<UnitRequest, 'agent' | 'system'>): Promise<boolean> =>
  (await unitState(unitNamed(kindOf(system), agent))).answers

/**
 * The unit for this folder. Its name is the one that a person chose, or else the name of the folder's existing unit, or
 * else the agent's name, with a suffix if a unit of another folder has that name.
 */
function unitFor(
  { root }: Folder,
  kind: UnitKind,
  { agent, name }: UnitRequest,
  present: ServiceUnit | undefined,
): ServiceUnit {
  if (name === undefined && present) return present
  const others = (unit: ServiceUnit): string | undefined => {
    if (!existsSync(unit.file)) return undefined
    const starts = folderStartedBy(unit.file)
    return sameFolder(starts, root) ? undefined : (starts ?? 'something else')
  }
  const wanted = unitNamed(kind, name ?? agent)
  const taken = others(wanted)
  if (taken === undefined) return wanted
  if (name !== undefined)
    throw new Refusal(`${wanted.file} already exists and starts ${taken}. Choose another name with --name.`)
  const suffix = createHash('sha256').update(root).digest('hex').slice(0, 8)
  const own = unitNamed(kind, `${agent}-${suffix}`)
  if (others(own) === undefined) return own
  throw new Refusal(`${wanted.file} already exists and starts ${taken}. Choose a name with --name.`)
}

async function enable(unit: ServiceUnit, folder: Folder, { start }: UnitRequest): Promise<string[]> {
  if (unit.kind === 'launchd') {
    if (!start) return []
    await controlUnit(unit, 'stop') // launchd refuses to load a unit that is already loaded
    await must(controlUnit(unit, 'start'), folder)
    return [`${unit.name} is started, now and at every login.`]
  }
  await must(systemctl(unit, 'daemon-reload'), folder)
  await must(systemctl(unit, 'enable', unit.name), folder)
  if (start) await must(controlUnit(unit, 'restart'), folder)
  return [
    `It starts at every boot: ${unit.name}.`,
    start ? 'It is started.' : `Start it now with: ${commandHint('start', folder.root)}`,
    ...(unit.kind === 'systemd user' ? await linger() : []),
  ]
}

interface ReplacedUnit {
  /** The lines about the removal, for the person at the terminal. */
  readonly lines: readonly string[]
  /** Installs the removed unit again, and starts it if it was running. */
  putBack(): Promise<void>
}

/** Removes the unit of a folder because a unit with another name replaces it. */
async function replace(unit: ServiceUnit): Promise<ReplacedUnit> {
  const text = unitText(unit.file) ?? ''
  const wasRunning = isRunning(await unitState(unit))
  return {
    lines: await uninstallService(unit),
    async putBack() {
      writeDurably(unit.file, text)
      if (unit.kind !== 'launchd') {
        await systemctl(unit, 'daemon-reload')
        await systemctl(unit, 'enable', unit.name)
      }
      if (wasRunning) await controlUnit(unit, 'start')
    },
  }
}

/** Undoes an installation that failed: restores the text of the unit's file, or removes the file if it is new. */
async function undo(unit: ServiceUnit, before: string | undefined): Promise<void> {
  if (before !== undefined) writeDurably(unit.file, before)
  else {
    if (unit.kind !== 'launchd') await systemctl(unit, 'disable', unit.name)
    rmSync(unit.file, { force: true })
  }
  if (unit.kind !== 'launchd') await systemctl(unit, 'daemon-reload')
}

/** Stops the agent that the unit runs, and removes the unit. */
export async function uninstallService(unit: ServiceUnit): Promise<string[]> {
  mustWrite(unit, 'uninstall')
  const stopped = await controlUnit(unit, 'stop')
  const disabled = unit.kind === 'launchd' ? stopped : await systemctl(unit, 'disable', unit.name)
  rmSync(unit.file, { force: true })
  if (unit.kind !== 'launchd') await systemctl(unit, 'daemon-reload')
  const failed = new Set([stopped, disabled].filter(({ code }) => code !== 0).map(managerFailure))
  return [
    ...(stopped.code === 0 ? ['It is stopped.'] : []),
    ...[...failed].map((reason) => `The machine's service manager says: ${reason}.`),
    `Removed ${unit.file}.`,
  ]
}

/** Refuses to install or uninstall a system unit if this user may not write its file. */
function mustWrite({ kind, file, name }: ServiceUnit, what: 'install' | 'uninstall'): void {
  if (kind !== 'systemd system' || canWrite(dirname(file))) return
  const command = `service ${what}${what === 'install' ? ' --system' : ''}`
  throw new Refusal(`${name} is a system unit, so this needs root: ${sudoHint(command, '.')}`)
}

function canWrite(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}

/** The command that removes a unit, with sudo for a system unit. */
export const uninstallHint = ({ kind }: ServiceUnit, root: string): string =>
  kind === 'systemd system' ? sudoHint('service uninstall', root) : commandHint('service uninstall', root)

/** Explains that the manager of a unit does not answer in this session, and what to do. */
export function notAnswering(unit: ServiceUnit, { state }: UnitState, root: string, runs = false): string {
  const start = `"${commandHint('start', root)}" starts the agent in the background anyway`
  return [
    `Its service manager does not answer here (${state}).`,
    'In a container, or in WSL without systemd, the agent will not start after a reboot; after "sudo -iu", sign in as that user to reach the manager.',
    `${runs ? `After a reboot, ${start}` : start}; "${uninstallHint(unit, root)}" removes the unit.`,
  ].join(' ')
}

/** The agent's unit with a message for the person if its service manager does not answer; otherwise undefined. */
export async function unansweringUnit(folder: Folder): Promise<{ file: string; message: string } | undefined> {
  const [unit] = findUnits(folder)
  const state = unit && (await unitState(unit))
  if (!unit || !state || state.answers) return undefined
  return { file: unit.file, message: notAnswering(unit, state, folder.root, whoHolds(folder, 'runtime') !== undefined) }
}

/**
 * Waits for a request to the service manager. If it fails, throws a refusal with the reason, and with advice if no
 * manager answers.
 */
async function must(running: Promise<ProgramResult>, { root }: Folder): Promise<void> {
  const ran = await running
  if (ran.code === 0) return
  const advice = doesNotAnswer(ran)
    ? ` Where no service manager answers (containers, WSL, after "sudo -iu"), start the agent in the background: ${commandHint('start', root)}`
    : ''
  throw new Refusal(
    `The machine's service manager refused the unit, and its file is as it was before: ${managerFailure(ran)}.${advice}`,
  )
}

/**
 * Checks whether the user's units run without a login. If not, they end when the user logs out; the returned line says
 * so and names the command that changes it.
 */
async function linger(): Promise<string[]> {
  const username = userName() ?? String(process.getuid?.())
  const shown = await runProgram('loginctl', ['show-user', username, '--property=Linger'])
  return shown.out.includes('Linger=yes')
    ? []
    : [
        `It stops when you log out. To let it run from boot: loginctl enable-linger ${username} (with sudo if it is refused)`,
      ]
}

async function factsOf(
  folder: Folder,
  unit: ServiceUnit,
  { agent, system, user, python }: UnitRequest,
): Promise<UnitFacts> {
  const manifest = await manifestForCommand(folder)
  const file = runtimeFile(folder)
  const program = lastingNode()
  const node = [program, ...startArgs(folder)]
  return {
    agent,
    name: unit.name,
    root: folder.root,
    launch: python !== undefined && !file.endsWith('.ts') ? [python, file] : node,
    stopSeconds: manifest.ok ? (manifest.value.runtime?.stop_seconds ?? 10) : 10,
    path: lastingPath(process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin', program),
    ...(system && { user: user ?? ownerOf(folder) }),
  }
}

/** The name of the user who owns the folder, or the id of that user if no name is found. */
function ownerOf(folder: Folder): string {
  const stat = statSync(folder.root).uid
  if (stat === process.getuid?.()) return userName() ?? String(stat)
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((l) => l.split(':')[2] === String(stat))
  return line?.split(':')[0] ?? String(stat)
}

/** The agent as a service of the machine: systemd (of a user or of the system), or launchd. */

import { existsSync, readFileSync, rmSync, statSync } from 'node:fs'
import { homedir, userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import { Refusal } from '../cli/output.ts'
import { makeFolder, writeDurably } from '../files/durable.ts'
import type { Folder } from '../files/folder.ts'
import { readFile } from '../files/read.ts'
import { hint, sudoHint } from '../hint.ts'
import { ownFile, startArgs } from '../launcher/file.ts'
import { manifestOf } from '../reporter/manifest.ts'
import { exec, type Ran } from './exec.ts'
import { folderOf, labelOf, launchdPlist, startsItself, systemdUnit, type UnitFacts, unitName, userOf } from './text.ts'

export type Kind = 'systemd user' | 'systemd system' | 'launchd'
export interface Unit {
  readonly kind: Kind
  readonly name: string
  readonly file: string
}
export interface Installed {
  readonly unit: Unit
  readonly lines: readonly string[]
}

const mac = process.platform === 'darwin'
const systemFolder = () => process.env.SVC_SYSTEMD_SYSTEM_DIR ?? '/etc/systemd/system'
const userFolder = () => join(process.env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'systemd/user')

function unitAt(kind: Kind, agent: string): Unit {
  if (kind === 'launchd')
    return { kind, name: labelOf(agent), file: join(homedir(), 'Library/LaunchAgents', `${labelOf(agent)}.plist`) }
  const name = unitName(agent)
  return { kind, name, file: join(kind === 'systemd user' ? userFolder() : systemFolder(), name) }
}

/** The unit that starts this folder's agent; undefined when there is none. */
export function findUnit(folder: Folder, agent: string): Unit | undefined {
  const kinds: readonly Kind[] = mac ? ['launchd'] : ['systemd user', 'systemd system']
  return kinds.map((kind) => unitAt(kind, agent)).find(({ file }) => belongs(file) === folder.root)
}

/** What writes a unit anew that starts the runtime's file without its starter; undefined when it need not be. */
export function mendsUnit({ runtime, root }: Folder, { kind, file }: Unit): string | undefined {
  const text = textOf(file) ?? ''
  if (!startsItself(text, runtime)) return undefined
  const user = userOf(text)
  return kind === 'systemd system'
    ? sudoHint(`service install --system${user === undefined ? '' : ` --user ${user}`}`, root)
    : hint('service install', root)
}

function belongs(file: string): string | undefined {
  const text = textOf(file)
  return text === undefined ? undefined : folderOf(text)
}

function textOf(file: string): string | undefined {
  const read = readFile(file, 65_536)
  return read.is === 'bytes' ? read.bytes.toString('utf8') : undefined
}

export interface Wish {
  readonly name: string
  readonly system: boolean
  readonly start: boolean
  /** Under whom a system's unit runs; the owner of the folder otherwise. */
  readonly user?: string | undefined
  /** Start through Python, which finds Node anew each time. */
  readonly python?: string | undefined
}

/** Writes the unit and lets it start at boot; now too when that is wished. */
export async function installService(folder: Folder, wish: Wish): Promise<Installed> {
  const unit = unitAt(mac ? 'launchd' : wish.system ? 'systemd system' : 'systemd user', wish.name)
  const other = existsSync(unit.file) ? (belongs(unit.file) ?? 'something else') : folder.root
  if (other !== folder.root) throw new Refusal(`${unit.file} is there already and starts ${other}.`)
  const facts = factsOf(folder, wish)
  makeFolder(dirname(unit.file))
  writeDurably(unit.file, unit.kind === 'launchd' ? launchdPlist(facts) : systemdUnit(facts))
  const lines = [`Wrote ${unit.file}.`]
  if (unit.kind === 'launchd') {
    if (wish.start)
      lines.push(...(await told(control(unit, 'start'), `${unit.name} is started, now and at every login.`)))
    return { unit, lines }
  }
  lines.push(...(await told(systemctl(unit, 'daemon-reload'), undefined)))
  lines.push(...(await told(systemctl(unit, 'enable', unit.name), `It starts at every boot: ${unit.name}.`)))
  if (wish.start) lines.push(...(await told(control(unit, 'restart'), 'It is started.')))
  else lines.push(`Start it now with: ${hint('start', folder.root)}`)
  if (unit.kind === 'systemd user') lines.push(...(await linger()))
  return { unit, lines }
}

/** Takes it away again; the agent that runs is ended first. */
export async function uninstallService(unit: Unit): Promise<string[]> {
  const lines = [...(await told(control(unit, 'stop'), 'It is stopped.', true))]
  if (unit.kind !== 'launchd') lines.push(...(await told(systemctl(unit, 'disable', unit.name), undefined, true)))
  rmSync(unit.file, { force: true })
  if (unit.kind !== 'launchd') await systemctl(unit, 'daemon-reload')
  return [...lines, `Removed ${unit.file}.`]
}

/** What the machine's own manager says: `active`, `inactive`, `failed`, … */
export async function unitState(unit: Unit): Promise<string> {
  if (unit.kind === 'launchd') {
    const shown = await exec('launchctl', ['print', `gui/${process.getuid?.() ?? 0}/${unit.name}`])
    return shown.missing ? 'launchctl is not there' : (/state = (\w+)/.exec(shown.out)?.[1] ?? 'not loaded')
  }
  const shown = await systemctl(unit, 'is-active', unit.name)
  return shown.missing ? 'systemctl is not there' : shown.out.trim() || shown.err.trim().split('\n')[0] || 'unknown'
}

export function control(unit: Unit, what: 'start' | 'stop' | 'restart'): Promise<Ran> {
  if (unit.kind !== 'launchd') return systemctl(unit, what, unit.name)
  const domain = `gui/${process.getuid?.() ?? 0}`
  if (what === 'start') return exec('launchctl', ['bootstrap', domain, unit.file])
  if (what === 'stop') return exec('launchctl', ['bootout', `${domain}/${unit.name}`])
  return exec('launchctl', ['kickstart', '-k', `${domain}/${unit.name}`])
}

const systemctl = (unit: Unit, ...args: string[]): Promise<Ran> =>
  exec('systemctl', [...(unit.kind === 'systemd user' ? ['--user'] : []), ...args])

/** A command that must succeed, or one whose failure is only told. */
async function told(running: Promise<Ran>, good: string | undefined, lenient = false): Promise<string[]> {
  const { code, err, out, missing } = await running
  if (code === 0) return good === undefined ? [] : [good]
  const why = missing
    ? 'the program is not there'
    : (err.trim() || out.trim()).split('\n')[0] || `it ended with code ${code}`
  if (lenient) return [`The machine's service manager says: ${why}.`]
  throw new Refusal(`The unit is written, but the machine's service manager did not take it: ${why}.`)
}

/** A user's units start at login and end at logout unless the user lingers. */
async function linger(): Promise<string[]> {
  const { username } = userInfo()
  const shown = await exec('loginctl', ['show-user', username, '--property=Linger'])
  return shown.out.includes('Linger=yes')
    ? []
    : [`It ends when you log out. To let it run from boot on: loginctl enable-linger ${username}`]
}

function factsOf(folder: Folder, { name, system, user, python }: Wish): UnitFacts {
  const manifest = manifestOf(folder)
  const file = ownFile(folder)
  const node = [process.execPath, ...startArgs(folder)]
  return {
    agent: name,
    root: folder.root,
    launch: python !== undefined && !file.endsWith('.ts') ? [python, file] : node,
    stopSeconds: manifest.ok ? (manifest.value.runtime?.stop_seconds ?? 10) : 10,
    path: process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin',
    ...(system && { user: user ?? ownerOf(folder) }),
  }
}

/** The user to whom the folder belongs; the number where there is no name. */
function ownerOf(folder: Folder): string {
  const { uid, username } = userInfo()
  const stat = statSync(folder.root).uid
  if (stat === uid) return username
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((l) => l.split(':')[2] === String(stat))
  return line?.split(':')[0] ?? String(stat)
}

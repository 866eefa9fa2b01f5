/**
 * Finds the units that start an agent. A unit is recognised by the agent's folder that is written in its file, and not
 * by its name: earlier versions named it after the blueprint or the agent, and a person may choose another name.
 */
import { readdirSync, realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Folder } from '../../machine/files/folder.ts'
import { readFile } from '../../machine/files/read.ts'
import { folderOf, launchdLabel, unitName } from './text.ts'

export type UnitKind = 'systemd user' | 'systemd system' | 'launchd'
/** The unit that starts an agent, in the sense of systemd or launchd. */
export interface ServiceUnit {
  readonly kind: UnitKind
  readonly name: string
  readonly file: string
}

export const isMac = process.platform === 'darwin'
const maxUnitBytes = 65_536

const folderFor = (kind: UnitKind): string =>
  kind === 'launchd'
    ? join(homedir(), 'Library/LaunchAgents')
    : kind === 'systemd user'
      ? join(process.env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'systemd/user')
      : (process.env.SVC_SYSTEMD_SYSTEM_DIR ?? '/etc/systemd/system')

/** The unit of this kind with this name, whether or not its file exists. */
export function unitNamed(kind: UnitKind, name: string): ServiceUnit {
  const unit = kind === 'launchd' ? launchdLabel(name) : unitName(name)
  return { kind, name: unit, file: join(folderFor(kind), kind === 'launchd' ? `${unit}.plist` : unit) }
}

/** All units that start the agent in this folder, usually one. Units of the user come before units of the system. */
export function findUnits({ root }: Pick<Folder, 'root'>): ServiceUnit[] {
  const kinds: readonly UnitKind[] = isMac ? ['launchd'] : ['systemd user', 'systemd system']
  return kinds.flatMap((kind) => unitsIn(kind).filter(({ file }) => sameFolder(folderStartedBy(file), root)))
}
export const findUnit = (folder: Pick<Folder, 'root'>): ServiceUnit | undefined => findUnits(folder)[0]

/** The folder of the agent that a unit file starts; undefined if the file is not one of our units. */
export function folderStartedBy(file: string): string | undefined {
  const text = unitText(file)
  return text === undefined ? undefined : folderOf(text)
}

export function unitText(file: string): string | undefined {
  const read = readFile(file, maxUnitBytes)
  return read.is === 'bytes' ? read.bytes.toString('utf8') : undefined
}

/** The units in one of the folders of systemd or launchd. A link is an alias of another unit and is left out. */
function unitsIn(kind: UnitKind): ServiceUnit[] {
  const ending = kind === 'launchd' ? '.plist' : '.service'
  const folder = folderFor(kind)
  return entries(folder)
    .filter((entry) => entry.isFile() && entry.name.endsWith(ending))
    .map(({ name }) => name)
    .sort()
    .map((name) => ({
      kind,
      name: kind === 'launchd' ? name.slice(0, -ending.length) : name,
      file: join(folder, name),
    }))
}

function entries(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return [] // there is no such folder, or this user may not read it
  }
}

/** True if both paths lead to the same folder, perhaps through links. */
export const sameFolder = (a: string | undefined, b: string): boolean =>
  a !== undefined && (a === b || realPathOf(a) === realPathOf(b))

function realPathOf(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

/**
 * The settings file (2.12): every setting with its current value. It is always rewritten as a whole (I27: a change
 * affects all its keys or none). A value that is only a default of the manifest follows the manifest when the default
 * changes.
 */
import {
  chownSync,
  linkSync,
  lstatSync,
  readlinkSync,
  rmSync,
  type Stats,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename } from 'node:path'
import type { Manifest } from '@svc/blueprint'
import { defaults } from '@svc/blueprint/settings'
import { cut, type HealthItem, limits, type SettingValue, type SettingValues, wrongWith } from '@svc/protocol'
import { type FileToWrite, writeTogether } from '../machine/files/durable.ts'
import { type Folder, prepare } from '../machine/files/folder.ts'
import { readFile } from '../machine/files/read.ts'
import { readWrittenObject } from '../machine/files/written.ts'
import { type Author, changesWith, readChanges, table } from './changes.ts'

type WithRuntime = Pick<Manifest, 'runtime'>
type WithSettings = Pick<Manifest, 'settings'> & Partial<WithRuntime>

/**
 * The current value of every declared setting. A stored value that the manifest does not allow is replaced by the
 * default.
 */
export function settingsInForce(folder: Folder, manifest: WithSettings): SettingValues {
  const { filled } = readChanges(folder)
  const read = readWrittenObject(folder.settings, maxSettingsBytes)
  return inForce(manifest, read.is === 'object' ? read.value : {}, filled)
}

const maxSettingsBytes = 16 * 1024 * 1024

/**
 * The reason why the settings file cannot be read, as the end of a sentence that begins with its name. Undefined if it
 * can be read, is missing, or is empty.
 */
export function unreadSettings({ settings }: Pick<Folder, 'settings'>): string | undefined {
  const read = readWrittenObject(settings, maxSettingsBytes)
  return read.is === 'unread' && !isEmpty(settings) ? read.why : undefined
}

function isEmpty(file: string): boolean {
  const read = readFile(file, maxSettingsBytes)
  return read.is === 'bytes' && read.bytes.length === 0
}

/**
 * Says which keys and values in the settings file have no effect, as ends of sentences that begin with its name. A
 * person may have changed the file by hand; svc leaves them out when it writes the file again.
 */
export function settingsRemarks({ settings: file }: Pick<Folder, 'settings'>, { settings }: WithSettings): string[] {
  const read = readWrittenObject(file, maxSettingsBytes)
  if (read.is !== 'object') return []
  const names = settings.map(({ key }) => key).join(', ')
  return Object.entries(read.value).flatMap(([key, value]) => {
    const setting = settings.find((one) => one.key === key)
    if (!setting) return [`names ${JSON.stringify(key)}, which is no setting; known are: ${names}`]
    const wrong = value === null ? undefined : wrongWith(setting, value)
    return wrong === undefined ? [] : [`has a value for ${key} that has no effect: it ${wrong}`]
  })
}

/** The settings that somebody set and whose values are gone, because the file is missing or empty. */
export function lostSettings(folder: Folder, { settings }: WithSettings): string[] {
  const read = readFile(folder.settings, maxSettingsBytes)
  if (read.is === 'unreadable' || (read.is === 'bytes' && read.bytes.length > 0)) return []
  const { settings: authors } = readChanges(folder)
  return settings.map(({ key }) => key).filter((key) => Object.hasOwn(authors, key))
}

/** The health item for a settings file of which something has no effect, so that nothing is reset silently. */
export function settingsHealth(folder: Folder, manifest: WithSettings): HealthItem[] {
  const unread = unreadSettings(folder)
  const lost = lostSettings(folder, manifest)
  const said = [
    ...(unread === undefined ? [] : [`settings.json ${unread}, so defaults are used`]),
    ...(lost.length === 0 ? [] : [`settings.json is gone or empty; lost: ${lost.join(', ')}`]),
    ...(isAside(folder)
      ? [
          'settings.json could not be read when it was written again; check the values, then delete settings.json.unread',
        ]
      : []),
    ...settingsRemarks(folder, manifest).map((remark) => `settings.json ${remark}`),
  ]
  if (said.length === 0) return []
  return [{ name: 'Settings', level: 'warn', detail: cut(`${said.join('. ')}.`, limits.detail) }]
}

/** The place to which a settings file that cannot be read is moved before it is written again. */
export const setAside = ({ settings }: Pick<Folder, 'settings'>): string => `${settings}.unread`

/** True if a settings file was moved aside. It may be a link that leads nowhere. */
export const isAside = (folder: Pick<Folder, 'settings'>): boolean =>
  lstatSync(setAside(folder), { throwIfNoEntry: false }) !== undefined

function inForce(
  manifest: WithSettings,
  written: Readonly<Record<string, unknown>>,
  filled: Readonly<Record<string, unknown>>,
): SettingValues {
  const values = defaults(manifest)
  for (const setting of manifest.settings) {
    if (!Object.hasOwn(written, setting.key)) continue
    const value = written[setting.key]
    if (Object.hasOwn(filled, setting.key) && filled[setting.key] === value) continue
    if (value === null ? setting.default !== undefined : wrongWith(setting, value) !== undefined) continue
    values[setting.key] = value as SettingValue
  }
  return values
}

/**
 * Changes settings. The caller has checked the values. A settings file that cannot be read is kept beside the new one
 * (`setAside`), since a person may have written it.
 */
export function changeSettings(folder: Folder, manifest: WithSettings, values: SettingValues, author: Author): void {
  const authors = Object.keys(values).map((key) => [key, author] as const)
  const { settings } = readChanges(folder)
  write(
    folder,
    manifest,
    { ...settingsInForce(folder, manifest), ...values },
    table([...Object.entries(settings), ...authors]),
    values,
  )
}

/**
 * Rewrites the settings file if it does not match the manifest, so that the agent finds every setting in it. Also
 * rewrites it if every user of the machine can read it and need not.
 */
export function fillSettings(folder: Folder, manifest: WithSettings): void {
  if (manifest.settings.length === 0 && readFile(folder.settings, 1).is === 'missing') return
  const values = settingsInForce(folder, manifest)
  const read = readFile(folder.settings, maxSettingsBytes)
  const isOpen = (statOf(folder.settings)?.mode ?? 0) & 0o004
  if (
    read.is === 'bytes' &&
    read.bytes.toString('utf8') === shown(values) &&
    (!isOpen || startsAsAnother(manifest.runtime))
  )
    return
  write(folder, manifest, values, readChanges(folder).settings)
}

/** The state of a file; undefined if there is none, also behind a link that cannot be followed. */
function statOf(file: string): Stats | undefined {
  try {
    return statSync(file)
  } catch {
    return undefined
  }
}

/** Gives the settings file a second name, so that it is kept when a new file takes its place. */
function keepAside(folder: Folder): void {
  const found = lstatSync(folder.settings)
  if (!found.isFile() && !found.isSymbolicLink()) return
  rmSync(setAside(folder), { force: true })
  if (found.isFile()) linkSync(folder.settings, setAside(folder))
  else symlinkSync(readlinkSync(folder.settings), setAside(folder))
}

function write(
  folder: Folder,
  manifest: WithSettings,
  values: SettingValues,
  authors: Readonly<Record<string, Author>>,
  chosen: SettingValues = {},
): void {
  prepare(folder)
  if (unreadSettings(folder) !== undefined) keepAside(folder)
  else if (lostSettings(folder, manifest).some((key) => !Object.hasOwn(chosen, key)))
    writeFileSync(setAside(folder), '')
  const filled = manifest.settings.flatMap(({ key, default: usual }) =>
    usual !== undefined && values[key] === usual && !authors[key] ? [[key, usual] as const] : [],
  )
  const found = statOf(folder.settings)
  const forGroup = found !== undefined && (found.mode & 0o047) === 0o040
  const changes = changesWith(folder, { settings: authors, filled: table(filled) })
  writeTogether([settingsFile(folder, manifest, shown(values), forGroup), changes])
  try {
    if (forGroup && statSync(folder.settings).gid !== found.gid) chownSync(folder.settings, -1, found.gid)
  } catch {
    // This user may not give the file to that group, so the file keeps the user's own group.
  }
}

/**
 * The file of settings. Only its owner can read it, or also a group if a person opened it to one. If the manifest
 * starts the agent as another user or in a container, everybody can read the file, as otherwise the agent could not
 * (D54).
 */
function settingsFile(
  { settings }: Folder,
  { runtime }: Partial<WithRuntime>,
  text: string,
  forGroup: boolean,
): FileToWrite {
  return { file: settings, data: text, mode: startsAsAnother(runtime) ? 0o644 : forGroup ? 0o640 : 0o600 }
}

const changesUser = new Set(['sudo', 'doas', 'su', 'runuser', 'setpriv', 'chroot', 'systemd-run'])
const startsAsAnother = (runtime: Manifest['runtime']): boolean =>
  runtime?.kind === 'compose' || (runtime?.kind === 'process' && changesUser.has(basename(runtime.command[0] ?? '')))

const shown = (values: SettingValues): string => `${JSON.stringify(values, null, 2)}\n`

/**
 * The settings file (2.12): every setting with its current value. It is always rewritten as a whole, so that a change
 * affects all its keys or none (I27). A value that nobody chose follows the default in the manifest. Unknown keys that
 * a person added stay in the file.
 */
import { chownSync, type Stats, statSync } from 'node:fs'
import { basename } from 'node:path'
import type { Manifest } from '@svc/blueprint'
import { defaultValues } from '@svc/blueprint/settings'
import { type SettingValue, type SettingValues, wrongWithSetting } from '@svc/protocol'
import { type FileToWrite, writeTogether } from '../machine/files/durable.ts'
import { createFolders, type Folder } from '../machine/files/folder.ts'
import { readFile } from '../machine/files/read.ts'
import { type Author, changesWith, readChanges, recordOf } from './changes.ts'
import { keepLostParts, maxSettingsBytes, unknownSettings, writtenSettings } from './settings-file.ts'

type WithRuntime = Pick<Manifest, 'runtime'>
type WithSettings = Pick<Manifest, 'settings'> & Partial<WithRuntime>

/**
 * The current value of every declared setting. A stored value that the manifest does not allow is replaced by the
 * default.
 */
export function settingsInForce(folder: Folder, manifest: WithSettings): SettingValues {
  const { filled } = readChanges(folder)
  return inForce(manifest, writtenSettings(folder), filled)
}

function inForce(
  manifest: WithSettings,
  written: Readonly<Record<string, unknown>>,
  filled: Readonly<Record<string, unknown>>,
): SettingValues {
  const values = defaultValues(manifest)
  for (const setting of manifest.settings) {
    if (!Object.hasOwn(written, setting.key)) continue
    const value = written[setting.key]
    if (Object.hasOwn(filled, setting.key) && filled[setting.key] === value) continue
    if (value === null ? setting.default !== undefined : wrongWithSetting(setting, value) !== undefined) continue
    values[setting.key] = value as SettingValue
  }
  return values
}

/**
 * Changes settings. The caller has checked the values. Returns true if a settings file that a person wrote was set
 * aside.
 */
export function changeSettings(folder: Folder, manifest: WithSettings, values: SettingValues, author: Author): boolean {
  const authors = Object.keys(values).map((key) => [key, author] as const)
  const { settings } = readChanges(folder)
  return write(
    folder,
    manifest,
    { ...settingsInForce(folder, manifest), ...values },
    recordOf([...Object.entries(settings), ...authors]),
    values,
  )
}

/**
 * Rewrites the settings file if it does not match the manifest, so that the agent finds every setting in it. Also
 * rewrites it if every user of the machine can read it although the agent runs as the same user as svc.
 */
export function fillSettings(folder: Folder, manifest: WithSettings): void {
  if (manifest.settings.length === 0 && readFile(folder.settings, 1).is === 'missing') return
  const values = settingsInForce(folder, manifest)
  const read = readFile(folder.settings, maxSettingsBytes)
  const isOpen = (statOf(folder.settings)?.mode ?? 0) & 0o004
  if (
    read.is === 'bytes' &&
    read.bytes.toString('utf8') === fileText({ ...values, ...unknownSettings(folder, manifest) }) &&
    (!isOpen || startsAsAnother(manifest.runtime))
  )
    return
  write(folder, manifest, values, readChanges(folder).settings)
}

/** The state of a file; undefined if it does not exist, or is a link that leads nowhere. */
function statOf(file: string): Stats | undefined {
  try {
    return statSync(file)
  } catch {
    return undefined
  }
}

function write(
  folder: Folder,
  manifest: WithSettings,
  values: SettingValues,
  authors: Readonly<Record<string, Author>>,
  chosen: SettingValues = {},
): boolean {
  createFolders(folder)
  const text = fileText({ ...values, ...unknownSettings(folder, manifest) })
  const isAside = keepLostParts(folder, manifest, chosen)
  const filled = manifest.settings.flatMap(({ key, default: usual }) =>
    usual !== undefined && values[key] === usual && !authors[key] ? [[key, usual] as const] : [],
  )
  const found = statOf(folder.settings)
  const forGroup = found !== undefined && (found.mode & 0o047) === 0o040
  const changes = changesWith(folder, { settings: authors, filled: recordOf(filled) })
  writeTogether([settingsFile(folder, manifest, text, forGroup), changes])
  try {
    if (forGroup && statSync(folder.settings).gid !== found.gid) chownSync(folder.settings, -1, found.gid)
  } catch {
    // This user may not give the new file to the group of the old one, so it keeps the user's own group.
  }
  return isAside
}

/**
 * The settings file with its mode. Everybody can read the file if the manifest starts the agent as another user or in a
 * container (D54). Otherwise only the owner can, and with `forGroup` the group, too.
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

const fileText = (values: Readonly<Record<string, unknown>>): string => `${JSON.stringify(values, null, 2)}\n`

/**
 * The settings file (2.12): every setting with its value in force, rewritten whole (I27: a change is all keys or none). A
 * value that only filled in a default follows the manifest when its default changes.
 */
import type { Manifest } from '@svc/blueprint'
import { defaults } from '@svc/blueprint/settings'
import { type SettingValue, type SettingValues, wrongWith } from '@svc/protocol'
import { writeDurably } from '../files/durable.ts'
import { type Folder, prepare } from '../files/folder.ts'
import { readFile, readJsonObject } from '../files/read.ts'
import { type Author, noteChange, readChanges, table } from './changes.ts'

type WithSettings = Pick<Manifest, 'settings'>

/** The value in force of every declared setting. What the file holds and the manifest does not allow is its default. */
export function settingsInForce(folder: Folder, manifest: WithSettings): SettingValues {
  const { filled } = readChanges(folder)
  return inForce(manifest, readJsonObject(folder.settings) ?? {}, filled)
}

export function inForce(
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

/** Changes settings that were checked before. */
export function changeSettings(folder: Folder, manifest: WithSettings, values: SettingValues, author: Author): void {
  const authors = Object.keys(values).map((key) => [key, author] as const)
  const { settings } = readChanges(folder)
  write(
    folder,
    manifest,
    { ...settingsInForce(folder, manifest), ...values },
    table([...Object.entries(settings), ...authors]),
  )
}

/** Brings the file up to the manifest, so that the agent finds every setting in it. */
export function fillSettings(folder: Folder, manifest: WithSettings): void {
  if (manifest.settings.length === 0 && readFile(folder.settings, 1).is === 'missing') return
  const values = settingsInForce(folder, manifest)
  const read = readFile(folder.settings, 16 * 1024 * 1024)
  if (read.is === 'bytes' && read.bytes.toString('utf8') === shown(values)) return
  write(folder, manifest, values, readChanges(folder).settings)
}

function write(
  folder: Folder,
  manifest: WithSettings,
  values: SettingValues,
  authors: Readonly<Record<string, Author>>,
): void {
  prepare(folder)
  writeDurably(folder.settings, shown(values))
  const filled = manifest.settings.flatMap(({ key, default: usual }) =>
    usual !== undefined && values[key] === usual && !authors[key] ? [[key, usual] as const] : [],
  )
  noteChange(folder, { settings: authors, filled: table(filled) })
}

const shown = (values: SettingValues): string => `${JSON.stringify(values, null, 2)}\n`

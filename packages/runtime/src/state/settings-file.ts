/**
 * Reads the settings file (2.12), which a person may have changed by hand, and names the parts that have no effect. If
 * svc writes the file again, unknown keys stay in it, and all other parts without an effect are kept in a second file.
 */
import { linkSync, lstatSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import type { Manifest } from '@svc/blueprint'
import { cut, type HealthItem, limits, type SettingValues, wrongWithSetting } from '@svc/protocol'
import type { Folder } from '../machine/files/folder.ts'
import { readFile } from '../machine/files/read.ts'
import { readWrittenObject } from '../machine/files/written.ts'
import { readChanges } from './changes.ts'

type SettingsPath = Pick<Folder, 'settings'>
type WithSettings = Pick<Manifest, 'settings'>

export const maxSettingsBytes = 16 * 1024 * 1024

/** The content of the settings file; empty if the file is missing or cannot be read. */
export function writtenSettings({ settings }: SettingsPath): Readonly<Record<string, unknown>> {
  const read = readWrittenObject(settings, maxSettingsBytes)
  return read.is === 'object' ? read.value : {}
}

/**
 * The reason why the settings file cannot be read, as the end of a sentence that begins with its name. Undefined if it
 * can be read, is missing, or is empty.
 */
export function whySettingsUnreadable({ settings }: SettingsPath): string | undefined {
  const read = readWrittenObject(settings, maxSettingsBytes)
  return read.is === 'unread' && !isEmpty(settings) ? read.why : undefined
}

function isEmpty(file: string): boolean {
  const read = readFile(file, maxSettingsBytes)
  return read.is === 'bytes' && read.bytes.length === 0
}

interface Remark {
  /** The end of a sentence that begins with the name of the file. */
  readonly says: string
  /** The keys that the remark is about. */
  readonly keys: readonly string[]
  /** True if svc leaves these keys in the file when it writes the file again. */
  readonly stays?: true
}

function remarksOn({ settings: file }: SettingsPath, { settings }: WithSettings): Remark[] {
  const read = readWrittenObject(file, maxSettingsBytes)
  if (read.is !== 'object') return []
  const names = settings.map(({ key }) => key).join(', ') || 'none'
  const wrong = Object.entries(read.value).flatMap(([key, value]): Remark[] => {
    const setting = settings.find((one) => one.key === key)
    const named = JSON.stringify(key)
    if (!setting)
      return [{ says: `names ${named}, which is no setting; known are: ${names}`, keys: [key], stays: true }]
    const why = value === null ? undefined : wrongWithSetting(setting, value)
    return why === undefined ? [] : [{ says: `has a value for ${key} that has no effect: it ${why}`, keys: [key] }]
  })
  const twice = read.repeated.map(
    ({ key, lines }): Remark => ({
      says: `names ${JSON.stringify(key)} more than once, in lines ${lines.join(' and ')}; only the last one counts`,
      keys: [key],
    }),
  )
  return [...twice, ...wrong]
}

/** Says which keys and values in the settings file have no effect, as ends of sentences that begin with its name. */
export const settingsRemarks = (folder: SettingsPath, manifest: WithSettings): string[] =>
  remarksOn(folder, manifest).map(({ says }) => says)

/**
 * The keys and values in the settings file that are no settings. Keys that svc itself wrote for an earlier version are
 * left out.
 */
export function unknownSettings(folder: Folder, { settings }: WithSettings): Readonly<Record<string, unknown>> {
  const { filled, settings: authors } = readChanges(folder)
  const isOurs = (key: string) => Object.hasOwn(filled, key) || Object.hasOwn(authors, key)
  return Object.fromEntries(
    Object.entries(writtenSettings(folder)).filter(
      ([key]) => !isOurs(key) && settings.every((setting) => setting.key !== key),
    ),
  )
}

/** The settings that somebody set and whose values are gone, because the file is missing or empty. */
export function lostSettings(folder: Folder, { settings }: WithSettings): string[] {
  const read = readFile(folder.settings, maxSettingsBytes)
  if (read.is === 'unreadable' || (read.is === 'bytes' && read.bytes.length > 0)) return []
  const { settings: authors } = readChanges(folder)
  return settings.map(({ key }) => key).filter((key) => Object.hasOwn(authors, key))
}

/** The health item that names lost settings and the parts of the settings file that have no effect. */
export function settingsHealth(folder: Folder, manifest: WithSettings): HealthItem[] {
  const unread = whySettingsUnreadable(folder)
  const lost = lostSettings(folder, manifest)
  const said = [
    ...(unread === undefined ? [] : [`settings.json ${unread}, so defaults are used`]),
    ...(lost.length === 0 ? [] : [`settings.json is gone or empty; lost: ${lost.join(', ')}`]),
    ...settingsRemarks(folder, manifest).map((remark) => `settings.json ${remark}`),
    ...asideRemarks(folder, manifest),
  ]
  if (said.length === 0) return []
  return [{ name: 'Settings', level: 'warn', detail: cut(`${said.join('. ')}.`, limits.detail) }]
}

/** The second file, which keeps what a person wrote after svc has replaced the settings file. */
export const setAsideFile = ({ settings }: SettingsPath): string => `${settings}.unread`

/** True if a settings file was set aside, even as a link that leads nowhere. */
const isAside = (folder: SettingsPath): boolean =>
  lstatSync(setAsideFile(folder), { throwIfNoEntry: false }) !== undefined

/** Sentences about the settings file that was set aside, until a person deletes it. */
export function asideRemarks(folder: SettingsPath, manifest: WithSettings): string[] {
  if (!isAside(folder)) return []
  const aside = { settings: setAsideFile(folder) }
  const name = basename(aside.settings)
  if (isEmpty(aside.settings))
    return [`settings.json was gone or empty when it was written again; check the values, then delete ${name}`]
  const why = whySettingsUnreadable(aside)
  const reasons = why === undefined ? settingsRemarks(aside, manifest) : [why]
  const all = reasons.length === 0 ? '' : `, which ${reasons.join(', and ')}`
  return [`${name} is the settings file that a person wrote${all}; check the values, then delete ${name}`]
}

/**
 * Sets the settings file aside if writing it again would lose a part that a person wrote, other than the keys of
 * `chosen`. Returns true if it was set aside. If settings are lost already, the second file is created empty.
 */
export function keepLostParts(folder: Folder, manifest: WithSettings, chosen: SettingValues): boolean {
  const isChosen = (key: string) => Object.hasOwn(chosen, key)
  const drops = remarksOn(folder, manifest).some(({ keys, stays }) => !stays && !keys.every(isChosen))
  if (whySettingsUnreadable(folder) !== undefined || drops) return keepAside(folder)
  if (!isAside(folder) && lostSettings(folder, manifest).some((key) => !isChosen(key)))
    writeFileSync(setAsideFile(folder), '')
  return false
}

/** Gives the settings file a second name, so that it is kept when a new file replaces it. */
function keepAside(folder: SettingsPath): boolean {
  const found = lstatSync(folder.settings)
  if (!found.isFile() && !found.isSymbolicLink()) return false
  rmSync(setAsideFile(folder), { force: true })
  if (found.isFile()) linkSync(folder.settings, setAsideFile(folder))
  else symlinkSync(readlinkSync(folder.settings), setAsideFile(folder))
  return true
}

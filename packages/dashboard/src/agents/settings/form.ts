/**
 * Pure functions behind the settings form. The form keeps what the person types as drafts, apart from the reported
 * values, so a new report never overwrites a draft.
 */
import type { Setting, Settings, SettingValue, SettingValues } from '@svc/protocol'
import type { Draft, Drafts } from '../parts/drafts.ts'
import { type RawValue, rawValueOf, readRaw } from '../parts/raw.ts'

interface Group {
  /** The name of the group; null for settings without a group. */
  readonly name: string | null
  readonly settings: readonly Setting[]
}

/**
 * Groups the settings. Groups and settings keep the order of the schema. If two settings have the same key, only the
 * first is used.
 */
export function settingGroupsOf(schema: readonly Setting[]): Group[] {
  const groups = new Map<string | null, Setting[]>()
  const seen = new Set<string>()
  for (const setting of schema) {
    if (seen.has(setting.key)) continue
    seen.add(setting.key)
    const name = setting.group?.trim() || null
    groups.set(name, [...(groups.get(name) ?? []), setting])
  }
  return [...groups].map(([name, settings]) => ({ name, settings }))
}

/** Returns the last reported value of the setting with this key; undefined if the report has none. */
export const reportedValueOf = (settings: Settings, key: string): SettingValue | undefined =>
  settings.values !== undefined && Object.hasOwn(settings.values, key) ? settings.values[key] : undefined

/**
 * Stores what the person typed as a draft. A value that equals the reported one needs no draft, so its draft is
 * removed.
 */
export function withDraft(drafts: Drafts, settings: Settings, setting: Setting, raw: RawValue): Drafts {
  const { [setting.key]: before, ...others } = drafts
  const reported = reportedValueOf(settings, setting.key)
  if (isSame(setting, raw, reported)) return others
  return { ...others, [setting.key]: before ? { ...before, raw } : { raw, base: reported } }
}

export const withoutDraft = (drafts: Drafts, key: string): Drafts =>
  Object.fromEntries(Object.entries(drafts).filter(([name]) => name !== key))

const isSame = (setting: Setting, raw: RawValue, reported: SettingValue | undefined) => {
  if (raw === null) return reported === null || reported === undefined
  if (raw === rawValueOf(setting, reported)) return true
  const read = readRaw(setting, raw)
  return read.ok && read.value === reported
}

/**
 * True if the reported value has changed since the person began to edit the setting. In this case the page shows the
 * change and keeps the draft.
 */
export const isDraftOutdated = (draft: Draft, reported: SettingValue | undefined): boolean => draft.base !== reported

interface FormChanges {
  /** The values of valid drafts that differ from the report. They are sent as one `set` command. */
  readonly changes: SettingValues
  readonly wrong: Readonly<Record<string, string>>
}

/**
 * Returns the values that the button "Send changes" would send, and the errors that prevent sending, by key. A draft
 * whose setting is not in the schema is left out.
 */
export function formChangesOf(settings: Settings, drafts: Drafts): FormChanges {
  const changes: SettingValues = Object.create(null)
  const wrong: Record<string, string> = Object.create(null)
  for (const { settings: own } of settingGroupsOf(settings.schema ?? []))
    for (const setting of own) {
      const draft = Object.hasOwn(drafts, setting.key) ? drafts[setting.key] : undefined
      if (draft === undefined) continue
      const read = readRaw(setting, draft.raw)
      if (!read.ok) wrong[setting.key] = read.wrong
      else if (read.value !== reportedValueOf(settings, setting.key)) changes[setting.key] = read.value
    }
  return { changes, wrong }
}

/** Makes drafts from the values of an earlier `set` command, so that a person can correct a refused one. */
export const draftsOf = (settings: Settings, values: SettingValues): Drafts =>
  (settings.schema ?? [])
    .filter((setting) => Object.hasOwn(values, setting.key))
    .reduce<Drafts>(
      (drafts, setting) => withDraft(drafts, settings, setting, rawValueOf(setting, values[setting.key])),
      Object.create(null) as Drafts,
    )

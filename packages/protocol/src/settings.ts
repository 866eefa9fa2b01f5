/**
 * Settings (2.4): the schema that an agent reports, and the check of values against it. The service checks values
 * before it sends a command, and the runtime checks them again before it applies the command.
 */
import {
  boolean,
  either,
  type Field,
  type FieldValue,
  field,
  isObject,
  list,
  name,
  number,
  object,
  oneOf,
  record,
  text,
} from './fields.ts'
import { limits } from './limits.ts'
import type { Verdict } from './refusals.ts'
import { clean, cut, shown } from './text.ts'

export const settingTypes = ['percent', 'number', 'bool', 'datetime', 'text', 'select'] as const
export type SettingType = (typeof settingTypes)[number]

const optionValue = either(text(limits.name), number())
const option = object({ value: optionValue, label: text(limits.name) }, 'value')

/** The fields of one setting in the schema of settings (2.4). */
export const settingFields = {
  key: name(limits.name),
  label: text(limits.name),
  type: oneOf(settingTypes),
  min: number(),
  max: number(),
  help: text(limits.line),
  group: text(limits.name),
  options: list(option, limits.options),
}
/** A field for a setting. A setting without a key or with an unknown type cannot be set, so it is dropped. */
const setting = object(settingFields, 'key', 'type')
export type Setting = FieldValue<typeof setting>

export type SettingValue = string | number | boolean | null
const textValue = text(limits.settingText)
const numberValue = number()
/**
 * A field for the value of a setting. Other fields drop null, but this one keeps it: a null here means that nobody has
 * set a value (2.1).
 */
const value: Field<SettingValue> = field<SettingValue>(
  (v, _notes, tidy) => (v === null ? null : (textValue(v, undefined, tidy) ?? numberValue(v) ?? boolean(v))),
  { ...textValue.schema, type: ['string', 'number', 'boolean', 'null'] },
)
/** A field for the default value of a setting, which is never null. */
export const settingDefault = either(either(textValue, numberValue), boolean)
const settingValues = record(value, limits.settings)
export type SettingValues = FieldValue<typeof settingValues>

export const settings = object({ schema: list(setting, limits.settings), values: settingValues })
export type Settings = FieldValue<typeof settings>

/** The default bounds of settings by type. A type that is missing here has none. */
const ownBounds: Partial<Record<SettingType, readonly [min: number, max: number]>> = {
  percent: [0, 100],
  datetime: [0, Number.MAX_SAFE_INTEGER],
}

/** The minimum and the maximum of a setting. If the setting has no bound of its own, that of its type counts. */
export function boundsOf(s: Setting): readonly [min: number, max: number] {
  const [min, max] = ownBounds[s.type] ?? [-Infinity, Infinity]
  return [s.min ?? min, s.max ?? max]
}

/** Checks values against the schema of the settings that they change. A refusal says what is wrong in a sentence. */
export function checkValues(schema: readonly Setting[], values: unknown): Verdict<SettingValues> {
  if (!isObject(values)) return refusedSettings('Settings must be an object of keys and values.')
  const keys = Object.keys(values)
  if (keys.length === 0) return refusedSettings('There is no setting to change.')
  const kept: SettingValues = Object.create(null)
  for (const key of keys) {
    const known = schema.find((s) => s.key === key)
    if (!known) return refusedSettings(`There is no setting ${shown(key)}.`)
    const wrong = wrongWithSetting(known, values[key])
    if (wrong) return refusedSettings(`${known.label ?? known.key} ${wrong}: got ${shown(values[key])}.`)
    kept[key] = values[key] as SettingValue
  }
  return { ok: true, value: kept }
}

/**
 * Says why no schema of settings (2.4) can allow these values, as the end of a sentence; undefined if a schema might.
 * The service calls this function before it knows the schemas of the agents.
 */
export function whyNoSchemaAllows(values: object): string | undefined {
  const all = Object.entries(values)
  if (all.length > limits.settings) return `has at most ${limits.settings} settings: got ${all.length}`
  for (const [key, value] of all) {
    if (key === '' || !isTidy(key, limits.name))
      return `names each setting with 1 to ${limits.name} characters and no line breaks: got ${shown(key)}`
    if (!isSettingValue(value))
      return `has as value of ${shown(key)} a text of at most ${limits.settingText} characters, a number, true, false or null: got ${shown(value)}`
  }
  return undefined
}

const isTidy = (text: string, max: number): boolean => cut(clean(text), max) === text
const isSettingValue = (value: unknown): boolean =>
  value === null ||
  typeof value === 'boolean' ||
  (typeof value === 'string' ? isTidy(value, limits.settingText) : Number.isFinite(value))

/** Says what is wrong with the value of a setting, as the end of a sentence; undefined for a valid value. */
export function wrongWithSetting(s: Setting, v: unknown): string | undefined {
  return v === null ? undefined : checks[s.type](s, v)
}

type Check = (s: Setting, v: unknown) => string | undefined

const numeric: Check = (s, v) => {
  if (typeof v !== 'number' || !Number.isFinite(v)) return 'must be a number'
  const [min, max] = boundsOf(s)
  if (v >= min && v <= max) return undefined
  if (max === Infinity) return `must be ${min} or more`
  if (min === -Infinity) return `must be ${max} or less`
  return `must be between ${min} and ${max}`
}

const checks: Readonly<Record<SettingType, Check>> = {
  percent: numeric,
  number: numeric,
  datetime: (s, v) => (Number.isSafeInteger(v) ? numeric(s, v) : 'must be a time in whole Unix seconds'),
  bool: (_, v) => (typeof v === 'boolean' ? undefined : 'must be true or false'),
  text: (_, v) => {
    if (typeof v !== 'string') return 'must be a text'
    if (cut(v, limits.settingText) !== v) return `must be at most ${limits.settingText} characters`
    return clean(v) === v ? undefined : 'must not hold control characters'
  },
  select: (s, v) =>
    s.options?.some((o) => o.value === v)
      ? undefined
      : `must be one of ${(s.options ?? []).map((o) => shown(o.value)).join(', ') || 'its options (it has none)'}`,
}

const refusedSettings = (message: string) => ({ ok: false, code: 'settings_invalid', message }) as const

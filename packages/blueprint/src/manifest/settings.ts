/** The settings in a manifest: the schema that the runtime reports (2.4), and the default values. */
import {
  limits,
  type Setting,
  type SettingType,
  type SettingValue,
  type SettingValues,
  settingTypes,
  wrongWithSetting,
} from '@svc/protocol'
import {
  addFinding,
  list,
  number,
  object,
  oneOf,
  plainBoolean,
  plainNumber,
  text,
  type YamlReader,
  type YamlValue,
} from './reading.ts'

export type ManifestSetting = Setting & { readonly default?: Exclude<SettingValue, null> }

/** The schema of the settings as it is reported in `settings.schema`, without default values. */
export const settingsSchema = (manifest: { readonly settings: readonly ManifestSetting[] }): Setting[] =>
  manifest.settings.map(({ default: _, ...setting }) => setting)

/** The values of all settings before anybody has set one: the default value of each or, without a default, null. */
export const defaultValues = (manifest: { readonly settings: readonly ManifestSetting[] }): SettingValues =>
  Object.assign(Object.create(null), Object.fromEntries(manifest.settings.map((s) => [s.key, s.default ?? null])))

/** Reads the key of a setting, which becomes part of the name of an environment variable (2.12). */
const key = text(60, (t) =>
  /^[A-Za-z][A-Za-z0-9_]*$/.test(t) ? undefined : 'must be letters, digits and underscores, starting with a letter',
)

/**
 * Reads a scalar without deciding whether it is a text, a number or a boolean, which depends on the type of the
 * setting.
 */
const raw: YamlReader<YamlValue> = (v, path, reading) =>
  v.is === 'scalar' && !(v.plain && v.text === '')
    ? v
    : addFinding(reading, v.at, path, `${path.split('.').at(-1)} must be one value.`)
const optionValue: YamlReader<string | number> = (v, path, reading) =>
  plainNumber(v) ?? text(limits.name)(v, path, reading)

const shape = object(
  {
    key,
    label: text(limits.name),
    type: oneOf(settingTypes),
    min: number(),
    max: number(),
    default: raw,
    help: text(limits.line),
    group: text(limits.name),
    options: list(object({ value: optionValue, label: text(limits.name) }, 'value'), limits.options, (o) =>
      String(o.value),
    ),
  },
  'key',
  'type',
)

/** Reads a default value by the type of its setting, never by the type that YAML would give it (D47). */
const typed: Readonly<Record<SettingType, (v: YamlValue) => SettingValue | undefined>> = {
  percent: plainNumber,
  number: plainNumber,
  datetime: plainNumber,
  bool: plainBoolean,
  text: (v) => (v.is === 'scalar' ? v.text : undefined),
  select: (v) => plainNumber(v) ?? (v.is === 'scalar' ? v.text : undefined),
}
const numeric: readonly SettingType[] = ['percent', 'number', 'datetime']

const setting: YamlReader<ManifestSetting> = (v, path, reading) => {
  const got = shape(v, path, reading)
  if (!got) return undefined
  const { default: written, ...rest } = got
  const wrong = (below: string, message: string) =>
    addFinding(reading, offsetBelow(v, below), `${path}.${below}`, message)
  if (!numeric.includes(rest.type)) {
    if (rest.min !== undefined) return wrong('min', `min has no meaning for a setting of type ${rest.type}.`)
    if (rest.max !== undefined) return wrong('max', `max has no meaning for a setting of type ${rest.type}.`)
  }
  if (rest.min !== undefined && rest.max !== undefined && rest.min > rest.max)
    return wrong('max', 'max must not be below min.')
  if (rest.type === 'select' && !rest.options?.length)
    return wrong('options', 'A setting of type select must name its options.')
  if (rest.type !== 'select' && rest.options)
    return wrong('options', `options have no meaning for a setting of type ${rest.type}.`)
  if (written === undefined) return rest
  const value = typed[rest.type](written)
  const problem =
    value === undefined || value === null ? `must be a value of type ${rest.type}` : wrongWithSetting(rest, value)
  if (problem !== undefined || value === undefined || value === null) return wrong('default', `default ${problem}.`)
  return { ...rest, default: value }
}

const offsetBelow = (v: YamlValue, below: string): number =>
  v.is === 'map' ? (v.entries.find((e) => e.key === below)?.value.at ?? v.at) : v.at

export const settings: YamlReader<ManifestSetting[]> = list(setting, limits.settings, (s) => s.key.toUpperCase())

/**
 * Chooses the settings at an installation: values given with --set, and answers of the person for settings without a
 * default.
 */
import { type Setting, type SettingSpec, type SettingValues, wrongWithSetting } from '@svc/protocol'
import { messageOf } from '../../machine/base/errors.ts'
import { commandHint } from '../../machine/hint.ts'
import { decideCommand } from '../../reporter/commands/decide.ts'
import { changeSettings } from '../../state/settings.ts'
import { askLine } from '../kit/ask.ts'
import { type AgentOnDisk, currentAuthor } from '../kit/folder.ts'
import { exits, oneLine, Refusal } from '../kit/output.ts'
import { allowedText, readPairs, readValue } from './settings.ts'

type AskSetting = (setting: SettingSpec) => Promise<string>

/**
 * Chooses values for the settings, and refuses a wrong value. If `ask` is undefined, nobody can be asked, and settings
 * without a default stay unset.
 */
export async function chooseSettings(
  schema: readonly SettingSpec[],
  given: readonly string[],
  ask: AskSetting | undefined,
): Promise<SettingValues> {
  const values = readPairs(given, schema)
  for (const setting of ask ? settingsWithoutValue(schema, values) : []) {
    const typed = (await ask?.(setting)) ?? ''
    if (typed !== '') values[setting.key] = readValue(setting, typed)
  }
  if (Object.keys(values).length === 0) return {}
  const decision = decideCommand({ type: 'set', payload: values }, { controls: [], settings: schema, paused: false })
  if (decision.do === 'set') return decision.values
  throw new Refusal(decision.do === 'refuse' ? decision.message : 'These settings are not valid.', exits.usage)
}

/**
 * Chooses the settings after the installation, because a service of an older version does not name them in its preview.
 * The agent is already installed, so wrong values are only reported.
 */
export async function chooseSettingsLate(
  { folder, manifest }: AgentOnDisk,
  given: readonly string[],
  ask: AskSetting | undefined,
): Promise<LateSettings> {
  try {
    const values = await chooseSettings(manifest.settings, given, ask)
    if (Object.keys(values).length > 0) changeSettings(folder, manifest, values, currentAuthor())
    return { lines: unsetSettingsLines(manifest.settings, values, folder.root) }
  } catch (error) {
    const refused = messageOf(error)
    return {
      refused,
      lines: [`No setting was changed: ${refused}`, ...unsetSettingsLines(manifest.settings, {}, folder.root)],
    }
  }
}

/** Lines for the person, and why the settings given with --set were refused after the installation. */
export interface LateSettings {
  readonly lines: readonly string[]
  readonly refused?: string
}

/** Returns the settings that have no default and no chosen value. */
const settingsWithoutValue = (schema: readonly SettingSpec[], values: object): SettingSpec[] =>
  schema.filter((setting) => (setting.default ?? null) === null && !Object.hasOwn(values, setting.key))

/** Returns lines for the person that say which settings still have no value, and how to set them. */
export function unsetSettingsLines(schema: readonly SettingSpec[], values: object, root: string): string[] {
  const open = settingsWithoutValue(schema, values)
  const [first] = open
  if (!first) return []
  const names = open.map(({ key, label }) => (label ? `${key} (${label})` : key)).join(', ')
  return [
    oneLine(
      `Without a value: ${names}. Set ${open.length === 1 ? 'it' : 'them'} with: ${commandHint(`set ${first.key}=…`, root)}`,
    ),
  ]
}

export const askSetting: AskSetting = (setting) => {
  const { key, label, help } = setting
  const what = [label ?? key, help, setting.type === 'text' ? undefined : allowedText(setting)]
    .filter(Boolean)
    .join('; ')
  return askLine(oneLine(`${what} (setting ${key}, Enter to leave it without a value)`), (typed) =>
    typed === '' ? undefined : sentence(setting, typed),
  )
}

function sentence(setting: Setting, typed: string): string | undefined {
  const wrong = wrongWithSetting(setting, readValue(setting, typed))
  return wrong && `It ${wrong}.`
}

/** Settings at an installation: those given with --set, and those without a default, for which a person is asked. */
import type { Setting, SettingSpec, SettingValues } from '@svc/protocol'
import { wrongWith } from '@svc/protocol'
import { decide } from '../commands/decide.ts'
import { hint } from '../hint.ts'
import { askLine } from './ask.ts'
import { exits, oneLine, Refusal } from './output.ts'
import { mayBe, readPair, readValue } from './settings.ts'

export type Ask = (setting: SettingSpec) => Promise<string>

/**
 * Chooses values for the settings, and refuses wrong values before anything is installed. If nobody can be asked (`ask`
 * is undefined), settings without a default stay unset.
 */
export async function chooseSettings(
  schema: readonly SettingSpec[],
  given: readonly string[],
  ask: Ask | undefined,
): Promise<SettingValues> {
  const values: Record<string, unknown> = Object.fromEntries(given.map((pair) => readPair(pair, schema)))
  for (const setting of ask ? openIn(schema, values) : []) {
    const typed = (await ask?.(setting)) ?? ''
    if (typed !== '') values[setting.key] = readValue(setting, typed)
  }
  if (Object.keys(values).length === 0) return {}
  const decision = decide({ type: 'set', payload: values }, { controls: [], settings: schema, paused: false })
  if (decision.do === 'set') return decision.values
  throw new Refusal(decision.do === 'refuse' ? decision.message : 'These settings are not valid.', exits.usage)
}

/** The settings that have no default and for which no value was given. */
const openIn = (schema: readonly SettingSpec[], values: object): SettingSpec[] =>
  schema.filter((setting) => (setting.default ?? null) === null && !Object.hasOwn(values, setting.key))

/** Lines that tell a person how to set the settings that still have no value. */
export function leftOpen(schema: readonly SettingSpec[], values: object, root: string): string[] {
  const open = openIn(schema, values)
  const [first] = open
  if (!first) return []
  const names = open.map(({ key, label }) => (label ? `${key} (${label})` : key)).join(', ')
  return [
    oneLine(
      `Without a value: ${names}. Set ${open.length === 1 ? 'it' : 'them'} with: ${hint(`set ${first.key}=…`, root)}`,
    ),
  ]
}

export const askSetting: Ask = (setting) => {
  const { key, label, help } = setting
  const what = [label ?? key, help, setting.type === 'text' ? undefined : mayBe(setting)].filter(Boolean).join('; ')
  return askLine(oneLine(`${what} (setting ${key}, Enter to leave it without a value)`), (typed) =>
    typed === '' ? undefined : sentence(setting, typed),
  )
}

function sentence(setting: Setting, typed: string): string | undefined {
  const wrong = wrongWith(setting, readValue(setting, typed))
  return wrong && `It ${wrong}.`
}

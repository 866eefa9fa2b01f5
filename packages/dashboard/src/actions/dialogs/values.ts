/** Pure functions behind the dialog that changes settings of many agents. */
import type { OfferedSetting } from '@svc/api'
import type { Setting, SettingValues } from '@svc/protocol'
import { type Raw, rawOf, readRaw } from '../../agents/parts/raw.ts'
import { valueText } from '../../agents/parts/setting-words.ts'

/** A setting that is to be changed, with the content of its input. `isCleared`: its value is taken away. */
export interface ChosenSetting {
  readonly offered: OfferedSetting
  readonly raw: Raw
  readonly isCleared: boolean
}

/** Starts with the value that most of the agents have. */
export function chosen(offered: OfferedSetting): ChosenSetting {
  const raw = rawOf(offered.setting, offered.values[0]?.value)
  return { offered, raw: raw ?? emptyOf(offered.setting), isCleared: false }
}

const emptyOf = ({ type }: Setting): Raw =>
  type === 'bool' ? false : type === 'select' || type === 'datetime' ? null : ''

/** The values of all chosen settings, or what is wrong with each of them, by key. */
export function valuesOf(all: readonly ChosenSetting[]): { values: SettingValues; wrong: Record<string, string> } {
  const values: SettingValues = Object.create(null)
  const wrong: Record<string, string> = Object.create(null)
  for (const { offered, raw, isCleared } of all) {
    const { setting } = offered
    if (isCleared) values[setting.key] = null
    else if (raw === null) wrong[setting.key] = 'needs a value'
    else {
      const read = readRaw(setting, raw)
      if (read.ok) values[setting.key] = read.value
      else wrong[setting.key] = read.wrong
    }
  }
  return { values, wrong }
}

/** Puts the values that the agents report into words: `Now 3 for 20, 5 for 18.`. */
export function nowWords({ setting, agents, values }: OfferedSetting): string {
  const [first, ...more] = values.map((each) => ({ text: valueText(setting, each.value), number: each.agents }))
  if (!first) return 'No agent reports a value.'
  const n = (number: number) => number.toLocaleString('en-US')
  if (first.number === agents) return `Now ${first.text} for all of them.`
  const others = more.map(({ text, number }) => `, ${text} for ${n(number)}`).join('')
  const rest = agents - values.reduce((sum, each) => sum + each.agents, 0)
  return `Now ${first.text} for ${n(first.number)}${others}${rest > 0 ? `, something else for ${n(rest)}` : ''}.`
}

/** The settings that can still be chosen: one key is set to one value. */
export const choosable = (all: readonly OfferedSetting[], taken: readonly ChosenSetting[]): OfferedSetting[] =>
  all.filter(({ setting }) => !taken.some(({ offered }) => offered.setting.key === setting.key))

import { ActionIcon, Button, Select } from '@mantine/core'
import type { OfferedSetting } from '@svc/api'
import type { Setting, SettingValues } from '@svc/protocol'
import { IconX } from '@tabler/icons-react'
import { useEffect, useId, useState } from 'react'
import { type RawValue, rawValueOf, readRaw } from '../../agents/parts/raw.ts'
import { SettingInput } from '../../agents/parts/SettingInput.tsx'
import { boundsText, nameOf, valueText } from '../../agents/parts/setting-words.ts'
import { ErrorNote, Text } from '../../ui/index.ts'
import { countOfAll } from './LogName.tsx'
import { useOffers } from './useOffers.ts'
import type { ActionValues } from './useReach.ts'

interface SetValuesProps {
  slug: string
  names: readonly string[]
  /** Called with the values once all are valid, and with null while none is chosen or one is invalid. */
  onChange: (values: ActionValues | null) => void
}

/**
 * The inputs in which a person chooses settings that at least one of the selected agents declares, and their new
 * values.
 */
export function SetValues({ slug, names, onChange }: SetValuesProps) {
  const { data, error, refetch } = useOffers(slug, 'set', names)
  const [taken, setTaken] = useState<readonly ChosenSetting[] | null>(null)
  const only = data?.settings.length === 1 ? data.settings[0] : undefined
  const all = taken ?? (only ? [firstChoice(only)] : [])
  const { values, wrong } = chosenValuesOf(all)
  const text = Object.keys(wrong).length > 0 || all.length === 0 ? null : JSON.stringify(values)
  useEffect(() => onChange(text === null ? null : (JSON.parse(text) as ActionValues)), [text, onChange])
  if (error && !data) return <ErrorNote error={error} retry={refetch} />
  if (!data) return <p className="svc-quiet">Reading which settings they have…</p>
  if (data.settings.length === 0) return <p>None of the selected agents offers settings.</p>
  const more = choosableSettings(data.settings, all)
  const change = (one: ChosenSetting, to: Partial<ChosenSetting>) =>
    setTaken(all.map((each) => (each === one ? { ...each, ...to } : each)))
  return (
    <div className="act-settings">
      {all.map((one) => (
        <SettingChange
          key={one.offered.setting.key}
          one={one}
          number={names.length}
          wrong={wrong[one.offered.setting.key]}
          onChange={(to) => change(one, to)}
          onRemove={() => setTaken(all.filter((each) => each !== one))}
        />
      ))}
      {more.length > 0 && (
        <Select
          data-autofocus
          label={all.length === 0 ? 'Setting' : 'Another setting'}
          placeholder="Choose a setting"
          data={more.map(({ setting, agents }, i) => ({
            value: String(i),
            label: `${nameOf(setting)} (${countOfAll(agents, names.length)})`,
          }))}
          value={null}
          onChange={(i) => {
            const offered = more[Number(i)]
            if (i !== null && offered) setTaken([...all, firstChoice(offered)])
          }}
          searchable={more.length > 8}
        />
      )}
    </div>
  )
}

interface SettingChangeProps {
  one: ChosenSetting
  /** The number of selected agents. */
  number: number
  wrong: string | undefined
  onChange: (to: Partial<ChosenSetting>) => void
  onRemove: () => void
}

function SettingChange({ one, number, wrong, onChange, onRemove }: SettingChangeProps) {
  const id = useId()
  const { setting, agents } = one.offered
  const bounds = boundsText(setting)
  // The person has just chosen this setting, and types its value next.
  useEffect(() => document.getElementById(id)?.focus(), [id])
  return (
    <div className="act-setting">
      <div className="act-setting-head">
        <label htmlFor={id}>
          <Text>{nameOf(setting)}</Text>
        </label>
        <ActionIcon variant="subtle" color="gray" aria-label={`Leave out ${nameOf(setting)}`} onClick={onRemove}>
          <IconX size={15} aria-hidden />
        </ActionIcon>
      </div>
      <p id={`${id}-help`} className="svc-quiet">
        {setting.help && (
          <>
            <Text lines>{setting.help}</Text>{' '}
          </>
        )}
        {bounds && `${bounds}. `}
        {agents < number && `Offered by ${countOfAll(agents, number)}. `}
        <Text>{presentValueWords(one.offered)}</Text>
      </p>
      <div className="act-setting-input">
        <SettingInput
          id={id}
          setting={setting}
          raw={one.isCleared ? null : one.raw}
          locked={one.isCleared}
          invalid={wrong !== undefined}
          describedBy={`${id}-help ${id}-wrong`}
          onChange={(raw) => onChange({ raw })}
        />
        <Button
          variant="subtle"
          size="compact-sm"
          aria-label={one.isCleared ? `Set a value for ${nameOf(setting)}` : `Clear ${nameOf(setting)}`}
          onClick={() => onChange({ isCleared: !one.isCleared })}
        >
          {one.isCleared ? 'Set a value' : 'Clear'}
        </Button>
      </div>
      <div id={`${id}-wrong`} className="act-wrong" aria-live="polite">
        {wrong !== undefined && `${nameOf(setting)} ${wrong}.`}
      </div>
    </div>
  )
}

/** A setting that is to be changed, with the content of its input. `isCleared` is true if its value is removed. */
interface ChosenSetting {
  readonly offered: OfferedSetting
  readonly raw: RawValue
  readonly isCleared: boolean
}

/** The first content of the input for a setting: the value that agents report most often; empty if they report none. */
export function firstChoice(offered: OfferedSetting): ChosenSetting {
  const raw = rawValueOf(offered.setting, offered.values[0]?.value)
  return { offered, raw: raw ?? emptyOf(offered.setting), isCleared: false }
}

const emptyOf = ({ type }: Setting): RawValue =>
  type === 'bool' ? false : type === 'select' || type === 'datetime' ? null : ''

/** Returns the values of the chosen settings, and what is wrong with each invalid one, both by key. */
export function chosenValuesOf(all: readonly ChosenSetting[]): {
  values: SettingValues
  wrong: Record<string, string>
} {
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
export function presentValueWords({ setting, agents, values }: OfferedSetting): string {
  const [first, ...more] = values.map((each) => ({ text: valueText(setting, each.value), number: each.agents }))
  if (!first) return 'No agent reports a value.'
  const n = (number: number) => number.toLocaleString('en-US')
  if (first.number === agents) return `Now ${first.text} for all of them.`
  const others = more.map(({ text, number }) => `, ${text} for ${n(number)}`).join('')
  const rest = agents - values.reduce((sum, each) => sum + each.agents, 0)
  return `Now ${first.text} for ${n(first.number)}${others}${rest > 0 ? `, something else for ${n(rest)}` : ''}.`
}

/** Returns the settings that can still be chosen: all but those whose key is chosen already. */
export const choosableSettings = (all: readonly OfferedSetting[], taken: readonly ChosenSetting[]): OfferedSetting[] =>
  all.filter(({ setting }) => !taken.some(({ offered }) => offered.setting.key === setting.key))

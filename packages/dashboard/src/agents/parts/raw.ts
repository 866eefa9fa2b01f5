/** Pure functions that convert between the value of a setting and the content of its input on the page. */
import { numberIn, type Setting, type SettingValue, wrongWithSetting } from '@svc/protocol'
import { fromLocalTime, toLocalTime } from '../../ui/forms/local-time.ts'

/**
 * The content of the input for a setting: the text of a text field, the index of the option for a select, a boolean
 * for a switch, null for "not set".
 */
export type RawValue = string | boolean | null

/** Converts a reported value to the content of the setting's input on the page. */
export function rawValueOf(setting: Setting, value: SettingValue | undefined): RawValue {
  if (value === null || value === undefined) return null
  switch (setting.type) {
    case 'bool':
      return typeof value === 'boolean' ? value : null
    case 'datetime':
      return typeof value === 'number' ? toLocalTime(value) : null
    case 'select': {
      const place = (setting.options ?? []).findIndex((option) => option.value === value)
      return place < 0 ? null : String(place)
    }
    default:
      return String(value)
  }
}

type ReadResult = { readonly ok: true; readonly value: SettingValue } | { readonly ok: false; readonly wrong: string }

/**
 * Converts the content of an input on the page to a value, and checks the value with the function that the service and
 * the runtime use too (2.4).
 */
export function readRaw(setting: Setting, raw: RawValue): ReadResult {
  const value = valueIn(setting, raw)
  if (value === undefined) return { ok: false, wrong: missing[setting.type] ?? 'must be a number' }
  const wrong = wrongWithSetting(setting, value)
  return wrong === undefined ? { ok: true, value } : { ok: false, wrong }
}

const missing: Partial<Record<Setting['type'], string>> = {
  datetime: 'must be a date and a time',
  select: 'must be one of its options',
}

function valueIn(setting: Setting, raw: RawValue): SettingValue | undefined {
  if (raw === null || typeof raw === 'boolean') return raw
  switch (setting.type) {
    case 'text':
      return raw
    case 'select':
      return setting.options?.[Number(raw)]?.value
    case 'datetime':
      return fromLocalTime(raw)
    case 'bool':
      return undefined
    default:
      return numberOf(raw)
  }
}

/** Reads a number, also with a decimal comma or the digits of any script. Returns undefined for any other text. */
function numberOf(raw: string): number | undefined {
  const text = numberIn(raw).replace(/^([+-]?\d*),(\d+)$/, '$1.$2')
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : undefined
}

/** The names, values and bounds of settings, in words. */
import { boundsOf, type Setting, type SettingValue } from '@svc/protocol'
import { figure } from '../../ui/time/format.ts'

/** The name of a setting: its label, or its key if it has no label. */
export const nameOf = (setting: Setting): string => setting.label?.trim() || setting.key

/**
 * The value of a setting as a person reads it: the label of an option, `on`, `42%`, `not set` for null, and `not
 * reported` for undefined.
 */
export function valueText(setting: Setting | undefined, value: SettingValue | undefined): string {
  if (value === undefined) return 'not reported'
  if (value === null) return 'not set'
  if (typeof value === 'boolean') return value ? 'on' : 'off'
  const option = setting?.options?.find((one) => one.value === value)
  if (option) return option.label ?? String(option.value)
  if (typeof value === 'string') return value === '' ? 'empty' : value
  if (setting?.type === 'percent') return `${figure(value)}%`
  if (setting?.type === 'datetime') return timeText(value)
  return figure(value)
}

const exactTimeText = (seconds: number) =>
  new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23' }).format(seconds * 1000)
const timeText = (seconds: number) =>
  Number.isNaN(new Date(seconds * 1000).getTime()) ? String(seconds) : exactTimeText(seconds)

/** The bounds of a setting in words, such as `1 to 120`, `0 or more` or `9% or less`; null if it has none. */
export function boundsText(setting: Setting): string | null {
  if (setting.type !== 'number' && setting.type !== 'percent' && setting.type !== 'datetime') return null
  if (setting.type === 'datetime' && setting.min === undefined && setting.max === undefined) return null
  const [min, max] = boundsOf(setting)
  const text = setting.type === 'datetime' ? timeText : figure
  const unit = setting.type === 'percent' ? '%' : ''
  const top = max >= Number.MAX_SAFE_INTEGER ? Infinity : max
  if (min === -Infinity && top === Infinity) return null
  if (top === Infinity) return `${text(min)}${unit} or more`
  if (min === -Infinity) return `${text(top)}${unit} or less`
  return `${text(min)} to ${text(top)}${unit}`
}

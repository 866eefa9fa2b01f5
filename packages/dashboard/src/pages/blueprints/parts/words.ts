/** A manifest in words. Pure. */
import type { BlueprintVersion } from '@svc/api'
import { shellWord } from '../../../agents/lines.ts'
import { boundsText, valueText } from '../../agent/parts/setting-words.ts'

export type Manifest = BlueprintVersion['manifest']
type Runtime = NonNullable<Manifest['runtime']>

const restarts: Readonly<Record<Runtime['restart'], string>> = {
  always: 'whenever it ends',
  'on-failure': 'when it fails',
  never: 'never',
}
export const restartText = ({ restart }: Runtime): string => restarts[restart]

/** The command as one would type it; it is a list of words and never goes through a shell. */
export const commandText = (command: readonly string[]): string => command.map(shellWord).join(' ')

const types: Readonly<Record<string, string>> = {
  number: 'a number',
  percent: 'a percentage',
  bool: 'on or off',
  text: 'a text',
  select: 'one of',
  datetime: 'a time',
}

/** `a number, 1 to 120, at first 10`. */
export function settingText(setting: Manifest['settings'][number]): string {
  const { type, options, default: first } = setting
  const choices = options?.map((option) => option.label ?? String(option.value)).join(', ')
  const what = `${types[type] ?? type}${choices === undefined ? '' : ` ${choices}`}`
  return [
    what,
    boundsText(setting),
    first === undefined || first === null ? null : `at first ${valueText(setting, first)}`,
  ]
    .filter((part) => part !== null)
    .join(', ')
}

/** What stops a version from being deleted, as a sentence; null when nothing does. */
export function whyKept({ runs, keeps, codes }: Pick<BlueprintVersion, 'runs' | 'keeps' | 'codes'>): string | null {
  if (runs.length > 0) return `It cannot be deleted: ${several(runs)} ${runs.length === 1 ? 'runs' : 'run'} it.`
  if (keeps.length > 0) {
    return `It cannot be deleted: ${several(keeps)} ${keeps.length === 1 ? 'keeps' : 'keep'} it, to go back to.`
  }
  if (codes === 0) return null
  return codes === 1
    ? 'It cannot be deleted: an install code for it is still open. Revoke that first.'
    : `It cannot be deleted: ${codes} install codes for it are still open. Revoke them first.`
}

/** `a`, `a and b`, `a, b and 3 more`. */
export function several(names: readonly string[]): string {
  const [a = '', b = '', c = ''] = names
  if (names.length <= 1) return a
  if (names.length === 2) return `${a} and ${b}`
  return names.length === 3 ? `${a}, ${b} and ${c}` : `${a}, ${b} and ${names.length - 2} more`
}

/** The programs that must be there, and the svc; null where nothing is asked for. */
export function needsText(needs: NonNullable<Manifest['needs']>, svc: string | null): string | null {
  const programs = needs.map(({ name, min }) => (min === undefined ? name : `${name} ${min} or newer`))
  return [...programs, ...(svc ? [svc] : [])].join('; ') || null
}

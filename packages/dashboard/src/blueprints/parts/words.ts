/** Pure functions that describe a manifest in words. */
import type { BlueprintVersion } from '@svc/api'
import { shellWord } from '../../agents/dialogs/paste-lines.ts'
import { boundsText, valueText } from '../../agents/parts/setting-words.ts'

export type Manifest = BlueprintVersion['manifest']
type Runtime = NonNullable<Manifest['runtime']>

const restarts: Readonly<Record<Runtime['restart'], string>> = {
  always: 'always',
  'on-failure': 'on failure',
  never: 'never',
}
export const restartText = ({ restart }: Runtime): string => restarts[restart]

/**
 * Shows the command of a blueprint as a person would type it. The text is only for reading: the runtime starts the
 * command without a shell.
 */
export const commandText = (command: readonly string[]): string => command.map(shellWord).join(' ')

const types: Readonly<Record<string, string>> = {
  number: 'Number',
  percent: 'Percentage',
  bool: 'On or off',
  text: 'Text',
  select: 'One of',
  datetime: 'Date and time',
}

/** Describes a setting in a line such as `Number, 1 to 120, default 10`. */
export function settingText(setting: Manifest['settings'][number]): string {
  const { type, options, default: first } = setting
  const choices = options?.map((option) => option.label ?? String(option.value)).join(', ')
  const what = `${types[type] ?? type}${choices === undefined ? '' : ` ${choices}`}`
  return [
    what,
    boundsText(setting),
    first === undefined || first === null ? null : `default ${valueText(setting, first)}`,
  ]
    .filter((part) => part !== null)
    .join(', ')
}

/** Returns the reason why a version of a blueprint cannot be deleted, as a sentence; null if it can be deleted. */
export function whyNotDeletable({
  runs,
  keeps,
  codes,
}: Pick<BlueprintVersion, 'runs' | 'keeps' | 'codes'>): string | null {
  if (runs.length > 0)
    return `${joinNames(runs)} ${runs.length === 1 ? 'runs' : 'run'} this version, so it can’t be deleted.`
  if (keeps.length > 0) {
    return `${joinNames(keeps)} ${keeps.length === 1 ? 'keeps' : 'keep'} this version for a rollback, so it can’t be deleted.`
  }
  if (codes === 0) return null
  return codes === 1
    ? 'An install code for this version is still open. Revoke it first.'
    : `${codes} install codes for this version are still open. Revoke them first.`
}

/** Joins names to `a`, `a and b`, `a, b and c`, or `a, b and 3 more`. */
export function joinNames(names: readonly string[]): string {
  const [a = '', b = '', c = ''] = names
  if (names.length <= 1) return a
  if (names.length === 2) return `${a} and ${b}`
  return names.length === 3 ? `${a}, ${b} and ${c}` : `${a}, ${b} and ${names.length - 2} more`
}

/** Names the programs and the `svc` versions that a version of a blueprint requires; null if it requires none. */
export function needsText(needs: NonNullable<Manifest['needs']>, svc: string | null): string | null {
  const programs = needs.map(({ name, min }) => (min === undefined ? name : `${name} ${min} or newer`))
  return [...programs, ...(svc ? [svc] : [])].join('; ') || null
}

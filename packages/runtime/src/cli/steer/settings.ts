/**
 * `svc set` and `svc settings`: show and change the agent's settings. They check values and write files in the same way
 * as a `set` command from the service (3.6).
 */
import { boundsOf, numberIn, type Setting, type SettingValue, trimInvisible } from '@svc/protocol'
import { Command } from 'commander'
import { timeText } from '../../machine/base/time.ts'
import { withTurn } from '../../machine/files/lock.ts'
import { commandHint, examples } from '../../machine/hint.ts'
import { applyCommand } from '../../reporter/commands/apply.ts'
import { decideCommand } from '../../reporter/commands/decide.ts'
import { changedBy, readChanges } from '../../state/changes.ts'
import { readPause } from '../../state/controls.ts'
import { settingsInForce } from '../../state/settings.ts'
import { whySettingsUnreadable } from '../../state/settings-file.ts'
import { agentAt, type CommonOptions, currentAuthor, withCommonOptions } from '../kit/folder.ts'
import { alignedColumns, exits, printResult, Refusal } from '../kit/output.ts'

export const set = (): Command =>
  withCommonOptions(new Command('set'))
    .argument('<KEY=VALUE...>', 'settings to change; an empty VALUE clears one that has no default')
    .summary('change settings of this agent')
    .description(
      `Changes the named settings: all of them, or none if one is not valid. "${commandHint('settings')}" lists them.`,
    )
    .addHelpText('after', examples('set every=30', 'set every=30 dry=true until=2026-12-24T18:00:00Z'))
    .action(async (written: string[], { dir, json }: CommonOptions) => {
      const { folder, manifest } = await agentAt(dir)
      const values = readPairs(written, manifest.settings)
      const outcome = withTurn(folder, 'svc set', () => {
        const why = whySettingsUnreadable(folder)
        if (why !== undefined)
          throw new Refusal(`${folder.settings} ${why}. Correct or delete it. Nothing was changed.`)
        const decision = decideCommand(
          { type: 'set', payload: values },
          { ...manifest, paused: readPause(folder) !== undefined },
        )
        if (decision.do === 'log') throw new Error('A set is not a log.')
        return applyCommand(folder, manifest, decision, currentAuthor())
      })
      if (!outcome.ok) throw new Refusal(outcome.message)
      printResult(json, settingsInForce(folder, manifest), () => outcome.message)
    })

/** Reads values typed as KEY=VALUE. Throws a Refusal for another form, and for a key that is named twice. */
export function readPairs(pairs: readonly string[], schema: readonly Setting[]): Record<string, unknown> {
  const read = pairs.map((pair) => readPair(pair, schema))
  const again = read.find(([key], i) => read.findIndex(([other]) => other === key) < i)
  if (again) throw new Refusal(`The setting ${JSON.stringify(again[0])} is named twice.`, exits.usage)
  return Object.fromEntries(read)
}

function readPair(pair: string, schema: readonly Setting[]): [string, unknown] {
  const at = pair.indexOf('=')
  if (at < 1) throw new Refusal(`A setting is changed as KEY=VALUE: got ${JSON.stringify(pair)}.`, exits.usage)
  const key = trimInvisible(pair.slice(0, at))
  const setting = schema.find((s) => s.key === key)
  return [key, setting ? readValue(setting, pair.slice(at + 1)) : pair.slice(at + 1)]
}

/**
 * Converts a typed text into a value of the setting's type. An empty text is null, unless the type is text. A text that
 * cannot be converted is returned as it is, and the later check refuses it with a message.
 */
export function readValue({ type, options }: Setting, typed: string): SettingValue {
  if (type === 'text') return typed
  const text = type === 'select' ? trimInvisible(typed) : numberIn(typed)
  if (text === '') return null
  if (type === 'bool') return text === 'true' ? true : text === 'false' ? false : typed
  if (type === 'select') return options?.find(({ value }) => [typed, text].includes(String(value)))?.value ?? typed
  const n = Number(text)
  if (Number.isFinite(n)) return n
  const time = type === 'datetime' ? Date.parse(text) : Number.NaN
  return Number.isNaN(time) ? typed : Math.floor(time / 1000)
}

export const settings = (): Command =>
  withCommonOptions(new Command('settings'))
    .summary('list the settings, their values and who set them')
    .description('Lists every setting with its value in force, what it may be, and who set it.')
    .addHelpText('after', examples('settings --json'))
    .action(async ({ dir, json }: CommonOptions) => {
      const { folder, manifest } = await agentAt(dir)
      const values = settingsInForce(folder, manifest)
      const { settings: authors } = readChanges(folder)
      const all = manifest.settings.map((s) => {
        const author = authors[s.key]
        return { ...s, value: values[s.key] ?? null, ...(author && { set: author }) }
      })
      printResult(json, all, () => {
        if (all.length === 0) return `${manifest.name} has no settings.`
        return alignedColumns([
          ['KEY', 'VALUE', 'ALLOWED', 'SET', 'MEANING'],
          ...all.map((s) => [
            s.key,
            valueText(s, s.value),
            allowedText(s),
            s.set ? `${timeText(s.set.at)} ${changedBy(s.set)}` : 'default',
            s.label ?? '',
          ]),
        ])
      })
    })

const valueText = (s: Setting, value: SettingValue): string =>
  value === null ? 'not set' : s.type === 'datetime' && typeof value === 'number' ? timeText(value) : String(value)

/** The values that a setting allows, in words. */
export function allowedText(s: Setting): string {
  if (s.type === 'bool') return 'true, false'
  if (s.type === 'select') return (s.options ?? []).map((o) => String(o.value)).join(', ')
  if (s.type === 'text') return 'text'
  if (s.type === 'datetime') return 'a time'
  const [min, max] = boundsOf(s)
  if (min === -Infinity && max === Infinity) return 'a number'
  return max === Infinity ? `${min} or more` : min === -Infinity ? `${max} or less` : `${min} to ${max}`
}

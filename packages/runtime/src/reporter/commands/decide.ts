/**
 * Decides what a command from the service does (3.6, D9), with a table of functions by type of command. A command that
 * the agent does not know or offer is refused.
 */
import type { ManifestSetting } from '@svc/blueprint'
import { type Control, checkValues, type ReceivedCommand, type SettingValues } from '@svc/protocol'

/** The facts about the agent from which the effect of a command is decided. */
export interface CommandFacts {
  readonly controls: readonly Control[]
  readonly settings: readonly ManifestSetting[]
  readonly paused: boolean
}
export type CommandDecision =
  | { readonly do: 'pause' | 'resume' | 'run_now' }
  | { readonly do: 'set'; readonly values: SettingValues }
  /**
   * A command for the upload of a log. `name` may be any text: if no log of this name is declared, the uploaded text
   * says so.
   */
  | { readonly do: 'log'; readonly name: string }
  | { readonly do: 'refuse'; readonly message: string }

type Payload = ReceivedCommand['payload']

export function decideCommand(
  { type, payload }: Pick<ReceivedCommand, 'type' | 'payload'>,
  facts: CommandFacts,
): CommandDecision {
  const row = Object.hasOwn(table, type) ? table[type] : undefined
  return row ? row(payload, facts) : refuse('This agent does not know this command.')
}

const table: Readonly<Record<string, (payload: Payload, facts: CommandFacts) => CommandDecision>> = {
  pause: (_, facts) => refuseUnlessOffered('pause', facts) ?? { do: 'pause' },
  resume: (_, facts) => refuseUnlessOffered('resume', facts) ?? { do: 'resume' },
  run_now: (_, facts) =>
    refuseUnlessOffered('run_now', facts) ?? (facts.paused ? refuse('Paused. Resume first.') : { do: 'run_now' }),
  set: (payload, { settings }) => {
    const checked = checkValues(settings, payload)
    if (!checked.ok) return refuse(checked.message)
    const fixed = settings.find((s) => checked.value[s.key] === null && s.default !== undefined)
    return fixed
      ? refuse(`${fixed.label ?? fixed.key} cannot be cleared: it has the default ${JSON.stringify(fixed.default)}.`)
      : { do: 'set', values: checked.value }
  },
  log: ({ name }) => ({ do: 'log', name: typeof name === 'string' ? name : '' }),
}

const refuseUnlessOffered = (control: Control, { controls }: CommandFacts): CommandDecision | undefined =>
  controls.includes(control) ? undefined : refuse(`This agent does not offer ${control.replace('_', ' ')}.`)

const refuse = (message: string): CommandDecision => ({ do: 'refuse', message })

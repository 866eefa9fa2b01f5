/**
 * Commands (2.7, 3.2): what a person can ask an agent for, which commands an agent offers, and the states of a command
 * in the service.
 */
import { isObject } from './fields.ts'
import { limits } from './limits.ts'
import type { Verdict } from './refusals.ts'
import { type Ack, type Control, controls, logNames, type Report } from './report.ts'
import { checkValues, type SettingValues, whyNoSchemaAllows } from './settings.ts'
import { clean, cut, shown } from './text.ts'

export const commandTypes = ['pause', 'resume', 'run_now', 'set', 'log'] as const
export type CommandType = (typeof commandTypes)[number]

/** A command without its id: its type and its payload (2.7). */
export type CommandBody =
  | { readonly type: Control; readonly payload: Record<string, never> }
  | { readonly type: 'set'; readonly payload: SettingValues }
  | { readonly type: 'log'; readonly payload: { readonly name: string } }

/** A command as it appears in an answer (2.7). */
export type Command = CommandBody & { readonly id: string }

/**
 * The facts that decide which commands an agent accepts: the controls and settings in its last report, and the names of
 * logs in its last report, its stored runs or its manifest.
 */
export type OfferedFacts = Pick<Report, 'controls' | 'settings'> & { readonly logs: ReadonlySet<string> }

/**
 * Collects from one report the facts that decide which commands the agent accepts. `more` are additional names of logs,
 * from stored runs and from the manifest.
 */
export const offerOf = (r: Report, ...more: Iterable<string>[]): OfferedFacts => ({
  ...(r.controls && { controls: r.controls }),
  ...(r.settings && { settings: r.settings }),
  logs: new Set([...logNames(r), ...more.flatMap((names) => [...names])]),
})

const invalid = (message: string) => ({ ok: false, code: 'wish_invalid', message }) as const

/** Reads a command without its id from unknown input. If the input is not a valid command, the refusal says why. */
export function readCommand(input: unknown): Verdict<CommandBody, 'wish_invalid'> {
  if (!isObject(input)) return invalid('A wish must be an object with a type.')
  const { type, payload } = input
  if (controls.some((c) => c === type)) return { ok: true, value: { type: type as Control, payload: {} } }
  if (type === 'set') {
    if (!isObject(payload)) return invalid('A wish to set needs an object of settings.')
    const wrong = whyNoSchemaAllows(payload)
    if (wrong !== undefined) return invalid(`A wish to set ${wrong}.`)
    return { ok: true, value: { type, payload: payload as SettingValues } }
  }
  if (type === 'log') {
    const name = isObject(payload) ? payload.name : undefined
    if (typeof name !== 'string' || name === '') return invalid('A wish for a log needs the name of one.')
    if (cut(clean(name), limits.logName) !== name)
      return invalid(
        `The name of a log has at most ${limits.logName} characters and no line breaks: got ${shown(name)}.`,
      )
    return { ok: true, value: { type, payload: { name } } }
  }
  return invalid(`A wish must be one of ${commandTypes.join(', ')}: got ${shown(type, 40)}.`)
}

/**
 * Returns a sentence that says why an agent does not offer this command; undefined if the agent offers it (2.7, D6,
 * D9). The reported controls decide on `pause`, `resume` and `run_now`, the reported schema on `set`, and the names of
 * logs on `log`.
 */
export function whyNotOffered(command: CommandBody, offer: OfferedFacts): string | undefined {
  switch (command.type) {
    case 'set': {
      const verdict = checkValues(offer.settings?.schema ?? [], command.payload)
      return verdict.ok ? undefined : verdict.message
    }
    case 'log':
      return offer.logs.has(command.payload.name) ? undefined : `The agent names no log ${shown(command.payload.name)}.`
    default:
      return offer.controls?.includes(command.type) ? undefined : `The agent does not offer "${command.type}".`
  }
}

/**
 * True if the command `b` only repeats the pending command `a`. The service then does not create `b` (D5). A `set`
 * command never counts as a repetition.
 */
export const isRepetition = (a: CommandBody, b: CommandBody): boolean =>
  a.type === b.type && a.type !== 'set' && (a.type !== 'log' || a.payload.name === (b as typeof a).payload.name)

/**
 * The state machine of a command in the service (3.2, D1 to D3, I2). For each state it lists the events that change the
 * state, and the next state for each event. Any other event changes nothing.
 */
export const commandMoves = {
  queued: {
    claimed: 'delivered',
    timedOut: 'expired',
    misfit: 'failed',
    agentDeleted: 'cancelled',
    withdrawn: 'cancelled',
  },
  delivered: {
    ackedOk: 'applied',
    ackedNo: 'refused',
    uploaded: 'applied',
    timedOut: 'failed',
    agentDeleted: 'cancelled',
  },
  applied: {},
  refused: {},
  /**
   * A command failed if no ack and no upload arrived within ten minutes of its delivery (3.2), or if the agent stopped
   * offering it before its delivery (D6). An ack or upload that arrives later still sets the outcome, marked as late
   * (D3).
   */
  failed: { ackedOk: 'applied_late', ackedNo: 'refused_late', uploaded: 'applied_late' },
  /** A command expired if it was not delivered within ten minutes. It will never be delivered (D2). */
  expired: {},
  applied_late: {},
  refused_late: {},
  cancelled: {},
} as const satisfies Record<string, Partial<Record<CommandEvent, string>>>

export type CommandState = keyof typeof commandMoves
export type CommandEvent =
  | 'claimed'
  | 'ackedOk'
  | 'ackedNo'
  | 'uploaded'
  | 'timedOut'
  | 'misfit'
  | 'agentDeleted'
  | 'withdrawn'
export const commandStates = Object.keys(commandMoves) as CommandState[]

/** The next state of a command after an event; undefined if the event changes nothing. */
export const moveCommand = (state: CommandState, event: CommandEvent): CommandState | undefined =>
  (commandMoves[state] as Partial<Record<CommandEvent, CommandState>>)[event]

/**
 * Returns the first ack in a report that answers this command (D3). An ack that says that a `log` command is done does
 * not count, because only the upload of the log answers it.
 */
export const answeringAck = ({ id, type }: { id: string; type: CommandType }, acks: readonly Ack[]): Ack | undefined =>
  acks.find((ack) => ack.id === id && !(ack.ok && type === 'log'))

/**
 * Returns the time at which a pending command times out, in Unix milliseconds: ten minutes after `since`. For a queued
 * command, `since` is the time of its creation; for a delivered one, the time of its delivery (D2).
 */
export const commandDeadline = (since: number): number => since + limits.commandSeconds * 1000

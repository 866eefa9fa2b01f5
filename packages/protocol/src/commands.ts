/** Commands (2.7, 3.2): what may be wished, when it is offered, and the life of one in the service. */
import { isObject } from './fields.ts'
import { limits } from './limits.ts'
import { type Ack, type Control, controls, logNames, type Report } from './report.ts'
import { checkValues, type SettingValues } from './settings.ts'
import { shown } from './text.ts'
import type { Verdict } from './verdict.ts'

export const commandTypes = ['pause', 'resume', 'run_now', 'set', 'log'] as const
export type CommandType = (typeof commandTypes)[number]

/** 2.7: a command without its id. */
export type Wish =
  | { readonly type: Control; readonly payload: Record<string, never> }
  | { readonly type: 'set'; readonly payload: SettingValues }
  | { readonly type: 'log'; readonly payload: { readonly name: string } }

/** 2.7: as it stands in an answer. */
export type Command = Wish & { readonly id: string }

/** What of an agent decides which wishes it takes: the last report, and for a blueprint's agent the manifest's logs. */
export type Offer = Pick<Report, 'controls' | 'settings'> & { readonly logs: ReadonlySet<string> }

/** The offer of one report. `runLogs` and `declared` add log names known from stored runs and from the manifest. */
export const offerOf = (r: Report, ...more: Iterable<string>[]): Offer => ({
  ...(r.controls && { controls: r.controls }),
  ...(r.settings && { settings: r.settings }),
  logs: new Set([...logNames(r), ...more.flatMap((names) => [...names])]),
})

const invalid = (message: string) => ({ ok: false, code: 'wish_invalid', message }) as const

/** Reads a wish from unknown input; says in the person's words what is wrong with it. */
export function readWish(input: unknown): Verdict<Wish, 'wish_invalid'> {
  if (!isObject(input)) return invalid('A wish must be an object with a type.')
  const { type, payload } = input
  if (controls.some((c) => c === type)) return { ok: true, value: { type: type as Control, payload: {} } }
  if (type === 'set') {
    if (!isObject(payload)) return invalid('A wish to set needs an object of settings.')
    return { ok: true, value: { type, payload: payload as SettingValues } }
  }
  if (type === 'log') {
    const name = isObject(payload) ? payload.name : undefined
    if (typeof name !== 'string' || name === '') return invalid('A wish for a log needs the name of one.')
    return { ok: true, value: { type, payload: { name } } }
  }
  return invalid(`A wish must be one of ${commandTypes.join(', ')}: got ${shown(type, 40)}.`)
}

/**
 * Why an agent does not offer this wish, as a sentence; undefined when it does (2.7, D6, D9). Pause, resume and run now
 * are ruled by `controls`, set by the reported schema, log by the reported names.
 */
export function misfit(wish: Wish, offer: Offer): string | undefined {
  switch (wish.type) {
    case 'set': {
      const verdict = checkValues(offer.settings?.schema ?? [], wish.payload)
      return verdict.ok ? undefined : verdict.message
    }
    case 'log':
      return offer.logs.has(wish.payload.name) ? undefined : `The agent names no log ${shown(wish.payload.name)}.`
    default:
      return offer.controls?.includes(wish.type) ? undefined : `The agent does not offer "${wish.type}".`
  }
}

/** D5: a press that is still under way is returned instead of made again; each `set` stands for itself. */
export const samePress = (a: Wish, b: Wish): boolean =>
  a.type === b.type && a.type !== 'set' && (a.type !== 'log' || a.payload.name === (b as typeof a).payload.name)

/**
 * The life of a command in the service (3.2, D1 to D3, I2): state and event to the next state. An event that is not in
 * the row changes nothing.
 */
export const commandMoves = {
  queued: { claimed: 'delivered', timedOut: 'expired', misfit: 'failed', agentDeleted: 'cancelled' },
  delivered: {
    ackedOk: 'applied',
    ackedNo: 'refused',
    uploaded: 'applied',
    timedOut: 'failed',
    agentDeleted: 'cancelled',
  },
  applied: {},
  refused: {},
  /** 3.2: no answer within ten minutes. A late answer is still the truth (D3). */
  failed: { ackedOk: 'applied_late', ackedNo: 'refused_late', uploaded: 'applied_late' },
  /** D2: never delivered, and never will be. */
  expired: {},
  applied_late: {},
  refused_late: {},
  cancelled: {},
} as const satisfies Record<string, Partial<Record<CommandEvent, string>>>

export type CommandState = keyof typeof commandMoves
export type CommandEvent = 'claimed' | 'ackedOk' | 'ackedNo' | 'uploaded' | 'timedOut' | 'misfit' | 'agentDeleted'
export const commandStates = Object.keys(commandMoves) as CommandState[]

export const moveCommand = (state: CommandState, event: CommandEvent): CommandState | undefined =>
  (commandMoves[state] as Partial<Record<CommandEvent, CommandState>>)[event]

/**
 * D3: the ack of a report that answers this command: the first one. A `log` is answered by its upload, so of its acks only
 * a refusal counts.
 */
export const answeringAck = ({ id, type }: { id: string; type: CommandType }, acks: readonly Ack[]): Ack | undefined =>
  acks.find((ack) => ack.id === id && !(ack.ok && type === 'log'))

/** D2: when an open command times out, in milliseconds: ten minutes after it was made, or after it was delivered. */
export const commandDeadline = (since: number): number => since + limits.commandSeconds * 1000

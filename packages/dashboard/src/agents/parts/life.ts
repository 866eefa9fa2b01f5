/**
 * The states of a command in words (3.2, D2, D3): a word and an explanation for each state, and the control that undoes
 * a control.
 */
import type { ShownCommand } from '@svc/api'
import type { CommandState, Control, Setting, SettingValues } from '@svc/protocol'
import { lastingText } from '../../ui/time/relative.ts'
import { nameOf, valueText } from './setting-words.ts'

const minute = 60_000

type Tone = 'waiting' | 'good' | 'no' | 'lost'

interface StateWords {
  readonly word: string
  readonly tone: Tone
  /** A sentence that explains the state of the command. */
  readonly means: string
}

/** The words for each state of a command. */
export const commandStateTexts: Readonly<Record<CommandState, StateWords>> = {
  queued: { word: 'queued', tone: 'waiting', means: 'It is sent in the answer to the agent’s next report.' },
  delivered: {
    word: 'delivered',
    tone: 'waiting',
    means: 'The agent has received it. Its answer comes with a later report.',
  },
  applied: { word: 'applied', tone: 'good', means: 'The agent carried it out.' },
  refused: { word: 'refused', tone: 'no', means: 'The agent checked it against its own limits and refused.' },
  failed: { word: 'no answer', tone: 'lost', means: 'It was delivered, but no answer came within ten minutes.' },
  expired: { word: 'expired', tone: 'lost', means: 'No report came within ten minutes, so it was never delivered.' },
  applied_late: {
    word: 'applied late',
    tone: 'good',
    means: 'The agent carried it out, but answered after more than ten minutes.',
  },
  refused_late: {
    word: 'refused late',
    tone: 'no',
    means: 'The agent refused it, but answered after more than ten minutes.',
  },
  cancelled: {
    word: 'cancelled',
    tone: 'lost',
    means: 'Somebody cancelled it before it was delivered, or deleted the agent.',
  },
}

/**
 * The words for the state of a command. If a command failed before it was delivered, the agent no longer offered it
 * (D6), so the word "no answer" would be wrong.
 */
export const commandStateWords = (command: Pick<ShownCommand, 'state' | 'deliveredAt'>): StateWords =>
  command.state === 'failed' && command.deliveredAt === null
    ? { word: 'not sent', tone: 'lost', means: 'The agent no longer offered it when it was due to be delivered.' }
    : commandStateTexts[command.state]

/**
 * Says when the next report is due; null if that is not known. `nextAt` and `now` are Unix milliseconds by the
 * service's clock.
 */
export function nextReportWords(nextAt: number | null, now: number): string | null {
  if (nextAt === null) return null
  const left = Math.ceil((nextAt - now) / 5000) * 5000
  if (left <= 0) return 'next report due now'
  return `next report in about ${lastingText(left < minute ? left : Math.round(left / minute) * minute)}`
}

/** True for a pending command: one that is queued or delivered, and not answered yet. */
export const isPendingCommand = (command: Pick<ShownCommand, 'state'>): boolean =>
  command.state === 'queued' || command.state === 'delivered'

/**
 * The steps of a command so far, with their times in Unix milliseconds. If the agent answered late, its answer comes
 * after the step at which the command timed out.
 */
export function commandStepsOf(c: ShownCommand): { word: string; at: number }[] {
  const steps = [{ word: 'queued', at: c.createdAt }]
  if (c.deliveredAt !== null) steps.push({ word: 'delivered', at: c.deliveredAt })
  if (c.failedAt !== null) steps.push({ word: givenUp(c), at: c.failedAt })
  if (c.answeredAt !== null) steps.push({ word: commandStateWords(c).word, at: c.answeredAt })
  return steps
}

const givenUp = (c: ShownCommand) => {
  if (c.state === 'expired' || c.state === 'cancelled') return commandStateTexts[c.state].word
  return c.deliveredAt === null ? 'not sent' : 'no answer'
}

/** The names of controls, as buttons show them. */
export const controlNames: Readonly<Record<Control, string>> = { pause: 'Pause', resume: 'Resume', run_now: 'Run now' }
/** The control that undoes a pause or a resume. `run_now` has none, because a run cannot be undone. */
export const undoingControl: Readonly<Partial<Record<Control, Control>>> = { pause: 'resume', resume: 'pause' }

/** Why a control cannot be pressed while the agent is paused; null if it can. */
export const whyNotWhilePaused: Readonly<Record<Control, string | null>> = {
  pause: 'The agent is paused already.',
  resume: null,
  run_now: 'The agent is paused: resume it first.',
}

export const isControl = (type: string): type is Control => Object.hasOwn(controlNames, type)

/**
 * The name of a command in the words of the page (`title`), and the name of the log if the command requests one
 * (`what`).
 */
export function commandTitleOf(command: Pick<ShownCommand, 'type' | 'payload'>): {
  title: string
  what: string | null
} {
  if (isControl(command.type)) return { title: controlNames[command.type], what: null }
  if (command.type === 'log')
    return { title: 'Send log', what: String((command.payload as { name?: unknown }).name ?? '') }
  return { title: 'Set', what: null }
}

/**
 * The settings in a `set` command, each with its name and value. The name comes from the schema that the agent reported
 * last. If that schema no longer has the setting, its key is used.
 */
export const settingChangesOf = (
  payload: SettingValues,
  schema: readonly Setting[] = [],
): { name: string; value: string }[] =>
  Object.entries(payload).map(([key, value]) => {
    const setting = schema.find((one) => one.key === key)
    return { name: setting ? nameOf(setting) : key, value: valueText(setting, value) }
  })

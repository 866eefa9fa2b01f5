/** Puts the history of an agent into words: its changes as lines, and the shares of its states. */
import type { AgentState, HistoryChange, StateSpan, UpdateKind } from '@svc/api'
import { alertRules, updateWords } from '@svc/api/words'
import { type Level, levels } from '@svc/protocol'
import { type AgentTab, paths } from '../../../paths.ts'
import { dateAndTime, lastingText, levelLooks, timeOfDay } from '../../../ui/index.ts'
import { percent } from '../../../ui/time/format.ts'
import { commandStateTexts, controlNames, isControl } from '../../parts/life.ts'

/** The page to which the line of a change links. */
export type ChangeTarget =
  | { to: 'tab'; tab: 'runs' | 'commands' | 'updates' | 'settings'; run?: string }
  | { to: 'rollout'; id: string }
  | { to: 'alerts'; ended: boolean }

/** A line of the list of changes. The beginning and end of a pause, a time offline or an outage share a line. */
export interface ChangeLine {
  /** The key of the change, which stays the same after newer changes were added. */
  key: string
  at: number
  /** The new level; null if something else changed. */
  level: Level | null
  words: string
  target: ChangeTarget | null
}

/** Makes the lines of the changes, newest first. A line about a tab that is not in `tabs` gets no link. */
export function changeLinesOf(changes: readonly HistoryChange[], now: number, tabs: readonly AgentTab[]): ChangeLine[] {
  const lines: Omit<ChangeLine, 'key'>[] = []
  const keys: string[] = []
  const add = (line: Omit<ChangeLine, 'key'>, { what, to, text, id }: HistoryChange) => {
    const key = [line.at, what, isTime(what) ? null : to, id ?? text].join(' ')
    lines.push(line)
    keys.push(key)
  }
  /** The starts of periods that have not ended, by kind, each with its index among the lines. */
  const begun = new Map<HistoryChange['what'], { at: number; index: number }>()
  /** The ids of alerts that have ended, which are on a different tab of the page of alerts. */
  const ended = new Set(changes.flatMap(({ what, to, id }) => (what === 'alert' && to === 'ended' ? [id] : [])))
  for (const change of changes) {
    const { what, at, to } = change
    if (!isTime(what)) {
      add(lineOf(change, ended, tabs), change)
      continue
    }
    if (to === true) begun.set(what, { at, index: lines.length })
    const beginning = begun.get(what)
    const words = timeWords(change, beginning?.at, now)
    const line = { at: beginning?.at ?? at, level: null, words, target: targetOf(change, ended, tabs) }
    if (to !== true && beginning) lines[beginning.index] = line
    else add(line, change)
    if (to !== true) begun.delete(what)
  }
  // A count makes the keys of equal changes at the same time different.
  const counts = new Map<string, number>()
  return lines
    .map((line, i): ChangeLine => {
      const key = keys[i] ?? ''
      const count = (counts.get(key) ?? 0) + 1
      counts.set(key, count)
      return { key: `${key} ${count}`, ...line }
    })
    .toReversed()
}

type TimeKind = 'paused' | 'offline' | 'service'
const isTime = (what: HistoryChange['what']): what is TimeKind =>
  what === 'paused' || what === 'offline' || what === 'service'

/** The words about a pause, a time offline or an outage. `from` is its start; undefined if that is not listed. */
function timeWords({ what, at, to, text }: HistoryChange, from: number | undefined, now: number): string {
  const name =
    what === 'service'
      ? 'The service did not run'
      : stateNames[what === 'paused' ? 'paused' : text === null ? 'offline' : 'stopped']
  if (to === true) return what === 'service' ? `${name} from ${clock(at, now)}` : name
  return from === undefined ? `${name} until ${clock(at, now)}` : `${name} ${spanText(from, at, now)}`
}

const day = 86_400_000

/** A time within the last day as the time of day; an earlier one with its date. */
const clock = (at: number, now: number): string => (now - at < day ? timeOfDay(at) : dateAndTime(at, now))

/** A span of time in words, such as `from 13:02 to 13:40`. */
const spanText = (from: number, to: number, now: number): string =>
  new Date(from).toDateString() === new Date(to).toDateString()
    ? `from ${clock(from, now)} to ${timeOfDay(to)}`
    : `from ${clock(from, now)} to ${clock(to, now)}`

function lineOf(
  change: HistoryChange,
  ended: ReadonlySet<string | null>,
  tabs: readonly AgentTab[],
): Omit<ChangeLine, 'key'> {
  const { at, what, to } = change
  const level = what === 'level' ? (to as Level) : null
  return { at, level, words: wordsOf(change), target: targetOf(change, ended, tabs) }
}

function wordsOf({ what, from, to, text }: HistoryChange): string {
  switch (what) {
    case 'level':
      return text ?? ''
    case 'version':
      return `Version ${valueText(from)} became ${valueText(to)} on its machine`
    case 'update': {
      const [subject, kind = ''] = (text ?? '').split(' ')
      const name = subject === 'runtime' ? 'Runtime' : 'Version'
      return `${name}${to === null ? '' : ` ${valueText(to)}`}: ${updateWords[kind as UpdateKind] ?? kind}`
    }
    case 'setting':
      return `${text} became ${valueText(to)} on its machine, before ${valueText(from)}`
    case 'command':
      return `${commandName(text ?? '')}: ${commandStateTexts[to as keyof typeof commandStateTexts]?.word ?? valueText(to)}`
    case 'run':
      return `Run ${runName(text ?? '')}: ${valueText(to)}`
    case 'alert':
      return `Alert ${to === 'open' ? 'opened' : 'ended'}: ${alertRules[text as keyof typeof alertRules]?.heading ?? text}`
    default:
      return ''
  }
}

const valueText = (value: HistoryChange['to']): string => (value === null ? 'not set' : String(value))

const commandName = (type: string): string =>
  isControl(type) ? controlNames[type] : type === 'log' ? 'Send log' : 'Set'

function targetOf(
  change: HistoryChange,
  ended: ReadonlySet<string | null>,
  tabs: readonly AgentTab[],
): ChangeTarget | null {
  const target = subjectOf(change, ended)
  return target?.to === 'tab' && !tabs.includes(target.tab) ? null : target
}

function subjectOf({ what, id }: HistoryChange, ended: ReadonlySet<string | null>): ChangeTarget | null {
  switch (what) {
    case 'run':
      return { to: 'tab', tab: 'runs', ...(id !== null && { run: id }) }
    case 'command':
    case 'paused':
      return { to: 'tab', tab: 'commands' }
    case 'setting':
      return { to: 'tab', tab: 'settings' }
    case 'version':
      return { to: 'tab', tab: 'updates' }
    case 'update':
      return id === null ? { to: 'tab', tab: 'updates' } : { to: 'rollout', id }
    case 'alert':
      return { to: 'alerts', ended: ended.has(id) }
    default:
      return null
  }
}

// ---- The periods that can be shown, the labels below the strip, and the shares of time ----

const hour = 3_600_000
/** The periods that the history can show, with their lengths in milliseconds. */
export const historyWindows = { '24 h': day, '7 d': 7 * day, '30 d': 30 * day } as const
export type HistoryWindow = keyof typeof historyWindows

const date = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' })

/**
 * The period that the history shows at first: a day if no more than a day is known, otherwise a week. So the first
 * hours of a new agent are not a thin line at the edge.
 */
export const windowFor = (known: number): HistoryWindow => (known <= historyWindows['24 h'] ? '24 h' : '7 d')

/** The start of a period that ends now, in Unix seconds, rounded down so that requests repeat and can be cached. */
export const historySince = (now: number, window: HistoryWindow): number => {
  const step = historyWindows[window] / 144
  return Math.floor((now - historyWindows[window]) / step) * (step / 1000)
}

/** True if a period is long enough for an axis and for shares. The shares of a few minutes would say nothing. */
export const isLongEnough = (ms: number): boolean => ms >= hour

/**
 * The three labels below the strip of the history, each with its time in Unix milliseconds: at the start, in the middle
 * and at the end.
 */
export const historyMarksOf = (start: number, end: number): { at: number; text: string }[] => {
  const format = end - start <= day ? timeOfDay : (at: number) => date.format(at)
  const [first, middle] = [format(start), format((start + end) / 2)]
  return [
    { at: start, text: first },
    { at: (start + end) / 2, text: middle === first ? '' : middle },
    { at: end, text: 'now' },
  ]
}

/** The name of a run: the job in front of an id that `svc-exec` made, otherwise the id. */
const runName = (id: string): string => /^([a-z0-9][a-z0-9._-]*)\/\d{10,}(?:-[0-9a-z]+)?$/.exec(id)?.[1] ?? id

const stateNames: Readonly<Record<Exclude<AgentState, 'reporting'>, string>> = {
  paused: 'Paused',
  offline: 'Offline',
  stopped: 'Stopped on its machine',
  unknown: 'Not known',
}

/** Says how the known time is divided, such as `OK 90%, Bad 5%, Offline 5%`; '' if less than an hour is known. */
export function stateSummary(spans: readonly StateSpan[]): string {
  const times = new Map<string, number>()
  let known = 0
  for (const { is, level, from, until } of spans) {
    if (is === 'unknown') continue
    known += until - from
    const name = is === 'reporting' ? (level === null ? 'No level' : levelLooks[level].words) : shareNames[is]
    times.set(name, (times.get(name) ?? 0) + until - from)
  }
  if (!isLongEnough(known)) return ''
  return order
    .filter((name) => times.has(name))
    .map((name) => `${name} ${percent((times.get(name) ?? 0) / known)}`)
    .join(', ')
}

const shareNames = { ...stateNames, stopped: 'Stopped' }
const order = [...levels.map((level) => levelLooks[level].words), 'No level', ...Object.values(shareNames)]

/** The words about a span of the strip, as they appear on hover. */
export function spanWords({ is, level, label, from, until }: StateSpan, now: number): string {
  const state = level === null ? 'No level' : levelLooks[level].words
  const head = is === 'reporting' ? `${state}${label ? `: ${label}` : ''}` : stateNames[is]
  return `${head}\n${dateAndTime(from, now)} to ${until >= now ? 'now' : dateAndTime(until, now)}, ${lastingText(until - from)}`
}

/** The address of a change's target. */
export function addressOfTarget(target: ChangeTarget, slug: string, name: string) {
  if (target.to === 'rollout') return { to: paths.rollout, params: { slug, id: target.id } } as const
  if (target.to === 'alerts')
    return { to: paths.alerts, params: { slug }, search: target.ended ? { tab: 'history' } : {} } as const
  const { tab, run } = target
  return { to: paths.agent, params: { slug, name }, search: { tab, ...(run !== undefined && { run }) } } as const
}

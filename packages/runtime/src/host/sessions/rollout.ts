/**
 * Computes facts from the rollouts of Codex, line by line. Codex calls a session a thread, and the file in which it
 * records a thread a rollout. Pure. No text of a person or of the model is kept.
 */
import { isObject } from '@svc/protocol'
import { quotedWord, withUnknown } from './session.ts'
import {
  addedTokens,
  addTokensOfAnswer,
  countOf,
  modelIn,
  noTokens,
  nothingSpent,
  type Spent,
  type Tokens,
  unknownModel,
} from './spent.ts'
import { countIn, type JsonObject, optionalProperty, sessionIdIn, textIn, timeIn } from './values.ts'

/** The facts from the lines of one rollout. Times are in Unix seconds. */
export interface Rollout {
  /** The id of its thread. Absent until its first line was read. */
  readonly id?: string
  /** The thread that started this one. Absent if a person did. */
  readonly parent?: string | undefined
  readonly isOfPerson: boolean
  /** True if the thread was forked from another one. Its rollout then begins with a copy of lines of the other. */
  readonly isFork?: boolean
  readonly folder?: string
  readonly version?: string
  readonly model?: string
  readonly started?: number
  readonly last?: number
  /** The state of the last turn. */
  readonly turn?: 'runs' | 'ended' | 'failed'
  /** When the last turn began or ended. */
  readonly turned?: number
  /** The calls that wait for the approval of the person. */
  readonly asked: readonly { readonly call: string; readonly at: number }[]
  readonly steps: number
  readonly spent: Spent
  /** The tokens of the whole thread, which each record repeats. */
  readonly total?: Tokens
  readonly limits: readonly CodexLimit[]
  /** The type of the first line whose type svc does not know. */
  readonly unknown?: string
}

/** A limit of the subscription. `used` is a share. */
interface CodexLimit {
  readonly name: string
  readonly used: number
  readonly resets?: number
}

export const emptyRollout: Rollout = { isOfPerson: true, asked: [], steps: 0, spent: nothingSpent, limits: [] }

/** The rollout after one more line. `dayOf` gives the number of the day, in the machine's zone, of a time. */
export function withRolloutLine(before: Rollout, line: JsonObject, dayOf: (at: number) => number): Rollout {
  const at = timeIn(line.timestamp)
  const payload = isObject(line.payload) ? line.payload : {}
  const after: Rollout = {
    ...before,
    ...(at !== undefined && { started: before.started ?? at, last: Math.max(before.last ?? 0, at) }),
  }
  const now = at ?? after.last ?? 0
  if (isCopy(before, at))
    return { ...before, ...optionalProperty('total', totalIn(line.type, payload) ?? before.total) }
  switch (line.type) {
    case 'session_meta':
      return withMeta(after, payload)
    case 'turn_context':
      return {
        ...after,
        ...optionalProperty('model', modelIn(payload.model)),
        ...optionalProperty('folder', after.folder ?? textIn(payload.cwd)),
      }
    case 'event_msg':
      return withEvent(after, payload, now, dayOf)
    case 'response_item':
      return withItem(after, payload, now)
    case 'token_usage_record':
      return withTotal(after, payload.thread_token_usage, payload.usage, dayOf(now))
    default:
      return knownLines.has(String(line.type)) ? after : withUnknown(after, quotedWord(line.type))
  }
}

/**
 * Returns the rollout after lines were skipped, because many were added at once. It counts as running and has no open
 * questions, since a thread goes on only after an answer. Later lines show if the turn has ended.
 */
export const withSkippedLines = ({ turned, ...before }: Rollout): Rollout => ({
  ...before,
  ...(before.turn === 'runs' && optionalProperty('turned', turned)),
  ...{ turn: 'runs', asked: [] },
})

/**
 * True for a line that a fork copied from the other thread. All lines up to `copySeconds` after the start of the fork
 * are copies, since no model answers that soon.
 */
const isCopy = ({ isFork, started }: Rollout, at: number | undefined): boolean =>
  isFork === true && at !== undefined && started !== undefined && at <= started + copySeconds
const copySeconds = 2

/** The tokens of the whole thread up to a line, as the line says. */
function totalIn(type: unknown, payload: JsonObject): Tokens | undefined {
  const info = isObject(payload.info) ? payload.info : {}
  return tokensIn(type === 'token_usage_record' ? payload.thread_token_usage : info.total_token_usage)
}

const knownLines: ReadonlySet<string> = new Set(['world_state', 'compacted', 'ghost_snapshot'])

/** Only the first line with metadata counts, since a fork also has a copy of the other thread's line. */
function withMeta(before: Rollout, meta: JsonObject): Rollout {
  if (before.id !== undefined) return before
  const id = sessionIdIn(meta.id) ?? sessionIdIn(meta.session_id)
  const isOfPerson = meta.thread_source === undefined || meta.thread_source === null || meta.thread_source === 'user'
  return {
    ...before,
    ...{ isOfPerson, parent: isOfPerson ? undefined : sessionIdIn(meta.parent_thread_id) },
    ...(sessionIdIn(meta.forked_from_id) !== undefined && { isFork: true }),
    ...optionalProperty('id', id),
    ...optionalProperty('folder', textIn(meta.cwd)),
    ...optionalProperty('version', textIn(meta.cli_version)),
  }
}

function withEvent(before: Rollout, event: JsonObject, at: number, dayOf: (at: number) => number): Rollout {
  switch (event.type) {
    case 'task_started':
      return { ...before, turn: 'runs', turned: at, asked: [] }
    case 'task_complete':
      return { ...before, turn: isObject(event.error) ? 'failed' : 'ended', turned: at, asked: [] }
    case 'turn_aborted':
      return { ...before, turn: 'ended', turned: at, asked: [] }
    case 'token_count': {
      const info = isObject(event.info) ? event.info : {}
      const counted = withTotal(before, info.total_token_usage, info.last_token_usage, dayOf(at))
      const limits = limitsIn(event.rate_limits)
      return limits.length === 0 ? counted : { ...counted, limits }
    }
    default:
      return before
  }
}

/**
 * A call in which the model asks to leave its sandbox waits for the person until it has an output. A call or an output
 * also shows that a turn runs, since the line with its start may be in a part of the file that was not read.
 */
function withItem(before: Rollout, item: JsonObject, at: number): Rollout {
  const { type } = item
  const call = textIn(item.call_id)
  if (typeof type !== 'string' || !/_call(?:_output)?$/.test(type)) return before
  const inTurn: Rollout = before.turn === undefined ? { ...before, turn: 'runs', turned: at } : before
  if (type.endsWith('_output')) return { ...inTurn, asked: inTurn.asked.filter((one) => one.call !== call) }
  const after = { ...inTurn, steps: inTurn.steps + 1 }
  const asks = typeof item.arguments === 'string' && item.arguments.includes('require_escalated')
  return asks && call !== undefined ? { ...after, asked: [...after.asked, { call, at }].slice(-maxAsked) } : after
}
const maxAsked = 20

/**
 * Each record repeats the total of the thread, so only the difference is new. The first record that is read may come
 * late in the thread, so its total may hold tokens of other days.
 */
function withTotal(before: Rollout, whole: unknown, part: unknown, day: number): Rollout {
  const total = tokensIn(whole)
  if (total === undefined) return before
  const known = before.total ?? noTokens
  const more = addedTokens(known, total)
  if (countOf(more) === 0) return before
  const model = before.model ?? unknownModel
  const now = before.total === undefined ? (tokensIn(part) ?? total) : more
  // The tokens before the first record that was read were used at an unknown time.
  const earlier = addedTokens(now, more)
  // In a fork, they are tokens of the other thread.
  const isUndated = countOf(earlier) > 0 && before.isFork !== true
  const counted = isUndated ? addTokensOfAnswer(before.spent, model, earlier, 0) : before.spent
  const spent = addTokensOfAnswer(counted, model, now, day)
  return {
    ...before,
    total,
    spent: isUndated ? { ...spent, today: { ...spent.today, isMinimum: true } } : spent,
  }
}

function tokensIn(usage: unknown): Tokens | undefined {
  if (!isObject(usage) || typeof usage.output_tokens !== 'number') return undefined
  const cached = countIn(usage.cached_input_tokens)
  return { input: Math.max(0, countIn(usage.input_tokens) - cached), cached, output: countIn(usage.output_tokens) }
}

function limitsIn(limits: unknown): CodexLimit[] {
  if (!isObject(limits)) return []
  return [limits.primary, limits.secondary].flatMap((limit): CodexLimit[] => {
    if (!isObject(limit) || typeof limit.used_percent !== 'number' || !(limit.used_percent >= 0)) return []
    const minutes = countIn(limit.window_minutes)
    const resets = countIn(limit.resets_at)
    const name = minutes === 0 ? 'Codex limit' : `Codex limit of ${windowText(minutes)}`
    return [{ name, used: Math.min(limit.used_percent, 1000) / 100, ...(resets > 0 && { resets }) }]
  })
}

const windowText = (minutes: number): string =>
  minutes % 1440 === 0 ? `${minutes / 1440} days` : minutes % 60 === 0 ? `${minutes / 60} hours` : `${minutes} minutes`

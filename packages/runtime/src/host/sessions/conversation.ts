/** A conversation of opencode, from the rows of its database. Pure. No text of a message is kept. */
import {
  addTokensOfAnswer,
  countOf,
  modelIn,
  nothingSpent,
  type Spent,
  type Tokens,
  unknownModel,
  withAddedCost,
} from './spent.ts'
import { costIn, countIn, type JsonObject, millisIn, optionalProperty, textIn, versionIn } from './values.ts'

/** A session as read from its row. Times are in Unix seconds. */
export interface OpencodeRow {
  readonly id: string
  /** The version of the tables: those of opencode 1 or of opencode 2. */
  readonly tables: 1 | 2
  /** The session that started this one. Absent if a person did. */
  readonly parent?: string
  readonly folder?: string
  readonly version?: string
  readonly started: number
  /** When the tool last changed the row, in Unix milliseconds as the tool wrote it. */
  readonly changed: number
  /** The time at which the last turn ended, and its outcome. Only opencode 2 notes these. */
  readonly rested?: number
  readonly outcome?: string
}

/** Reads the id of a session. Any other text is refused: ids leave the machine, and texts of people must not. */
const idIn = (value: unknown): string | undefined =>
  typeof value === 'string' && /^ses_[\dA-Za-z]{10,60}$/.test(value) ? value : undefined

/** Reads a row of the table of sessions; undefined if it is not valid. */
export function readOpencodeRow(row: JsonObject, tables: 1 | 2): OpencodeRow | undefined {
  const id = idIn(row.id)
  const started = millisIn(row.time_created)
  if (id === undefined || started === undefined) return undefined
  return {
    ...{ id, tables, started, changed: countIn(row.time_updated) },
    ...optionalProperty('parent', idIn(row.parent_id)),
    ...optionalProperty('folder', textIn(row.directory)),
    ...optionalProperty('version', versionIn(row.version)),
    ...optionalProperty('rested', millisIn(row.time_idle)),
    ...optionalProperty('outcome', textIn(row.idle_outcome)),
  }
}

/** A message of a person or of a model. Times are in Unix seconds. */
export interface OpencodeMessage {
  readonly role: 'user' | 'assistant'
  readonly at: number
  /** When the tool last changed the message. */
  readonly changed: number
  /** When the model was done with the message, and with the tools that it called. */
  readonly completed?: number
  /** The reason that the model gave for the end of the message, such as `stop` or `tool-calls`. */
  readonly finish?: string
  /** The name of an error. */
  readonly error?: string
  readonly model?: string
  readonly usd?: number
  readonly tokens?: Tokens
}

/** The parts of a message that `readOpencodeMessage` takes, in their order. */
export const messageParts = [
  ...['$.time.created', '$.time.completed', '$.finish', '$.cost'],
  ...['$.error.name', '$.error.type', '$.modelID', '$.model.id'],
  ...['$.tokens.input', '$.tokens.output', '$.tokens.reasoning', '$.tokens.cache.read', '$.tokens.cache.write'],
]

/** Reads a row of the table of messages; undefined if it is neither of a person nor of a model. */
export function readOpencodeMessage(row: JsonObject): OpencodeMessage | undefined {
  const [created, done, finish, usd, name, type, model, modelId, ...counts] = partsIn(row.parts)
  const [input, output, thought, cached, written] = counts
  const { role } = row
  const at = Math.min(...[row.time_created, created].flatMap((time) => millisIn(time) ?? []))
  if ((role !== 'user' && role !== 'assistant') || !Number.isFinite(at)) return undefined
  const tokens = {
    input: countIn(input) + countIn(written),
    cached: countIn(cached),
    output: countIn(output) + countIn(thought),
  }
  return {
    ...{ role, at, changed: Math.max(at, millisIn(row.time_updated) ?? 0) },
    ...optionalProperty('completed', millisIn(done)),
    ...optionalProperty('finish', textIn(finish)),
    ...optionalProperty('error', textIn(name) ?? textIn(type)),
    ...optionalProperty('model', modelIn(model) ?? modelIn(modelId)),
    ...optionalProperty('usd', costIn(usd)),
    ...(countOf(tokens) > 0 && { tokens }),
  }
}

/** The parts as SQLite gives them: the text of a JSON array. */
function partsIn(text: unknown): readonly unknown[] {
  try {
    const value: unknown = typeof text === 'string' ? JSON.parse(text) : undefined
    return Array.isArray(value) ? value : []
  } catch {
    return []
  }
}

/** True if the tool no longer changes the message. */
export const isFinal = ({ role, completed }: OpencodeMessage): boolean => role === 'user' || completed !== undefined

/** The facts from the messages of one session. Times are in Unix seconds. */
export interface Conversation {
  readonly last?: number
  readonly model?: string
  /** The state of the last turn. `between`: a person asked or the model used a tool, and no answer started since. */
  readonly turn?: 'runs' | 'between' | 'ended' | 'failed'
  /** When the last turn began or ended. */
  readonly turned?: number
  readonly steps: number
  readonly spent: Spent
}
export const emptyConversation: Conversation = { steps: 0, spent: nothingSpent }

/** A message counts even if its time is up to this many seconds before the start of its session. */
const orderSeconds = 2

/** Returns the conversation after one more message. Older messages that a fork copied into its session do not count. */
export function withMessage(
  before: Conversation,
  message: OpencodeMessage,
  { started }: Pick<OpencodeRow, 'started'>,
  dayOf: (at: number) => number,
): Conversation {
  if (message.at < started - orderSeconds) return before
  const { role, at, changed, completed, finish, error, model } = message
  const after = {
    ...before,
    ...optionalProperty('model', model),
    last: Math.max(before.last ?? 0, changed, completed ?? 0),
  }
  // A person may also write while an answer runs.
  if (role === 'user') return { ...after, turn: before.turn === 'runs' ? 'runs' : 'between', turned: at }
  const spent = spentWith(before.spent, message, dayOf(completed ?? at))
  if (completed === undefined) return { ...after, spent, turn: 'runs', turned: before.turned ?? at }
  if (error !== undefined && !abortWords.has(error)) return { ...after, spent, turn: 'failed', turned: completed }
  if (!unendedWords.has(finish ?? '')) return { ...after, spent, turn: 'ended', turned: completed }
  const steps = before.steps + Number(finish === 'tool-calls')
  return { ...after, spent, steps, turn: 'between', turned: before.turned ?? at }
}

/** The values of `finish` after which the tool goes on with the turn. */
const unendedWords: ReadonlySet<string> = new Set(['tool-calls', 'unknown'])

/** The names of errors that mean that the person stopped the turn. */
const abortWords: ReadonlySet<string> = new Set(['MessageAbortedError', 'aborted'])

/** Without a price the tool writes a cost of 0, which stands for an unknown cost. */
function spentWith(spent: Spent, { model = unknownModel, tokens, usd = 0 }: OpencodeMessage, day: number): Spent {
  if (tokens === undefined) return spent
  const used = addTokensOfAnswer(spent, model, tokens, day)
  return usd > 0 ? withAddedCost(used, { usd, models: { [model]: usd }, tokens: { [model]: tokens } }, day) : used
}

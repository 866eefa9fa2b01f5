/** Computes facts from the transcripts of Claude Code, line by line. Pure. No text of a person or model is kept. */
import { isObject } from '@svc/protocol'
import { quotedWord, withUnknown } from './session.ts'
import {
  addedTokens,
  addTokensOfAnswer,
  modelIn,
  nothingSpent,
  type Spent,
  type Tokens,
  withReportedCost,
} from './spent.ts'
import { costIn, countIn, type JsonObject, optionalProperty, textIn, timeIn } from './values.ts'

/** The facts from the lines of one transcript. Times are in Unix seconds. */
export interface Transcript {
  /** The session that the lines name. */
  readonly session?: string
  readonly folder?: string
  readonly version?: string
  readonly model?: string
  readonly started?: number
  readonly last?: number
  /** The time at which the tool last reported the cost, which it does when it ends. */
  readonly reportedAt?: number
  /** True if there was a message of the person or of the model. */
  readonly hasMessages: boolean
  /** True if the last message is an error of the tool. */
  readonly isFailed: boolean
  /** True if the session was forked from another one. The cost that the tool reports is then that of both sessions. */
  readonly isFork?: boolean
  readonly steps: number
  readonly spent: Spent
  /**
   * The last answers of the model. An answer may have several lines, and each states all tokens of the answer so far.
   */
  readonly answers: readonly { readonly id: string; readonly tokens: Tokens }[]
  /** The type of the first line whose type svc does not know. */
  readonly unknown?: string
}

export const emptyTranscript: Transcript = {
  hasMessages: false,
  isFailed: false,
  steps: 0,
  spent: nothingSpent,
  answers: [],
}

/**
 * The transcript after one more line. `dayOf` gives the number of the day, in the machine's zone, of a time. The lines
 * that a fork copied from the other session do not count: they name that session, or are older than the first line of
 * this one.
 */
export function withTranscriptLine(before: Transcript, line: JsonObject, dayOf: (at: number) => number): Transcript {
  const at = timeIn(line.timestamp)
  const isOlder = at !== undefined && before.started !== undefined && at < before.started - orderSeconds
  const isOthers =
    line.isSidechain !== true && typeof line.session_id === 'string' && line.session_id !== line.sessionId
  if (isOlder || isOthers)
    return { ...before, isFork: true, hasMessages: true, ...optionalProperty('session', textIn(line.sessionId)) }
  const after = {
    ...before,
    ...optionalProperty('session', textIn(line.sessionId)),
    // The first folder counts: later lines name the current folder of the shell.
    ...optionalProperty('folder', before.folder ?? textIn(line.cwd)),
    ...optionalProperty('version', textIn(line.version)),
    ...(at !== undefined && { started: before.started ?? at, last: Math.max(before.last ?? 0, at) }),
  }
  const day = dayOf(after.last ?? 0)
  switch (line.type) {
    case 'user':
      return { ...after, hasMessages: true, isFailed: false }
    case 'assistant':
      return withAnswer(after, line, day)
    case 'cost-state':
      return withCost(after, line, day)
    default:
      return knownTypes.has(String(line.type)) ? after : withUnknown(after, quotedWord(line.type))
  }
}

/** A line counts even if it seems older than the first line by this many seconds, since lines may be out of order. */
const orderSeconds = 2

/** The types of lines that svc knows and ignores. */
const knownTypes: ReadonlySet<string> = new Set([
  ...['system', 'summary', 'attachment', 'progress', 'mode', 'permission-mode', 'last-prompt', 'queue-operation'],
  ...['api-request', 'api-request-blob', 'api-request-shape', 'file-history-snapshot', 'tools-used', 'atis-latch'],
  ...['custom-title', 'ai-title', 'agent-name', 'tag'],
])

function withAnswer(before: Transcript, line: JsonObject, day: number): Transcript {
  const message = isObject(line.message) ? line.message : {}
  const isError = line.isApiErrorMessage === true
  const model = isError ? undefined : modelIn(message.model)
  const blocks = Array.isArray(message.content) ? message.content : []
  const steps = before.steps + blocks.filter((block) => isObject(block) && block.type === 'tool_use').length
  const after = { ...before, hasMessages: true, isFailed: isError, steps, ...(model !== undefined && { model }) }
  const tokens = tokensIn(message.usage)
  if (model === undefined || tokens === undefined) return after
  const id = typeof message.id === 'string' ? message.id : ''
  const known = id === '' ? undefined : before.answers.find((answer) => answer.id === id)
  const others = before.answers.filter((answer) => answer !== known)
  const more = known === undefined ? tokens : addedTokens(known.tokens, tokens)
  return {
    ...after,
    answers: [...others, { id, tokens }].slice(-keptAnswers),
    spent: addTokensOfAnswer(before.spent, model, more, day),
  }
}
const keptAnswers = 8

/** The tokens that the model wrote into its cache count as sent. */
function tokensIn(usage: unknown): Tokens | undefined {
  if (!isObject(usage)) return undefined
  return {
    input: countIn(usage.input_tokens) + countIn(usage.cache_creation_input_tokens),
    cached: countIn(usage.cache_read_input_tokens),
    output: countIn(usage.output_tokens),
  }
}

function withCost(before: Transcript, line: JsonObject, day: number): Transcript {
  const usd = costIn(line.totalCostUSD)
  const reportedAt = before.last === undefined ? {} : { reportedAt: before.last }
  if (usd === undefined || line.hasUnknownModelCost === true || before.isFork) return { ...before, ...reportedAt }
  const used = Object.entries(isObject(line.modelUsage) ? line.modelUsage : {}).flatMap(([name, usage]) => {
    const model = modelIn(name)
    return model === undefined || !isObject(usage) ? [] : [{ model, usage }]
  })
  const reported = {
    usd,
    models: Object.fromEntries(used.flatMap(({ model, usage }) => modelCost(model, usage.costUSD))),
    tokens: Object.fromEntries(used.map(({ model, usage }) => [model, toldTokens(usage)])),
  }
  return { ...before, ...reportedAt, spent: withReportedCost(before.spent, reported, day) }
}

function modelCost(model: string, value: unknown): [string, number][] {
  const usd = costIn(value)
  return usd === undefined ? [] : [[model, usd]]
}

const toldTokens = (usage: JsonObject): Tokens => ({
  input: countIn(usage.inputTokens) + countIn(usage.cacheCreationInputTokens),
  cached: countIn(usage.cacheReadInputTokens),
  output: countIn(usage.outputTokens),
})

/**
 * Sessions of Claude Code, from the lines of its transcripts and from its notes about processes. Pure. Only the model,
 * tokens, cost, times and the folder of a line are kept, never a text.
 */
import { isObject } from '@svc/protocol'
import { type FoundTool, quotable, type SessionState, type ToolSession } from './session.ts'
import { modelIn, moreTokens, nothingSpent, type Spent, sumOf, type Tokens, withTokens, withTold } from './spent.ts'
import {
  costIn,
  countIn,
  type JsonObject,
  millisIn,
  optional,
  sessionIdIn,
  textIn,
  timeIn,
  versionIn,
} from './values.ts'

/** The facts that the lines of one transcript tell. Times are in Unix seconds. */
export interface Transcript {
  /** The session that the lines name. */
  readonly session?: string
  readonly folder?: string
  readonly version?: string
  readonly model?: string
  readonly started?: number
  readonly last?: number
  /** When the tool told its cost, which it does at an end. */
  readonly toldAt?: number
  /** True if there was a message of the person or of the model. */
  readonly hasMessages: boolean
  /** True if the last message is an error of the tool. */
  readonly isFailed: boolean
  /** True if the session was forked from another one. Its tool then tells the cost of both. */
  readonly isFork?: boolean
  readonly steps: number
  readonly spent: Spent
  /** The last answers of the model. An answer may have several lines, and each tells all of its tokens up to then. */
  readonly answers: readonly { readonly id: string; readonly tokens: Tokens }[]
  /** The type of the first line that is not known. */
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
 * The transcript after one more line. `dayOf` numbers the days of the machine's zone. A session that was forked begins
 * with a copy of the lines of the other one: these are older than its own first line, or name the other session.
 */
export function withLine(before: Transcript, line: JsonObject, dayOf: (at: number) => number): Transcript {
  const at = timeIn(line.timestamp)
  const isOlder = at !== undefined && before.started !== undefined && at < before.started - orderSeconds
  const isOthers =
    line.isSidechain !== true && typeof line.session_id === 'string' && line.session_id !== line.sessionId
  if (isOlder || isOthers)
    return { ...before, isFork: true, hasMessages: true, ...optional('session', textIn(line.sessionId)) }
  const after = {
    ...before,
    ...optional('session', textIn(line.sessionId)),
    // Later lines name the folder in which the shell is by then.
    ...optional('folder', before.folder ?? textIn(line.cwd)),
    ...optional('version', textIn(line.version)),
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
      return knownTypes.has(String(line.type)) ? after : { ...after, unknown: before.unknown ?? quotable(line.type) }
  }
}

/** Lines that were written at the same time may be in another order. */
const orderSeconds = 2

/** The types of lines that tell nothing about a session that svc shows. */
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
  const more = known === undefined ? tokens : moreTokens(known.tokens, tokens)
  return {
    ...after,
    answers: [...others, { id, tokens }].slice(-keptAnswers),
    spent: withTokens(before.spent, model, more, day),
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
  const toldAt = before.last === undefined ? {} : { toldAt: before.last }
  if (usd === undefined || line.hasUnknownModelCost === true || before.isFork) return { ...before, ...toldAt }
  const used = Object.entries(isObject(line.modelUsage) ? line.modelUsage : {}).flatMap(([name, usage]) => {
    const model = modelIn(name)
    return model === undefined || !isObject(usage) ? [] : [{ model, usage }]
  })
  const told = {
    usd,
    models: Object.fromEntries(used.flatMap(({ model, usage }) => modelCost(model, usage.costUSD))),
    tokens: Object.fromEntries(used.map(({ model, usage }) => [model, toldTokens(usage)])),
  }
  return { ...before, ...toldAt, spent: withTold(before.spent, told, day) }
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

/** The note of Claude Code about one of its processes. Times are in Unix seconds. */
export interface ClaudeProcess {
  readonly session: string
  readonly pid: number
  /** Field 22 of its /proc/PID/stat; empty if the note has none. */
  readonly start: string
  readonly domain?: string
  readonly folder?: string
  readonly started?: number
  /** Its last word. */
  readonly status: string
  readonly since?: number
  readonly version?: string
}

/** Reads `sessions/PID.json`; undefined if it is none. */
export function readClaudeProcess(note: JsonObject): ClaudeProcess | undefined {
  const { pid, procStart, pidDomain, status } = note
  const session = sessionIdIn(note.sessionId)
  if (session === undefined) return undefined
  if (typeof pid !== 'number' || !Number.isSafeInteger(pid) || pid <= 0) return undefined
  const started = millisIn(note.startedAt)
  const since = millisIn(note.statusUpdatedAt) ?? millisIn(note.updatedAt)
  return {
    ...{ session, pid, status: typeof status === 'string' ? status : '' },
    start: typeof procStart === 'string' || typeof procStart === 'number' ? String(procStart) : '',
    ...optional('domain', textIn(pidDomain)),
    ...optional('folder', textIn(note.cwd)),
    ...optional('version', textIn(note.version)),
    ...(started !== undefined && { started }),
    ...(since !== undefined && { since }),
  }
}

/** A note about a process, and what the machine says about it. */
export interface KnownProcess extends ClaudeProcess {
  /** `elsewhere`: it lives in a container, or on another machine with the same files. */
  readonly life: 'lives' | 'gone' | 'elsewhere'
}

/** A file with a transcript: that of a session, or of a subagent that a session started. */
export interface TranscriptFile {
  readonly session: string
  readonly isSubagent: boolean
  readonly transcript: Transcript
  readonly hasGaps: boolean
  /** True if the file changed today. */
  readonly isNew: boolean
}

interface ClaudeFacts {
  readonly files: readonly TranscriptFile[]
  readonly processes: readonly KnownProcess[]
  /** Parts of a sentence about files that cannot be read. */
  readonly faults: readonly string[]
}

export function claudeSessions({ files, processes, faults }: ClaudeFacts): FoundTool {
  const transcripts = groupBy(files, ({ session }) => session)
  const notes = groupBy(processes, ({ session }) => session)
  const here = new Set(processes.filter(({ life }) => life === 'lives').map(({ session }) => session))
  const away = processes.filter(({ life, session }) => life === 'elsewhere' && !here.has(session))
  const elsewhere = new Set(away.map(({ session }) => session))
  const ids = [...new Set([...transcripts.keys(), ...notes.keys()])].filter((id) => !elsewhere.has(id))
  const sessions = ids.flatMap((id) => sessionOf(id, transcripts.get(id) ?? [], lastNote(notes.get(id) ?? [])) ?? [])
  return {
    tool: 'claude',
    ...newestVersion(files, processes),
    sessions,
    elsewhere: elsewhere.size,
    faults: [...faults, ...unknownWords(processes), ...unknownLines(files, sessions)],
    remarks: [],
  }
}

/** A session that went on after its process was killed has two notes. One that lives counts, then the newest one. */
const lastNote = (notes: readonly KnownProcess[]): KnownProcess | undefined =>
  [...notes].sort(
    (a, b) => Number(b.life === 'lives') - Number(a.life === 'lives') || (b.since ?? 0) - (a.since ?? 0),
  )[0]

function sessionOf(
  id: string,
  files: readonly TranscriptFile[],
  note: KnownProcess | undefined,
): ToolSession | undefined {
  const [main, ...rest] = [...files].sort((a, b) => Number(a.isSubagent) - Number(b.isSubagent) || newer(a, b))
  const transcript = main?.transcript ?? emptyTranscript
  const lives = note?.life === 'lives'
  if (!lives && !transcript.hasMessages) return undefined
  const last = Math.max(0, note?.since ?? 0, ...files.map((file) => file.transcript.last ?? 0))
  const state = claudeState(note, transcript)
  return {
    ...{ tool: 'claude', id, state, lives, last },
    since: lives && state !== 'failed' ? (note.since ?? last) : last,
    started: transcript.started ?? note?.started ?? last,
    ...(lives && { pid: note.pid }),
    folder: transcript.folder ?? note?.folder,
    model: transcript.model,
    steps: transcript.steps,
    spent: sumOf(spentIn(main), rest.map(spentIn)),
  }
}

const spentIn = (file: TranscriptFile | undefined): Spent => ({
  ...(file?.transcript ?? emptyTranscript).spent,
  ...(file?.hasGaps && { hasGaps: true }),
})

/** The table of states. `note` is what the tool noted about the process of the session. */
export function claudeState(
  note: Pick<KnownProcess, 'life' | 'status' | 'since'> | undefined,
  { isFailed, toldAt = 0 }: Pick<Transcript, 'isFailed' | 'toldAt'>,
): SessionState {
  const rested = isFailed ? 'failed' : 'over'
  if (note === undefined) return rested
  const isResting = restWords.has(note.status)
  if (note.life === 'lives') {
    if (note.status === 'waiting') return 'waiting'
    return isResting ? (isFailed ? 'failed' : 'idle') : 'running'
  }
  // A session that was resumed and ended well has a note about the process that was killed before.
  const isDead = deadWords.has(note.status) && toldAt <= (note.since ?? 0)
  return isDead ? 'died' : rested
}
/** `shell`: the session is at its prompt, and a command runs in the background. */
const restWords: ReadonlySet<string> = new Set(['idle', 'shell'])
const deadWords: ReadonlySet<string> = new Set(['busy', 'waiting'])
const knownWords: ReadonlySet<string> = new Set([...restWords, ...deadWords])

const unknownWords = (processes: readonly KnownProcess[]): string[] =>
  processes
    .filter(({ life, status }) => life === 'lives' && !knownWords.has(status))
    .slice(0, 1)
    .map(({ status }) => `its state ${quotable(status)} is not known`)

/** A file that changed today and gave no session may be of a newer version, whose lines svc does not understand. */
function unknownLines(files: readonly TranscriptFile[], sessions: readonly ToolSession[]): string[] {
  const shown = new Set(sessions.map(({ id }) => id))
  return files
    .filter(({ session, transcript, isNew }) => isNew && !shown.has(session) && transcript.unknown !== undefined)
    .slice(0, 1)
    .map(({ transcript: { unknown = '' } }) => `lines of the type ${unknown} are not understood`)
}

function newestVersion(files: readonly TranscriptFile[], processes: readonly KnownProcess[]): { version?: string } {
  const newest = [...files].sort(newer).find(({ transcript }) => transcript.version !== undefined)
  const version = newest?.transcript.version ?? processes.find((one) => one.version !== undefined)?.version
  return optional('version', versionIn(version))
}

const newer = (a: TranscriptFile, b: TranscriptFile): number => (b.transcript.last ?? 0) - (a.transcript.last ?? 0)

function groupBy<T>(all: readonly T[], keyOf: (one: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const one of all) {
    const group = groups.get(keyOf(one))
    if (group) group.push(one)
    else groups.set(keyOf(one), [one])
  }
  return groups
}

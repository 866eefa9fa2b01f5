/** Sessions of Claude Code, from its transcripts and from its notes about processes. Pure. */
import {
  byNewest,
  type FoundTool,
  groupBy,
  newestVersion,
  quotedWord,
  type SessionState,
  type ToolSession,
  unknownLines,
} from './session.ts'
import { type Spent, sumOf } from './spent.ts'
import { emptyTranscript, type Transcript } from './transcript.ts'
import { type JsonObject, millisIn, optionalProperty, sessionIdIn, textIn } from './values.ts'

/** The note of Claude Code about one of its processes. Times are in Unix seconds. */
export interface ClaudeProcess {
  readonly session: string
  readonly pid: number
  /** Field 22 of its /proc/PID/stat; empty if the note has none. */
  readonly start: string
  readonly domain?: string
  readonly folder?: string
  readonly started?: number
  /** The last status that the process wrote. */
  readonly status: string
  readonly since?: number
  readonly version?: string
}

/** Reads `sessions/PID.json`; undefined if it is not a note of a process. */
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
    ...optionalProperty('domain', textIn(pidDomain)),
    ...optionalProperty('folder', textIn(note.cwd)),
    ...optionalProperty('version', textIn(note.version)),
    ...(started !== undefined && { started }),
    ...(since !== undefined && { since }),
  }
}

/** A note about a process, and what the machine says about it. */
export interface KnownProcess extends ClaudeProcess {
  /** `elsewhere`: the process runs in a container, or on another machine with the same files. */
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
  const shown = new Set(sessions.map(({ id }) => id))
  const others = files.filter(({ session, isNew }) => isNew && !shown.has(session))
  return {
    tool: 'claude',
    version: newestVersion([...files.map(({ transcript }) => transcript), ...processes]),
    sessions,
    elsewhere: elsewhere.size,
    faults: [...faults, ...unknownWords(processes), ...unknownLines(others.map(({ transcript }) => transcript))],
    remarks: [],
  }
}

/**
 * A session that went on after its process was killed has two notes. The note whose process is running counts,
 * otherwise the newest one.
 */
const lastNote = (notes: readonly KnownProcess[]): KnownProcess | undefined =>
  [...notes].sort(
    (a, b) => Number(b.life === 'lives') - Number(a.life === 'lives') || (b.since ?? 0) - (a.since ?? 0),
  )[0]

function sessionOf(
  id: string,
  files: readonly TranscriptFile[],
  note: KnownProcess | undefined,
): ToolSession | undefined {
  const [main, ...rest] = [...files].sort(
    (a, b) => Number(a.isSubagent) - Number(b.isSubagent) || byNewest(a.transcript, b.transcript),
  )
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

/** Returns the state of a session. `note` is the note of Claude Code about the process of the session. */
export function claudeState(
  note: Pick<KnownProcess, 'life' | 'status' | 'since'> | undefined,
  { isFailed, reportedAt = 0 }: Pick<Transcript, 'isFailed' | 'reportedAt'>,
): SessionState {
  const rested = isFailed ? 'failed' : 'over'
  if (note === undefined) return rested
  const isResting = restWords.has(note.status)
  if (note.life === 'lives') {
    if (note.status === 'waiting') return 'waiting'
    return isResting ? (isFailed ? 'failed' : 'idle') : 'running'
  }
  // A session that was resumed and ended well may still have the note about a process that was killed earlier.
  const isDead = deadWords.has(note.status) && reportedAt <= (note.since ?? 0)
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
    .map(({ status }) => `its state ${quotedWord(status)} is not known`)

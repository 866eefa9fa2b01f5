/** The files of Claude Code: its transcripts in `projects`, and its notes about processes in `sessions`. Only read. */
import { join } from 'node:path'
import { namesIn } from '../../machine/files/durable.ts'
import { openOwnFile } from '../../machine/files/own.ts'
import { readFile } from '../../machine/files/read.ts'
import {
  type ClaudeFacts,
  type ClaudeProcess,
  claudeSessions,
  emptyTranscript,
  type KnownProcess,
  readClaudeProcess,
  type Transcript,
  type TranscriptFile,
  withLine,
} from './claude.ts'
import { type GrowingFile, growingFile, objectIn } from './growing.ts'
import { type FoundFile, treeLister } from './listing.ts'
import { isSameDomain, type Machine } from './machine.ts'
import type { Look, ToolReader } from './session.ts'

/** The bytes at the end of a transcript that are read. Each answer tells its own tokens, so all of them count. */
const tailBytes = 64 * 1024 * 1024
/** A longer line is read only if it tells tokens: pictures are in lines of many megabytes. */
const longLine = 128 * 1024
const usageMark = '"usage"'

/** Reads the sessions of Claude Code in this folder, usually `~/.claude`. */
export function claudeReader(folder: string, machine: Machine): ToolReader {
  const list = treeLister({
    root: join(folder, 'projects'),
    // DIR / ID / subagents / …
    enters: (parts) => parts.length < 3 || (parts[2] === 'subagents' && parts.length < 8),
    takes: (name) => name.endsWith('.jsonl'),
  })
  const readNotes = noteReader(join(folder, 'sessions'), machine)
  const read = new Map<string, ReadTranscript>()
  return (look) => {
    const notes = readNotes()
    const named = new Set(notes.processes.map(({ session }) => `${session}.jsonl`))
    const listing = list(look.now, (name) => named.has(name))
    if (listing.files.length === 0 && listing.closed === 0 && notes.processes.length === 0 && notes.faults.length === 0)
      return undefined
    const paths = new Set(listing.files.map(({ path }) => path))
    for (const path of read.keys()) if (!paths.has(path)) read.delete(path)
    let unreadable = 0
    for (const file of listing.files) {
      const known = read.get(file.path) ?? readTranscript(file.path, look.dayOf)
      read.set(file.path, known)
      if (known.file.isRead(file.stat) || look.budget.left <= 0) continue
      try {
        known.file.read(look.budget)
      } catch {
        unreadable++
      }
    }
    const facts: ClaudeFacts = {
      files: listing.files.flatMap((file) => fileOf(file, read.get(file.path), look) ?? []),
      processes: notes.processes,
      faults: [...notes.faults, ...count(unreadable, 'file'), ...count(listing.closed, 'folder')],
    }
    return claudeSessions(facts)
  }
}

const count = (number: number, what: string): string[] =>
  number === 0 ? [] : [`${number} ${what}${number === 1 ? '' : 's'} cannot be read`]

interface ReadTranscript {
  readonly file: GrowingFile
  readonly transcript: () => Transcript
}

function readTranscript(path: string, dayOf: Look['dayOf']): ReadTranscript {
  let transcript = emptyTranscript
  const file = growingFile(path, tailBytes, {
    reset: () => {
      transcript = emptyTranscript
    },
    take: (line) => {
      if (line.length === 0 || (line.length > longLine && !line.includes(usageMark))) return
      const value = objectIn(line)
      transcript = value
        ? withLine(transcript, value, dayOf)
        : { ...transcript, unknown: transcript.unknown ?? '"no JSON"' }
    },
  })
  return { file, transcript: () => transcript }
}

/** `DIR/ID.jsonl` belongs to a session, and `DIR/ID/subagents/…/agent-X.jsonl` to one that the session started. */
function fileOf({ parts, stat }: FoundFile, read: ReadTranscript | undefined, look: Look): TranscriptFile | undefined {
  if (read === undefined) return undefined
  const name = parts.at(-1) ?? ''
  const transcript = read.transcript()
  const isSubagent = name.startsWith('agent-')
  const session = isSubagent ? (transcript.session ?? parts[1]) : name.slice(0, -'.jsonl'.length)
  const { dayOf, now } = look
  return session === undefined
    ? undefined
    : {
        ...{ session, isSubagent, transcript },
        hasGaps: read.file.hasGaps || !read.file.isRead(stat),
        isNew: dayOf(stat.mtimeMs / 1000) === dayOf(now / 1000),
      }
}

interface Notes {
  readonly processes: readonly KnownProcess[]
  readonly faults: readonly string[]
}

/** A note has a few hundred bytes. */
const maxNoteBytes = 64 * 1024
const maxNotes = 500

/** Returns the function that reads the notes about processes. */
function noteReader(folder: string, machine: Machine): () => Notes {
  let known = new Map<string, ClaudeProcess>()
  return () => {
    let names: string[]
    try {
      names = namesIn(folder)
    } catch {
      return { processes: [], faults: ['its notes about processes cannot be read'] }
    }
    const notes = names
      .filter((name) => /^\d+\.json$/.test(name))
      .slice(0, maxNotes)
      // The tool may be writing the note at this moment. Then the one before counts.
      .flatMap((name) => [[name, noteIn(join(folder, name)) ?? known.get(name)] as const])
      .filter((one): one is [string, ClaudeProcess] => one[1] !== undefined)
    known = new Map(notes)
    // A note without the start of its process is of an old version.
    const whole = [...known.values()].filter(({ start }) => !machine.hasProc || start !== '')
    return { processes: whole.map((note) => ({ ...note, life: lifeOf(note, machine) })), faults: [] }
  }
}

function noteIn(file: string): ClaudeProcess | undefined {
  const read = readFile(file, maxNoteBytes, openOwnFile)
  const value = read.is === 'bytes' ? objectIn(read.bytes) : undefined
  return value && readClaudeProcess(value)
}

function lifeOf({ pid, start, domain }: ClaudeProcess, machine: Machine): KnownProcess['life'] {
  const isElsewhere = domain !== undefined && machine.domain !== undefined && !isSameDomain(domain, machine.domain)
  if (isElsewhere) return 'elsewhere'
  return machine.lives(pid, start) ? 'lives' : 'gone'
}

/**
 * The files of Claude Code: its transcripts in `projects`, and its notes about processes in `sessions`. svc only reads
 * them.
 */
import { join } from 'node:path'
import { fileNamesIn } from '../../machine/files/durable.ts'
import { openOwnFile } from '../../machine/files/own.ts'
import { readFile } from '../../machine/files/read.ts'
import {
  type ClaudeProcess,
  claudeSessions,
  type KnownProcess,
  readClaudeProcess,
  type TranscriptFile,
} from './claude.ts'
import { createTreeReader, type FoldedFile } from './folded.ts'
import { isSameDomain, type Machine } from './machine.ts'
import { type ToolReader, withUnknown } from './session.ts'
import { emptyTranscript, type Transcript, withTranscriptLine } from './transcript.ts'
import { objectIn, sessionIdIn } from './values.ts'

/** The bytes at the end of a transcript that are read at first: many, since each answer states only its own tokens. */
const tailBytes = 64 * 1024 * 1024

/** Reads the sessions of Claude Code in this folder, usually `~/.claude`. */
export function claudeReader(folder: string, machine: Machine): ToolReader {
  const readNotes = noteReader(join(folder, 'sessions'), machine)
  const read = createTreeReader<Transcript>(
    {
      root: join(folder, 'projects'),
      // DIR / ID / subagents / …
      enters: (parts) => parts.length < 3 || (parts[2] === 'subagents' && parts.length < 8),
      takes: (name) => name.endsWith('.jsonl'),
    },
    {
      ...{ empty: emptyTranscript, fold: withTranscriptLine, tail: tailBytes },
      odd: (before) => withUnknown(before, '"no JSON"'),
      needs: (line) => line.includes('"usage"'),
    },
  )
  return (look) => {
    const notes = readNotes()
    const named = new Set(notes.processes.map(({ session }) => `${session}.jsonl`))
    const { files, faults, remarks } = read(look, (name) => named.has(name))
    const all = [...notes.faults, ...faults]
    if (files.length === 0 && notes.processes.length === 0 && all.length === 0) return undefined
    return { ...claudeSessions({ files: files.flatMap(fileOf), processes: notes.processes, faults: all }), remarks }
  }
}

/** `DIR/ID.jsonl` is the transcript of a session, `DIR/ID/subagents/…/agent-X.jsonl` that of one of its subagents. */
function fileOf({ parts, result: transcript, hasGaps, isNew }: FoldedFile<Transcript>): TranscriptFile[] {
  const name = parts.at(-1) ?? ''
  const isSubagent = name.startsWith('agent-')
  const session = sessionIdIn(isSubagent ? (transcript.session ?? parts[1]) : name.slice(0, -'.jsonl'.length))
  return session === undefined ? [] : [{ session, isSubagent, transcript, hasGaps, isNew }]
}

interface Notes {
  readonly processes: readonly KnownProcess[]
  readonly faults: readonly string[]
}

/** The maximum size of a note that is read. Usually it has a few hundred bytes. */
const maxNoteBytes = 64 * 1024
const maxNotes = 500

/** Returns the function that reads the notes about processes. */
function noteReader(folder: string, machine: Machine): () => Notes {
  let known = new Map<string, ClaudeProcess>()
  return () => {
    let names: string[]
    try {
      names = fileNamesIn(folder)
    } catch {
      return { processes: [], faults: ['its notes about processes cannot be read'] }
    }
    const notes = names
      .filter((name) => /^\d+\.json$/.test(name))
      .slice(0, maxNotes)
      // A note that the tool is just writing cannot be read. The note from the last look is used once instead.
      .map((name) => ({ name, read: noteIn(join(folder, name)), before: known.get(name) }))
    known = new Map(notes.flatMap(({ name, read }) => (read ? [[name, read] as const] : [])))
    // Notes of old versions lack the start of the process. They are ignored, except where no start can be checked.
    const whole = notes
      .flatMap(({ read, before }) => read ?? before ?? [])
      .filter(({ start }) => !machine.hasProc || start !== '')
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

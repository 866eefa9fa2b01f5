/**
 * Processes the commands in an answer of the service, in the order of their arrival, and writes their outcomes into the
 * journal (3.2, D4).
 */
import { isDeepStrictEqual } from 'node:util'
import type { Manifest } from '@svc/blueprint'
import { isObject, type ReceivedCommand } from '@svc/protocol'
import { codeOf, messageOf } from '../../machine/base/errors.ts'
import type { Folder } from '../../machine/files/folder.ts'
import { withTurnOnFullDisk } from '../../machine/files/lock.ts'
import { explainedError, isDiskFault } from '../../machine/files/space.ts'
import { readPause } from '../../state/controls.ts'
import { settingsInForce } from '../../state/settings.ts'
import { applyCommand, type CommandOutcome } from './apply.ts'
import { decideCommand } from './decide.ts'
import {
  type CommandEntry,
  type CommandMemory,
  changeJournal,
  forgetOldEntries,
  knownJournal,
  newCommandMemory,
  readJournal,
  withEntry,
} from './journal.ts'

export interface HandledCommand extends CommandOutcome {
  readonly id: string
  readonly type: string
}

/** Describes a processed command in one line, for a log or a terminal. */
export const handledText = ({ type, ok, message }: HandledCommand): string =>
  `${type === '' ? 'a command without a type' : type} ${ok ? 'done' : 'refused'}: ${message}`

/**
 * Processes the commands of one answer, and never throws. A command that arrives again is not applied again, and one
 * that cannot be noted is refused. `now` is in Unix seconds; `memory` keeps the entries that cannot be stored.
 */
export function receiveCommands(
  folder: Folder,
  manifest: Manifest,
  commands: readonly ReceivedCommand[],
  now: number,
  memory: CommandMemory = newCommandMemory(),
): HandledCommand[] {
  if (commands.length === 0) return []
  const handled: HandledCommand[] = []
  const waiting = [...commands]
  try {
    withTurnOnFullDisk(folder, 'svc report', () => {
      settle(folder, manifest, memory, now)
      for (let next = waiting.shift(); next; next = waiting.shift())
        handled.push(...receiveOne(folder, manifest, next, { now, memory }))
    })
  } catch (error) {
    // The journal is damaged, or another process keeps the lock.
    handled.push(...refuseAll(waiting, nothingDone(folder, error), { now, memory }))
  }
  return handled
}

/** Refuses commands without the journal. Their entries stay in memory, from which their acks are sent. */
function refuseAll(
  commands: readonly ReceivedCommand[],
  outcome: CommandOutcome,
  { now, memory }: { readonly now: number; readonly memory: CommandMemory },
): HandledCommand[] {
  const known = new Set(memory.entries.map(({ id }) => id))
  const unknown = commands.filter(({ id }) => !known.has(id))
  const entries = unknown.map(({ id, type }) => answeredEntry({ id, type, received: now }, outcome, now))
  memory.entries = [...memory.entries, ...entries]
  return unknown.map(({ id, type }) => ({ id, type, ...outcome }))
}

function receiveOne(
  folder: Folder,
  manifest: Manifest,
  command: ReceivedCommand,
  { now, memory }: { readonly now: number; readonly memory: CommandMemory },
): HandledCommand[] {
  const { id, type, payload } = command
  const known = knownJournal(folder, memory).find((e) => e.id === id)
  if (known) {
    // The same ack is sent again. A log command has no ack, because its upload is the answer.
    if (known.type !== 'log') changeJournal(folder, memory, (journal) => withEntry(journal, { ...known, owed: true }))
    return []
  }
  const entry: CommandEntry = { id, type, payload, received: now }
  const { refused } = changeJournal(folder, memory, (journal) => forgetOldEntries([...journal, entry], now))
  const outcome = refused === undefined ? carryOut(folder, manifest, command, now) : nothingDone(folder, refused)
  if (!outcome) return []
  changeJournal(folder, memory, (journal) => withEntry(journal, answeredEntry(entry, outcome, now)))
  return [{ id, type, ...outcome }]
}

/**
 * Writes an outcome for interrupted commands: they were received, for example by a runtime that was killed, but no
 * outcome was written. They are not applied again.
 */
export function settleInterrupted(
  folder: Folder,
  manifest: Manifest,
  now: number,
  memory: CommandMemory = newCommandMemory(),
): void {
  if (memory.entries.length === 0 && !readJournal(folder).some(isInterrupted)) return
  withTurnOnFullDisk(folder, 'svc report', () => settle(folder, manifest, memory, now))
}

function settle(folder: Folder, manifest: Manifest, memory: CommandMemory, now: number): void {
  changeJournal(folder, memory, (journal) =>
    journal.some(isInterrupted)
      ? journal.map((entry) =>
          isInterrupted(entry) ? answeredEntry(entry, interruptedOutcome(folder, manifest, entry), now) : entry,
        )
      : journal,
  )
}

/**
 * True if the processing of a command was interrupted. A log command without an upload does not count as interrupted:
 * it changes nothing on this machine, so the runtime simply tries the upload again.
 */
const isInterrupted = (e: CommandEntry): boolean => e.answered === undefined && e.type !== 'log'

/**
 * Returns the outcome of an interrupted command (D4). The command counts as done if the agent is in the state that the
 * command asked for, and otherwise as not done.
 */
function interruptedOutcome(folder: Folder, manifest: Manifest, entry: CommandEntry): CommandOutcome {
  return holds(folder, manifest, entry)
    ? { ok: true, message: 'Done, but the reporter was interrupted before it could answer.' }
    : { ok: false, message: 'Interrupted before it was done.' }
}

function holds(folder: Folder, manifest: Manifest, { type, payload }: CommandEntry): boolean {
  if (type === 'pause') return readPause(folder) !== undefined
  if (type === 'resume') return readPause(folder) === undefined
  if (type !== 'set' || !isObject(payload)) return false
  const values = settingsInForce(folder, manifest)
  return Object.entries(payload).every(([key, value]) => isDeepStrictEqual(values[key], value))
}

/** Applies a command and returns its outcome; undefined for a log command, whose answer is the later upload. */
function carryOut(
  folder: Folder,
  manifest: Manifest,
  command: ReceivedCommand,
  now: number,
): CommandOutcome | undefined {
  const decision = decideCommand(command, { ...manifest, paused: readPause(folder) !== undefined })
  if (decision.do === 'log') return undefined
  try {
    return applyCommand(folder, manifest, decision, { by: 'service', at: now, command: command.id })
  } catch (error) {
    if (isDiskFault(error)) return nothingDone(folder, error)
    return { ok: false, message: `The machine could not do it (${codeOf(error) ?? 'unknown error'}).` }
  }
}

const nothingDone = ({ svc }: Folder, error: unknown): CommandOutcome => ({
  ok: false,
  message: `Nothing was done: ${messageOf(explainedError(error, svc))}`,
})

const answeredEntry = (
  { payload: _, ...entry }: CommandEntry,
  { ok, message }: CommandOutcome,
  now: number,
): CommandEntry => ({
  ...entry,
  answered: now,
  ok,
  message,
  owed: true,
})

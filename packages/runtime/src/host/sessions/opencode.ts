/** Sessions of opencode, from its conversations and its processes. Pure. */
import type { Conversation, OpencodeRow } from './conversation.ts'
import type { NamedProcess } from './machine.ts'
import {
  type FoundTool,
  groupBy,
  keptSeconds,
  newestVersion,
  rootFinder,
  type SessionState,
  type ToolSession,
  unknownLines,
} from './session.ts'
import { type Spent, sumOfSessions } from './spent.ts'
import { optionalProperty } from './values.ts'

/** A session with the facts from its messages. */
export interface OpencodeSession {
  readonly row: OpencodeRow
  readonly conversation: Conversation
  /** True if messages were passed over, or not read yet. */
  readonly hasGaps: boolean
  /** True if the session changed today. */
  readonly isNew: boolean
  /** The first role of a message that svc does not know; undefined if it knows all. */
  readonly unknown: string | undefined
  /** The folder with all links resolved; undefined if it is not on this machine, as for a session in a container. */
  readonly realFolder: string | undefined
}

interface OpencodeFacts {
  readonly sessions: readonly OpencodeSession[]
  /** The processes of opencode; undefined if this machine does not tell. */
  readonly processes: readonly NamedProcess[] | undefined
  readonly faults: readonly string[]
  readonly remarks: readonly string[]
  /** The present time in Unix seconds. */
  readonly now: number
}

export function opencodeSessions({ sessions, processes, faults, remarks, now }: OpencodeFacts): FoundTool {
  const rootOf = rootFinder(new Map(sessions.map(({ row }) => [row.id, row.parent])))
  const families = groupBy(sessions, ({ row }) => rootOf(row.id))
  const shown = [...families].flatMap(([id, family]) => {
    const main = family.find(({ row }) => row.id === id)
    const isShown = main?.conversation.turn !== undefined && main.row.changed > (now - keptSeconds) * 1000
    return isShown ? [{ main, family }] : []
  })
  const others = sessions
    .filter(({ conversation, isNew }) => isNew && conversation.turn === undefined)
    .map(({ unknown }) => optionalProperty('unknown', unknown))
  const owners = ownersOf(shown, processes ?? [])
  const stamps = sessions.map(({ row, conversation }) => ({
    ...optionalProperty('version', row.version),
    last: conversation.last ?? row.started,
  }))
  return {
    tool: 'opencode',
    version: newestVersion(stamps),
    sessions: shown.map((one) => sessionOf(one, lifeOf(one, owners, processes), now)),
    ...{ elsewhere: 0, remarks },
    faults: [...faults, ...unknownLines(others)],
  }
}

/** A session that a person began, and all sessions that it started. */
interface Family {
  readonly main: OpencodeSession
  readonly family: readonly OpencodeSession[]
}

const lastOf = ({ main, family }: Family): number =>
  Math.max(main.row.started, ...family.map(({ conversation }) => conversation.last ?? 0))

/** The tolerance in seconds for small corrections of the clock. */
const clockSeconds = 5
const isBefore = ({ started }: NamedProcess, at: number): boolean => started <= at + clockSeconds

/**
 * Finds the process of each session: it works in the folder of the session and began before its last activity. The
 * database does not name it. So if sessions compete, one in the middle of a turn gets the process, or else the one that
 * changed last.
 */
function ownersOf(all: readonly Family[], processes: readonly NamedProcess[]): ReadonlyMap<string, number> {
  const free = [...processes].filter((one) => !serves(one)).sort((a, b) => b.started - a.started)
  const owners = new Map<string, number>()
  const isOpen = ({ main }: Family) => turnOf(main).turn === 'runs'
  for (const one of [...all].sort((a, b) => Number(isOpen(b)) - Number(isOpen(a)) || lastOf(b) - lastOf(a))) {
    const at = free.findIndex((process) => process.folder === one.main.realFolder && isBefore(process, lastOf(one)))
    const [owner] = at < 0 ? [] : free.splice(at, 1)
    if (owner !== undefined) owners.set(one.main.row.id, owner.pid)
  }
  return owners
}

/** True for a process whose folder says nothing about its sessions, such as `opencode serve`. */
const serves = ({ args }: NamedProcess): boolean => args.slice(1, 3).some((word) => serverWords.has(word))
const serverWords: ReadonlySet<string> = new Set(['serve', 'web', 'acp', 'attach'])

/**
 * The process that has the session. `unknown` if this machine does not show it, so that only the activity of the
 * session counts.
 */
type Life = number | 'gone' | 'unknown'

function lifeOf(
  one: Family,
  owners: ReadonlyMap<string, number>,
  processes: readonly NamedProcess[] | undefined,
): Life {
  const { row, realFolder } = one.main
  const owner = owners.get(row.id)
  if (owner !== undefined) return owner
  const mayBeServed = processes?.some((process) => serves(process) && isBefore(process, lastOf(one)))
  // It is not known which processes serve a session of opencode 2.
  return processes === undefined || realFolder === undefined || mayBeServed || row.tables === 2 ? 'unknown' : 'gone'
}

function sessionOf(one: Family, life: Life, now: number): ToolSession {
  const { row, conversation } = one.main
  const [last, { turn, turned }] = [lastOf(one), turnOf(one.main)]
  const state = opencodeState(turn, last, life, now)
  const lives = life === 'unknown' ? state === 'running' || state === 'idle' : life !== 'gone'
  return {
    ...{ tool: 'opencode', id: row.id, state, last, lives, started: row.started, folder: row.folder },
    since: lives ? (turned ?? last) : last,
    ...(typeof life === 'number' && { pid: life }),
    ...{ model: conversation.model, steps: conversation.steps },
    spent: sumOfSessions(one.family.map(spentIn)),
  }
}

const spentIn = ({ conversation: { spent }, hasGaps }: OpencodeSession): Spent =>
  hasGaps ? { ...spent, hasGaps } : spent

/** The last turn. opencode 2 notes its end in the row of the session, and keeps that note during the next turn. */
function turnOf({ row, conversation }: OpencodeSession): Pick<Conversation, 'turn' | 'turned'> {
  const { turn, turned } = conversation
  const { rested, outcome } = row
  if (rested === undefined || turn === undefined || rested < (turned ?? 0)) return conversation
  return { turn: outcome === 'failed' ? 'failed' : 'ended', turned: rested }
}

/** If its process is not known, a session counts as alive for this time after its last activity. */
const quietSeconds = 120

/** Returns the state of a session. opencode does not record that a session waits for a person: it seems to run. */
export function opencodeState(turn: Conversation['turn'], last: number, life: Life, now: number): SessionState {
  const rested = turn === 'failed' ? 'failed' : 'over'
  const isQuiet = now - last >= quietSeconds
  if (life === 'gone') return turn === 'runs' ? 'died' : rested
  if (life === 'unknown' && isQuiet) return rested
  if (turn === 'runs' || (turn === 'between' && !isQuiet)) return 'running'
  return turn === 'failed' ? 'failed' : 'idle'
}

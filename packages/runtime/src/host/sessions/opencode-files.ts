/** The database of opencode, `opencode.db`, and its processes. svc only reads them. */
import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import {
  type Conversation,
  emptyConversation,
  isFinal,
  messageParts,
  type OpencodeRow,
  readOpencodeMessage,
  readOpencodeRow,
  withMessage,
} from './conversation.ts'
import {
  columnsOf,
  type DatabaseFile,
  databaseAt,
  databaseFault,
  hasSqlite,
  readDatabase,
  sqliteNode,
} from './database.ts'
import { maxLineBytes } from './growing.ts'
import type { Machine } from './machine.ts'
import { type OpencodeSession, opencodeSessions } from './opencode.ts'
import { type FoundTool, keptSeconds, type Look, quotedWord, type ToolReader } from './session.ts'

/** The maximum numbers of sessions that are read from a database. */
interface OpencodeLimits {
  /** The maximum number of sessions that changed lately. Those that changed last are read. */
  readonly sessions: number
  /** The maximum number of all sessions, with those that they started. Each costs memory for as long as it is known. */
  readonly rows: number
}
const usualLimits: OpencodeLimits = { sessions: 2000, rows: 6000 }

/** Reads the sessions of opencode in this folder, usually `~/.local/share/opencode`. */
export function opencodeReader(folder: string, machine: Machine, limits = usualLimits): ToolReader {
  const file = join(folder, 'opencode.db')
  const read = conversationReader(limits)
  let known: KnownSessions = { all: [], hasMore: false, hasMoreParts: false }
  let stamp: string | undefined
  const refresh = (look: Look, found: DatabaseFile): string[] => {
    if (!found.isOwn) return ['its database cannot be read']
    if (found.stamp === stamp && known.all.every(({ isWhole }) => isWhole)) return []
    try {
      known = readDatabase(file, (database) => read(database, look))
      stamp = found.stamp
      return []
    } catch (error) {
      stamp = undefined
      return [databaseFault(error)]
    }
  }
  return (look) => {
    const found = databaseAt(file)
    if (found === undefined) return undefined
    if (!hasSqlite()) return withoutSqlite
    const faults = refresh(look, found)
    const now = Math.floor(look.now / 1000)
    const { all, hasMore, hasMoreParts } = known
    const sessions = all.map((one) => sessionIn(one, look))
    return opencodeSessions({
      sessions: hasMoreParts ? sessions.map((one) => ({ ...one, hasGaps: true })) : sessions,
      processes: all.length === 0 ? [] : machine.processesNamed('opencode'),
      remarks: hasMore || hasMoreParts ? [limitsText(limits)] : [],
      ...{ faults, now },
    })
  }
}

const limitsText = ({ sessions, rows }: OpencodeLimits): string =>
  `only its newest ${sessions} sessions are read, and ${rows} with those that they started`

const withoutSqlite: FoundTool = {
  ...{ tool: 'opencode', sessions: [], elsewhere: 0, faults: [], isUnread: true },
  remarks: [`needs Node ${sqliteNode}`],
}

/** A session as far as its messages were read. */
interface KnownSession {
  readonly row: OpencodeRow
  readonly conversation: Conversation
  /** The conversation before `from`, the time from which the next look reads messages again. */
  readonly before: Conversation
  readonly from: number
  readonly isWhole: boolean
  readonly hasGaps: boolean
  readonly unknown: string | undefined
}

const sessionIn = (
  { row, conversation, isWhole, hasGaps, unknown }: KnownSession,
  { dayOf, now }: Look,
): OpencodeSession => ({
  ...{ row, conversation, unknown, hasGaps: hasGaps || !isWhole },
  isNew: dayOf(row.changed / 1000) === dayOf(now / 1000),
  realFolder: row.folder === undefined ? undefined : realOf(row.folder),
})

function realOf(folder: string): string | undefined {
  try {
    return realpathSync(folder)
  } catch {
    return undefined
  }
}

/** The sessions that were read. */
interface KnownSessions {
  /** The sessions that changed last come first. */
  readonly all: readonly KnownSession[]
  /** True if more sessions changed lately than are read. */
  readonly hasMore: boolean
  /** True if these sessions started more sessions than are read, so that the costs of all may be too low. */
  readonly hasMoreParts: boolean
}

/** Returns the function that reads what changed in the database since the last time. */
function conversationReader(limits: OpencodeLimits): (database: DatabaseSync, look: Look) => KnownSessions {
  let known = new Map<string, KnownSession>()
  return (database, look) => {
    const { rows, ...more } = rowsIn(database, look.now - keptSeconds * 1000, limits)
    const read = rows.map(({ row, tables }) => {
      const before = known.get(row.id)
      // The end of a turn changes a message, but not always the row of the session.
      const isOver = before?.conversation.turn === 'ended' || before?.conversation.turn === 'failed'
      if (before?.isWhole && before.row.changed === row.changed && isOver) return { ...before, row }
      return readMessages(database, tables, { ...(before ?? unreadConversation), row }, look)
    })
    known = new Map(read.map((one) => [one.row.id, one]))
    return { all: read, ...more }
  }
}

const unreadConversation = {
  conversation: emptyConversation,
  before: emptyConversation,
  from: 0,
  isWhole: false,
  hasGaps: false,
  unknown: undefined,
}

/** The tables of a version of opencode. */
interface Tables {
  readonly version: 1 | 2
  readonly sessions: string
  readonly messages: string
  /** The columns that only this version has. */
  readonly more: readonly string[]
  /** The path of the role in a message. */
  readonly role: string
}
const allTables: readonly Tables[] = [
  {
    ...{ version: 2, sessions: 'session_v2', messages: 'session_message', role: 'type' },
    more: ['time_idle', 'idle_outcome'],
  },
  { version: 1, sessions: 'session', messages: 'message', role: `data ->> '$.role'`, more: [] },
]

interface FoundRows extends Omit<KnownSessions, 'all'> {
  readonly rows: readonly { readonly row: OpencodeRow; readonly tables: Tables }[]
}

/**
 * The rows of the sessions that changed after `since`, and of all sessions that they started. The sessions that changed
 * last come first. A database may have the tables of both versions of opencode.
 */
function rowsIn(database: DatabaseSync, since: number, limits: OpencodeLimits): FoundRows {
  const found = allTables.map((tables) => ({ tables, columns: columnsOf(database, tables.sessions) }))
  const present = found.filter(({ columns }) => columns.size > 0)
  // A new database has no tables at all, which is no fault.
  if (present.length === 0 && database.prepare('select 1 from sqlite_schema limit 1').get())
    throw new Error('no such table: session')
  const each = new Map<string, FoundRows['rows'][number]>()
  let [left, hasMore, hasMoreParts] = [limits.rows, false, false]
  for (const { tables, columns } of present) {
    const ids = idsIn(database, tables, since, { ...limits, rows: left })
    hasMore ||= ids.hasMore
    hasMoreParts ||= ids.hasMoreParts
    left -= ids.all.length
    const more = tables.more.filter((name) => columns.has(name)).map((name) => `, ${name}`)
    const times = ['time_created', 'time_updated'].map((name) => `cast(${name} as real) ${name}`).join(', ')
    const rowOf = database.prepare(
      `select id, parent_id, directory, version, ${times}${more.join('')} from ${tables.sessions} where id = ?`,
    )
    for (const id of ids.all) {
      const value = rowOf.get(id)
      const row = value && readOpencodeRow(value, tables.version)
      if (row && !each.has(row.id)) each.set(row.id, { row, tables })
    }
  }
  return { rows: [...each.values()].sort((a, b) => b.row.changed - a.row.changed), hasMore, hasMoreParts }
}

/**
 * The ids of the sessions that changed after `since`, and then the ids of the sessions that they started. The limit of
 * rows cuts off the end of this list.
 */
function idsIn(database: DatabaseSync, { sessions }: Tables, since: number, limits: OpencodeLimits) {
  const found = database
    .prepare(
      `with recursive
         recent as (select id from ${sessions} where time_updated > ? order by time_updated desc
           limit ${limits.sessions}),
         found(id) as (select id from recent
           union select ${sessions}.id from ${sessions}, found where parent_id = found.id limit ${limits.rows + 1})
       select id from found`,
    )
    .all(since)
    .map(({ id }) => id as SQLInputValue)
  const next = `select 1 from ${sessions} where time_updated > ? limit 1 offset ${limits.sessions}`
  return {
    all: found.slice(0, limits.rows),
    hasMore: database.prepare(next).get(since) !== undefined,
    hasMoreParts: found.length > limits.rows,
  }
}

const isReadable = `octet_length(data) <= ${maxLineBytes} and json_valid(data)`
const parts = messageParts.map((path) => `'${path}'`).join(', ')

/** Reads the messages that are new, or may have changed, as far as the budget allows. */
function readMessages(
  database: DatabaseSync,
  { messages, role }: Tables,
  known: KnownSession,
  { budget, dayOf }: Look,
): KnownSession {
  if (budget.left <= 0) return { ...known, isWhole: false }
  const rows = database
    .prepare(
      `select cast(time_created as real) time_created, cast(time_updated as real) time_updated,
         octet_length(data) bytes, case when ${isReadable} then ${role} end role,
         case when ${isReadable} then json_extract(data, ${parts}) end parts
       from ${messages} where session_id = ? and time_created >= ? order by time_created, id`,
    )
    .iterate(known.row.id, known.from)
  let { before: conversation, hasGaps, unknown } = known
  let settled = { before: conversation, from: known.from }
  let moment = settled
  let isWhole = true
  let isSettled = true
  for (const row of rows) {
    const at = Number(row.time_created)
    // The next look reads all messages with the time `from` again, so `before` must count none of them.
    if (at > moment.from) moment = { before: conversation, from: at }
    if (isSettled) settled = moment
    if (budget.left <= 0) {
      isWhole = false
      // The next look begins here, although earlier messages may still change. Otherwise no look would get further.
      if (!isSettled && moment !== settled) [settled, hasGaps] = [moment, true]
      break
    }
    const message = readOpencodeMessage(row)
    if (message === undefined) unknown ??= quotedWord(row.role)
    else {
      conversation = withMessage(conversation, message, known.row, dayOf)
      // Once an answer has ended, an earlier one that a kill left unfinished never changes again.
      isSettled = isFinal(message) && (isSettled || message.role === 'assistant')
    }
    if (row.parts === null) hasGaps = true
    else budget.left -= Number(row.bytes)
  }
  return { row: known.row, conversation, ...settled, isWhole, hasGaps, unknown }
}

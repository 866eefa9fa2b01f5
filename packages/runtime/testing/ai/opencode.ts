/** A home folder with a database as opencode writes it, in the tables of version 1 or 2, or as it was recorded. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'

/** Opens a database to write. `node:sqlite` is loaded only here, since older versions of Node do not have it. */
function openWritable(file: string): DatabaseSync {
  const { DatabaseSync: Database } = process.getBuiltinModule('node:sqlite')
  return new Database(file, { enableForeignKeyConstraints: false })
}

type Row = Readonly<Record<string, string | number | null>>

const tables = {
  1: [
    `create table session (id text primary key, project_id text, parent_id text, slug text, directory text, title text,
       version text, summary_diffs text, cost real, tokens_output integer, model text, time_created integer,
       time_updated integer)`,
    'create table message (id text primary key, session_id text, time_created integer, time_updated integer, data text)',
  ],
  2: [
    `create table session_v2 (id text primary key, project_id text, parent_id text, slug text, directory text,
       title text, version text, cost real, tokens_output integer, permission text, model text, time_created integer,
       time_updated integer, time_idle integer, idle_outcome text)`,
    `create table session_message (id text primary key, session_id text, type text, seq integer, time_created integer,
       time_updated integer, data text)`,
  ],
} as const

export interface OpencodeHome {
  readonly root: string
  /** The folder in which its sessions work. */
  readonly work: string
  readonly folder: string
  readonly file: string
  /** Opens the database to write, as opencode does. */
  open(): DatabaseSync
  /** Writes a session, or changes it. Times are in Unix milliseconds. */
  session(name: string, more?: Row): void
  /** Writes a message of a session, or changes it. */
  message(name: string, session: string, data: object, at?: number): void
  /** Starts a process with the name of opencode. */
  start(args?: readonly string[], cwd?: string): ChildProcess
  /** Closes the connection that writes. */
  close(): void
  remove(): void
}

export const opencodeId = (name: string): string => `ses_${Buffer.from(name).toString('hex').padStart(20, '0')}`

export function opencodeHome(
  version: 1 | 2 = 1,
  root = realpathSync(mkdtempSync(join(tmpdir(), 'svc-opencode-'))),
): OpencodeHome {
  const [folder, work] = [join(root, '.local/share/opencode'), join(root, 'folder-mark/harbour')]
  for (const path of [folder, work]) mkdirSync(path, { recursive: true })
  symlinkSync('/bin/sleep', join(root, 'opencode'))
  const file = join(folder, 'opencode.db')
  const children: ChildProcess[] = []
  const open = () => openWritable(file)
  const database = open()
  let isOpen = true
  const close = () => {
    if (isOpen) database.close()
    isOpen = false
  }
  database.exec('pragma journal_mode = wal; pragma synchronous = off')
  for (const sql of tables[version]) database.exec(sql)
  const [sessions, messages] = version === 1 ? ['session', 'message'] : ['session_v2', 'session_message']
  return {
    ...{ root, work, folder, file, open },
    session(name, more = {}) {
      const now = Date.now()
      const usual = { directory: work, title: 'title-mark', slug: 'title-mark', version: `${version}.18.33` }
      const row = { id: opencodeId(name), ...usual, time_created: now - 60_000, time_updated: now, ...more }
      write(database, sessions, row)
    },
    message(name, session, data, at = Date.now()) {
      const { role, ...rest } = data as { readonly role?: string }
      const row = { id: `msg_${name}`, session_id: opencodeId(session), time_created: at, time_updated: at }
      const own = version === 1 ? { data: JSON.stringify(data) } : { type: role ?? '', data: JSON.stringify(rest) }
      write(database, messages, { ...row, ...own })
    },
    start(args = ['1000'], cwd = work) {
      const child = spawn(join(root, 'opencode'), args, { cwd, stdio: 'ignore' })
      children.push(child)
      return child
    },
    close,
    remove() {
      close()
      for (const child of children) child.kill('SIGKILL')
      rmSync(root, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

function write(database: DatabaseSync, table: string, row: Row): void {
  const names = Object.keys(row)
  const values = names.map(() => '?').join(', ')
  database
    .prepare(`insert or replace into ${table} (${names.join(', ')}) values (${values})`)
    .run(...Object.values(row))
}

/** The lines of a recorded database: a table, or a row of one. */
export const recordedRows = (version: string): string[] =>
  readFileSync(join(import.meta.dirname, 'recorded', `opencode-${version}`, 'rows.jsonl'), 'utf8')
    .trim()
    .split('\n')

/** Makes a database from recorded lines. A line that was damaged so that it is no row is left out. */
export function recordedDatabase(file: string, lines: readonly string[]): void {
  const database = openWritable(file)
  database.exec('pragma synchronous = off; begin')
  for (const line of lines)
    try {
      const { sql, table = '', row = {} } = JSON.parse(line) as { sql?: string; table?: string; row?: Row }
      if (sql === undefined) write(database, table, row)
      else database.exec(sql)
    } catch {
      // a damaged line is left out
    }
  database.exec('commit')
  database.close()
}

export const personAsks = { role: 'user', summary: { title: 'title-mark', diffs: [] }, text: 'prompt-mark' }
/** An answer of a model, with the fields of both versions of opencode. */
export const modelAnswers = (more: object = {}): object => ({
  ...{ role: 'assistant', modelID: 'claude-m', model: { id: 'claude-m', providerID: 'x' }, cost: 0.5 },
  tokens: { input: 1200, output: 30, reasoning: 4, cache: { read: 800, write: 100 } },
  time: { completed: Date.now() },
  ...{ finish: 'stop', content: [{ type: 'text', text: 'answer-mark' }], ...more },
})

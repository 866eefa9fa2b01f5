/** Tests the sessions of opencode with databases that SQLite really made, and with processes that really live. */
import { once } from 'node:events'
import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { beforeEach, describe, expect, test } from 'vitest'
import { afterThisTest } from '../../../../../testing/cleaning.ts'
import { byLevel } from '../../../../../testing/level.ts'
import {
  modelAnswers,
  type OpencodeHome,
  opencodeHome,
  opencodeId,
  personAsks,
  recordedDatabase,
  recordedRows,
} from '../../../testing/ai/opencode.ts'
import { damageLine, reportOf } from '../../../testing/ai/report.ts'
import { privateMarks } from '../../../testing/private.ts'
import { randomOf, seed } from '../../../testing/random.ts'
import { hasSqlite, sqliteNamesIn } from './database.ts'
import { type Budget, newBudget } from './growing.ts'
import { thisMachine } from './machine.ts'
import { opencodeReader } from './opencode-files.ts'
import type { FoundTool, SessionState } from './session.ts'
import { costOf, tokensOf } from './spent.ts'

if (!hasSqlite()) process.stderr.write('NOT TESTED: sessions of opencode, since this Node has no part for SQLite\n')

const homeOf = (version: 1 | 2 = 1): OpencodeHome => {
  const home = opencodeHome(version)
  afterThisTest(() => home.remove())
  return home
}
let home: OpencodeHome
beforeEach(() => {
  if (hasSqlite()) home = homeOf()
})

const dayOf = (at: number): number => Math.floor(at / 86_400)
const reader = ({ folder } = home) => {
  const read = opencodeReader(folder, thisMachine())
  return (now = Date.now(), budget = newBudget()): FoundTool | undefined => read({ now, budget, dayOf })
}
const stateOf = (name: string, found = reader()()): SessionState | undefined =>
  found?.sessions.find(({ id }) => id === opencodeId(name))?.state
const outputOf = (found: FoundTool | undefined): number[] =>
  found?.sessions.map(({ spent }) => tokensOf(spent.all).output) ?? []
const ended = async (child: ReturnType<OpencodeHome['start']>): Promise<void> => {
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
}
const working = { time: {}, finish: undefined, tokens: undefined, cost: 0 }
const aborted = { error: { name: 'MessageAbortedError', data: { message: 'secret-mark' } } }
const failed = { error: { name: 'APIError', data: { message: 'secret-mark' } } }

describe.runIf(hasSqlite())('opencode', () => {
  test.each<[string, object[], SessionState, SessionState]>([
    ['whose model works', [personAsks, modelAnswers(working)], 'running', 'died'],
    ['whose model has not begun', [personAsks], 'running', 'over'],
    ['whose model used a tool last', [personAsks, modelAnswers({ finish: 'tool-calls' })], 'running', 'over'],
    ['whose turn has ended', [personAsks, modelAnswers()], 'idle', 'over'],
    ['whose turn the person ended', [personAsks, modelAnswers(aborted)], 'idle', 'over'],
    ['whose last word is an error', [personAsks, modelAnswers(failed)], 'failed', 'failed'],
  ])('a session %s, and once its process is killed', async (_what, messages, alive, dead) => {
    const child = home.start()
    home.session('s')
    for (const [at, data] of messages.entries()) home.message(`m${at}`, 's', data)
    expect(stateOf('s')).toBe(alive)
    await ended(child)
    expect(stateOf('s')).toBe(dead)
  })

  test('a process that works in another folder, or began after the last sign of the session, is not its process', () => {
    home.session('s')
    home.message('a', 's', modelAnswers(working))
    home.start(['1000'], home.root)
    expect(stateOf('s')).toBe('died')
    home.session('old', { time_created: Date.now() - 7_200_000 })
    home.message('b', 'old', modelAnswers({ time: { completed: Date.now() - 3_600_000 } }), Date.now() - 3_600_000)
    home.start()
    expect(stateOf('old')).toBe('over')
  })

  test('what is added is counted at the next look, and no message twice', () => {
    const look = reader()
    home.session('s')
    const [first, second] = [Date.now() - 30_000, Date.now() - 20_000]
    home.message('a', 's', modelAnswers(), first)
    expect(outputOf(look())).toEqual([34])
    home.message('b', 's', modelAnswers(working), second)
    home.session('s', { time_updated: Date.now() + 1 })
    expect(outputOf(look())).toEqual([34])
    home.message('b', 's', modelAnswers(), second)
    expect(outputOf(look())).toEqual([68])
    home.message('c', 's', modelAnswers(), second)
    home.session('s', { time_updated: Date.now() + 2 })
    expect(outputOf(look())).toEqual([102])
  })

  test('a session counts what those used that it started, and their cost; a cost of 0 is unknown', () => {
    home.session('s')
    home.session('child', { parent_id: opencodeId('s') })
    home.session('grandchild', { parent_id: opencodeId('child') })
    for (const name of ['s', 'child', 'grandchild']) home.message(name, name, modelAnswers())
    home.message('free', 's', modelAnswers({ cost: 0, modelID: 'local-m' }), Date.now() - 10_000)
    const [one, ...others] = reader()()?.sessions ?? []
    expect(others).toEqual([])
    expect(tokensOf(one?.spent.all ?? {})).toEqual({ input: 5200, cached: 3200, output: 136 })
    expect(one?.spent.reported).toMatchObject({ usd: 1.5, models: { 'claude-m': 1.5 } })
    expect(one?.spent.today.reported).toBe(1.5)
    expect(Object.keys(one?.spent.reported?.tokens ?? {})).toEqual(['claude-m'])
  })

  test('messages that a session copied when it was forked are not counted again', () => {
    home.session('fork', { time_created: Date.now() - 60_000 })
    home.message('old', 'fork', modelAnswers(), Date.now() - 3_600_000)
    home.message('new', 'fork', modelAnswers(), Date.now() - 30_000)
    expect(outputOf(reader()())).toEqual([34])
  })

  test('a large history is read over several looks', () => {
    const look = reader()
    for (const name of ['a', 'b', 'c']) {
      home.session(name)
      for (let at = 0; at < 4; at++)
        home.message(`${name}${at}`, name, modelAnswers({ more: 'x'.repeat(1000) }), Date.now() - 30_000 + at)
    }
    const all = 12 * 34
    const sumNow = () => outputOf(look(Date.now(), { left: 1500 })).reduce((sum, output) => sum + output, 0)
    const sums = [sumNow()]
    while ((sums.at(-1) ?? 0) < all && sums.length < 20) sums.push(sumNow())
    expect(sums).toEqual([...sums].sort((a, b) => a - b))
    expect(sums.at(-1)).toBe(all)
    expect(sums.length).toBeGreaterThan(3)
    expect(look()?.sessions.map(({ spent }) => spent.hasGaps)).toEqual([undefined, undefined, undefined])
  })

  test('the cost of a session that was read in part is the least that it costs', () => {
    const look = reader()
    home.session('s')
    for (let at = 0; at < 4; at++) home.message(`m${at}`, 's', modelAnswers(), Date.now() - 30_000 + at)
    const costNow = (budget?: Budget) => look(Date.now(), budget)?.sessions.map(({ spent }) => costOf(spent, {}))
    expect(costNow({ left: 1 })).toEqual([{ reported: 0.5, isMinimum: true }])
    expect(costNow()).toEqual([{ reported: 2, isMinimum: false }])
  })

  /** Messages of a killed run, which never end. In the second row they are more than a look may read. */
  test.each<[string, object[], number, boolean | undefined]>([
    ['an answer that never ends', [modelAnswers(working)], 6 * 34, undefined],
    ['answers that never end', [1, 2, 3].map(() => modelAnswers({ ...working, more: 'x'.repeat(900) })), 6 * 34, true],
    ['a question without an answer', [personAsks], 6 * 34, undefined],
  ])('%s does not keep svc from what comes after it', (_what, first, all, hasGaps) => {
    const look = reader()
    home.session('s')
    const answers = Array.from({ length: 6 }, () => modelAnswers({ more: 'x'.repeat(1000) }))
    for (const [at, data] of [...first, ...answers].entries())
      home.message(`m${at}`, 's', data, Date.now() - 30_000 + at)
    const left: number[] = []
    const lookOnce = () => {
      const budget = { left: 1500 }
      const found = look(Date.now(), budget)
      left.push(1500 - budget.left)
      return found
    }
    let found = lookOnce()
    while (outputOf(found)[0] !== all && left.length < 20) found = lookOnce()
    expect(outputOf(found)).toEqual([all])
    expect(found?.sessions[0]?.spent.hasGaps).toBe(hasGaps)
    lookOnce()
    expect(left.at(-1), 'bytes that a look reads of what is known').toBe(0)
  })

  test('a session that nothing touched for seven days is not read', () => {
    home.session('s', { time_updated: Date.now() - 8 * 86_400_000 })
    home.message('a', 's', modelAnswers())
    expect(reader()()?.sessions).toEqual([])
  })

  test('what a session started counts for it, however old it is, and however many others are newer', () => {
    const old = Date.now() - 8 * 86_400_000
    const times = { time_created: old - 1000, time_updated: old }
    home.session('s', { time_created: old - 2000 })
    home.session('child', { ...times, parent_id: opencodeId('s') })
    home.session('grandchild', { ...times, parent_id: opencodeId('child') })
    home.session('later', { time_updated: Date.now() - 7_200_000, parent_id: opencodeId('s') })
    home.session('other', { ...times, parent_id: opencodeId('gone') })
    for (const name of ['s', 'child', 'grandchild', 'later', 'other']) home.message(name, name, modelAnswers(), old)
    home.message('later-too', 'later', modelAnswers())
    for (let at = 0; at < 2000; at++) home.session(`n${at}`, { time_updated: Date.now() - 3_600_000 })
    const look = reader()
    expect(outputOf(look())).toEqual([4 * 34])
    expect(outputOf(look(Date.now() + 8 * 86_400_000))).toEqual([])
  })

  test('of more sessions than svc reads, the newest are read with what they started, and this is said', () => {
    const limits = { sessions: 3, rows: 5 }
    const read = opencodeReader(home.folder, thisMachine(), limits)
    const look = () => read({ now: Date.now(), budget: newBudget(), dayOf })
    const now = Date.now()
    const add = (name: string, age: number, parent?: string) => {
      home.session(name, { time_updated: now - age * 1000, ...(parent && { parent_id: opencodeId(parent) }) })
      home.message(name, name, modelAnswers())
    }
    const shown = () => [look()?.remarks, look()?.sessions.map(({ id }) => id), outputOf(look())]
    for (const [age, name] of ['a', 'b', 'c'].entries()) add(name, age + 1)
    const newest = ['a', 'b', 'c'].map(opencodeId)
    expect(shown()).toEqual([[], newest, [34, 34, 34]])
    add('d', 60)
    const remarks = ['only its newest 3 sessions are read, and 5 with those that they started']
    expect(shown(), 'one is too old').toEqual([remarks, newest, [34, 34, 34]])
    expect(look()?.sessions.map(({ spent }) => spent.hasGaps)).toEqual([undefined, undefined, undefined])
    add('child', 80, 'a')
    add('other', 90, 'a')
    expect(shown(), 'as many as are read').toEqual([remarks, newest, [3 * 34, 34, 34]])
    expect(look()?.sessions.map(({ spent }) => spent.hasGaps)).toEqual([undefined, undefined, undefined])
    add('grandchild', 100, 'child')
    expect(shown(), 'one that they started is too many').toEqual([remarks, newest, [3 * 34, 34, 34]])
    expect(look()?.sessions.map(({ spent }) => costOf(spent, {}).isMinimum)).toEqual([true, true, true])
  })

  test('there is nothing to say without a database', () => {
    rmSync(home.folder, { recursive: true })
    expect(reader()()).toBeUndefined()
  })

  /** The reader of a copy that nobody has open, and the files of its folder. */
  const copied = (copy: (database: ReturnType<OpencodeHome['open']>, to: OpencodeHome) => void) => {
    home.session('s')
    home.message('a', 's', modelAnswers())
    const to = homeOf()
    rmSync(to.folder, { recursive: true })
    mkdirSync(to.folder)
    const database = home.open()
    copy(database, to)
    database.close()
    return { look: reader(to), files: () => readdirSync(to.folder).sort() }
  }

  test('no file is made beside a database that nobody has open, if Node knows URLs, and none stays open', () => {
    const { look, files } = copied((database, to) => {
      database.exec(`vacuum into '${to.file}'`)
      const copy = to.open()
      copy.exec('pragma journal_mode = wal')
      copy.close()
    })
    const own = sqliteNamesIn(process.versions.node) === 'paths' ? ['opencode.db-shm', 'opencode.db-wal'] : []
    expect(outputOf(look())).toEqual([34])
    expect(files()).toEqual(['opencode.db', ...own])
    const open = readdirSync('/proc/self/fd').filter((fd) => existsSync(`/proc/self/fd/${fd}`))
    look()
    expect(readdirSync('/proc/self/fd').filter((fd) => existsSync(`/proc/self/fd/${fd}`))).toEqual(open)
  })

  test('a copy with the log of SQLite is read with what is only in the log, and SQLite makes the other file', () => {
    const { look, files } = copied((_database, to) => {
      for (const ending of ['', '-wal']) copyFileSync(`${home.file}${ending}`, `${to.file}${ending}`)
    })
    expect(files()).toEqual(['opencode.db', 'opencode.db-wal'])
    expect(outputOf(look())).toEqual([34])
    expect(files()).toEqual(['opencode.db', 'opencode.db-shm', 'opencode.db-wal'])
  })

  /** A change of the database, and the fault in the item of the tool. */
  test.each<[string, () => void, string[], number]>([
    [
      'no database at all',
      () => writeFileSync(home.file, 'no database '.repeat(100)),
      ['its database cannot be read'],
      0,
    ],
    ['an empty file', () => writeFileSync(home.file, ''), [], 0],
    ['a folder in its place', () => mkdirSync(home.file), ['its database cannot be read'], 0],
    ['a link in its place', () => symlinkSync('/etc/passwd', home.file), ['its database cannot be read'], 0],
    ['other tables', () => changed('create table other (id text)'), ['its database has no session'], 0],
    ['a table without a column', () => changed('create table session (id text)'), ['its database has no parent_id'], 0],
    [
      'no table of messages',
      () => {
        changed('create table session (id, parent_id, directory, version, time_created, time_updated)')
        changed(`insert into session values ('${opencodeId('s')}', null, '/', '3', 1, ${Date.now()})`)
      },
      ['its database has no message'],
      0,
    ],
  ])('%s costs at most the item of the tool', (_what, change, faults, sessions) => {
    home.session('s')
    home.message('a', 's', modelAnswers())
    const changing = homeOf()
    rmSync(changing.folder, { recursive: true })
    mkdirSync(changing.folder)
    const look = reader(changing)
    home = changing
    change()
    const found = look()
    expect([found?.faults, found?.sessions.length]).toEqual([faults, sessions])
  })

  function changed(sql: string): void {
    const database = home.open()
    database.exec(sql)
    database.close()
  }

  test('a database that is locked costs two seconds and a fault, and its sessions stay', () => {
    home.session('s')
    home.message('a', 's', modelAnswers())
    const look = reader()
    expect(look()?.sessions).toHaveLength(1)
    const database = home.open()
    // SQLite refuses an exclusive lock while other connections are open.
    home.close()
    database.exec('pragma locking_mode = exclusive; begin exclusive')
    database.prepare('update session set title = ?').run('x')
    const begun = performance.now()
    const found = look()
    expect([found?.faults, found?.sessions.length]).toEqual([['its database is locked'], 1])
    const took = performance.now() - begun
    expect([took > 1800, took < 4000], `${took} ms`).toEqual([true, true])
    database.exec('commit')
    database.close()
    expect(look()?.faults).toEqual([])
  })

  test('messages that are not understood cost nothing, unless a session of today has no others', () => {
    home.session('good')
    home.message('a', 'good', modelAnswers())
    for (const [name, data] of [
      ['b', { role: 'poet' }],
      ['c', { role: 7 }],
      ['d', { ...modelAnswers(), tokens: 'many', cost: 'much', modelID: 'answer-mark text' }],
    ] as const)
      home.message(name, 'good', data)
    const database = home.open()
    database.prepare('update message set data = ? where id = ?').run('{"role":"assis', 'msg_c')
    expect(reader()()).toMatchObject({ faults: [], sessions: [{ spent: { hasGaps: true } }] })
    expect(outputOf(reader()())).toEqual([34])
    home.session('newer')
    home.message('e', 'newer', { role: 'poet' })
    expect(reader()()?.faults).toEqual(['lines of the type "poet" are not understood'])
    database.close()
  })

  test.each(['1.15.13', '1.18.33'])('the recorded runs of %s are what they were', (version) => {
    const { found } = recorded(version)
    expect(found?.sessions.map(({ state }) => state).sort()).toEqual(['died', 'failed', 'over'])
    expect([found?.version, found?.faults]).toEqual([version, []])
    const good = found?.sessions.find(({ state }) => state === 'over')
    expect([good?.folder, good?.steps]).toEqual([expect.stringContaining('/folder-mark/harbour'), 1])
    expect(tokensOf(good?.spent.all ?? {})).toEqual({ input: 2400, cached: 1600, output: 68 })
    expect(good?.spent.reported?.usd).toBeCloseTo(0.0029)
  })

  test.each(['1.15.13', '1.18.33'])(
    `damaged rows of %s never throw, and tell no text, with the seed ${seed}`,
    (version) => {
      const random = randomOf(seed)
      for (let round = 0; round < byLevel(5, 30, 300); round++) {
        const { report } = recorded(version, (line) => damagedRow(line, random))
        for (const mark of privateMarks) expect(report).not.toContain(mark)
      }
    },
  )

  /** The sessions of a recorded database and the report of them, a minute after its last row. */
  function recorded(
    version: string,
    change = (line: string) => line,
  ): { found: FoundTool | undefined; report: string } {
    const place = homeOf()
    rmSync(place.folder, { recursive: true })
    mkdirSync(place.folder)
    const lines = recordedRows(version).map((line) => line.replaceAll('/srv/folder-mark/harbour', place.work))
    recordedDatabase(place.file, lines.map(change))
    const times = lines.flatMap((line) => [...line.matchAll(/"time_updated":(\d+)/g)].map(([, time]) => Number(time)))
    const found = reader(place)(Math.max(...times) + 60_000)
    return { found, report: found === undefined ? '' : reportOf(found) }
  }
})

/** Damages a row, and the text of a message in it. */
function damagedRow(line: string, random: () => number): string {
  const { row, ...rest } = JSON.parse(line) as { readonly row?: { readonly data?: string } }
  if (row === undefined) return line
  const data = row.data === undefined ? {} : { data: damageLine(row.data, random) }
  return damageLine(JSON.stringify({ ...rest, row: { ...row, ...data } }), random)
}

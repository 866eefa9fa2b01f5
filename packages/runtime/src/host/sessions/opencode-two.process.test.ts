/**
 * Tests the sessions of opencode 2 with databases that SQLite really made, in the tables that public descriptions name.
 * opencode 2 itself was not tried.
 */
import { describe, expect, test } from 'vitest'
import { afterThisTest } from '../../../../../testing/cleaning.ts'
import { byLevel } from '../../../../../testing/level.ts'
import { modelAnswers, type OpencodeHome, opencodeHome, opencodeId, personAsks } from '../../../testing/ai/opencode.ts'
import { damageLine, reportOf } from '../../../testing/ai/report.ts'
import { markIn } from '../../../testing/private.ts'
import { randomOf, seed } from '../../../testing/random.ts'
import { hasSqlite } from './database.ts'
import { newBudget } from './growing.ts'
import { thisMachine } from './machine.ts'
import { opencodeReader } from './opencode-files.ts'
import type { FoundTool } from './session.ts'
import { tokensOf } from './spent.ts'

if (!hasSqlite()) process.stderr.write('NOT TESTED: sessions of opencode 2, since this Node has no part for SQLite\n')

const homeOf = (version: 1 | 2 = 2): OpencodeHome => {
  const home = opencodeHome(version)
  afterThisTest(() => home.remove())
  return home
}
const look = ({ folder }: OpencodeHome): FoundTool | undefined =>
  opencodeReader(
    folder,
    thisMachine(),
  )({ now: Date.now(), budget: newBudget(), dayOf: (at) => Math.floor(at / 86_400) })

const rested = (outcome: string) => ({ time_idle: Date.now() + 1000, idle_outcome: outcome })

describe.runIf(hasSqlite())('opencode 2', () => {
  test.each<[string, Parameters<OpencodeHome['session']>[1], object[], string]>([
    ['that works', {}, [personAsks, modelAnswers({ time: {}, finish: undefined })], 'running'],
    ['whose turn succeeded', rested('succeeded'), [personAsks, modelAnswers()], 'idle'],
    ['whose turn the person ended', rested('interrupted'), [personAsks, modelAnswers({ time: {} })], 'idle'],
    ['whose turn failed', rested('failed'), [personAsks, modelAnswers({ time: {} })], 'failed'],
    ['of a version that does not note the end', {}, [personAsks, modelAnswers()], 'idle'],
  ])('a session %s', (_what, row, messages, state) => {
    const home = homeOf()
    home.session('s', row)
    for (const [at, data] of messages.entries()) home.message(`m${at}`, 's', data)
    home.message('note', 's', { role: 'agent-switched', agent: 'build' })
    expect(look(home)).toMatchObject({ version: '2.18.33', faults: [], sessions: [{ state, model: 'claude-m' }] })
  })

  test('tokens and costs are those of its messages, with those of the sessions that it started', () => {
    const home = homeOf()
    home.session('s', rested('succeeded'))
    home.session('child', { parent_id: opencodeId('s') })
    for (const name of ['s', 'child']) home.message(name, name, modelAnswers())
    const [one, ...others] = look(home)?.sessions ?? []
    expect([others, tokensOf(one?.spent.all ?? {}), one?.spent.reported?.usd]).toEqual([
      [],
      { input: 2600, cached: 1600, output: 68 },
      1,
    ])
  })

  test('in a database with the tables of both versions, a session that both have is one', () => {
    const home = homeOf()
    home.session('new', rested('succeeded'))
    home.message('a', 'new', modelAnswers())
    const old = homeOf(1)
    for (const name of ['new', 'old']) {
      old.session(name)
      old.message(name, name, modelAnswers())
    }
    old.close()
    const database = home.open()
    database.exec(`attach '${old.file}' as old; create table session as select * from old.session;
      create table message as select * from old.message`)
    database.close()
    const sessions = look(home)?.sessions ?? []
    expect(sessions.map(({ id }) => id).sort()).toEqual([opencodeId('new'), opencodeId('old')].sort())
    expect(sessions.map(({ spent }) => tokensOf(spent.all).output)).toEqual([34, 34])
  })

  test('an earlier form of the tables, without the note of the end, is read', () => {
    const home = homeOf()
    const database = home.open()
    for (const name of ['time_idle', 'idle_outcome']) database.exec(`alter table session_v2 drop column ${name}`)
    database.close()
    home.session('s')
    home.message('a', 's', modelAnswers())
    expect(look(home)).toMatchObject({ faults: [], sessions: [{ state: 'idle' }] })
  })

  test(`damaged messages never throw, and tell no text, with the seed ${seed}`, () => {
    const random = randomOf(seed)
    const home = homeOf()
    for (let round = 0; round < byLevel(20, 100, 1000); round++) {
      home.session('s', round % 2 === 0 ? {} : { title: 'title-mark', permission: 'secret-mark', directory: '' })
      for (const [at, data] of [personAsks, modelAnswers(), modelAnswers({ finish: 'tool-calls' })].entries()) {
        const text = damageLine(JSON.stringify(data), random)
        const database = home.open()
        database
          .prepare(`insert or replace into session_message values (?, ?, ?, ?, ?, ?, ?)`)
          .run(`m${at}`, opencodeId('s'), at === 0 ? 'user' : 'assistant', at, Date.now(), Date.now(), text)
        database.close()
      }
      const found = look(home)
      // If no message at all can be understood, the item of the tool says so.
      if (found?.sessions.length !== 0) expect(found?.faults).toEqual([])
      expect(markIn(found === undefined ? '' : reportOf(found))).toBeUndefined()
    }
  })
})

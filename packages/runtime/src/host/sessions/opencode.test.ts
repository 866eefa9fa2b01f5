import { expect, test } from 'vitest'
import {
  emptyConversation,
  type OpencodeMessage,
  type OpencodeRow,
  readOpencodeMessage,
  readOpencodeRow,
  withMessage,
} from './conversation.ts'
import type { NamedProcess } from './machine.ts'
import { type OpencodeSession, opencodeSessions, opencodeState } from './opencode.ts'

const now = 1_800_000_000
const dayOf = (at: number): number => Math.floor(at / 86_400)
const id = (name: string): string => `ses_${name.padEnd(12, '0')}`
const row = (name: string, more: Partial<OpencodeRow> = {}): OpencodeRow => ({
  ...{ id: id(name), tables: 1, started: now - 3600, changed: now * 1000, folder: '/srv/harbour', version: '1.18.33' },
  ...more,
})
const works = (at: number): OpencodeMessage => ({ role: 'assistant', at, changed: at })
const asks = (at: number): OpencodeMessage => ({ role: 'user', at, changed: at })
const done = (at: number, more: Partial<OpencodeMessage> = {}): OpencodeMessage => ({
  ...{ ...works(at), completed: at, finish: 'stop' },
  ...more,
})
const session = (own: OpencodeRow, messages: readonly OpencodeMessage[]): OpencodeSession => ({
  row: own,
  conversation: messages.reduce((before, one) => withMessage(before, one, own, dayOf), emptyConversation),
  ...{ hasGaps: false, isNew: true, unknown: undefined, realFolder: own.folder },
})
const program = (pid: number, more: Partial<NamedProcess> = {}): NamedProcess => ({
  ...{ pid, folder: '/srv/harbour', args: ['opencode'], started: now - 7200 },
  ...more,
})
const statesOf = (sessions: readonly OpencodeSession[], processes: readonly NamedProcess[] | undefined) =>
  Object.fromEntries(
    opencodeSessions({ sessions, processes, faults: [], remarks: [], now }).sessions.map((one) => [
      one.id.replace(/^ses_|0+$/g, ''),
      one.pid === undefined ? one.state : `${one.state} ${one.pid}`,
    ]),
  )

test.each([
  ['runs', 7, 'running', 'died', 'running', 'over'],
  ['between', 7, 'running', 'over', 'running', 'over'],
  ['ended', 7, 'idle', 'over', 'idle', 'over'],
  ['failed', 7, 'failed', 'failed', 'failed', 'failed'],
] as const)(
  'a turn that %s, with a process, without one, and where nobody knows',
  (turn, pid, has, gone, soon, late) => {
    const states = [
      opencodeState(turn, now - 10, pid, now),
      opencodeState(turn, now - 10, 'gone', now),
      opencodeState(turn, now - 10, 'unknown', now),
      opencodeState(turn, now - 200, 'unknown', now),
    ]
    expect(states).toEqual([has, gone, soon, late])
  },
)

test('a turn that waits for its next answer for two minutes is over, as after a tool that was refused', () => {
  expect(opencodeState('between', now - 200, 7, now)).toBe('idle')
})

test.each<[string, OpencodeMessage[], string | undefined, string]>([
  ['a question', [asks(now - 10)], 'between', 'over'],
  ['a question in the middle of an answer', [works(now - 20), asks(now - 10)], 'runs', 'died'],
  ['an answer that runs', [asks(now - 20), works(now - 10)], 'runs', 'died'],
  ['a tool', [asks(now - 20), done(now - 10, { finish: 'tool-calls' })], 'between', 'over'],
  ['an end that the service does not name', [asks(now - 20), done(now - 10, { finish: 'unknown' })], 'between', 'over'],
  ['an end', [asks(now - 20), done(now - 10, { finish: 'length' })], 'ended', 'over'],
])('after %s, and once its process is gone', (_what, messages, turn, gone) => {
  const one = session(row('a'), messages)
  expect([one.conversation.turn, statesOf([one], []).a]).toEqual([turn, gone])
})

test('processes of a folder have the sessions that work, and then those that changed last', () => {
  const sessions = [
    session(row('late'), [done(now - 5)]),
    session(row('early'), [done(now - 20)]),
    session(row('works'), [works(now - 25)]),
    session(row('elsewhere', { folder: '/srv/island' }), [done(now - 1)]),
  ]
  expect(statesOf(sessions, [program(1), program(2, { started: now - 60 })])).toEqual({
    ...{ late: 'idle 1', early: 'over', works: 'running 2', elsewhere: 'over' },
  })
})

test('a process that began after the last sign of a session does not have it', () => {
  expect(statesOf([session(row('a'), [works(now - 60)])], [program(1, { started: now - 30 })])).toEqual({ a: 'died' })
})

test.each<[string, Partial<OpencodeRow>, string | undefined, NamedProcess[] | undefined]>([
  ['this machine does not tell processes', {}, '/srv/harbour', undefined],
  ['the folder is not on this machine', {}, undefined, []],
  ['a server works in any folder', {}, '/srv/harbour', [program(1, { folder: '/', args: ['opencode', 'serve'] })]],
  ['the session is one of opencode 2', { tables: 2 }, '/srv/harbour', []],
])('if %s, a session runs while there are signs of it, and it never died', (_what, more, realFolder, processes) => {
  const at = (ago: number) => [{ ...session(row('a', more), [works(now - ago)]), realFolder }]
  expect([statesOf(at(60), processes), statesOf(at(180), processes)]).toEqual([{ a: 'running' }, { a: 'over' }])
})

test('opencode 2 notes how the last turn ended, and keeps that note during the next one', () => {
  const two = (more: Partial<OpencodeRow>, messages: readonly OpencodeMessage[]) =>
    statesOf([session(row('a', { tables: 2, ...more }), messages)], [program(1)])
  expect(two({ rested: now - 10, outcome: 'failed' }, [works(now - 20)])).toEqual({ a: 'failed 1' })
  expect(two({ rested: now - 10, outcome: 'interrupted' }, [works(now - 20)])).toEqual({ a: 'idle 1' })
  expect(two({ rested: now - 30, outcome: 'failed' }, [works(now - 20)])).toEqual({ a: 'running 1' })
})

test('sessions that name each other as their beginning stand alone; one whose beginning is gone is not shown', () => {
  const sessions = [
    session(row('a', { parent: id('b') }), [done(now)]),
    session(row('b', { parent: id('a') }), [done(now)]),
    session(row('c', { parent: id('gone') }), [done(now)]),
  ]
  expect(statesOf(sessions, [])).toEqual({ a: 'over', b: 'over' })
})

test('a row whose id or time is not one of opencode is none', () => {
  const whole = { id: id('a'), time_created: now * 1000, directory: '/srv/harbour', version: '1.18.33' }
  expect(readOpencodeRow(whole, 1)).toMatchObject({ id: id('a'), folder: '/srv/harbour', version: '1.18.33' })
  for (const more of [{ id: 'prompt-mark text' }, { id: 7 }, { time_created: 'x' }])
    expect(readOpencodeRow({ ...whole, ...more }, 1)).toBeUndefined()
})

test('the tokens of a message: what the model thought is output, and what was written into the cache was sent', () => {
  const parts = [now * 1000, now * 1000, 'stop', 0.25, null, null, 'm', null, 100, 20, 3, 400, 50]
  const read = readOpencodeMessage({ role: 'assistant', time_created: now * 1000, parts: JSON.stringify(parts) })
  expect(read).toMatchObject({ usd: 0.25, model: 'm', tokens: { input: 150, cached: 400, output: 23 } })
})

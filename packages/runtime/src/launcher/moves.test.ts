import { describe, expect, test } from 'vitest'
import type { ProcessExit, ProcessState, RunningProcess } from '../state/process-note.ts'
import { move, type ProcessEvent, type ProcessRules } from './moves.ts'

const rules: ProcessRules = { restart: 'always', minWait: 1000, maxWait: 300_000, counts: 5000, stop: 10_000 }
const alive: RunningProcess = { pid: 7, start: 'b:1', since: 1000, crashes: 0, adopted: false }
const running: ProcessState = { is: 'running', ...alive }
const run: ProcessEvent = { is: 'check', wanted: 'run', asked: false }
const paused: ProcessEvent = { ...run, wanted: 'paused' }
const wish: ProcessEvent = { ...run, asked: true }
const ends = (at: number, exit: Partial<ProcessExit> = { code: 1 }, remains = false): ProcessEvent => ({
  is: 'exit',
  exit: { at, ...exit },
  remains,
})

describe('back-off', () => {
  test('doubles the wait after each start that lasts less than five seconds, from one second to five minutes', () => {
    const waits: number[] = []
    let state: ProcessState = { is: 'waiting', crashes: 0, startAt: 0 }
    let now = 0
    for (let i = 0; i < 12; i++) {
      state = move(state, { is: 'started', pid: 7, start: 'b:1' }, rules, now).state
      state = move(state, ends(now + 4999), rules, now + 4999).state
      if (state.is !== 'waiting') throw new Error(state.is)
      waits.push((state.startAt - now - 4999) / 1000)
      now = state.startAt
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300])
  })

  test('restarts at one second after a start that lasted five seconds', () => {
    const after = move({ ...running, crashes: 6 } as ProcessState, ends(6000), rules, 6000).state
    expect(after).toMatchObject({ is: 'waiting', crashes: 1, startAt: 7000 })
    expect(move({ ...running, crashes: 6 } as ProcessState, run, rules, 6000).state).toMatchObject({
      is: 'running',
      crashes: 0,
    })
  })

  test('starts nothing before its time, unless somebody asks', () => {
    const waiting: ProcessState = { is: 'waiting', crashes: 3, startAt: 5000 }
    expect(move(waiting, run, rules, 4999)).toEqual({ state: waiting })
    expect(move(waiting, run, rules, 5000)).toEqual({ state: waiting, act: 'start' })
    expect(move(waiting, wish, rules, 1)).toEqual({ state: waiting, act: 'start' })
    expect(move(waiting, { ...wish, wanted: 'paused' }, rules, 9000).act).toBeUndefined()
  })
})

test.each([
  ['always', { code: 0 }, 'waiting'],
  ['always', { code: 3 }, 'waiting'],
  ['on-failure', { code: 0 }, 'stopped'],
  ['on-failure', { code: 3 }, 'waiting'],
  ['on-failure', { signal: 'SIGSEGV' }, 'waiting'],
  ['on-failure', {}, 'waiting'],
  ['never', { code: 0 }, 'stopped'],
  ['never', { code: 3 }, 'stopped'],
] as const)('policy %s after %j: %s', (restart, exit, is) => {
  expect(move(running, ends(9000, exit), { ...rules, restart }, 9000).state).toMatchObject({ is })
})

describe('a pause', () => {
  test('ends the process softly, then hard, and keeps it ended', () => {
    const soft = move(running, paused, rules, 2000)
    expect(soft).toMatchObject({ state: { is: 'stopping', because: 'paused', killAt: 12_000 }, act: 'end' })
    expect(move(soft.state, paused, rules, 11_999)).toEqual({ state: soft.state })
    const hard = move(soft.state, paused, rules, 12_000)
    expect(hard).toMatchObject({ state: { killed: true }, act: 'kill' })
    expect(move(hard.state, paused, rules, 13_000).act, 'once').toBeUndefined()
    const over = move(hard.state, ends(13_000, { signal: 'SIGKILL' }), rules, 13_000).state
    expect(over).toMatchObject({ is: 'stopped', because: 'paused' })
    expect(move(over, paused, rules, 99_000)).toEqual({ state: over })
  })

  test('that is lifted starts the process at once without counting a crash, or after its end if it still ends', () => {
    const over: ProcessState = { is: 'stopped', because: 'paused' }
    expect(move(over, run, rules, 5000)).toEqual({ state: { is: 'waiting', crashes: 0, startAt: 5000 }, act: 'start' })
    const ending: ProcessState = { is: 'stopping', ...alive, because: 'paused', killAt: 12_000 }
    const kept = move(ending, run, rules, 3000)
    expect(kept).toEqual({ state: ending })
    expect(move(move(ending, ends(4000), rules, 4000).state, run, rules, 4000).act).toBe('start')
  })

  test('ends a wait', () => {
    expect(move({ is: 'waiting', crashes: 2, startAt: 9000 }, paused, rules, 1).state).toMatchObject({
      is: 'stopped',
      because: 'paused',
    })
  })
})

test('processes that the leader left in its group are ended before the next start', () => {
  const left = move(running, ends(9000, { code: 1 }, true), rules, 9000)
  expect(left).toMatchObject({ state: { is: 'stopping', because: 'ended', killAt: 19_000 }, act: 'end' })
  expect(move(left.state, { is: 'gone', at: 9500 }, rules, 9500).state).toMatchObject({
    is: 'waiting',
    crashes: 1,
    exit: { code: 1 },
  })
  const again = move(left.state, paused, rules, 9100).state
  expect(move(again, { is: 'gone', at: 9500 }, rules, 9500).state.is, 'the policy decides; the next check pauses').toBe(
    'waiting',
  )
})

test('an agent that ended for good starts again only if somebody asks', () => {
  const over: ProcessState = { is: 'stopped', because: 'ended', exit: { code: 0, at: 1 } }
  expect(move(over, run, rules, 1e9)).toEqual({ state: over })
  expect(
    move(move(over, paused, rules, 2).state, run, rules, 3).act,
    'a pause and its end are not a request for a run',
  ).toBeUndefined()
  expect(move(over, wish, rules, 4).act).toBe('start')
})

test('an agent that cannot be started waits like one that crashed', () => {
  const first = move(
    { is: 'waiting', crashes: 1, startAt: 0 },
    { is: 'unstartable', exit: { error: 'no such file', at: 1 } },
    rules,
    1,
  )
  expect(first.state).toMatchObject({ is: 'waiting', crashes: 2, startAt: 2001 })
})

import { describe, expect, test } from 'vitest'
import type { FromWorker } from './contract.ts'
import { type Hosting, type HostingEvent, noWorker, step } from './hosting.ts'

const rules = { unanswered: 6, silent: 12, lasted: 60_000 }
const after = (state: Hosting, ...events: (HostingEvent | number)[]) => {
  let at = 1000
  let next = { state, acts: [] as ReturnType<typeof step>['acts'] }
  for (const event of events) {
    if (typeof event === 'number') at = event
    else next = step(next.state, event, rules, at)
  }
  const lines = next.acts.flatMap((act) => (act.do === 'say' ? [act.line] : []))
  return { ...next, words: next.acts.map((act) => act.do), lines }
}
const message = (id: number, it: FromWorker): HostingEvent => ({ is: 'message', id, message: it })
const here = (id = 1, contract = 2): HostingEvent => message(id, { is: 'here', contract, version: '1.0.0' })
const exit = (id: number, code = 1): HostingEvent => ({ is: 'exit', id, code })
const begin: HostingEvent = { is: 'begin' }
const pulses = (count: number): HostingEvent[] => Array(count).fill({ is: 'pulse' })
const one = after(noWorker, begin).state

describe('a worker that ends unexpectedly', () => {
  test('is started again, later each time, up to a minute; one that ran for a minute has not failed', () => {
    let state = one
    const pauses = Array.from({ length: 8 }, (_, i) => {
      const ended = after(state, exit(i + 1))
      state = after(ended.state, begin).state
      return ended.acts[0]?.do === 'again' ? ended.acts[0].seconds : undefined
    })
    expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 60, 60])
    expect(after(state, 61_001, exit(9)).acts).toEqual([{ do: 'again', how: 'it ended with code 1', seconds: 1 }])
  })
  test('is reported with its error, if it had one', () => {
    const failed = after(one, { is: 'error', id: 1, why: 'no such file' })
    expect(failed.lines).toEqual(['the runtime failed: no such file'])
    expect(after(failed.state, exit(1)).acts).toMatchObject([{ do: 'again', how: 'no such file' }])
  })
  test('is started only once, whoever asks for it meanwhile', () => {
    const ended = after(one, exit(1)).state
    expect(after(ended, begin, begin)).toMatchObject({ acts: [], state: { started: 2 } })
  })
})

describe('a worker that does not answer', () => {
  test.each<[string, HostingEvent[], number, string]>([
    ['and did before hangs after six checks', [here()], 7, 'it hung'],
    ['and never sent a message is given up after twelve', [], 13, 'it never said a word'],
    ['and is older than pings is never given up', [here(1, 1)], 100, ''],
  ])('%s', (_name, before, checks, how) => {
    const early = after(one, ...before, ...pulses(checks - 1))
    expect(early.words.filter((word) => word !== 'ping')).toEqual(['pulse later'])
    const late = after(one, ...before, ...pulses(checks))
    expect(late.lines).toEqual(how === '' ? [] : [`ending the runtime: ${how}`])
    if (how === '') return
    expect(late.words).toEqual(['say', 'hung', 'end', 'pulse later'])
    expect(late.acts).toContainEqual({ do: 'end', id: 1, seconds: 0, follows: 'begin' })
    expect(after(late.state, { is: 'ended', follows: 'begin' }).acts).toEqual([{ do: 'start', id: 2 }])
  })
  test('is pinged at each check, and every message from it counts as an answer', () => {
    expect(after(one, here(), ...pulses(1)).words).toEqual(['ping', 'pulse later'])
    const spoke = after(one, here(), ...pulses(6), message(1, { is: 'pong' }), ...pulses(6))
    expect(spoke.words).toEqual(['ping', 'pulse later'])
  })
  test('is ignored once it was given up, and its end starts nothing', () => {
    const given = after(one, here(), ...pulses(7)).state
    expect(after(given, message(1, { is: 'look' })).acts).toEqual([])
    expect(after(given, exit(1)).acts).toEqual([])
    expect(after(given, { is: 'error', id: 1, why: 'x' }).acts).toEqual([])
  })
})

describe('a worker that is replaced', () => {
  const replacing = after(one, here(), { is: 'replace', seconds: 3 })
  test('may end by itself for a while, and its reports no longer count', () => {
    expect(replacing.acts).toEqual([{ do: 'end', id: 1, seconds: 3, follows: 'replace' }])
    expect(after(replacing.state, message(1, { is: 'reported', ok: true })).acts).toEqual([])
    for (const it of [{ is: 'say', line: 'x' }, { is: 'look' }] as const)
      expect(after(replacing.state, message(1, it)).words).toEqual(['hear'])
    expect(after(replacing.state, message(1, { is: 'order', id: 4 })).words).toEqual(['answer'])
  })
  test('is followed by the next one when it has ended, as if none had failed', () => {
    const ended = after({ ...replacing.state, failures: 5 }, exit(1))
    expect(ended.acts).toEqual([])
    const next = after(ended.state, { is: 'ended', follows: 'replace' })
    expect(next).toMatchObject({ acts: [{ do: 'start', id: 2 }], state: { failures: 0 } })
  })
  test('is given up if it does not end, and left behind in a system call', () => {
    const late = after(replacing.state, { is: 'late', id: 1 })
    expect(late.state.worker).toBeUndefined()
    const left = after(late.state, { is: 'left', id: 1 })
    expect(left.lines).toEqual(['the old runtime could not be ended and is left behind'])
    expect(after(left.state, { is: 'ended', follows: 'replace' }).acts).toEqual([{ do: 'start', id: 2 }])
    expect(after(left.state, exit(1)).state.left).toEqual([])
  })
  test('is started at once if none runs', () => {
    const paused = after(one, exit(1)).state
    expect(after(paused, { is: 'replace', seconds: 3 }).acts).toEqual([{ do: 'start', id: 2 }])
  })
})

describe('the end', () => {
  const stop: HostingEvent = { is: 'stop', seconds: 3, by: 'person' }
  test('lets the worker report who stopped it, and starts nothing further', () => {
    const stopping = after(one, stop)
    expect(stopping.acts).toEqual([{ do: 'end', id: 1, seconds: 3, by: 'person', follows: 'stop' }])
    const over = after(stopping.state, exit(1), { is: 'ended', follows: 'stop' })
    expect(over.words).toEqual(['stopped'])
    for (const event of [begin, { is: 'replace', seconds: 1 }, { is: 'pulse' }] as const)
      expect(after(over.state, event).acts).toEqual([])
  })
  test('comes at once if none runs', () => expect(after(noWorker, stop).words).toEqual(['stopped']))
  test('during a replacement starts no other worker', () => {
    const both = after(one, { is: 'replace', seconds: 3 }, stop, exit(1))
    expect(after(both.state, { is: 'ended', follows: 'replace' }).acts).toEqual([])
  })
})

test('a worker that cannot describe the start is reported, and the question is answered', () => {
  const answer = after(one, message(1, { is: 'order', id: 4, why: 'the manifest is not valid' }))
  expect(answer.acts).toEqual([
    { do: 'say', line: 'the manifest is not valid' },
    { do: 'answer', question: 4, order: undefined },
  ])
})

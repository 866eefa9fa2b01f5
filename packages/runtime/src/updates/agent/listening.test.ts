import { describe, expect, test } from 'vitest'
import type { Moment } from '../../machine/base/time.ts'
import type { ProcessState } from '../../state/process-note.ts'
import type { Update } from './journal.ts'
import { initialListening, type ListeningEvent, type ListeningRules, type ListeningState, step } from './listening.ts'
import { appliedOf } from './now.ts'

const rules: ListeningRules = { blueprint: 'mail', minApart: 60_000, scale: 1 }
const [a, b, c] = ['1.0.0', '1.1.0', '0.9.0'].map((version) => ({ version, sha256: version })) as [
  Update['running'],
  Update['running'],
  Update['running'],
]
const idle: Update = { state: 'idle', running: a, rollbacks: [] }
const runs: ProcessState = { is: 'running', pid: 7, start: 'b:1', since: 1, crashes: 0, adopted: false }
const listening = (update: Partial<Update> = {}, more: Partial<ListeningState> = {}): ListeningState => ({
  ...initialListening({ ...idle, ...update }, runs),
  ...more,
})
const wished = (version: string, blueprint = 'mail') => ({ blueprint, version })
const answer = (desired: ReturnType<typeof wished> | undefined): ListeningEvent => ({ is: 'answer', desired })
const after = (
  state: ListeningState,
  event: ListeningEvent,
  { more = {}, at = { wall: 1_000_000, mono: 100_000 } }: { more?: Partial<ListeningRules>; at?: Moment } = {},
) => {
  const next = step(state, event, { ...rules, ...more }, at)
  const lines = next.acts.flatMap((act) => (act.do === 'say' ? [act.line] : []))
  const started = next.acts.flatMap((act) => (act.do === 'begin' ? [act.came] : []))
  return { state: next.state, acts: next.acts.map((act) => act.do), lines, started }
}
const idleEvent: ListeningEvent = { is: 'idle' }
const seen = (more: object = {}): ListeningEvent => ({ is: 'seen', busy: false, here: false, ...more })

describe('a wish of the service', () => {
  const wants = listening({}, { desired: wished('1.1.0') })
  test('is started once the disk was checked', () => {
    expect(after(wants, idleEvent).acts).toEqual(['check disk'])
    const { state, started } = after(wants, seen())
    expect(started).toEqual([{ event: 'wanted', to: { version: '1.1.0', sha256: '' } }])
    expect(state).toMatchObject({ aim: '1.1.0', began: 100_000 })
  })
  test('for the previous version needs no download if that is on this machine', () => {
    const back = listening({ previous: c }, { desired: wished('0.9.0') })
    expect(after(back, seen({ here: true })).started).toEqual([{ event: 'present', to: c }])
    expect(after(back, seen()).started).toEqual([{ event: 'wanted', to: { version: '0.9.0', sha256: '' } }])
  })
  test('for the previous version ends the window of a watched one, but only if it is on this machine (D30)', () => {
    const watched = listening({ state: 'watching', running: b, previous: a }, { desired: wished('1.0.0') })
    expect(after(watched, seen({ here: true })).started).toEqual([{ event: 'present', to: a }])
    expect(after(watched, seen()).acts).toEqual([])
    expect(after({ ...watched, desired: wished('2.0.0') }, idleEvent).acts).toEqual([])
  })
  test('that says now is started although a version is watched, one that must be fetched, too', () => {
    const watched = listening({ state: 'watching', running: b, previous: a }, { desired: wished('2.0.0') })
    const now = { ...watched, desired: { ...wished('2.0.0'), now: true } }
    expect(after(now, idleEvent).acts).toEqual(['check disk'])
    expect(after(now, seen()).started).toEqual([{ event: 'wanted', to: { version: '2.0.0', sha256: '' } }])
    expect(after(now, seen({ busy: true })).acts, 'a runtime is on trial (D31)').toEqual([])
    const back = { ...watched, desired: { ...wished('1.0.0'), now: true } }
    expect(after(back, seen()).started).toEqual([{ event: 'wanted', to: { version: '1.0.0', sha256: '' } }])
  })
  test('waits while a runtime is on trial (D31)', () => expect(after(wants, seen({ busy: true })).acts).toEqual([]))
  test('is started at most once in a minute', () => {
    const again = { ...wants, began: 40_001 }
    expect(after(again, idleEvent).acts).toEqual([])
    expect(after({ ...wants, began: 40_000 }, idleEvent).acts).toEqual(['check disk'])
  })
  test('is not started if nobody can restart the agent, and that is logged once', () => {
    const first = after(wants, idleEvent, { more: { cannot: 'its launcher is older' } })
    expect(first.lines).toEqual(['update to 1.1.0 is requested, but its launcher is older'])
    expect(after(first.state, idleEvent, { more: { cannot: 'its launcher is older' } }).acts).toEqual([])
  })
  test.each<[string, ListeningState, string[]]>([
    [
      'of another blueprint is ignored',
      listening({}, { desired: wished('1.1.0', 'calendar') }),
      ['update to 1.1.0 is of calendar, and this is mail: ignored'],
    ],
    [
      'for a version on hold is not tried',
      listening({ hold: { version: '1.1.0', reason: 'bad' } }, { desired: wished('1.1.0') }),
      ['update to 1.1.0 is requested, but on hold here: bad'],
    ],
    [
      'for a version that was rolled back three times in a day waits for a person',
      listening(
        { rollbacks: [1, 2, 3].map((at) => ({ version: '1.1.0', at: 1_000_000 - at })) },
        { desired: wished('1.1.0') },
      ),
      ['update to 1.1.0 was rolled back three times in a day; "svc unhold" allows another try'],
    ],
    ['that is a path is ignored', listening({}, { desired: wished('../../etc') }), []],
    ['that is not a semantic version is ignored', listening({}, { desired: wished('1') }), []],
    ['for the version that runs is ignored', listening({}, { desired: wished('1.0.0') }), []],
  ])('%s, and that is logged once', (_name, state, lines) => {
    const first = after(state, idleEvent)
    expect(first.lines).toEqual(lines)
    expect(first.acts).toEqual(lines.map(() => 'say')) // the only acts are log lines: nothing is downloaded or saved
    expect(appliedOf(first.state.update)).toEqual({ version: '1.0.0', outcome: 'ok', message: 'installed' })
    expect(after(first.state, idleEvent).acts).toEqual([])
  })
})

describe('an answer', () => {
  const fetching = listening({ state: 'fetching', to: b }, { aim: '1.1.0', desired: wished('1.1.0') })
  test.each<[string, ReturnType<typeof wished> | undefined, boolean]>([
    ['that repeats the wish leaves the current attempt alone', wished('1.1.0'), false],
    ['that wishes another version aborts it (D31)', wished('1.2.0'), true],
    ['that wishes nothing aborts it', undefined, true],
    ['of another blueprint aborts it', wished('1.1.0', 'calendar'), true],
  ])('%s', (_name, desired, aborts) => expect(after(fetching, answer(desired)).acts).toEqual(aborts ? ['abort'] : []))
  test('that names another version lifts the hold, and that is noted (D25)', () => {
    const held = listening({ hold: { version: '1.1.0', reason: 'bad' } })
    const lifted = after(held, answer(wished('1.2.0')))
    expect(lifted.acts).toEqual(['say', 'save', 'abort'])
    expect(lifted.state.update).toEqual(idle)
    expect(after(held, answer(undefined)).state.update).toEqual(held.update)
  })
})

describe('a death of the process', () => {
  const ended = (more: object): ProcessState =>
    ({ is: 'waiting', crashes: 1, startAt: 9, exit: { at: 5, code: 1 }, ...more }) as ProcessState
  test.each<[string, ProcessState, number]>([
    ['counts', ended({}), 1],
    ['counts if nobody knows how it ended', ended({ exit: { at: 5 } }), 1],
    ['counts if its policy does not start it again', { is: 'stopped', because: 'ended', exit: { at: 5, code: 1 } }, 1],
    ['does not count with code 0', ended({ exit: { at: 5, code: 0 } }), 0],
    [
      'does not count if somebody stopped it',
      { is: 'stopped', because: 'paused', exit: { at: 5, signal: 'SIGTERM' } },
      0,
    ],
    ['does not count while it runs', runs, 0],
  ])('%s', (_name, state, deaths) => expect(after(listening(), { is: 'process', state }).state.deaths).toBe(deaths))

  test('counts once, however often it is reported, and not if it was before this runtime', () => {
    const first = after(listening(), { is: 'process', state: ended({}) }).state
    expect(after(first, { is: 'process', state: ended({ startAt: 10 }) }).state.deaths).toBe(1)
    const second = after(first, { is: 'process', state: runs }).state
    expect(after(second, { is: 'process', state: ended({ exit: { at: 6, code: 1 } }) }).state.deaths).toBe(2)
    const before = initialListening(idle, ended({}))
    expect(after(before, { is: 'process', state: ended({}) }).state.deaths).toBe(0)
  })
})

test('a change that the disk does not take stays in memory, is logged, and is written again later', () => {
  const changed = after(listening(), { is: 'changed', update: { ...idle, running: b } })
  expect([changed.acts, changed.state.update.running]).toEqual([['save'], b])
  const unsaved = after(changed.state, { is: 'unsaved', why: 'EIO' })
  expect([unsaved.acts, unsaved.lines]).toEqual([['say', 'save later'], ['EIO']])
})

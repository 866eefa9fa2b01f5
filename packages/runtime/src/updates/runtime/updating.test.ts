import { describe, expect, test } from 'vitest'
import type { Moment } from '../../machine/base/time.ts'
import type { AttemptNote } from './journal.ts'
import {
  initialUpdating,
  noteBeforeAttempt,
  type RuntimeFiles,
  step,
  type UpdatingAct,
  type UpdatingEvent,
  type UpdatingState,
} from './updating.ts'

const rules = { version: '1.0.0', retry: 600_000, minApart: 60_000 }
const served = { version: '2.0.0', sha256: 'new' }
const at = (mono: number, wall = 10_000_000 + mono): Moment => ({ wall, mono })
const hold = { version: '2.0.0', reason: 'it hung', running: 'old' }
const heard: UpdatingState = { ...initialUpdating, answer: {} }
const ended = (more: Partial<AttemptNote> = {}): AttemptNote => ({
  is: 'ended',
  wish: '2.0.0',
  at: 10_000_000,
  begun: 0,
  ...more,
})
const answer = (wish: string | undefined, seen: Partial<RuntimeFiles> = {}): UpdatingEvent => ({
  is: 'answer',
  answer: { wish, served },
  seen: { note: {}, busy: false, ...seen },
})
const word = (act: UpdatingAct) =>
  act.do === 'tell' ? act.message.is : act.do === 'note' ? `note ${act.attempt.is}` : act.do
const after = (state: UpdatingState, event: UpdatingEvent, moment = at(100_000)) => {
  const next = step(state, event, rules, moment)
  return { ...next, words: next.acts.map(word) }
}

describe('an answer that names another runtime', () => {
  test.each<[string, UpdatingState, UpdatingEvent, string[]]>([
    ['starts an attempt', heard, answer('2.0.0'), ['try']],
    ['starts one with the first answer, too', initialUpdating, answer('2.0.0'), ['try']],
    ['starts none while one is in progress', { ...heard, trying: true }, answer('2.0.0'), []],
    [
      'starts none while a new runtime is on trial',
      heard,
      answer('2.0.0', { note: { trial: { is: 'kept' } as never } }),
      [],
    ],
    [
      'starts none while a version of the agent is neither kept nor rolled back',
      heard,
      answer('2.0.0', { busy: true }),
      [],
    ],
    ['starts none for the running version', heard, answer('1.0.0'), []],
    ['logs once that another version is pinned', heard, answer('2.0.0', { pinned: '1.5.0' }), ['say']],
    ['lifts the hold of another version', heard, answer('3.0.0', { note: { hold } }), ['close', 'lifted', 'try']],
    [
      'lifts the hold if the file was replaced',
      heard,
      answer('2.0.0', { note: { hold }, sha256: 'by hand' }),
      ['lifted', 'try'],
    ],
  ])('%s', (_name, state, event, words) => expect(after(state, event).words).toEqual(words))

  test('for a pinned machine is logged once for each wish', () => {
    const once = after(heard, answer('2.0.0', { pinned: '1.5.0' })).state
    expect(after(once, answer('2.0.0', { pinned: '1.5.0' })).words).toEqual([])
    expect(after(once, answer('3.0.0', { pinned: '1.5.0' })).words).toEqual(['say'])
  })
})

describe('the next attempt', () => {
  test.each<[string, Partial<UpdatingState>, AttemptNote | undefined, Moment, boolean]>([
    ['does not come within a minute of the last', { last: 40_001 }, undefined, at(100_000), false],
    ['comes after a minute', { last: 40_000 }, undefined, at(100_000), true],
    ['waits ten minutes after an end', {}, ended(), at(0, 10_599_999), false],
    ['comes after ten minutes', {}, ended(), at(0, 10_600_000), true],
    ['comes at once if the clock was set far back', {}, ended(), at(0, 9_400_000), true],
    ['comes at once for a new wish', { answer: { wish: '1.5.0' } }, ended(), at(0, 10_000_001), true],
    [
      'comes at once for another version than that of the ended attempt',
      {},
      ended({ wish: '1.5.0' }),
      at(0, 10_000_001),
      true,
    ],
    ['comes at once after one that a kill broke off', {}, ended({ is: 'trying' }), at(0, 10_000_001), true],
    ['comes at once where nothing was tried', {}, ended({ at: 0 }), at(0, 10_000_001), true],
  ])('%s', (_name, state, attempt, moment, tries) => {
    const before = { ...heard, answer: { wish: '2.0.0' }, ...state }
    expect(after(before, answer('2.0.0', { attempt }), moment).words.includes('try')).toBe(tries)
  })
})

describe('a version on hold', () => {
  const held = { note: { hold }, sha256: 'old' }
  test('that is pressed is answered once, with the reason of the hold', () => {
    const first = after(heard, answer('2.0.0', held))
    expect(first.words).toEqual(['attempted', 'sweep', 'note ended'])
    expect(first.acts[0]).toMatchObject({ message: { applied: { outcome: 'failed', version: '1.0.0' } } })
    expect(first.acts[0]).not.toHaveProperty('message.hold')
    expect(after(first.state, answer('2.0.0', held)).words).toEqual([])
  })
  test('whose wish is older than the outcome is not answered again', () =>
    expect(after(initialUpdating, answer('2.0.0', { ...held, attempt: ended() })).words).toEqual([]))
  test('whose wish the service had ended, and which was pressed meanwhile, is answered by the next start', () => {
    const closes = after(initialUpdating, answer(undefined, { ...held, attempt: ended() }))
    expect(closes.acts).toEqual([{ do: 'close', attempt: ended({ closed: true }) }])
    expect(after(initialUpdating, answer('2.0.0', { ...held, attempt: ended({ closed: true }) })).words[0]).toBe(
      'attempted',
    )
  })
  test('is closed until that is noted, and then no longer', () => {
    const { state, words } = after(heard, answer(undefined, held))
    expect(words).toEqual(['close'])
    expect(after(state, answer(undefined, held)).words).toEqual(['close'])
    expect(after(after(state, { is: 'closed' }).state, answer(undefined, held)).words).toEqual([])
  })
  test('keeps a press that came during the trial of another version', () => {
    const trial = { ...held, note: { hold, trial: { is: 'kept' } as never } }
    const pressed = after(heard, answer('2.0.0', trial))
    expect(pressed.words).toEqual([])
    expect(after(pressed.state, answer('2.0.0', held)).words[0]).toBe('attempted')
  })
})

describe('the end of an attempt', () => {
  const trying = after(heard, answer('2.0.0')).state
  const end = (event: 'done' | 'unreachable' | 'refused' | 'falls' | 'dropped') =>
    after(trying, { is: 'ended', wish: '2.0.0', how: { event, why: 'so' }, sha256: 'old' })

  test.each([
    ['unreachable', 'failed', undefined],
    ['refused', 'failed', { version: '2.0.0', reason: 'so', running: 'old' }],
    ['falls', 'rolled_back', { version: '2.0.0', reason: 'so', running: 'old' }],
  ] as const)('%s is reported as %s', (event, outcome, held) => {
    const { acts, words, state } = end(event)
    expect(words).toEqual(['attempted', 'sweep', 'note ended'])
    expect(acts[0]).toMatchObject({ message: { applied: { outcome, version: '1.0.0' }, ...(held && { hold: held }) } })
    expect(held ?? acts[0]).not.toHaveProperty('message.hold')
    expect(state.trying).toBe(false)
  })
  test('whose wish was withdrawn is not reported, and a new press is tried at once', () => {
    const { acts, words } = end('dropped')
    expect(words).toEqual(['sweep', 'note ended'])
    expect(acts[1]).toMatchObject({ attempt: { at: 0 } })
  })
  test('with a swap leaves everything else to the launcher', () => expect(end('done').words).toEqual([]))
})

test('leftovers of a kill are swept, and a swap that did not take place is over', () => {
  const words = (attempt?: AttemptNote) => after(initialUpdating, { is: 'begun', attempt }).words
  expect([words(), words(ended({ is: 'trying' })), words(ended({ is: 'swapping' }))]).toEqual([
    ['sweep'],
    ['sweep'],
    ['sweep', 'note ended'],
  ])
})

test('an attempt that took the runtime down three times is not made a fourth time', () => {
  const before = (begun: number, more: Partial<AttemptNote> = {}) => ended({ is: 'trying', begun, ...more })
  expect(noteBeforeAttempt('2.0.0', undefined, 7)).toEqual({ is: 'trying', wish: '2.0.0', at: 7, begun: 1 })
  expect(noteBeforeAttempt('2.0.0', before(2), 7)).toMatchObject({ begun: 3 })
  expect(noteBeforeAttempt('2.0.0', before(3), 7)).toBeUndefined()
  expect(noteBeforeAttempt('3.0.0', before(3), 7)).toMatchObject({ begun: 1 })
  expect(noteBeforeAttempt('2.0.0', before(3, { is: 'ended' }), 7)).toMatchObject({ begun: 1 })
})

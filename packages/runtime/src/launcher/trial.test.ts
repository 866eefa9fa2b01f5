import { describe, expect, test } from 'vitest'
import type { RuntimeNote, Trial } from '../state/versions/runtime-note.ts'
import { judgeTrial, type TrialEvent } from './trial.ts'

const from = { version: '1.0.0', sha256: 'a'.repeat(64) }
const to = { version: '2.0.0', sha256: 'b'.repeat(64) }
const now = Date.UTC(2026, 10, 21, 9, 30)
const trying = { is: 'trying', from, to, starts: 1, began: now, processes: 1 } as const
const kept = { ...trying, is: 'kept' } as const
const undoing = { is: 'undoing', from, to, reason: 'it hung', at: now } as const
const old = { version: '1.0.0', outcome: 'ok', message: '0.9.0 -> 1.0.0, …' } as const
const after = (note: RuntimeNote, event: TrialEvent, last?: string) => judgeTrial(note, event, now + 1000, last)
const rolledBack = (reason: string) => ({
  applied: { version: '1.0.0', outcome: 'rolled_back', message: expect.stringContaining(reason) },
  hold: { version: '2.0.0', running: from.sha256 },
})

const states: Record<string, Trial | undefined> = { none: undefined, trying, kept, undoing }
const events: Record<string, TrialEvent> = {
  swap: { is: 'swap', from, to },
  start: { is: 'start' },
  good: { is: 'good' },
  hung: { is: 'hung', reason: 'it hung' },
  over: { is: 'over' },
  asked: { is: 'asked', from, to, by: 'ann', inPlace: to.sha256 },
  'asked too late': { is: 'asked', from, to: { ...to, sha256: 'd'.repeat(64) }, by: 'ann', inPlace: to.sha256 },
  restored: { is: 'restored' },
  lost: { is: 'lost' },
  'found new': { is: 'found', inPlace: to.sha256 },
  'found old': { is: 'found', inPlace: from.sha256 },
  'found another': { is: 'found', inPlace: 'c'.repeat(64) },
}
/**
 * The expected result of each event in each state: the new state or, if the trial is over, the outcome. An event that
 * is not listed changes nothing.
 */
const table: Record<string, Record<string, string>> = {
  none: { swap: 'trying', asked: 'undoing' },
  trying: {
    good: 'kept',
    hung: 'undoing',
    over: 'undoing',
    asked: 'undoing',
    'found old': 'rolled_back',
    'found another': 'none',
  },
  kept: { hung: 'undoing', over: 'none', asked: 'undoing', 'found old': 'rolled_back', 'found another': 'none' },
  undoing: { restored: 'rolled_back', lost: 'failed', 'found old': 'rolled_back', 'found another': 'none' },
}
describe.each(Object.entries(states))('%s', (name, trial) => {
  test.each(Object.entries(events))('%s', (event, what) => {
    const note: RuntimeNote = { applied: old, ...(trial && { trial }) }
    const next = after(note, what)
    const is = next.trial?.is ?? (next.applied === old ? 'none' : next.applied?.outcome)
    expect(is).toBe(table[name]?.[event] ?? name)
  })
})

test('on trial the old outcome stays; the first answered report makes it ok (3.4, 3.5)', () => {
  const swapped = judgeTrial({ applied: old }, { is: 'swap', from, to }, now)
  expect(swapped).toEqual({ applied: old, trial: { ...trying, starts: 0 } })
  expect(after(swapped, { is: 'good' }).applied).toMatchObject({ version: '2.0.0', outcome: 'ok' })
})

test('the fourth start is of the previous file, whoever counted and however the others ended', () => {
  let note: RuntimeNote = { trial: { ...trying, starts: 0 } }
  for (let i = 1; i <= 3; i++) {
    note = after(note, { is: 'start' })
    expect(note.trial).toMatchObject({ is: 'trying', starts: i })
  }
  expect(after(note, { is: 'start' }, 'it ended with code 7').trial).toMatchObject({
    is: 'undoing',
    reason: '3 starts did not last: it ended with code 7',
  })
  expect(
    after(note, { is: 'start', process: true, counted: true }).trial,
    'the starter counted this one',
  ).toMatchObject({
    is: 'trying',
    starts: 3,
  })
})

test('a clean end is not a failed start', () => {
  const note = { trial: { ...trying, starts: 3 } }
  expect(after(after(note, { is: 'stopped' }), { is: 'start' }).trial).toMatchObject({ is: 'trying', starts: 3 })
})

test('a file that reported and then crashes repeatedly is still rolled back', () => {
  const note: RuntimeNote = { trial: { ...kept, starts: 3 } }
  expect(after(note, { is: 'start' }).trial).toMatchObject({ is: 'undoing' })
})

test('a reboot grants one new window, once; a clock that was set back does not make it longer (D38)', () => {
  const second = judgeTrial({ trial: trying }, { is: 'start', process: true }, now + 200_000)
  expect(second.trial).toMatchObject({ processes: 2, began: now + 200_000 })
  const third = judgeTrial(second, { is: 'start', process: true }, now + 250_000)
  expect(third.trial).toMatchObject({ processes: 3, began: now + 200_000 })
  expect(judgeTrial(second, { is: 'start', process: true }, now - 5000).trial).toMatchObject({ began: now - 5000 })
})

test('killed between note and rename: the old file runs, and the attempt failed (docs/decisions/kills.md)', () => {
  const note = after({ trial: { ...trying, starts: 0 } }, { is: 'found', inPlace: from.sha256 })
  expect(note).toEqual({
    applied: { version: '1.0.0', outcome: 'failed', message: expect.stringContaining('interrupted') },
  })
})

test('a rollback leaves an outcome that names both versions, and a hold', () => {
  expect(after({ applied: old, trial: undoing }, { is: 'restored' })).toMatchObject(
    rolledBack('1.0.0 -> 2.0.0, 2026-11-21T09:30:00.000Z: it hung'),
  )
})

test('no two attempts have the same message, and none is longer than the contract allows (D34)', () => {
  const one = judgeTrial({ trial: trying }, { is: 'good' }, now).applied?.message
  const two = judgeTrial({ trial: trying }, { is: 'good' }, now + 1).applied?.message
  expect(one).not.toBe(two)
  const long = { ...undoing, reason: 'x'.repeat(1000) }
  expect(after({ trial: long }, { is: 'restored' }).applied?.message).toHaveLength(300)
})

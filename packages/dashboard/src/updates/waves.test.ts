import type { PressVerdict, RolloutPage } from '@svc/api'
import { expect, test } from 'vitest'
import { widthsOf } from '../ui/charts/scale.ts'
import { changedText, rolloutButtonsOf, waveText, waveWord } from './waves.ts'

const ok: PressVerdict = { ok: true }
const no: PressVerdict = { ok: false, code: 'x', message: 'No.' }
const counts = {
  ...{ untouched: 0, wished: 0, offered: 0, trying: 0, kept: 0, rolled_back: 0 },
  ...{ failed: 0, worse: 0, left_out: 0, withdrawn: 0, excused: 0 },
}
const page = (more: Partial<RolloutPage>): RolloutPage =>
  ({
    ...{ state: 'running', wave: 2, waves: 3, nextAt: null, why: null, version: '1.1.0', stays: 'It stays.', counts },
    actions: { pause: ok, continue: ok, cancel: ok, now: no },
    ...more,
  }) as RolloutPage
const spent = { pause: no, continue: no, cancel: ok, now: no }

test.each<[string, Partial<RolloutPage>, string[]]>([
  ['running', {}, ['done', 'in progress', 'up next']],
  ['being watched', { nextAt: 1 }, ['done', 'being watched', 'up next']],
  ['watched in its last wave', { wave: 3, counts: { ...counts, kept: 8 } }, ['done', 'done', 'being watched']],
  ['waiting for a person', { state: 'waiting' }, ['done', 'done', 'up next']],
  ['paused', { state: 'paused' }, ['done', 'paused', 'up next']],
  ['halted', { state: 'halted' }, ['done', 'halted', 'waits']],
  ['halted with nothing left', { state: 'halted', actions: spent }, ['done', 'done', 'done']],
  ['cancelled', { state: 'cancelled' }, ['done', 'cancelled', 'not reached']],
  ['done', { state: 'done', wave: 3 }, ['done', 'done', 'done']],
])('the waves of a rollout that is %s', (_state, more, words) => {
  expect([1, 2, 3].map((number) => waveWord(page(more), number))).toEqual(words)
})

const brief = (more: Partial<RolloutPage>) =>
  rolloutButtonsOf(page(more)).map(({ label, primary, asks }) => `${primary ? '!' : ''}${label}${asks ? '?' : ''}`)

test.each<[string, Partial<RolloutPage>, string[]]>([
  ['running', {}, ['!Pause', 'Start wave 3 now…?', 'Cancel rollout…?']],
  ['in its last wave', { wave: 3, counts: { ...counts, trying: 1 } }, ['!Pause', 'Cancel rollout…?']],
  ['watched in its last wave', { wave: 3, counts: { ...counts, kept: 8 } }, ['Cancel rollout…?']],
  ['waiting for a person', { state: 'waiting' }, ['!Start wave 3', 'Pause', 'Cancel rollout…?']],
  [
    'waiting, and no agent kept it',
    { state: 'waiting', why: 'None.' },
    ['!Pause', 'Start wave 3 anyway…?', 'Cancel rollout…?'],
  ],
  ['paused', { state: 'paused' }, ['!Continue', 'Cancel rollout…?']],
  ['halted', { state: 'halted' }, ['!Cancel rollout…?', 'Continue anyway…?']],
  ['halted with nothing left', { state: 'halted', actions: spent }, ['!End rollout']],
  ['done', { state: 'done' }, []],
])('the safe act is the primary button when a rollout is %s', (_state, more, acts) => {
  expect(brief(more)).toEqual(acts)
})

test.each<[Partial<RolloutPage>, string]>([
  [{}, 'Skips the watch of wave 2.'],
  [
    { counts: { ...counts, offered: 2, trying: 1 } },
    'Skips the watch of wave 2 and does not wait for 3 agents without an outcome.',
  ],
  [{ nextAt: 1 }, 'Skips the rest of the watch of wave 2: what goes wrong there later reaches more agents.'],
])('starting a wave early says what it skips', (more, says) => {
  expect(rolloutButtonsOf(page(more)).find(({ act }) => act === 'continue')?.says).toBe(says)
})

test('a wave is told as text, with its agents by state', () => {
  expect(waveText(page({ state: 'halted' }), 2, { kept: 3_000, rolled_back: 1, untouched: 2 })).toBe(
    'Wave 2, halted: 3,000 kept, 1 rolled back, 2 not reached yet.',
  )
  expect(waveText(page({}), 3, {})).toBe('Wave 3, up next: no agents.')
})

test('a person who is asked about a rollout is told when it is no longer as they saw it', () => {
  const seen = { state: 'running', wave: 2 } as const
  expect(changedText(seen, page({ nextAt: 1 }))).toBeUndefined()
  expect(changedText(seen, page({ state: 'halted' }))).toContain('is now halted in wave 2 of 3')
  expect(changedText(seen, page({ wave: 3 }))).toContain('was running in wave 2, and is now running in wave 3 of 3')
  const halted = { state: 'halted', wave: 2, changedAt: 1 } as const
  expect(changedText(halted, page({ state: 'halted', changedAt: 1 }))).toBeUndefined()
  expect(changedText(halted, page({ state: 'halted', changedAt: 2 }))).toContain('has halted again')
})

test('of a rollout of 10,000 in 10 waves each wave has a part of the bar, and a name', () => {
  const sizes = [1, 9, 90, 400, 500, 1000, 1000, 2000, 2000, 3000]
  const widths = widthsOf(sizes, 320, 8)
  expect(Math.min(...widths)).toBeGreaterThanOrEqual(8)
  expect(widths.reduce((all, width) => all + width)).toBeCloseTo(320)
  expect(sizes.map((_, i) => waveWord(page({ wave: 6, waves: 10 }), i + 1))).toEqual([
    ...['done', 'done', 'done', 'done', 'done', 'in progress'],
    ...['up next', 'up next', 'up next', 'up next'],
  ])
})

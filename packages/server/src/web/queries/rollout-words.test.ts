import type { RolloutAgentState, RolloutState, WaitReason, WishState } from '@svc/api'
import { expect, test } from 'vitest'
import { haltInWords, memberWaits } from './rollout-words.ts'

test.each([
  [
    'On mail-2 1.1.0 was rolled back: 1.1.0 -> 1.0.0, 2026-11-22T06:55:08.743Z: it failed its health check of 60 s: it ended with code 7',
    'On mail-2 1.1.0 was rolled back: it failed its health check of 60 s: it ended with code 7',
  ],
  ['On mail-2 1.1.0 failed: there is no such version', 'On mail-2 1.1.0 failed: there is no such version'],
  ['On mail-2 1.1.0 was rolled back (and 2 more)', 'On mail-2 1.1.0 was rolled back (and 2 more)'],
  [
    'Ada, who started it, is no longer a member of this workspace.',
    'Ada, who started it, is no longer a member of this workspace.',
  ],
  [null, null],
])('the reason of a halt in words: %s', (why, words) => {
  expect(haltInWords(why)).toBe(words)
})

const silent: WaitReason = { for: 'silent', since: 1 }

test.each<[string, RolloutState, RolloutAgentState, WishState, WaitReason | null, WaitReason | null]>([
  ['its wave has not started', 'running', 'untouched', 'none', null, { for: 'wave' }],
  ['a person must start the next wave', 'waiting', 'untouched', 'none', null, { for: 'approval' }],
  ['the rollout is paused', 'paused', 'untouched', 'none', null, { for: 'hold', by: 'rollout' }],
  ['the rollout is halted', 'halted', 'untouched', 'none', null, { for: 'hold', by: 'rollout' }],
  ['the rollout was cancelled', 'cancelled', 'untouched', 'none', null, null],
  ['its next report is due', 'running', 'wished', 'waiting', null, { for: 'report' }],
  ['the version is on trial', 'halted', 'wished', 'trying', null, { for: 'report' }],
  ['it is offline', 'done', 'wished', 'waiting', silent, silent],
  ['its download is tried again', 'running', 'wished', 'failed', null, { for: 'fetch' }],
  ['its machine holds the version', 'running', 'wished', 'held', null, { for: 'hold', by: 'machine' }],
  ['its outcome is about to be recorded', 'running', 'wished', 'kept', null, null],
  ['it kept the version', 'running', 'kept', 'kept', null, null],
  ['it is left out', 'running', 'left_out', 'offered', silent, null],
])('what an agent of a rollout waits for, when %s', (_when, rollout, state, wish, waits, expected) => {
  expect(memberWaits(rollout, { state, wish, waits })).toEqual(expected)
})

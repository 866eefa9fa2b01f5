import type { RolloutAgent, RolloutAgentState } from '@svc/api'
import { expect, test } from 'vitest'
import { countsByWord, rolloutBarParts } from './RolloutBar.tsx'

const none = {
  ...{ untouched: 0, wished: 0, offered: 0, trying: 0, kept: 0, rolled_back: 0 },
  ...{ failed: 0, worse: 0, left_out: 0, withdrawn: 0, excused: 0 },
} satisfies Record<RolloutAgentState, number>

test.each<[string, Partial<typeof none>, object[]]>([
  [
    'the requests were only sent',
    { offered: 1, wished: 2, untouched: 3 },
    [
      { state: 'under_way', tone: 'waiting', number: 3 },
      { state: 'untouched', tone: 'open', number: 3 },
    ],
  ],
  [
    'one of two kept the version',
    { kept: 1, trying: 1 },
    [
      { state: 'kept', tone: 'good', number: 1 },
      { state: 'under_way', tone: 'waiting', number: 1 },
    ],
  ],
  [
    'all have an outcome',
    { kept: 2, failed: 1, withdrawn: 1, left_out: 4 },
    [
      { state: 'kept', tone: 'good', number: 2 },
      { state: 'failed', tone: 'no', number: 1 },
      { state: 'withdrawn', tone: 'over', number: 1 },
    ],
  ],
])('the bar of a rollout fills with outcomes, when %s', (_when, counts, parts) => {
  expect(rolloutBarParts({ ...none, ...counts })).toEqual(parts)
})

const until = (at: number): Pick<RolloutAgent, 'state' | 'waits'> => ({
  state: 'offered',
  waits: { for: 'window', until: at, version: '0.2.0' },
})
const clock = (at: number) => `07:${at}`

test('agents without an outcome are counted by what they wait for', () => {
  const agents: Pick<RolloutAgent, 'state' | 'waits'>[] = [
    { state: 'kept', waits: null },
    { state: 'wished', waits: { for: 'silent', since: 1 } },
    ...[until(26), until(26), until(31)],
    { state: 'trying', waits: { for: 'report' } },
    { state: 'untouched', waits: { for: 'hold', by: 'rollout' } },
    { state: 'untouched', waits: { for: 'wave' } },
  ]
  expect(countsByWord(none, agents, clock).map(({ number, word }) => `${number} ${word}`)).toEqual([
    '1 kept',
    '1 testing',
    '2 watching 0.2.0 until 07:26',
    '1 watching 0.2.0 until 07:31',
    '1 offline',
    '2 not reached yet',
  ])
  expect(countsByWord({ ...none, kept: 1, offered: 4 }, undefined, clock).map(({ word }) => word)).toEqual([
    'kept',
    'sent',
  ])
})

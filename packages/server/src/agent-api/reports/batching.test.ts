/** Tests when a batch starts, and which reports are in it. */
import { describe, expect, test } from 'vitest'
import type { Submission } from '../report-store/rows.ts'
import { type BatchingEvent, type BatchState, batchingRulesOf, initialBatchState, nextBatch, step } from './batching.ts'

/** Applies events in order; returns the last state and the act that each event asked for. */
function after(state: BatchState, events: readonly BatchingEvent[], parallel = 1) {
  const words = events.map((event) => {
    const { state: next, act } = step(state, event, batchingRulesOf(parallel))
    state = next
    return act?.do === 'wait' ? `wait ${act.ms}` : (act?.do ?? '')
  })
  return { state, words }
}
/** The events of reports that arrive one after the other, each with the number of reports that then wait. */
const come = (from: number, to: number, kept = true): BatchingEvent[] =>
  Array.from({ length: to - from + 1 }, (_, i) => ({ is: 'came', waiting: from + i, kept }))
const due: BatchingEvent = { is: 'due' }
const began = (size: number, filled = false): BatchingEvent => ({ is: 'began', size, filled })
const ended = (waiting: number): BatchingEvent => ({ is: 'ended', waiting })
/** The state after a batch of three reports was stored. */
const three = after(initialBatchState, [...come(1, 3), due, began(3), ended(0)]).state

describe('a batch starts', () => {
  test.each<[string, BatchState, BatchingEvent[], string[]]>([
    ['a moment after its first report', initialBatchState, [...come(1, 2), due], ['wait 1', '', 'start']],
    ['at once when as many have arrived as last time', three, come(1, 3), ['wait 1', '', 'start']],
    [
      'after its whole time on one-shot connections',
      three,
      [...come(1, 4, false), due],
      ['wait 2', '', '', '', 'start'],
    ],
    [
      'after its whole time when one of the connections is one-shot',
      three,
      [...come(1, 1), ...come(2, 2, false), ...come(3, 3)],
      ['wait 1', '', ''],
    ],
    ['at once when 128 wait', initialBatchState, [...come(126, 128, false)], ['wait 2', '', 'start']],
    ['once, whatever arrives before its turn', three, [...come(1, 5), began(5)], ['wait 1', '', 'start', '', '', '']],
    [
      'at once after one that was full',
      three,
      [...come(1, 3), began(2, true), ended(1)],
      ['wait 1', '', 'start', '', 'start'],
    ],
    [
      'only when something waits',
      initialBatchState,
      [...come(1, 1), due, began(1), ended(0)],
      ['wait 1', 'start', '', ''],
    ],
    [
      'not for agents that have a report in a running batch, until that batch has ended',
      initialBatchState,
      [...come(1, 1), due, began(1), ...come(1, 1), ended(1)],
      ['wait 1', 'start', '', '', 'wait 1'],
    ],
  ])('%s', (_name, state, events, words) => expect(after(state, events).words).toEqual(words))

  test('after a batch of another size, only the latest size counts', () => {
    expect(after(three, [...come(1, 2), due, began(2), ended(0), ...come(1, 2)]).words.slice(-2)).toEqual([
      'wait 1',
      'start',
    ])
    expect(after(three, [...come(1, 1), due, began(1), ended(0), ...come(1, 3)]).words.slice(-3)).toEqual([
      'wait 1',
      '',
      '',
    ])
  })
  test('one-shot connections tell nothing about the size of the next batch', () => {
    const { words } = after(three, [...come(1, 2, false), due, began(2), ended(0), ...come(1, 2)])
    expect(words.slice(-2)).toEqual(['wait 1', 'start'])
  })
})

describe('when two batches may be stored at once', () => {
  const one = after(initialBatchState, [...come(1, 2), due, began(2)], 2).state
  test.each<[string, BatchingEvent[], string[]]>([
    ['the second waits for the first, but not long', [...come(1, 3), due, began(3)], ['wait 5', '', '', 'start', '']],
    ['it begins when that one has ended', [...come(1, 3), ended(3)], ['wait 5', '', '', 'start']],
    ['it waits again for more reports when fewer have arrived', [...come(1, 1), ended(1)], ['wait 5', 'wait 1']],
    [
      'a third waits until one of them has ended',
      [...come(1, 1), due, began(1), ...come(1, 128), ended(128)],
      ['wait 5', 'start', '', ...Array(128).fill(''), 'start'],
    ],
    [
      'a second batch of agents that are all in the first does not start',
      [...come(1, 1), due, began(0), ended(1)],
      ['wait 5', 'start', '', 'wait 1'],
    ],
  ])('%s', (_name, events, words) => expect(after(one, events, 2).words).toEqual(words))
})

/** The sizes of the consecutive batches in which these reports are stored. */
function sizesOf(reports: readonly { agent?: string; runs?: number; bytes?: number; alone?: boolean }[]) {
  let waiting = reports.map(({ agent, runs = 0, bytes = 0, alone = false }, i) => {
    const report = { protocol: 1, runs: Array(runs).fill({ id: 'run' }) }
    return { submission: { agentId: agent ?? `${i}`, report } as unknown as Submission, bytes, alone }
  })
  const sizes: (number | string)[] = []
  while (waiting.length > 0) {
    const { batch, agents, left, filled } = nextBatch(waiting, () => false, batchingRulesOf(1).max)
    expect(agents.size).toBe(batch.length)
    sizes.push(filled ? `${batch.length} full` : batch.length)
    waiting = left
  }
  return sizes
}
const times = <T>(count: number, report: T): T[] => Array(count).fill(report)

test.each<[string, Parameters<typeof sizesOf>[0], (number | string)[]]>([
  ['ends at 128 reports', times(300, {}), [128, 128, 44]],
  ['ends at 512 KB', times(5, { bytes: 200 * 1024 }), ['2 full', '2 full', 1]],
  ['ends at 1,000 runs', times(7, { runs: 400 }), ['2 full', '2 full', '2 full', 1]],
  [
    'holds a report larger than the limit alone',
    [{ runs: 2000 }, { runs: 2000, bytes: 256 * 1024 }, ...times(3, {})],
    ['1 full', '1 full', 3],
  ],
  [
    'holds a report full of new names alone',
    [...times(2, {}), ...times(2, { alone: true }), ...times(2, {})],
    ['2 full', '1 full', '1 full', 2],
  ],
  ['has one report of each agent', [{ agent: 'a' }, { agent: 'b' }, { agent: 'a' }, { agent: 'a' }], [2, 1, 1]],
])('a batch %s', (_name, reports, sizes) => expect(sizesOf(reports)).toEqual(sizes))

test('a batch skips agents that have a report in another batch, and takes the others in order of arrival', () => {
  const waiting = ['a', 'b', 'c', 'b', 'd'].map((agentId, i) => ({
    submission: { agentId, report: { protocol: 1 } } as unknown as Submission,
    bytes: i,
    alone: false,
  }))
  const { batch, left } = nextBatch(waiting, (agentId) => agentId === 'a', batchingRulesOf(2).max)
  expect([batch, left].map((all) => all.map(({ submission, bytes }) => `${submission.agentId}${bytes}`))).toEqual([
    ['b1', 'c2', 'd4'],
    ['a0', 'b3'],
  ])
})

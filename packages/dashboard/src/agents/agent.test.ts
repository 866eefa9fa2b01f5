import type { Command, UsageDay } from '@svc/api'
import { commandStates, runSeconds } from '@svc/protocol'
import { expect, test } from 'vitest'
import { percent, tokensText } from '../ui/time/format.ts'
import { gaugeView } from './overview/Gauges.tsx'
import { usageColumns } from './overview/Overview.tsx'
import { isLong, marksOf, summaryOf, windowFor } from './overview/parts/Levels.tsx'
import { pausedBy } from './overview/parts/StateDetail.tsx'
import { changesOf, dueWords, lifeWords, stepsOf, titleOf, undoOf, whilePaused, wordsOf } from './parts/life.ts'
import { hasLeft, mergedCommands } from './parts/press.ts'
import { addressOfOrder, orderIn, orders, pressedOrder } from './runs/list.ts'
import { lastSetCommand, pendingSettings } from './settings/pending.ts'

const command = (over: Partial<Command>): Command => ({
  id: 'c1',
  type: 'pause',
  payload: {},
  state: 'queued',
  createdAt: 1000,
  createdBy: 'Ada',
  deliveredAt: null,
  failedAt: null,
  answeredAt: null,
  message: null,
  dueAt: null,
  logId: null,
  ...over,
})

test('every state of a command has its own text', () => {
  const words = commandStates.map((state) => lifeWords[state].word)
  expect(new Set(words).size).toBe(commandStates.length)
})

test('a command that was never delivered is not shown as unanswered (D6)', () => {
  expect(wordsOf(command({ state: 'failed', deliveredAt: null })).word).toBe('not sent')
  expect(wordsOf(command({ state: 'failed', deliveredAt: 5 })).word).toBe('no answer')
})

test('a late answer keeps both times (D3)', () =>
  expect(
    stepsOf(command({ state: 'applied_late', deliveredAt: 2000, failedAt: 602_000, answeredAt: 700_000 })),
  ).toEqual([
    { word: 'queued', at: 1000 },
    { word: 'delivered', at: 2000 },
    { word: 'no answer', at: 602_000 },
    { word: 'applied late', at: 700_000 },
  ]))

test('pause and resume undo each other, and nothing undoes a run', () =>
  expect(undoOf).toEqual({ pause: 'resume', resume: 'pause' }))

test('a command is described with the labels that the schema gives its settings', () => {
  expect(titleOf({ type: 'log', payload: { name: 'work' } })).toEqual({ title: 'Send log', what: 'work' })
  expect(changesOf({ every: 20, gone: null }, [{ key: 'every', label: 'Minutes', type: 'number' }])).toEqual([
    { name: 'Minutes', value: '20' },
    { name: 'gone', value: 'not set' },
  ])
})

test('a followed command only moves forward, whichever answer arrives first (I2)', () => {
  const queued = command({})
  const delivered = command({ state: 'delivered', deliveredAt: 2 })
  const applied = command({ state: 'applied', deliveredAt: 2, answeredAt: 3 })
  expect(mergedCommands([queued], [queued], [delivered])[0]?.state).toBe('delivered')
  expect(mergedCommands([delivered], [queued], [queued])[0]?.state).toBe('delivered')
  expect(mergedCommands([delivered], [queued], [applied])[0]?.state).toBe('applied')
  expect(mergedCommands([], [queued], [applied])[0]?.state).toBe('applied')
})

test('commands of other people are shown while they are pending; answered ones only if sent in this visit, and only the newest', () => {
  const others = command({ id: 'o', createdAt: 9 })
  const mine = Array.from({ length: 5 }, (_, i) =>
    command({ id: `m${i}`, state: 'applied', createdAt: i, answeredAt: i }),
  )
  const ledger = [command({ id: 'x', state: 'applied' }), ...mine]
  expect(mergedCommands([others], mine, ledger).map(({ id }) => id)).toEqual(['o', 'm4', 'm3', 'm2'])
})

test('a command that was carried out leaves ten seconds after the page showed it', () =>
  expect([undefined, 5_001, 5_000].map((seenAt) => hasLeft(seenAt, 15_000))).toEqual([false, false, true]))

test.each([
  [null, null],
  [100_000, 'next report in about 30 s'],
  [81_000, 'next report in about 15 s'],
  [70_001, 'next report in about 5 s'],
  [70_000, 'next report due now'],
  [60_000, 'next report due now'],
  [310_000, 'next report in about 4 min'],
])('a queued command waits for a report at %s: %s', (nextAt, words) => expect(dueWords(nextAt, 70_000)).toBe(words))

test('while an agent is paused it can only be resumed, and the other controls say why not', () => {
  expect(whilePaused.resume).toBeNull()
  expect([whilePaused.pause, whilePaused.run_now]).toEqual([
    'The agent is paused already.',
    'The agent is paused: resume it first.',
  ])
})

test('a pause names who made it, as far as that is known', () => {
  expect(pausedBy({ by: 'service' }, 'Ada')).toBe('Paused by Ada')
  expect(pausedBy({ by: 'service' }, null)).toBe('Paused by a command from here')
  expect(pausedBy({ by: 'machine', user: 'root' }, null)).toBe('Paused on its machine by root')
  expect(pausedBy({ by: 'machine' }, null)).toBe('Paused on its machine')
  expect(pausedBy({ by: undefined }, null)).toBe('Paused')
})

test('the order of runs is in the address, except the usual one, and a press turns it round', () => {
  for (const [, order] of orders) {
    const { sort = '', order: way = '' } = addressOfOrder(order)
    expect(orderIn(sort, way)).toEqual(order)
  }
  expect(addressOfOrder(orderIn('', ''))).toEqual({ sort: undefined, order: undefined })
  expect(orderIn('colour', 'up')).toEqual({ sort: 'started', rising: false })
  const byCost = pressedOrder(orderIn('', ''), 'cost')
  expect([byCost, pressedOrder(byCost, 'cost'), pressedOrder({ sort: 'cost', rising: true }, 'duration')]).toEqual([
    { sort: 'cost', rising: false },
    { sort: 'cost', rising: true },
    { sort: 'duration', rising: false },
  ])
})

test('if two pending commands set the same setting, the later one counts', () => {
  const first = command({ id: 'a', type: 'set', payload: { every: 20 }, createdAt: 1 })
  const second = command({ id: 'b', type: 'set', payload: { every: 30 }, createdAt: 2 })
  expect(pendingSettings([second, first]).get('every')?.value).toBe(30)
})

test('the form shows the answer to the newest set command, and none while it is pending anywhere on the page', () => {
  const old = command({ id: 'a', type: 'set', state: 'refused' })
  expect(lastSetCommand([command({}), old], [])?.id).toBe('a')
  expect(lastSetCommand([command({ id: 'b', type: 'set', state: 'delivered' }), old], [])).toBeUndefined()
  const stillShown = command({ id: 'a', type: 'set', state: 'delivered' })
  expect(lastSetCommand([old], [stillShown])).toBeUndefined()
  expect(lastSetCommand([old], [command({ id: 'c' })])?.id).toBe('a')
})

test.each([
  [
    { used: 0.42, mark: 0.8 },
    { text: '42%', markText: '80%', used: 0.42, mark: 0.8, over: false },
  ],
  [
    { used: 0.8, mark: 0.8 },
    { text: '80%', over: true },
  ],
  [
    { used: 1.25, mark: 1 },
    { text: '125%', used: 1, mark: 0.8, over: true },
  ],
  [
    { used: 3, mark: 5 },
    { text: '3', markText: '5', over: false },
  ],
  [{ used: 420 }, { text: '420', markText: null, used: 1, mark: null }],
  [{ used: 0 }, { text: '0%', used: 0 }],
  [{ mark: 0.5 }, { text: null, markText: '50%', used: null }],
  [
    { used: -4, mark: -2 },
    { text: '-4', used: null, mark: null },
  ],
])('a gauge %j is shown as %j', (gauge, view) => expect(gaugeView(gauge)).toMatchObject(view))

test('figures are short and have a unit', () => {
  expect([0, 0.004, 0.42, 1].map(percent)).toEqual(['0%', '0.4%', '42%', '100%'])
  expect([950, 9999, 12_345, 3_400_000].map(tokensText)).toEqual(['950', '9,999', '12.3K', '3.4M'])
})

test('the duration of a run is the time between its start and its end, if both make sense', () => {
  expect(runSeconds({ started: 10, ended: 70 })).toBe(60)
  expect(runSeconds({ started: 10 })).toBeUndefined()
  expect(runSeconds({ started: 10, ended: 5 })).toBeUndefined()
})

const day = (over: Partial<UsageDay>): UsageDay => ({
  day: '2026-11-20',
  runs: 1,
  cost: 0,
  outputTokens: 0,
  models: {},
  ...over,
})

test('the chart shows costs by model, and separately the costs without a model', () => {
  const { costs, columns } = usageColumns([day({ cost: 1, models: { large: 0.75 } })], ['2026-11-19', '2026-11-20'])
  expect(costs).toBe(true)
  expect(columns).toEqual([
    { key: '2026-11-19', parts: {} },
    { key: '2026-11-20', parts: { large: 0.75, 'model not named': 0.25 } },
  ])
})

test('if no run has a cost, the chart counts runs', () =>
  expect(usageColumns([day({ runs: 4 })], ['2026-11-20'])).toEqual({
    costs: false,
    columns: [{ key: '2026-11-20', parts: { runs: 4 } }],
  }))

test('the level history of a new agent starts with its first report, not at the start of the week', () => {
  expect([windowFor(60_000), windowFor(25 * 3_600_000)]).toEqual(['24 h', '7 d'])
  const end = Date.UTC(2026, 10, 21, 12)
  expect(marksOf(end - 3_600_000, end).map(({ text }) => text)).toEqual([
    expect.stringMatching(/:/),
    expect.stringMatching(/:/),
    'now',
  ])
  expect(marksOf(end - 7 * 86_400_000, end)[0]?.text).toBe('14 Nov')
})

test('the level history names the time without reports, and gives no shares of less than an hour', () => {
  const hour = 3_600_000
  const shares = new Map([
    ['ok', 0.9],
    ['bad', 0.1],
  ] as const)
  const all = { shares, reported: 22 * hour, since: 0, gap: 'offline' } as const
  expect(summaryOf(all)).toBe('OK 90%, Bad 10%')
  expect(summaryOf({ ...all, since: 2 * hour })).toBe('OK 90%, Bad 10% of 22 h with reports, offline for 2 h since')
  expect(summaryOf({ ...all, reported: hour / 30, since: 5 * hour, gap: 'stopped' })).toBe(
    'Reports for 2 min, stopped for 5 h since',
  )
  expect(summaryOf({ ...all, shares: new Map() })).toBe('')
  expect([isLong(hour - 1), isLong(hour)]).toEqual([false, true])
})

import type { HistoryChange, ShownCommand, StateSpan, UsageDay } from '@svc/api'
import { commandStates, runSeconds } from '@svc/protocol'
import { expect, test } from 'vitest'
import { type AgentTab, agentTabs } from '../paths.ts'
import { percent, tokensText } from '../ui/time/format.ts'
import { joinedColumns, usageColumns } from './overview/Costs.tsx'
import { shownGaugeOf } from './overview/Gauges.tsx'
import {
  changeLinesOf,
  historyMarksOf,
  historySince,
  isLongEnough,
  stateSummary,
  windowFor,
} from './overview/parts/history.ts'
import { pausedBy } from './overview/parts/StateDetail.tsx'
import {
  commandStateTexts,
  commandStateWords,
  commandStepsOf,
  commandTitleOf,
  nextReportWords,
  settingChangesOf,
  undoingControl,
  whyNotWhilePaused,
} from './parts/life.ts'
import { leavesList, mergedCommands } from './parts/press.ts'
import { addressOfOrder, pressedOrder, readRunOrder, runOrders } from './runs/list.ts'
import { lastSetCommand, pendingSettings } from './settings/pending.ts'

const command = (over: Partial<ShownCommand>): ShownCommand => ({
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
  const words = commandStates.map((state) => commandStateTexts[state].word)
  expect(new Set(words).size).toBe(commandStates.length)
})

test('a command that was never delivered is not shown as unanswered (D6)', () => {
  expect(commandStateWords(command({ state: 'failed', deliveredAt: null })).word).toBe('not sent')
  expect(commandStateWords(command({ state: 'failed', deliveredAt: 5 })).word).toBe('no answer')
})

test('a late answer keeps both times (D3)', () =>
  expect(
    commandStepsOf(command({ state: 'applied_late', deliveredAt: 2000, failedAt: 602_000, answeredAt: 700_000 })),
  ).toEqual([
    { word: 'queued', at: 1000 },
    { word: 'delivered', at: 2000 },
    { word: 'no answer', at: 602_000 },
    { word: 'applied late', at: 700_000 },
  ]))

test('pause and resume undo each other, and nothing undoes a run', () =>
  expect(undoingControl).toEqual({ pause: 'resume', resume: 'pause' }))

test('a command is described with the labels that the schema gives its settings', () => {
  expect(commandTitleOf({ type: 'log', payload: { name: 'work' } })).toEqual({ title: 'Send log', what: 'work' })
  expect(settingChangesOf({ every: 20, gone: null }, [{ key: 'every', label: 'Minutes', type: 'number' }])).toEqual([
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
  expect([undefined, 5_001, 5_000].map((seenAt) => leavesList(seenAt, 15_000))).toEqual([false, false, true]))

test.each([
  [null, null],
  [100_000, 'next report in about 30\u00a0s'],
  [81_000, 'next report in about 15\u00a0s'],
  [70_001, 'next report in about 5\u00a0s'],
  [70_000, 'next report due now'],
  [60_000, 'next report due now'],
  [310_000, 'next report in about 4\u00a0min'],
  [3_970_000, 'next report in about 1\u00a0h\u00a05\u00a0min'],
])('a queued command waits for a report at %s: %s', (nextAt, words) =>
  expect(nextReportWords(nextAt, 70_000)).toBe(words),
)

test('while an agent is paused it can only be resumed, and the other controls say why not', () => {
  expect(whyNotWhilePaused.resume).toBeNull()
  expect([whyNotWhilePaused.pause, whyNotWhilePaused.run_now]).toEqual([
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
  for (const [, order] of runOrders) {
    const { sort = '', order: way = '' } = addressOfOrder(order)
    expect(readRunOrder(sort, way)).toEqual(order)
  }
  expect(addressOfOrder(readRunOrder('', ''))).toEqual({ sort: undefined, order: undefined })
  expect(readRunOrder('colour', 'up')).toEqual({ sort: 'started', rising: false })
  const byCost = pressedOrder(readRunOrder('', ''), 'cost')
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
])('a gauge %j is shown as %j', (gauge, shown) => expect(shownGaugeOf(gauge)).toMatchObject(shown))

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

test('the history of a new agent starts with its first report, not at the start of the week', () => {
  expect([windowFor(60_000), windowFor(25 * 3_600_000)]).toEqual(['24 h', '7 d'])
  const end = Date.UTC(2026, 10, 21, 12)
  expect(historyMarksOf(end - 3_600_000, end).map(({ text }) => text)).toEqual([
    expect.stringMatching(/:/),
    expect.stringMatching(/:/),
    'now',
  ])
  expect(historyMarksOf(end - 7 * 86_400_000, end)[0]?.text).toBe('14 Nov')
})

const hour = 3_600_000
const spansOf = (...parts: [is: StateSpan['is'], level: StateSpan['level'], hours: number][]): StateSpan[] => {
  let from = 0
  return parts.map(([is, level, hours]) => {
    const span = { from, until: from + hours * hour, is, level, label: null }
    from = span.until
    return span
  })
}

test.each([
  ['OK 90%, Bad 10%', spansOf(['reporting', 'ok', 9], ['reporting', 'bad', 1])],
  ['OK 50%, Paused 20%, Offline 30%', spansOf(['paused', 'info', 2], ['reporting', 'ok', 5], ['offline', 'bad', 3])],
  ['No level 50%, Stopped 50%', spansOf(['reporting', null, 1], ['stopped', null, 1])],
  ['Warning 100%', spansOf(['unknown', null, 9], ['reporting', 'warn', 1], ['unknown', null, 3])],
  ['', spansOf(['unknown', null, 9], ['reporting', 'ok', 0.9])],
  ['', []],
])('the history says how the known time is divided: %s', (words, spans) => expect(stateSummary(spans)).toBe(words))

test('an axis of less than an hour would say nothing, and the time that is asked for changes seldom', () => {
  expect([isLongEnough(hour - 1), isLongEnough(hour)]).toEqual([false, true])
  const now = Date.UTC(2026, 10, 21, 12)
  expect([0, 599_999, 600_000].map((ms) => historySince(now + ms, '24 h') - now / 1000)).toEqual([
    -86_400, -86_400, -85_800,
  ])
})

const changed = (minute: number, what: HistoryChange['what'], parts: Partial<HistoryChange> = {}): HistoryChange => ({
  ...{ from: null, to: null, text: null, id: null },
  ...parts,
  at: new Date(2026, 10, 21, 13, minute).getTime(),
  what,
})
const begins = (minute: number, what: HistoryChange['what'], text: string | null = null) =>
  changed(minute, what, { from: false, to: true, text })
const ends = (minute: number, what: HistoryChange['what'], text: string | null = null) =>
  changed(minute, what, { from: true, to: false, text })

test.each<[string, HistoryChange[], string[]]>([
  ['a time offline', [begins(2, 'offline'), ends(40, 'offline')], ['13:02 Offline from 13:02 to 13:40']],
  ['a time offline that lasts', [begins(2, 'offline')], ['13:02 Offline']],
  ['a time offline that began before', [ends(40, 'offline')], ['13:40 Offline until 13:40']],
  [
    'a stop, and a pause within it',
    [begins(2, 'offline', 'person'), begins(3, 'paused'), ends(9, 'offline', 'person'), ends(12, 'paused')],
    ['13:03 Paused from 13:03 to 13:12', '13:02 Stopped on its machine from 13:02 to 13:09'],
  ],
  ['an outage', [begins(2, 'service'), ends(40, 'service')], ['13:02 The service did not run from 13:02 to 13:40']],
  [
    'two pauses',
    [begins(2, 'paused'), ends(3, 'paused'), begins(5, 'paused')],
    ['13:05 Paused', '13:02 Paused from 13:02 to 13:03'],
  ],
  [
    'other changes',
    [
      changed(1, 'level', { from: 'ok', to: 'bad', text: 'Disk full' }),
      changed(2, 'command', { to: 'applied', text: 'pause', id: 'c1' }),
      changed(3, 'command', { to: 'expired', text: 'log', id: 'c2' }),
      changed(4, 'setting', { from: 5, to: null, text: 'every' }),
      changed(5, 'version', { from: '1.0.0', to: '1.1.0' }),
      changed(6, 'update', { from: '1.1.0', to: '1.2.0', text: 'blueprint rolled_back' }),
      changed(7, 'update', { from: '0.9.0', to: '0.9.1', text: 'runtime kept' }),
      changed(8, 'run', { to: 'failed', text: 'run-7', id: 'run-7' }),
      changed(9, 'alert', { to: 'open', text: 'silent', id: 'a1' }),
    ],
    [
      '13:09 Alert opened: Offline',
      '13:08 Run run-7: failed',
      '13:07 Runtime 0.9.1: kept',
      '13:06 Version 1.2.0: rolled back',
      '13:05 Version 1.0.0 became 1.1.0 on its machine',
      '13:04 every became not set on its machine, before 5',
      '13:03 Send log: expired',
      '13:02 Pause: applied',
      '13:01 bad Disk full',
    ],
  ],
])('changes are lines, newest first: %s', (_, changes, lines) => {
  const now = new Date(2026, 10, 21, 14).getTime()
  const shown = changeLinesOf(changes, now, agentTabs).map(
    ({ at, level, words }) => `${new Date(at).toTimeString().slice(0, 5)} ${level === null ? '' : `${level} `}${words}`,
  )
  expect(shown).toEqual(lines)
})

test('a change keeps its key when newer ones are added, and two equal ones have different keys', () => {
  const setting = changed(4, 'setting', { from: 5, to: 7, text: 'every' })
  const before = [changed(1, 'level', { to: 'bad' }), begins(2, 'offline'), setting, setting]
  const keysOf = (changes: HistoryChange[]) =>
    changeLinesOf(changes, changes[0]?.at ?? 0, agentTabs).map(({ key }) => key)
  const keys = keysOf(before)
  expect(new Set(keys).size).toBe(4)
  expect(keysOf([...before, ends(40, 'offline'), changed(41, 'level', { to: 'ok' })]).slice(1)).toEqual(keys)
})

test.each<[string, HistoryChange, unknown]>([
  ['a run leads to it', changed(1, 'run', { to: 'failed', id: 'r' }), { to: 'tab', tab: 'runs', run: 'r' }],
  [
    'a command leads to the commands',
    changed(1, 'command', { to: 'applied', id: 'c' }),
    { to: 'tab', tab: 'commands' },
  ],
  ['a pause leads to the commands', begins(1, 'paused'), { to: 'tab', tab: 'commands' }],
  ['a setting leads to the settings', changed(1, 'setting', { to: 1 }), { to: 'tab', tab: 'settings' }],
  ['a version leads to the updates', changed(1, 'version', { to: '1.1.0' }), { to: 'tab', tab: 'updates' }],
  ['an update leads to the updates', changed(1, 'update', { to: '1.1.0' }), { to: 'tab', tab: 'updates' }],
  ['one of a rollout leads to it', changed(1, 'update', { to: '1.1.0', id: 'o' }), { to: 'rollout', id: 'o' }],
  ['an alert leads to the open ones', changed(1, 'alert', { to: 'open', id: 'a' }), { to: 'alerts', ended: false }],
  ['an ended alert leads to the history', changed(1, 'alert', { to: 'ended', id: 'a' }), { to: 'alerts', ended: true }],
  ['a level marks its moment', changed(1, 'level', { to: 'bad' }), null],
  ['a time offline marks its moment', begins(1, 'offline'), null],
  ['an outage marks its moment', begins(1, 'service'), null],
])('%s', (_, change, target) => expect(changeLinesOf([change], 0, agentTabs)[0]?.target).toEqual(target))

test('a change leads to a tab only if the page has it', () => {
  const changes = [changed(1, 'setting', { to: 1, text: 'every' }), changed(2, 'run', { to: 'failed', id: 'r' })]
  const targets = (tabs: readonly AgentTab[]) => changeLinesOf(changes, 0, tabs).map(({ target }) => target)
  expect(targets(agentTabs)).toEqual([
    { to: 'tab', tab: 'runs', run: 'r' },
    { to: 'tab', tab: 'settings' },
  ])
  expect(targets(['overview', 'runs'])).toEqual([{ to: 'tab', tab: 'runs', run: 'r' }, null])
})

test('a time of an earlier day has its date', () => {
  const now = new Date(2026, 10, 23, 14).getTime()
  expect(changeLinesOf([begins(2, 'offline'), ends(40, 'offline')], now, agentTabs)[0]?.words).toBe(
    'Offline from 21 Nov, 13:02 to 13:40',
  )
})

test('columns of weeks end with the last day, and add up the days', () => {
  const columns = Array.from({ length: 9 }, (_, i) => ({ key: `d${i}`, parts: { a: 1, ...(i === 8 && { b: 2 }) } }))
  expect(joinedColumns(columns, 7)).toEqual([
    { key: 'd0', parts: { a: 2 } },
    { key: 'd2', parts: { a: 7, b: 2 } },
  ])
  expect(joinedColumns(columns, 1)).toEqual(columns)
})

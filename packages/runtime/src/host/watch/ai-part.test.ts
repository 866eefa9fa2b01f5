import { readStatusFile } from '@svc/protocol'
import { expect, test } from 'vitest'
import { timesOfDayIn } from '../../../testing/times-of-day.ts'
import type { NumberedSession } from '../sessions/numbers.ts'
import type { FoundTool, SessionState, ToolSession } from '../sessions/session.ts'
import { addTokensOfAnswer, nothingSpent, readPrices, withReportedCost } from '../sessions/spent.ts'
import { type AiJudgeContext, judgedSessions } from './ai-judge.ts'
import { aiPart } from './ai-part.ts'
import { hostStatusOf } from './sections.ts'

const now = 1_800_000_000
const today = Math.floor(now / 86_400)
const minute = 60

const context = (more: Partial<AiJudgeContext> = {}): AiJudgeContext => ({
  ...{ now, zone: 'UTC', today, names: 'number', waitingMinutes: 5, prices: {}, wrongPrices: 0 },
  ...more,
})

let number = 0
const session = (state: SessionState, more: Partial<NumberedSession> = {}): NumberedSession => ({
  ...{ tool: 'claude', id: `id-${++number}`, number, state, since: now - minute, started: now - 10 * minute },
  ...{ last: now - minute, lives: ['running', 'waiting', 'idle'].includes(state), steps: 2, isPast: false },
  ...{ spent: nothingSpent, folder: '/home/ada/secret/harbour', model: 'm', pid: 7 },
  ...more,
})

const found = (sessions: readonly ToolSession[], more: Partial<FoundTool> = {}): FoundTool => ({
  ...{ tool: 'claude', version: '2.1.332', sessions, elsewhere: 0, faults: [], remarks: [] },
  ...more,
})

const part = (
  sessions: readonly NumberedSession[],
  more: Partial<AiJudgeContext> = {},
  tool: Partial<FoundTool> = {},
) => aiPart([found(sessions, tool)], judgedSessions(sessions, context(more)), context(more))

const itemOf = (one: NumberedSession, more: Partial<AiJudgeContext> = {}) =>
  part([one], more).health.find(({ name }) => name.startsWith('Session '))?.level

/** The table of states: a state, and the level of its item. */
test.each<[string, NumberedSession, Partial<AiJudgeContext>, string | undefined]>([
  ['runs', session('running'), {}, undefined],
  ['is idle', session('idle'), {}, undefined],
  ['is over', session('over'), {}, undefined],
  ['waits', session('waiting'), {}, 'warn'],
  ['waits for five minutes', session('waiting', { since: now - 5 * minute }), {}, 'bad'],
  ['waits for less than the setting', session('waiting', { since: now - 59 * minute }), { waitingMinutes: 60 }, 'warn'],
  ['waits for a day, and that is never bad', session('waiting', { since: 0 }), { waitingMinutes: 0 }, 'warn'],
  ['waits since a time that is ahead', session('waiting', { since: now + 999 }), {}, 'warn'],
  ['died', session('died'), {}, 'bad'],
  ['died an hour ago', session('died', { last: now - 60 * minute }), {}, undefined],
  ['died, and was seen alive a minute ago', session('died', { last: 0, lived: now - minute }), {}, 'bad'],
  ['died before the first look', session('died', { isPast: true }), {}, undefined],
  ['failed', session('failed'), {}, 'warn'],
  ['failed, and still lives', session('failed', { lives: true }), {}, 'warn'],
  ['failed an hour ago', session('failed', { last: now - 60 * minute }), {}, undefined],
  ['failed before the first look', session('failed', { isPast: true }), {}, undefined],
])('a session that %s has the item that it should have', (_what, one, more, level) =>
  expect(itemOf(one, more)).toBe(level),
)

test('an item says what the session does and since when, under its name', () => {
  const waiting = session('waiting', { number: 3 })
  expect(part([waiting]).health[0]).toEqual({
    ...{ name: 'Session claude 3', level: 'warn', detail: 'waits for you since 07:59 UTC' },
  })
  expect(part([waiting], { names: 'folder' }).health[0]?.name).toBe('Session harbour (claude 3)')
  expect(part([session('waiting', { folder: undefined, number: 4 })], { names: 'folder' }).health[0]?.name).toBe(
    'Session claude 4',
  )
})

test.each([
  ['UTC', 'UTC'],
  ['Asia/Kathmandu', 'UTC+5:45'],
])('a machine in %s writes no time of day about its sessions without %s', (zone, offset) => {
  const states = ['running', 'waiting', 'idle', 'died', 'failed', 'over'] as const
  const used = { ...found([]), limits: [{ name: 'Weekly limit', used: 40, resets: now + 90 * minute }] }
  const written = part(
    states.map((state) => session(state)),
    { zone },
    used,
  )
  expect(timesOfDayIn(written).length).toBeGreaterThan(7)
  expect(timesOfDayIn(written).filter((text) => !text.endsWith(` ${offset}`))).toEqual([])
})

test.each<[string, NumberedSession[], string]>([
  ['one waits', [session('waiting', { number: 3 }), session('idle')], 'claude 3 waits for you'],
  ['one died', [session('died', { number: 3 }), session('idle')], 'claude 3 died'],
  [
    'two need somebody',
    [session('died'), session('waiting'), session('idle'), session('over')],
    '2 of 3 sessions need you',
  ],
  ['all is well', [session('running'), session('idle'), session('over')], '2 sessions'],
  ['one is open', [session('running')], '1 session'],
  ['none is open', [session('over')], 'no open session'],
])('the label if %s', (_what, sessions, label) => expect(part(sessions).label).toBe(label))

test('the label says that a tool cannot be read, and that there is no tool', () => {
  expect(part([session('idle')], {}, { faults: ['2 files cannot be read'] }).label).toBe(
    '1 session, but Claude Code needs you',
  )
  expect(aiPart([], [], context())).toMatchObject({ label: 'no AI sessions yet', health: [], panels: [] })
})

test('the item of a tool tells its version, its sessions, and what is not understood', () => {
  const sessions = [session('running'), session('idle'), session('over')]
  const item = (more: Partial<FoundTool> = {}) => part(sessions, {}, more).health.at(-1)
  expect(item()).toEqual({ name: 'Claude Code', level: 'ok', detail: '2.1.332: 2 open, 3 in 7 days' })
  expect(item({ elsewhere: 1 })?.detail).toContain('1 elsewhere')
  expect(item({ faults: ['its state "odd" is not known'] })).toMatchObject({ level: 'warn' })
  expect(item({ version: undefined, remarks: ['needs Node 22.13'] })).toEqual({
    ...{ name: 'Claude Code', level: 'info', detail: '2 open, 3 in 7 days; needs Node 22.13' },
  })
  expect(part([], { wrongPrices: 1 }).health.at(-1)).toMatchObject({ name: 'Prices', level: 'warn' })
})

test('sixteen sessions have items, the worst first, and one says that there are more', () => {
  const many = Array.from({ length: 20 }, (_, at) => session(at < 10 ? 'waiting' : 'died', { number: at + 1 }))
  const { health } = part(many)
  expect(health).toHaveLength(18)
  expect(health.slice(0, 10).every(({ level }) => level === 'bad')).toBe(true)
  expect(health[16]).toEqual({ name: 'Sessions', level: 'warn', detail: '4 more need you' })
})

test('sessions that run or wait are active, and all are runs', () => {
  const spent = addTokensOfAnswer(nothingSpent, 'm', { input: 10, cached: 5, output: 34 }, today)
  const sessions = [
    session('running', { spent }),
    session('waiting'),
    session('idle'),
    session('died'),
    session('over'),
  ]
  const { active, runs } = part(sessions)
  expect(active?.map(({ kind, model, steps, detail }) => [kind, model, steps, detail])).toEqual([
    ['claude', 'm', 2, 'waits for you'],
    ['claude', 'm', 2, undefined],
  ])
  const byStatus = new Map(runs?.map((run) => [run.status, run]))
  expect([...byStatus.keys()].sort()).toEqual(['died', 'idle', 'ok', 'running', 'waiting'])
  expect(byStatus.get('running')).toEqual({
    ...{ id: `claude:${sessions[0]?.id}`, kind: 'claude', status: 'running', started: now - 600, output_tokens: 34 },
    subjects: [{ title: `claude ${sessions[0]?.number}` }],
  })
  for (const status of ['running', 'waiting', 'idle']) expect(byStatus.get(status)).not.toHaveProperty('ended')
  for (const status of ['died', 'ok']) expect(byStatus.get(status)?.ended).toBe(now - minute)
})

test('a run has a cost only if the tool told it or a price is set', () => {
  const used = addTokensOfAnswer(nothingSpent, 'm', { input: 1_000_000, cached: 0, output: 0 }, today)
  const costs = (spent: typeof used, prices = {}) => {
    const { runs, panels } = part([session('over', { spent })], { prices })
    const cell = panels?.[0]?.type === 'table' ? panels[0].rows?.[0]?.[5] : undefined
    const row = panels?.[1]?.type === 'table' ? panels[1].rows?.[0] : undefined
    return [runs?.[0]?.cost_usd, runs?.[0]?.models, cell, row?.slice(1)]
  }
  const { prices } = readPrices('m=3/15')
  expect(costs(used)).toEqual([undefined, undefined, '–', ['–', '–', '0 out, 1.0M in']])
  expect(costs(used, prices)).toEqual([3, { m: 3 }, '$3.00, estimated', ['–', '$3.00', '0 out, 1.0M in']])
  const reported = withReportedCost(used, { usd: 1.25, models: { m: 1.25 }, tokens: used.all }, today)
  expect(costs(reported)).toEqual([1.25, { m: 1.25 }, '$1.25', ['$1.25', '–', '0 out, 1.0M in']])
  const more = addTokensOfAnswer(reported, 'other', { input: 9, cached: 0, output: 0 }, today)
  expect(costs(more)).toMatchObject([1.25, { m: 1.25 }, 'at least $1.25', ['at least $1.25', '–', '0 out, 1.0M in']])
  expect(costs(addTokensOfAnswer(reported, 'm', { input: 100, cached: 0, output: 0 }, today), prices)).toMatchObject([
    ...[1.2503, { m: 1.2503 }, '$1.25, estimated', ['$1.25', '$0.00030', '0 out, 1.0M in']],
  ])
})

test('what was used on another day is not of today', () => {
  const spent = addTokensOfAnswer(nothingSpent, 'm', { input: 1, cached: 1, output: 1 }, today - 1)
  const { panels } = part([session('idle', { spent }), session('over', { spent })])
  const rows = panels?.[0]?.type === 'table' ? panels[0].rows : undefined
  expect(rows).toHaveLength(1)
  expect(rows?.[0]?.at(-1)).toBe('–')
})

test('folders are in the part only if a person chose that, and never more than the last name', () => {
  const sessions = [session('waiting'), session('running'), session('died')]
  expect(JSON.stringify(part(sessions))).not.toMatch(/harbour|secret|ada/)
  const shown = JSON.stringify(part(sessions, { names: 'folder' }))
  expect(shown).toContain('harbour')
  expect(shown).not.toMatch(/secret|ada/)
})

test('with 300 sessions the status file is whole, and far below its limit', () => {
  const prices = readPrices('m=3/15/0.3').prices
  const spent = addTokensOfAnswer(nothingSpent, 'm', { input: 12_345_678, cached: 9, output: 123_456 }, today)
  const states = ['running', 'waiting', 'idle', 'died', 'failed', 'over'] as const
  const many = Array.from({ length: 300 }, (_, at) => session(states[at % 6] ?? 'over', { spent, number: at + 1 }))
  const status = hostStatusOf([part(many, { prices, names: 'folder' })])
  expect(Buffer.byteLength(JSON.stringify(status))).toBeLessThan(80_000)
  expect([status.active?.length, status.runs?.length]).toEqual([50, 150])
  expect(readStatusFile(status, now * 1000)).toMatchObject({ unknown: [], dropped: [] })
})

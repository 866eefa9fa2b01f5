import { expect, test } from 'vitest'
import type { JobFacts } from './facts.ts'
import { judgeJob } from './judge.ts'
import type { ShownRun } from './reader.ts'
import { readCron, timesEvery } from './schedule.ts'

/** Reads times of 2026 in UTC, such as `11-24 03:00`. */
const at = (written: string): number => Date.parse(`2026-${written.replace(' ', 'T')}Z`) / 1000
const now = at('11-25 10:00')

let count = 0
const run = (status: ShownRun['status'], started: string, ended?: string, more: Partial<ShownRun> = {}): ShownRun => ({
  ...{ id: `${at(started) * 1000}-${++count}`, status, started: at(started) },
  ...(ended !== undefined && { ended: at(ended) }),
  ...more,
})
const good = run('ok', '11-25 03:00', '11-25 03:04')
const failed = run('failed', '11-25 03:00', '11-25 03:12', { exit: 1 })
const killed = run('failed', '11-25 03:00', '11-25 03:12', { signal: 'SIGKILL' })
const older = (status: ShownRun['status'], day: number) =>
  run(status, `11-${day} 03:00`, `11-${day} 03:02`, { exit: 1 })

const cron = readCron('0 3 * * *', 'UTC')
if (!cron.ok) throw new Error(cron.why)
const daily: Pick<JobFacts, 'plans' | 'schedule'> = {
  plans: [{ times: cron.times, zone: 'UTC', since: at('11-01 00:00') }],
  schedule: { cron: '0 3 * * *', from: 'crontab' },
}
const unscheduled = { plans: [] }
const hourly = {
  plans: [{ times: timesEvery(3600), zone: 'UTC' }],
  schedule: { every: 3600, from: 'command' as const },
}
const new03 = { ...daily, plans: daily.plans.map((plan) => ({ ...plan, since: at('11-25 09:00') })) }

type Row = readonly [
  facts: Partial<JobFacts> & Pick<JobFacts, 'plans'>,
  runs: readonly ShownRun[],
  level: string,
  detail: string,
  short?: string,
]
/** The newest run is the first. All is judged on 25 November at 10:00 UTC. */
const table: readonly Row[] = [
  [daily, [good], 'ok', 'ok 03:04 UTC, took 4 min; next 26 Nov 03:00 UTC', 'ok'],
  [unscheduled, [good], 'ok', 'ok 03:04 UTC, took 4 min'],
  [hourly, [run('ok', '11-25 09:30', '11-25 09:31')], 'ok', 'ok 09:31 UTC, took 60 s; next 10:30 UTC'],
  [daily, [failed], 'bad', 'failed (exit 1) 03:12 UTC', 'failed (exit 1)'],
  [daily, [killed], 'bad', 'failed (SIGKILL) 03:12 UTC', 'failed (SIGKILL)'],
  [
    daily,
    [failed, older('failed', 24), older('timeout', 23), older('ok', 22), older('failed', 21)],
    'bad',
    'failed (exit 1) 03:12 UTC, 3 times in a row',
  ],
  [daily, [failed, older('failed', 24)], 'bad', 'failed (exit 1) 03:12 UTC, 2 times in a row'],
  [daily, [failed, older('ok', 24)], 'bad', 'failed (exit 1) 03:12 UTC'],
  [daily, [good, older('failed', 24)], 'ok', 'ok 03:04 UTC, took 4 min; next 26 Nov 03:00 UTC'],
  [daily, [run('timeout', '11-25 03:00', '11-25 04:00')], 'bad', 'timed out 04:00 UTC', 'timed out'],
  [daily, [run('lost', '11-25 03:00')], 'bad', 'lost, began 03:00 UTC', 'lost'],
  [daily, [older('ok', 23)], 'bad', 'overdue by 31 h, last began 23 Nov 03:00 UTC', 'overdue by 31 h'],
  [
    daily,
    [older('failed', 23)],
    'bad',
    'overdue by 31 h, last began 23 Nov 03:00 UTC; failed (exit 1) 23 Nov 03:02 UTC',
  ],
  [daily, [run('running', '11-23 03:00')], 'bad', 'overdue by 7 h, still running since 23 Nov 03:00 UTC'],
  [daily, [], 'bad', 'overdue by 24 days, never ran'],
  [new03, [], 'info', 'never ran; next 26 Nov 03:00 UTC', 'never ran'],
  [unscheduled, [], 'info', 'never ran'],
  [daily, [run('running', '11-25 03:00')], 'ok', 'running since 03:00 UTC'],
  [
    daily,
    [run('running', '11-25 03:00'), older('ok', 24)],
    'ok',
    'ok 24 Nov 03:02 UTC, took 2 min; running since 03:00 UTC',
  ],
  [
    daily,
    [run('running', '11-25 03:00'), older('failed', 24)],
    'bad',
    'failed (exit 1) 24 Nov 03:02 UTC; running since 03:00 UTC',
  ],
  [
    daily,
    [run('running', '11-25 03:00'), run('running', '11-24 03:00')],
    'ok',
    '2 running, the first since 24 Nov 03:00 UTC',
  ],
  [
    daily,
    [run('skipped', '11-25 09:00', '11-25 09:00'), good],
    'ok',
    'ok 03:04 UTC, took 4 min; next 26 Nov 03:00 UTC',
  ],
  [
    daily,
    [run('skipped', '11-25 03:00', '11-25 03:00'), run('running', '11-23 03:00')],
    'bad',
    'overdue by 7 h, still running since 23 Nov 03:00 UTC',
  ],
  [
    { ...daily, unrecorded: [{ at: at('11-25 03:00'), reason: 'no Node' }] },
    [older('ok', 24)],
    'warn',
    'ran 03:00 UTC, but was not recorded: no Node; next 26 Nov 03:00 UTC',
    'not recorded',
  ],
  [
    { ...daily, unrecorded: [{ at: at('11-25 03:00'), reason: 'no Node' }] },
    [older('failed', 24)],
    'bad',
    'failed (exit 1) 24 Nov 03:02 UTC',
  ],
  [
    { ...daily, unrecorded: [{ at: at('11-24 12:00'), reason: 'no Node' }] },
    [good],
    'ok',
    'ok 03:04 UTC, took 4 min; next 26 Nov 03:00 UTC',
  ],
  [
    { ...daily, unrecorded: [{ at: at('11-23 03:00'), reason: 'no Node' }] },
    [],
    'bad',
    'overdue by 31 h, last began 23 Nov 03:00 UTC',
  ],
  [{ ...unscheduled, unrecorded: [{ at: at('11-26 03:00'), reason: 'no Node' }] }, [], 'info', 'never ran'],
]

for (const [facts, runs, level, detail, short] of table)
  test(`${level}: ${detail}`, () => {
    const judged = judgeJob({ name: 'backup', unrecorded: [], runs, ...facts }, { now, zone: 'UTC' })
    expect({ level: judged.level, detail: judged.detail() }).toEqual({ level, detail })
    if (short !== undefined) expect(judged.short).toBe(short)
  })

/** Runs that began every three minutes until now, the newest first. `took` says how long each lived, if it ended. */
const piled = (count: number, took: (index: number) => number | undefined): ShownRun[] =>
  Array.from({ length: count }, (_, index) => {
    const started = now - 180 * (index + 1)
    const lived = took(index)
    const ended = lived === undefined || started + lived > now ? undefined : started + lived
    return {
      id: `${started * 1000}-p`,
      status: ended === undefined ? ('running' as const) : ('ok' as const),
      started,
      ...(ended !== undefined && { ended }),
    }
  })
const minutes3 = readCron('*/3 * * * *', 'UTC')
if (!minutes3.ok) throw new Error(minutes3.why)
const often = {
  plans: [{ times: minutes3.times, zone: 'UTC' }],
  schedule: { cron: '*/3 * * * *', from: 'crontab' as const },
}

/** Each row: the runs, and the level and the label of a job of every three minutes. */
test.each<[string, readonly ShownRun[], string, string]>([
  ['nine copies that never end', piled(9, () => undefined), 'bad', 'overdue by 21 min'],
  [
    'one that never ends, beside newer ones that end',
    piled(9, (i) => (i === 8 ? undefined : 5)),
    'bad',
    'overdue by 21 min',
  ],
  [
    'one that never ends, beside newer ones that fail',
    piled(9, (i) => (i === 8 ? undefined : 5)).map((one) =>
      one.status === 'ok' ? { ...one, status: 'failed' as const, exit: 2 } : one,
    ),
    'bad',
    'overdue by 21 min',
  ],
  ['three copies, none too old', piled(3, () => undefined), 'warn', '3 copies running'],
  ['two copies', piled(2, () => undefined), 'ok', 'ok'],
  [
    'three copies of a job that usually ends at once',
    piled(9, (i) => (i < 3 ? undefined : 5)),
    'warn',
    '3 copies running',
  ],
  ['runs that overlap as a rule', piled(40, () => 900), 'ok', 'ok'],
  [
    'runs that overlap as a rule, one of them a little longer',
    piled(40, (i) => (i === 9 ? undefined : 900)),
    'ok',
    'ok',
  ],
  [
    'runs that overlap as a rule, one of them twice as long',
    piled(40, (i) => (i === 12 ? undefined : 900)),
    'bad',
    'overdue by 9 min',
  ],
  [
    'runs that overlap as a rule, of which only the last 20 count',
    piled(60, (i) => (i === 30 ? 5000 : i === 29 ? undefined : 400)),
    'bad',
    'overdue by 77 min',
  ],
  [
    'two that were too long, before many that were not',
    piled(9, (i) => (i === 8 ? undefined : i > 5 ? 200 : 5)),
    'bad',
    'overdue by 21 min',
  ],
  [
    'copies that were killed say nothing about how long a run may live',
    [
      ...piled(4, () => undefined),
      ...piled(40, () => 3000)
        .slice(20)
        .map((one) => ({ ...one, status: 'failed' as const, signal: 'SIGTERM' })),
    ],
    'bad',
    'overdue by 6 min',
  ],
])('%s', (_what, runs, level, short) => {
  const judged = judgeJob({ name: 'sync', unrecorded: [], runs, ...often }, { now, zone: 'UTC' })
  expect([judged.level, judged.short]).toEqual([level, short])
})

test('copies are named, and the first one is the oldest', () => {
  const detail = (count: number, facts: Pick<JobFacts, 'plans'> = unscheduled) =>
    judgeJob(
      { name: 'sync', unrecorded: [], runs: piled(count, () => undefined), ...facts },
      { now, zone: 'UTC' },
    ).detail()
  expect(detail(3)).toBe('3 copies running, the first since 09:51 UTC, then 09:54 UTC, 09:57 UTC')
  expect(detail(7)).toBe('7 copies running, the first since 09:39 UTC, then 09:42 UTC, 09:45 UTC, 09:48 UTC and 3 more')
  expect(detail(7, often)).toBe(
    'overdue by 15 min, still 7 copies running, the first since 09:39 UTC, then 09:42 UTC, 09:45 UTC, 09:48 UTC and 3 more',
  )
})

test('after a long sleep the grace begins again', () => {
  const facts: JobFacts = { name: 'backup', unrecorded: [], runs: [older('ok', 23)], ...daily }
  expect(judgeJob(facts, { now, zone: 'UTC', woke: at('11-25 09:30') }).level).toBe('ok')
  expect(judgeJob(facts, { now, zone: 'UTC', woke: at('11-25 07:30') }).level).toBe('bad')
  expect(judgeJob(facts, { now, zone: 'UTC', woke: at('11-26 07:30') }).level).toBe('bad')
})

test('a run usually takes the median of the last five good ones', () => {
  const took = [60, 6000, 120, 180, 240, 9].map((seconds, i) => ({
    ...older('ok', 24 - i),
    ended: at(`11-${24 - i} 03:00`) + seconds,
  }))
  const judge = (runs: readonly ShownRun[]) =>
    judgeJob({ name: 'backup', unrecorded: [], runs, ...daily }, { now, zone: 'UTC' })
  expect(judge(took).usual).toBe(180)
  expect(judge([older('failed', 24), ...took.slice(0, 1)]).usual).toBe(60)
  expect(judge([]).usual).toBeUndefined()
})

test('a job without a schedule is over a week after a good run, but never after a bad one', () => {
  const isOver = (facts: Pick<JobFacts, 'plans'>, runs: readonly ShownRun[]) =>
    judgeJob({ name: 'backup', unrecorded: [], runs, ...facts }, { now, zone: 'UTC' }).isOver
  expect(isOver(unscheduled, [older('ok', 18)])).toBe(true)
  expect(isOver(unscheduled, [older('ok', 19)])).toBe(false)
  expect(isOver(unscheduled, [older('failed', 10)])).toBe(false)
  expect(isOver(unscheduled, [run('running', '11-25 03:00'), older('ok', 10)])).toBe(false)
  expect(isOver(daily, [older('ok', 10)])).toBe(false)
  expect(isOver(unscheduled, [])).toBe(false)
})

test.each([
  ['before its next time is over', '11-25 09:30', '11-25 09:20'],
  ['when that is overdue, too', '11-25 07:00', '11-25 06:50'],
])('a job that was overdue when the clock was set back stays so since then, %s', (_when, since, late) => {
  const plans = hourly.plans.map((plan) => ({ ...plan, since: at(since) }))
  const judged = judgeJob(
    { name: 'backup', unrecorded: [], ...hourly, plans, runs: [], late: at(late) },
    { now, zone: 'UTC' },
  )
  expect([judged.isOverdue, judged.due]).toEqual([true, at(late)])
})

import { readStatusFile } from '@svc/protocol'
import { expect, test } from 'vitest'
import { timesOfDayIn } from '../../../testing/times-of-day.ts'
import { readCrontab } from '../jobs/crontab.ts'
import type { Job } from '../jobs/job-note.ts'
import { type FoundJobs, noJobs, type ShownRun } from '../jobs/reader.ts'
import { nothingSeen, type SeenJobs, seenAfter } from '../jobs/seen.ts'
import { type JobsJudgeContext, jobsPart } from './jobs-part.ts'
import { hostStatusOf, partsOf } from './sections.ts'

const now = Date.parse('2026-11-25T10:00Z') / 1000
const context: JobsJudgeContext = { now, zone: 'UTC' }
const hour = 3600

const run = (status: ShownRun['status'], hoursAgo: number, more: Partial<ShownRun> = {}): ShownRun => {
  const started = Math.round(now - hoursAgo * hour)
  return {
    id: `${started * 1000}-aaaa`,
    status,
    started,
    ...(status !== 'running' && { ended: started + 240 }),
    ...more,
  }
}
const failed = run('failed', 1, { exit: 1 })
const good = run('ok', 1)
const job = (name: string, runs: readonly ShownRun[], note?: Partial<Job>) => ({
  name,
  runs,
  ...(note && { note: { name, ...note } }),
})
const found = (jobs: FoundJobs['jobs'], more: Partial<FoundJobs> = {}): FoundJobs => ({ ...noJobs, jobs, ...more })
const many = (count: number, make: (i: number) => readonly ShownRun[]) =>
  Array.from({ length: count }, (_, i) => job(`job-${String(i).padStart(3, '0')}`, make(i)))
const table = (text: string, seenAt = now - 30 * hour): SeenJobs =>
  seenAfter(nothingSeen, readCrontab(text), { now: seenAt, remembers: true, obeysTz: false })

test('nothing is shown before there is a job', () => {
  const part = jobsPart(noJobs, nothingSeen, context)
  expect(part).toEqual({ health: [], label: 'no jobs yet', active: [], runs: [], panels: [] })
})

test('each job is an item, the worst first and then by name', () => {
  const seen = table(
    '0 3 * * * svc-exec missed -- x\n30 9 * * * svc-exec mail -- x\n0 12 * * * svc-exec noon -- x',
    now - hour,
  )
  const jobs = [
    job('zeta', [failed]),
    job('alpha', [good]),
    job('mail', []),
    job('busy', [run('running', 2), run('ok', 3)]),
  ]
  const { health, label, active, runs, panels } = jobsPart(found(jobs), seen, context)
  expect(health.map(({ name, level, detail }) => `${name} ${level}: ${detail}`)).toEqual([
    'Job zeta bad: failed (exit 1) 09:04 UTC',
    'Job mail info: never ran; next 26 Nov 09:30 UTC',
    'Job missed info: never ran; next 26 Nov 03:00 UTC',
    'Job noon info: never ran; next 12:00 UTC',
    'Job alpha ok: ok 09:04 UTC, took 4 min',
    'Job busy ok: ok 07:04 UTC, took 4 min; running since 08:00 UTC',
  ])
  expect(label).toBe('zeta: failed (exit 1)')
  expect(active).toEqual([
    { kind: 'job', started: now - 2 * hour, subjects: [{ title: 'busy' }], detail: 'usually 4 min' },
  ])
  expect(runs?.map(({ id, status }) => `${id.split('/')[0]} ${status}`)).toEqual([
    'zeta failed',
    'alpha ok',
    'busy running',
    'busy ok',
  ])
  expect(runs?.[0]).toEqual({
    id: `zeta/${failed.id}`,
    kind: 'job',
    status: 'failed',
    started: failed.started,
    ended: failed.ended,
    subjects: [{ title: 'zeta' }],
  })
  expect(panels).toMatchObject([
    {
      type: 'table',
      columns: ['Job', 'Last', 'Took', 'Next'],
      rows: [
        ['zeta', 'failed (exit 1) 09:04 UTC', '4 min', '–'],
        ['mail', 'never ran', '–', '26 Nov 09:30 UTC'],
        ['missed', 'never ran', '–', '26 Nov 03:00 UTC'],
        ['noon', 'never ran', '–', '12:00 UTC'],
        ['alpha', 'ok 09:04 UTC', '4 min', '–'],
        ['busy', 'running since 08:00 UTC', '4 min', '–'],
      ],
    },
  ])
})

test('the newest runs of a job hide neither the oldest that lives, nor the failure before it', () => {
  const hung = run('running', 30)
  const newer = Array.from({ length: 150 }, (_, i) => run('ok', i / 10 + 0.1))
  const copies = Array.from({ length: 60 }, (_, i) => run('running', i / 100 + 0.01))
  const jobs = found([
    job('hung', [...newer, hung]),
    job('piled', copies),
    job('retry', [run('running', 1), run('failed', 2, { exit: 1 })]),
  ])
  const { health, label, active = [], runs = [], panels } = jobsPart(jobs, nothingSeen, context)
  expect(runs.find(({ id }) => id === `hung/${hung.id}`)).toMatchObject({ status: 'running' })
  expect(active.slice(0, 3).map(({ subjects: [first] = [], started }) => [first?.title, started])).toEqual([
    ['retry', now - hour],
    ['piled', copies.at(-1)?.started],
    ['hung', hung.started],
  ])
  expect(active).toHaveLength(50)
  expect(health.map(({ name, level }) => `${name} ${level}`)).toEqual([
    'Job retry bad',
    'Job piled warn',
    'Job hung ok',
  ])
  expect(label).toBe('2 of 3 jobs need you')
  expect(panels).toMatchObject([
    {
      rows: [
        ['retry', 'failed (exit 1) 08:04 UTC; running since 09:00 UTC', '4 min', '–'],
        ['piled', '60 running since 09:24 UTC', '–', '–'],
        ['hung', 'running since 24 Nov 04:00 UTC', '4 min', '–'],
      ],
    },
  ])
})

test('what a command told about its run is reported, and nothing else', () => {
  const told = {
    cost_usd: 0.12,
    output_tokens: 900,
    models: { m: 0.12 },
    subjects: [{ title: 'a' }],
    log: 'job/backup',
  }
  const { runs } = jobsPart(
    found([job('backup', [{ ...good, ...told, pid: 7, boot: 'x', exit: 0 }])]),
    nothingSeen,
    context,
  )
  expect(runs).toEqual([
    { id: `backup/${good.id}`, kind: 'job', status: 'ok', started: good.started, ended: good.ended, ...told },
  ])
})

test.each([
  ['one needs you', found([job('backup', [failed]), job('mail', [good])]), 'backup: failed (exit 1)'],
  [
    'several need you',
    found([job('a', [failed]), job('b', [run('timeout', 1)]), job('c', [good])]),
    '2 of 3 jobs need you',
  ],
  ['all are well', found([job('a', [good]), job('b', [good])]), '2 jobs, all well'],
  ['one is well', found([job('a', [good])]), '1 job, all well'],
  [
    'one was not recorded',
    found([], { unrecorded: [{ at: now - 60, name: 'a', reason: 'no Node' }] }),
    'a: not recorded',
  ],
  ['one was lost', found([job('a', [run('lost', 1, {})])]), 'a: lost'],
])('the label if %s', (_what, jobs, label) => {
  expect(jobsPart(jobs, nothingSeen, context).label).toBe(label)
})

/** Each row: what is found besides two jobs that are well, and the label. */
test.each<[string, Partial<FoundJobs>, SeenJobs, Partial<JobsJudgeContext>, string]>([
  ['nothing', {}, nothingSeen, {}, '2 jobs, all well'],
  [
    'a crontab that cannot be listed',
    {},
    nothingSeen,
    { failed: 'failed (exit 1)' },
    '2 jobs, but the crontab needs you',
  ],
  ['a line that cron does not know', {}, table('nonsense'), {}, '2 jobs, but the crontab needs you'],
  ['a call that cannot be read', {}, table('0 3 * * * svc-exec Bad -- x'), {}, '2 jobs, but the crontab needs you'],
  ['a schedule that cannot be read', {}, table('0 3 * * 9 svc-exec c -- x'), {}, '2 jobs, but the crontab needs you'],
  ['a folder that cannot be read', { closed: ['c'] }, nothingSeen, {}, '2 jobs, and 1 whose records cannot be read'],
  ['a record that cannot be read', { passedOver: 1 }, nothingSeen, {}, '2 jobs, all well'],
])('the label looks at all that it sums up: %s', (_what, more, seen, views, label) => {
  const part = jobsPart(found([job('a', [good]), job('b', [good])], more), seen, { ...context, ...views })
  expect(part.label).toBe(label)
  const worst = hostStatusOf([part]).state?.level
  expect(label.endsWith('all well')).toBe(worst === 'ok' || (worst === 'info' && more.closed === undefined))
})

test.each([
  [22, 0, 22, undefined],
  [23, 0, 23, ['ok', '1 more, all well']],
  [53, 0, 23, ['ok', '31 more, all well']],
  [53, 25, 23, ['bad', '31 more, 3 need you']],
])('%i jobs, %i of them bad, are %i items', (count, bad, items, rest) => {
  const { health } = jobsPart(found(many(count, (i) => [i < bad ? failed : good])), nothingSeen, context)
  expect(health).toHaveLength(items)
  const last = health.find(({ name }) => name === 'Jobs')
  expect(last && [last.level, last.detail]).toEqual(rest)
})

test('five hundred jobs with all their records fit into the status file, and the contract cuts nothing', () => {
  const subjects = Array.from({ length: 20 }, (_, i) => ({ title: `${i}`.repeat(100) }))
  const runs = (i: number) =>
    Array.from({ length: 100 }, (_, k) => run(k === 0 ? 'running' : 'ok', i / 500 + k * 2, i < 3 ? { subjects } : {}))
  const status = hostStatusOf([jobsPart(found(many(500, runs)), nothingSeen, context)])
  const text = JSON.stringify(status)
  expect(Buffer.byteLength(text)).toBeLessThan(200 * 1024)
  expect(readStatusFile(JSON.parse(text), now * 1000)).toEqual({ status: JSON.parse(text), unknown: [], dropped: [] })
  expect(status.runs?.length).toBeGreaterThan(100)
  expect(status.active).toHaveLength(50)
  expect(status.state?.label).toBe('500 jobs, all well')
})

test('the last run of each job and the newest hundred are reported', () => {
  const { runs = [] } = jobsPart(
    found(many(40, (i) => Array.from({ length: 50 }, (_, k) => run('ok', i + k)))),
    nothingSeen,
    context,
  )
  expect(new Set(runs.map(({ id }) => id.split('/')[0])).size).toBe(40)
  expect(runs.length).toBeGreaterThanOrEqual(100)
  expect(runs.length).toBeLessThanOrEqual(140)
})

test('lines of the crontab that cannot be read are named, without their text', () => {
  const text =
    'nonsense\n0 3 * * * svc-exec Bad -- secret\n0 3 * * 9 svc-exec b -- secret\n61 * * * * untouched\n0 3 * * * svc-exec c --x secret -- y'
  const { health, label } = jobsPart(noJobs, table(text), context)
  const item = health.find(({ name }) => name === 'Crontab')
  expect(item?.level).toBe('bad')
  expect(item?.detail).toMatch(/^line 2, 5: the words .*; line 3: the schedule .*; line 1: not a line/)
  expect(label).toBe('c: overdue by 7 h')
  expect(JSON.stringify(health)).not.toContain('secret')
})

test('while crontab fails, the last table counts and the item warns', () => {
  const failing = { ...context, failed: 'did not end within 10 s' }
  const { health } = jobsPart(noJobs, table('0 3 * * * svc-exec backup -- x', now - hour), failing)
  expect(health).toContainEqual({
    name: 'Crontab',
    level: 'warn',
    detail: '"crontab -l" did not end within 10 s; the table of 09:00 UTC still counts',
  })
  expect(health[0]).toMatchObject({ name: 'Job backup', level: 'info' })
  expect(jobsPart(noJobs, nothingSeen, failing).health[0]?.detail).toContain('no table was read yet')
})

test('runs that name no job are counted for a week', () => {
  const unrecorded = [8, 6, 1].map((days) => ({ at: now - days * 86_400, reason: 'wrong usage' }))
  expect(jobsPart(found([], { unrecorded }), nothingSeen, context).health).toEqual([
    { name: 'Records', level: 'info', detail: '2 runs in 7 days without a record and without the name of a job' },
  ])
})

test('more than 1,000 jobs are named, since each look reads them', () => {
  const jobs = Array.from({ length: 1001 }, (_, n) => ({ name: `backup-${n}`, runs: [] }))
  const items = (some: typeof jobs) =>
    jobsPart(found(some), nothingSeen, context).health.filter(({ name }) => name === 'Records')
  expect(items(jobs)).toMatchObject([
    { level: 'info', detail: 'there are 1001 jobs: a name should have no date in it' },
  ])
  expect(items(jobs.slice(1))).toEqual([])
})

test('records that cannot be read are counted', () => {
  const { health, label } = jobsPart(found([], { passedOver: 2, closed: ['backup'] }), nothingSeen, context)
  expect(health).toEqual([
    {
      name: 'Records',
      level: 'info',
      detail: '2 records cannot be read, or have a time in the future; the folder of backup cannot be read',
    },
  ])
  expect(label).toBe('no jobs yet')
})

test.each([
  ['an interval of the command', { every: 3600, since: now - 90_000 }, { every: 3600, from: 'command' }],
  [
    'a schedule of a person',
    { cron: '0 3 * * *', tz: 'Asia/Tokyo', by: 'person' as const },
    { cron: '0 3 * * *', tz: 'Asia/Tokyo', from: 'person' },
  ],
])('without a line in the crontab, %s counts', async (_what, note, schedule) => {
  const { jobFactsOf } = await import('../jobs/facts.ts')
  const [facts] = jobFactsOf(found([job('backup', [good], note)]), nothingSeen, 'UTC')
  expect(facts?.schedule).toEqual(schedule)
  expect(facts?.plans).toHaveLength(1)
  const [both] = jobFactsOf(
    found([job('backup', [good], note)]),
    table('1 2 * * * svc-exec backup -- x\n3 4 * * * svc-exec backup -- x'),
    'UTC',
  )
  expect(both?.schedule).toEqual({ cron: '1 2 * * * | 3 4 * * *', from: 'crontab' })
  expect(both?.plans).toHaveLength(2)
})

test.each<[string, FoundJobs, SeenJobs]>([
  ['the zone of a note', found([job('a', [good], { cron: '0 3 * * *', tz: 'Mars/Olympus', since: now })]), nothingSeen],
  ['the schedule of a note', found([job('a', [good], { cron: '0 3 * * 9', since: now })]), nothingSeen],
  [
    'the zone of the crontab',
    found([job('a', [good])]),
    { ...nothingSeen, lines: [{ name: 'a', cron: '0 3 * * *', tz: 'Mars/Olympus' }] },
  ],
  [
    'the zone of one of two lines',
    found([job('a', [run('running', 2), good])]),
    {
      ...nothingSeen,
      lines: [1, 2].map((hour) => ({ name: 'a', cron: `0 ${hour} * * *`, tz: hour === 1 ? 'UTC' : '?' })),
    },
  ],
])('a job is a warning if nobody understands %s', (what, jobs, seen) => {
  const { health, label } = jobsPart(jobs, seen, context)
  const says = `its ${what.includes('zone') ? 'time zone' : 'schedule'} is not understood`
  expect(health).toMatchObject([{ name: 'Job a', level: 'warn', detail: expect.stringContaining(says) }])
  expect(label).toBe(`a: ${says}`)
})

test('a failed job stays bad, and an overdue one too, if its zone is not understood', () => {
  const seen = { ...nothingSeen, lines: [{ name: 'a', cron: '0 3 * * *', tz: '?' }] }
  expect(jobsPart(found([job('a', [failed])]), seen, context).label).toBe('a: failed (exit 1)')
})

test.each([
  [{ TZ: '' }, 3, 'UTC'],
  [{ TZ: 'GMT+3' }, 6, 'UTC-3'],
  [{ TZ: '<+03>-3' }, 0, 'UTC+3'],
  [{ TZ: 'CET-1CEST,M3.5.0,M10.5.0/3' }, 2, 'UTC+1'],
  [{ TZ: ':Europe/Berlin' }, 2, 'UTC+1'],
  [{ TZ: 'Nowhere/Land' }, 3, 'UTC'],
])('with %j, a job of 3 in the night is due by the clocks of the machine', async (env, utcHour, offset) => {
  const { judgedJobs } = await import('./jobs-part.ts')
  const { machineZone } = await import('../jobs/machine-zone.ts')
  const seen = table('0 3 * * * svc-exec backup -- x', now - hour)
  const [judged] = judgedJobs(noJobs, seen, { now, zone: machineZone(env) })
  expect(new Date((judged?.due ?? 0) * 1000).toISOString()).toBe(`2026-11-26T0${utcHour}:00:00.000Z`)
  expect(judged?.detail()).toBe(`never ran; next 26 Nov 03:00 ${offset}`)
})

/** Jobs in all states, and a crontab that can no longer be read. */
const everyState: readonly [FoundJobs['jobs'][number], unrecorded?: string][] = [
  [job('good', [good])],
  [job('failed', [failed])],
  [job('often', [failed, run('failed', 2, { exit: 1 })])],
  [job('lost', [run('lost', 30)])],
  [job('running', [run('running', 1), run('failed', 2)])],
  [
    job(
      'copies',
      [1, 2, 3, 4, 5, 6].map((hours) => run('running', hours)),
    ),
  ],
  [job('two', [run('running', 1), run('running', 2)])],
  [job('overdue', [run('ok', 60)], { every: hour, since: now - 90 * hour })],
  [job('hangs', [run('running', 60)], { every: hour, since: now - 90 * hour })],
  [job('planned', [], { every: 7 * hour, since: now - hour })],
  [job('noted', [run('ok', 60)], { every: hour, since: now - 90 * hour }), 'no Node'],
]

test.each([
  ['UTC', 'UTC'],
  ['Europe/Berlin', 'UTC+1'],
  ['Asia/Kathmandu', 'UTC+5:45'],
  ['America/New_York', 'UTC-5'],
])('a machine in %s writes no time of day without %s', (zone, offset) => {
  const jobs = everyState.map(([one]) => one)
  const unrecorded = everyState.flatMap(([{ name }, reason]) => (reason ? [{ name, at: now - hour, reason }] : []))
  const seen = { ...nothingSeen, read: now - 5 * hour }
  const part = jobsPart(found(jobs, { unrecorded }), seen, { now, zone, failed: 'failed (exit 1)' })
  expect(timesOfDayIn(part).length).toBeGreaterThan(25)
  expect(timesOfDayIn(part).filter((text) => !text.endsWith(` ${offset}`))).toEqual([])
})

test('once the machine has another zone, times before that moment are not those of the job', () => {
  const lines = [{ name: 'a', cron: '0 3 * * *', since: now - 90 * 24 * hour }]
  const ran = { ...run('ok', 8), started: now - 8 * hour }
  const level = (zone: string, seen: Partial<SeenJobs>, at = now) =>
    jobsPart(found([job('a', [ran])]), { ...nothingSeen, lines, ...seen }, { now: at, zone }).health[0]?.level
  expect(level('Europe/Berlin', {})).toBe('ok')
  expect(level('America/Halifax', {}), '03:00 in Halifax was at 7:00, and nobody knows of the change').toBe('bad')
  const zoned = { zone: 'America/Halifax', zoned: now - 60 }
  expect(level('America/Halifax', zoned)).toBe('ok')
  expect(level('America/Halifax', zoned, now + 22 * hour)).toBe('ok')
  expect(level('America/Halifax', zoned, now + 24 * hour)).toBe('bad')
  expect(level('Asia/Kolkata', { ...zoned, zone: 'Europe/Berlin' }), 'a shell with another zone').toBe('ok')
})

test('a schedule keeps the time of its first sight until it changes', () => {
  const read = (before: SeenJobs, text: string, at: number, more = {}) =>
    seenAfter(before, readCrontab(text), { now: at, remembers: true, obeysTz: false, ...more })
  const first = read(nothingSeen, '0 3 * * * svc-exec a -- x', 1000)
  expect(first).toEqual({ lines: [{ name: 'a', cron: '0 3 * * *', since: 1000 }], faults: [], read: 1000 })
  const second = read(first, '0  3 * * * svc-exec a --grace 2h -- y\n0 4 * * * svc-exec a -- x', 2000)
  expect(second.lines).toEqual([
    { name: 'a', cron: '0 3 * * *', grace: 7200, since: 1000 },
    { name: 'a', cron: '0 4 * * *', since: 2000 },
  ])
  expect(read(second, '', 3000).lines).toEqual([])
  expect(read(nothingSeen, '0 3 * * * svc-exec a -- x', 1000, { remembers: false }).lines[0]).not.toHaveProperty(
    'since',
  )
  const tz = 'CRON_TZ=Asia/Tokyo\n0 3 * * * svc-exec a -- x'
  expect(read(nothingSeen, tz, 1000).lines[0]).not.toHaveProperty('tz')
  expect(read(nothingSeen, tz, 1000, { obeysTz: true }).lines[0]).toMatchObject({ tz: 'Asia/Tokyo' })
  const empty = 'CRON_TZ=\n0 3 * * * svc-exec a -- x'
  const unset = read(nothingSeen, empty, 1000, { obeysTz: true })
  expect(read(unset, empty, 2000, { obeysTz: true }).lines).toEqual([{ name: 'a', cron: '0 3 * * *', since: 1000 }])
  const long = `CRON_TZ=<${'A'.repeat(200)}>-3\n0 3 * * * svc-exec a -- x`
  expect(read(nothingSeen, long, 1000, { obeysTz: true }).lines[0]?.tz).toHaveLength(204)
})

test('a section that fails is one warning and leaves the others as they are', () => {
  const fails = {
    name: 'other',
    command: 'other',
    look: () => {
      throw new Error('secret')
    },
  }
  const works = {
    name: 'jobs',
    command: 'jobs',
    look: () => jobsPart(found([job('backup', [failed])]), nothingSeen, context),
  }
  const { state, health, runs } = hostStatusOf(partsOf([fails, works], now * 1000))
  expect(state).toEqual({ level: 'bad', label: 'backup: failed (exit 1) · other cannot be read' })
  expect(health?.map(({ name, level }) => `${name} ${level}`)).toEqual(['Section other warn', 'Job backup bad'])
  expect(runs).toHaveLength(1)
  expect(JSON.stringify(health)).not.toContain('secret')
  expect(hostStatusOf([])).toMatchObject({ state: { level: 'ok', label: 'nothing is shown' } })
})

test('only the newest run whose output was kept names it, earlier ones name the log of the job', () => {
  const bad = (hoursAgo: number, log: string) => run('failed', hoursAgo, { exit: 1, log })
  const runs = [
    run('ok', 1, { log: 'job/backup' }),
    bad(2, 'job/backup'),
    bad(3, 'failed/backup'),
    bad(4, 'failed/backup'),
  ]
  const jobs = [job('backup', runs), job('mail', [bad(5, 'failed/mail')])]
  const reported = jobsPart(found(jobs), nothingSeen, context).runs
  expect(reported?.map(({ log }) => log).sort()).toEqual([
    ...['failed/backup', 'failed/mail', 'job/backup', 'job/backup', 'job/backup'],
  ])
  expect(reported?.find(({ log }) => log === 'failed/backup')?.started).toBe(now - 3 * hour)
})

test('a run whose kept output was replaced is sent once more, also if it is not among the newest', () => {
  const bad = (hoursAgo: number) => run('failed', hoursAgo, { exit: 1, log: 'failed/backup' })
  const backup = job('backup', [run('ok', 1, { log: 'job/backup' }), bad(90), bad(100), bad(110)])
  const others = many(5, (i) => Array.from({ length: 30 }, (_, at) => run('ok', 2 + at + i / 10)))
  const reported = jobsPart(found([backup, ...others]), nothingSeen, context).runs
  const sent = reported?.filter(({ id }) => id.startsWith('backup/')).map(({ log, started }) => [log, started])
  expect(sent).toEqual([
    ['job/backup', now - hour],
    ['job/backup', now - 100 * hour],
  ])
})

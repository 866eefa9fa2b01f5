/**
 * Simulates starts of jobs over changes of clocks, as several versions of cron begin them. No good run is a false
 * alarm. `SVC_TEST_STARTS=8` makes about ten times as many. `npm test` leaves this out.
 * packages/runtime/src/host/jobs/judge.test.ts proves the same rules.
 */
import { describe, expect, test } from 'vitest'
import type { JobFacts } from './facts.ts'
import { judgeJob } from './judge.ts'
import type { ShownRun } from './reader.ts'
import { readCron } from './schedule.ts'
import { nameZone, offsetAt } from './zone.ts'
import { changeAfter, readPosix } from './zone-rules.ts'

const hour = 3600
const day = 24 * hour
const named = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Europe/Dublin', 'Africa/Casablanca']
const more = ['Asia/Jerusalem', 'America/Santiago', 'Pacific/Chatham', 'America/Nuuk', 'Asia/Kathmandu', 'UTC']
const rules = ['CET-1CEST,M3.5.0,M10.5.0/3', 'EST5EDT', '<+1030>-10:30<+11>-11,M10.1.0,M4.1.0', 'GMT+3', '<+03>-3']
const zones = [...named, ...more, ...rules.map((text) => nameZone(`TZ ${text}`, readPosix(text) ?? (() => Number.NaN)))]
const schedules = [
  '* * * * *',
  '*/5 * * * *',
  '*/30 * * * *',
  '0 * * * *',
  '15 */2 * * *',
  '30 2 * * *',
  '0 3 * * *',
].concat(['30 1 * * *', '0 0 * * *', '59 23 * * *', '5 1-4/3 * * *', '30 2 * * 0', '0 3 1 * *', '@daily'])

/** How a version of cron begins jobs when clocks change. */
interface CronKind {
  /** The seconds after its time at which a job begins at the latest. */
  readonly late: number
  /** True if a job whose time is left out by the clock change begins an hour later, and not at the change. */
  readonly skips: boolean
}
const crons: readonly CronKind[] = [
  { late: 0, skips: false },
  { late: 59, skips: false },
  { late: 59, skips: true },
]

const newest = 30

/** A generator of random numbers from 0 to 1, which are the same in each run of the tests. */
function numbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32
    return state / 2 ** 32
  }
}

/** Lets a job begin at each of its times, and returns the number of starts, and what was wrong shortly before each. */
function simulate(written: string, zone: string, kind: CronKind, from: number, to: number) {
  const read = readCron(written, zone)
  if (!read.ok) throw new Error(read.why)
  const next = numbers(from + written.length * 7919)
  const schedule = { cron: written, from: 'crontab' as const }
  const plans: JobFacts['plans'] = [{ times: read.times, zone, since: from }]
  const alarms: string[] = []
  let runs: ShownRun[] = []
  let starts = 0
  for (let time = read.times.after(from); time !== undefined && time < to; time = read.times.after(time)) {
    const isChange = offsetAt(zone, time) !== offsetAt(zone, time - 1)
    const started = Math.floor(time + next() * kind.late + (isChange && kind.skips ? hour : 0))
    const level = (now: number) => {
      const judged = judgeJob({ name: 'job', schedule, plans, runs, unrecorded: [] }, { now, zone })
      if (judged.level === 'bad' || judged.level === 'warn')
        alarms.push(`${written} in ${zone} at ${new Date(now * 1000).toISOString()}: ${judged.detail()}`)
    }
    level(started - 1)
    const took = Math.floor(1 + next() * 50)
    runs = [{ id: `${started * 1000}-a`, status: 'running', started }, ...runs.slice(0, newest)]
    level(started + took)
    runs = [{ id: `${started * 1000}-a`, status: 'ok', started, ended: started + took, exit: 0 }, ...runs.slice(1)]
    starts++
  }
  return { starts, alarms }
}

const days = 4 * Number(process.env.SVC_TEST_STARTS ?? 1)
const [year, end] = [Date.parse('2026-01-01T00:00:00Z') / 1000, Date.parse('2027-01-01T00:00:00Z') / 1000]
let all = 0

describe('no start of a job at its time is a false alarm, also when clocks change', () => {
  test.each(zones)(
    'in the zone %s',
    (zone) => {
      const alarms: string[] = []
      let starts = 0
      const changes: number[] = []
      const offsets = (at: number) => offsetAt(zone, at)
      for (let at = changeAfter(offsets, year, end); at !== undefined; at = changeAfter(offsets, at, end))
        changes.push(at)
      for (const at of changes.length > 0 ? changes : [year + 90 * day])
        for (const written of schedules)
          for (const kind of crons) {
            const isRare = /^\S+ \S+ (?:\S+ \S+ 0|1 )/.test(written)
            // A job of every minute has enough starts within the hours around a change.
            const scale = isRare ? 20 : written === '* * * * *' ? 1 / 16 : written.startsWith('*/5') ? 1 / 4 : 1
            const length = scale * days * day
            const found = simulate(written, zone, kind, at - length / 2 - 1234, at + length / 2)
            starts += found.starts
            alarms.push(...found.alarms)
          }
      expect(alarms.slice(0, 10)).toEqual([])
      expect(starts).toBeGreaterThan(500)
      all += starts
    },
    300_000,
  )

  test('many starts were simulated', () => {
    process.stderr.write(`${all} starts\n`)
    expect(all).toBeGreaterThan(50_000)
  })

  /**
   * The runs of a job of every minute take up to three minutes. This test does not judge how long it takes until svc
   * knows that the runs of this job overlap as a rule.
   */
  test.each(zones)('in the zone %s, where runs overlap as a rule', (zone) => {
    const at = changeAfter((time) => offsetAt(zone, time), year, end) ?? year + 90 * day
    const found = overlapping(zone, at - 2 * hour, at + 2 * hour)
    expect(found.alarms.slice(0, 10)).toEqual([])
    expect(found.starts).toBeGreaterThan(200)
  })
})

/** Judges a job of every minute whose runs take between 70 and 170 s, once 20 of them have ended. */
function overlapping(zone: string, from: number, to: number) {
  const read = readCron('* * * * *', zone)
  if (!read.ok) throw new Error(read.why)
  const next = numbers(from)
  const schedule = { cron: '* * * * *', from: 'crontab' as const }
  const plans: JobFacts['plans'] = [{ times: read.times, zone, since: from }]
  const alarms: string[] = []
  let runs: ShownRun[] = []
  let starts = 0
  for (let time = read.times.after(from); time !== undefined && time < to; time = read.times.after(time)) {
    for (const now of [time - 30, time - 1]) {
      runs = runs.map((run) => (run.ended !== undefined && run.ended <= now ? { ...run, status: 'ok', exit: 0 } : run))
      const shown = runs.map((run) =>
        run.status === 'running' ? { id: run.id, status: run.status, started: run.started } : run,
      )
      const judged = judgeJob({ name: 'job', schedule, plans, runs: shown, unrecorded: [] }, { now, zone })
      if (starts > 30 && judged.level !== 'ok') alarms.push(`${new Date(now * 1000).toISOString()}: ${judged.detail()}`)
    }
    const ended = time + 70 + Math.floor(next() * 100)
    runs = [{ id: `${time * 1000}-a`, status: 'running' as const, started: time, ended }, ...runs.slice(0, 40)]
    starts++
  }
  return { starts, alarms }
}

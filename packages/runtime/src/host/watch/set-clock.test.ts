/**
 * Jobs on a machine whose clock is set: every stored time is tried with every jump of the clock,
 * once with the same host agent and once with one that restarts.
 */
import { appendFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { byLevel } from '../../../../../testing/level.ts'
import { readCall } from '../jobs/call.ts'
import { writeJob } from '../jobs/job-note.ts'
import { recorderIn } from '../jobs/recorder.ts'
import { nothingSeen, readSeen, writeSeen } from '../jobs/seen.ts'
import { watchedJobs } from './jobs-section.ts'

const minute = 60_000
const hour = 60 * minute
const step = 5 * minute
/** It is years ahead, so that the boot of the machine of the test is before it. */
const start = Date.parse('2031-11-25T10:00:10Z')

let root = ''
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'svc-clock-'))
  mkdirSync(join(root, 'state/jobs/backup'), { recursive: true })
  vi.useFakeTimers({ toFake: ['Date'], now: start })
})
afterEach(() => {
  vi.useRealTimers()
  rmSync(root, { recursive: true })
})

/** A machine with a job of every hour. `passes` lets time pass, and `jumps` sets the clock. */
function machine(restarts: boolean) {
  const places = { state: join(root, 'state'), jobs: join(root, 'state/jobs') }
  const folder = join(places.jobs, 'backup')
  let mono = 0
  const agent = () =>
    watchedJobs(
      places,
      () => mono,
      () => 'UTC',
    )
  let section = agent()
  const level = () => {
    const { health } = section.look(Date.now())
    return health.find(({ name }) => name === 'Job backup')?.level
  }
  const recorder = () => {
    const call = { ...readCall(['backup', '--every', '1h', '--', 'true']), name: 'backup' }
    return recorderIn(folder, call, { hasLog: false, fails: (error) => expect(error).toBeUndefined() })
  }
  return {
    level,
    folder,
    places,
    recorder,
    async runs(code: number) {
      const run = recorder()
      run.started(undefined)
      vi.setSystemTime(Date.now() + 2000)
      mono += 2000
      await run.ended({ code })
    },
    unrecorded: () =>
      appendFileSync(join(places.jobs, 'unrecorded'), `${Math.floor(Date.now() / 1000)} backup no-node\n`),
    passes(ms: number) {
      for (let left = ms; left > 0; left -= step) {
        vi.setSystemTime(Date.now() + Math.min(left, step))
        mono += Math.min(left, step)
        level()
      }
    },
    /** The host agent starts again. */
    begins() {
      section = agent()
    },
    /** The job has this level at each look of a while. */
    stays(expected: string, ms: number) {
      for (let left = ms; left > 0; left -= step) {
        expect(level()).toBe(expected)
        vi.setSystemTime(Date.now() + step)
        mono += step
      }
    },
    jumps(ms: number) {
      level()
      writeSeen(places.state, { ...readSeen(places.state), looked: Math.floor(Date.now() / 1000) })
      if (restarts) {
        vi.setSystemTime(Date.now() + ms)
        section = agent()
      } else vi.setSystemTime(Date.now() + ms)
      level()
    },
  }
}
type Machine = ReturnType<typeof machine>

const table: readonly (readonly [string, (it: Machine, jump: number) => Promise<void>])[] = [
  [
    'a later failure shows',
    async (it, jump) => {
      await it.runs(0)
      it.jumps(jump)
      it.passes(5 * minute)
      await it.runs(1)
      expect(it.level()).toBe('bad')
      it.passes(4 * hour)
      expect(it.level()).toBe('bad')
    },
  ],
  [
    'a later success ends a failure',
    async (it, jump) => {
      await it.runs(1)
      expect(it.level()).toBe('bad')
      it.jumps(jump)
      it.passes(5 * minute)
      await it.runs(0)
      expect(it.level()).toBe('ok')
      for (let i = 0; i < 5; i++) {
        it.passes(50 * minute)
        expect(it.level()).toBe('ok')
        await it.runs(0)
      }
      expect(it.level()).toBe('ok')
    },
  ],
  [
    'a job that no longer begins is overdue in time',
    async (it, jump) => {
      await it.runs(0)
      it.jumps(jump)
      it.passes(40 * minute)
      if (jump <= 0) expect(it.level()).toBe('ok')
      it.passes(30 * minute)
      expect(it.level()).toBe('bad')
    },
  ],
  [
    'a run without a record is not the newest again',
    async (it, jump) => {
      it.unrecorded()
      it.passes(5 * minute)
      expect(it.level()).toBe('warn')
      it.jumps(jump)
      for (let i = 0; i < 5; i++) {
        await it.runs(0)
        expect(it.level()).toBe('ok')
        it.passes(50 * minute)
        expect(it.level()).toBe('ok')
      }
    },
  ],
  [
    'a run that hangs is overdue in time',
    async (it, jump) => {
      it.recorder().started(process.pid)
      expect(it.level()).toBe('ok')
      it.jumps(jump)
      it.passes(2 * hour + 20 * minute)
      expect(it.level()).toBe('bad')
    },
  ],
  [
    'a job that was given and never ran is overdue in time',
    async (it, jump) => {
      const since = Math.floor(Date.now() / 1000)
      writeJob(it.folder, { name: 'backup', every: 3600, since, by: 'person' })
      expect(it.level()).toBe('info')
      it.jumps(jump)
      it.passes(70 * minute)
      expect(it.level()).toBe('bad')
    },
  ],
  [
    'a line of the crontab that never ran is overdue in time',
    async (it, jump) => {
      const since = Math.floor(Date.now() / 1000)
      writeSeen(it.places.state, {
        ...nothingSeen,
        lines: [{ name: 'backup', cron: '0 * * * *', since }],
        read: since,
        woke: since,
        zone: 'UTC',
        zoned: since,
      })
      it.begins()
      it.jumps(jump)
      it.passes(130 * minute)
      expect(it.level()).toBe('bad')
    },
  ],
  [
    'a job that is overdue stays so until it runs',
    async (it, jump) => {
      await it.runs(0)
      it.passes(80 * minute)
      expect(it.level()).toBe('bad')
      it.jumps(jump)
      it.stays('bad', 3 * hour)
      await it.runs(0)
      expect(it.level()).toBe('ok')
    },
  ],
  [
    'a line of the crontab that is overdue stays so',
    async (it, jump) => {
      const since = Math.floor(Date.now() / 1000)
      const lines = [{ name: 'backup', cron: '0 * * * *', since }]
      writeSeen(it.places.state, { ...nothingSeen, lines, read: since, woke: since, zone: 'UTC', zoned: since })
      it.begins()
      it.passes(80 * minute)
      expect(it.level()).toBe('bad')
      it.jumps(jump)
      it.stays('bad', 3 * hour)
    },
  ],
  [
    'a run that hangs and is overdue stays so',
    async (it, jump) => {
      const run = it.recorder()
      run.started(process.pid)
      it.passes(3 * hour)
      expect(it.level()).toBe('bad')
      it.jumps(jump)
      it.stays('bad', 3 * hour)
      await run.ended({ code: 0 })
      await it.runs(0)
      expect(it.level()).toBe('ok')
    },
  ],
  [
    'a run that hangs and is overdue stays so, although the clock was set before, too',
    async (it, jump) => {
      it.recorder().started(process.pid)
      it.jumps(jump)
      it.passes(2 * hour + 20 * minute)
      expect(it.level()).toBe('bad')
      it.jumps(jump)
      it.stays('bad', hour)
    },
  ],
  [
    'a run that fails while the clock is set shows',
    async (it, jump) => {
      const run = it.recorder()
      run.started(process.pid)
      it.jumps(jump)
      await run.ended({ code: 1 })
      expect(it.level()).toBe('bad')
      it.passes(minute)
      await it.runs(0)
      expect(it.level()).toBe('ok')
    },
  ],
]

const jumps = [-3 * hour, 3 * hour, 0, -20 * hour, -7 * minute]
for (const restarts of [false, true])
  for (const jump of byLevel(jumps.slice(0, 2), jumps, jumps))
    for (const [what, acts] of table)
      test(`${what}, after a jump of ${jump / hour} h${restarts ? ' with a restart' : ''}`, () =>
        acts(machine(restarts), jump))

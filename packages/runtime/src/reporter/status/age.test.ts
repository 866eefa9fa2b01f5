import { limits } from '@svc/protocol'
import { expect, test } from 'vitest'
import {
  ageItem,
  type FileCheck,
  isStatusOld,
  lateAfter,
  recordCheck,
  recordSingleCheck,
  type WriteFacts,
} from './age.ts'

const s = 1000
const min = 60 * s
const hour = 60 * min
const day = 24 * hour
const start = Date.UTC(2026, 10, 22, 12)

/** Simulates an agent, and a reporter that looks at its status file every 30 s. */
function newSetup(first: Partial<WriteFacts> = {}) {
  let now = start
  let mtime = start
  let writes: WriteFacts = { ...recordCheck(undefined, { mtime, now, resting: false }), ...first }
  const state: { resting: boolean; halted: boolean; started: string | undefined } = {
    resting: false,
    halted: false,
    started: undefined,
  }
  const see = (more: Partial<FileCheck> = {}) => {
    writes = recordCheck(writes, { mtime, now, passed: now - writes.looked, ...state, ...more })
  }
  return {
    state,
    /**
     * Lets this much time pass, while the agent writes the file every `every` milliseconds; by default it never does.
     */
    pass(length: number, every = Number.POSITIVE_INFINITY, step = 30 * s) {
      for (const end = now + length; now < end; ) {
        now = Math.min(now + step, end)
        while (now - mtime >= every) mtime += every
        see()
      }
    },
    write() {
      mtime = now
      see()
    },
    /**
     * Changes the machine's clock, or lets the machine sleep: the wall clock moves on by `ms`, and nobody looks at the
     * file meanwhile.
     */
    jump(ms: number, passed: number | undefined = 0) {
      now += ms
      see({ passed })
    },
    touch(to: number) {
      mtime = to
      see()
    },
    item: () => ageItem(writes, now),
    level: () => ageItem(writes, now)?.level,
    old: () => isStatusOld(writes, now),
    late: () => lateAfter(writes, now),
    writes: () => writes,
  }
}

test('a file that was written within five minutes is not mentioned', () => {
  const w = newSetup()
  w.pass(5 * min)
  expect(w.item()).toBeUndefined()
  w.pass(30 * s)
  expect(w.item()).toEqual({ name: 'Status file', level: 'info', detail: 'Written 6 min ago.' })
})

test('a file that was written once and never again becomes a warning after 70 minutes (D67)', () => {
  const w = newSetup()
  w.pass(70 * min)
  expect(w.item()).toMatchObject({ level: 'info' })
  w.pass(6 * min)
  expect(w.item()).toEqual({
    name: 'Status file',
    level: 'warn',
    detail: 'Written 76 min ago. Nothing has written it again, so what it says may no longer be true.',
  })
})

test('a file that was already old when the reporter first saw it has its 70 minutes from then on', () => {
  const w = newSetup({ ...recordCheck(undefined, { mtime: start - 14 * hour, now: start, resting: false }) })
  w.touch(start - 14 * hour)
  expect(w.level()).toBe('info')
  w.pass(70 * min)
  expect(w.level()).toBe('info')
  w.pass(min)
  expect(w.level()).toBe('warn')
})

test('a file that was written once, as an earlier version noted it, is a warning at once', () => {
  const noted: WriteFacts = { mtime: start - 3 * day, at: start - 3 * day, looked: start - 30 * s, longest: [] }
  const now = recordCheck(noted, { mtime: start - 3 * day, now: start, resting: false, passed: 30 * s })
  expect(ageItem(now, start)?.level).toBe('warn')
})

test('a command that finds no notes about the writes does not warn', () => {
  expect(ageItem(recordSingleCheck(undefined, start - 3 * day, start), start)?.level).toBe('info')
})

test('a command whose notes lie ahead, since the clock was set back, counts from now', () => {
  const ahead = { mtime: start - day, at: start - day, looked: start + 3 * hour, since: start + 3 * hour, longest: [] }
  expect(recordSingleCheck(ahead, start - day, start)).toEqual({ ...ahead, looked: start, since: start })
})

test.each<[writes: string, every: number | undefined, old: number, late: number]>([
  ['once', undefined, 5 * min, 70 * min],
  ['every 30 s', 30 * s, 5 * min, 10 * min],
  ['as often as by what svc new makes', limits.statusEverySeconds * s, 5 * min, 10 * min],
  ['every 10 minutes', 10 * min, 20 * min, 40 * min],
  ['every hour', hour, 2 * hour, 4 * hour],
  ['every day', day, 2 * day, 4 * day],
])('a status that is written %s is old and late by its own rhythm (D65, D67)', (_, every, old, late) => {
  const w = newSetup()
  if (every !== undefined) w.pass(3 * every, every, Math.min(every, 5 * min))
  w.pass(old, undefined, 5 * min)
  expect(w.old()).toBe(false)
  w.pass(30 * s)
  expect(w.old()).toBe(true)
  w.pass(late - old - 30 * s, undefined, 5 * min)
  expect(w.level()).toBe('info')
  w.pass(30 * s)
  expect(w.level()).toBe('warn')
})

test('a frozen agent that wrote every 30 s causes a warning after ten minutes', () => {
  const w = newSetup()
  w.pass(hour, 30 * s)
  expect(w.late()).toBe(10 * min)
  w.pass(10 * min)
  expect(w.level()).toBe('info')
  w.pass(30 * s)
  expect(w.item()).toMatchObject({ level: 'warn', detail: expect.stringMatching(/^Written 1[01] min ago, although/) })
})

test('an agent that writes every half hour causes a warning after two hours, and a new one none before its second write', () => {
  const w = newSetup()
  w.pass(29 * min)
  expect(w.level()).toBe('info')
  w.pass(2 * hour, 30 * min)
  w.pass(91 * min)
  expect(w.level()).toBe('info')
  w.pass(min)
  expect(w.level()).toBe('warn')
})

test('an agent that writes once a week is not late for six days', () => {
  const w = newSetup()
  w.pass(7 * day, undefined, 5 * min)
  w.write()
  w.pass(6.9 * day, undefined, 5 * min)
  expect(w.level()).toBe('info')
  expect(w.late()).toBe(28 * day)
  w.pass(22 * day, undefined, 5 * min)
  expect(w.level()).toBe('warn')
})

test('an agent that writes once a day is late after four days', () => {
  const w = newSetup()
  w.pass(3 * day + hour, day, 5 * min)
  w.pass(3.9 * day, undefined, 5 * min)
  expect(w.level()).toBe('info')
  w.pass(hour * 8, undefined, 5 * min)
  expect(w.level()).toBe('warn')
})

test('a gap that is more than a day old no longer counts, unless it is the last', () => {
  const w = newSetup()
  w.pass(3 * hour, hour)
  expect(w.late()).toBe(4 * hour)
  w.pass(25 * hour, 30 * s)
  expect(w.late()).toBe(10 * min)
})

test('a gap that spans a pause or a stop is not learned, and its time is not counted', () => {
  const w = newSetup()
  w.pass(hour, 30 * s)
  w.state.resting = true
  w.pass(5 * hour)
  w.state.resting = false
  w.pass(10 * min)
  expect(w.level()).toBe('info')
  w.write()
  expect(w.late()).toBe(10 * min)
  expect(w.item()).toBeUndefined()
})

test('a gap in which the process was restarted is not learned', () => {
  const w = newSetup()
  w.state.started = '1'
  w.pass(hour, 30 * s)
  w.pass(4 * min)
  w.state.started = '2'
  w.pass(4 * min)
  w.write()
  expect(w.late()).toBe(10 * min)
})

test('the status of a process stopped by a signal grows old like any other, but its gap is not learned', () => {
  const w = newSetup()
  w.pass(hour, 30 * s)
  w.state.halted = true
  w.pass(13 * min)
  expect(w.level()).toBe('warn')
  w.state.halted = false
  w.write()
  expect(w.late()).toBe(10 * min)
})

test('a machine that slept is not late, and its sleep is not learned', () => {
  const w = newSetup()
  w.pass(hour, 30 * s)
  w.jump(8 * hour)
  expect(w.level()).toBe('info')
  w.write()
  expect(w.late()).toBe(10 * min)
})

test('a short sleep is detected by the monotonic clock', () => {
  const w = newSetup()
  w.pass(hour, 30 * s)
  w.jump(9 * min, 30 * s)
  w.write()
  expect(w.late()).toBe(10 * min)
})

test('a reporter that was away for hours learns nothing from it and does not warn at once', () => {
  const w = newSetup()
  w.pass(hour, 30 * s)
  w.jump(8 * hour, undefined)
  expect(w.level()).toBe('info')
  w.write()
  expect(w.late()).toBe(10 * min)
})

test('a restarted reporter continues with what was learned', () => {
  const w = newSetup()
  w.pass(3 * hour, 20 * min)
  w.jump(2 * min, undefined)
  w.pass(30 * min)
  expect(w.level()).toBe('info')
  w.pass(hour)
  expect(w.level()).toBe('warn')
})

test('a clock that jumps causes neither a negative age nor a warning', () => {
  const ahead = newSetup()
  ahead.pass(hour, 30 * s)
  ahead.jump(5 * hour)
  expect(ahead.level()).toBe('info')
  const back = newSetup()
  back.pass(hour, 30 * s)
  back.jump(-5 * hour)
  expect(back.item()).toBeUndefined()
  expect(back.writes().at).toBe(back.writes().looked)
  back.pass(11 * min)
  expect(back.level()).toBe('warn')
})

test('a modification time in the future counts as the time when it was first seen', () => {
  const w = newSetup()
  w.pass(hour, 30 * s)
  w.touch(start + 10 * day)
  expect(w.item()).toBeUndefined()
  w.pass(11 * min)
  expect(w.level()).toBe('warn')
  const first = recordCheck(undefined, { mtime: start + day, now: start, resting: false })
  expect(ageItem(first, start)).toBeUndefined()
  expect(first.at).toBe(start)
})

test('what is remembered stays small, however long it runs', () => {
  const w = newSetup()
  w.pass(4 * day, 7 * min, 5 * min)
  expect(w.writes().longest.length).toBeLessThanOrEqual(24)
})

import { expect, test } from 'vitest'
import { ageItem, type FileCheck, lateAfter, recordCheck, type Writes } from './age.ts'

const s = 1000
const min = 60 * s
const hour = 60 * min
const day = 24 * hour
const start = Date.UTC(2026, 10, 22, 12)

/** Simulates an agent, and a reporter that looks at its status file every 30 s. */
function newSetup(first: Partial<Writes> = {}) {
  let now = start
  let mtime = start
  let writes: Writes = { ...recordCheck(undefined, { mtime, now, resting: false }), ...first }
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

test('until a gap has been learned the age is never a warning', () => {
  const w = newSetup()
  w.pass(3 * day, undefined, 5 * min)
  expect(w.level()).toBe('info')
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

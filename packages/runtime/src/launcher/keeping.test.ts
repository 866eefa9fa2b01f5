import { describe, expect, test } from 'vitest'
import type { Moment } from '../machine/base/time.ts'
import type { Trial } from '../state/versions/runtime-note.ts'
import { initialKeeping, type Keeping, type KeepingAct, type KeepingEvent, step } from './keeping.ts'

const rules = { trial: 300_000, retry: 60_000 }
const from = { version: '1.0.0', sha256: 'old' }
const to = { version: '2.0.0', sha256: 'new' }
const at = (mono: number, wall = 1_000_000 + mono): Moment => ({ wall, mono })
const trial = (more: object = {}): Trial =>
  ({ is: 'trying', from, to, starts: 1, began: 1_000_000, processes: 1, ...more }) as Trial
const trying: Keeping = { ...initialKeeping({ trial: trial() }), fresh: false, due: 300_000 }
const kept: Keeping = { ...trying, note: { trial: trial({ is: 'kept' }) } }
const undoing: Keeping = { ...trying, note: { trial: { is: 'undoing', from, to, reason: 'it hung', at: 5 } } }

const words = (acts: readonly KeepingAct[]) =>
  acts.map((act) => (act.do === 'save' && act.starting ? 'save start' : act.do))
const after = (state: Keeping, event: KeepingEvent, moment = at(1000)) => {
  const next = step(state, event, rules, moment)
  return { ...next, acts: words(next.acts), lines: next.acts.flatMap((act) => (act.do === 'say' ? [act.line] : [])) }
}

describe('a start of a file on trial', () => {
  test('is counted and noted before it is made', () => {
    const { state, acts } = after(trying, { is: 'start', counted: false })
    expect(acts).toEqual(['save start', 'tell'])
    expect(state.note.trial).toMatchObject({ starts: 2 })
  })
  test('is not made if it cannot be noted: the previous file returns', () => {
    const { state, acts } = after(trying, { is: 'unsaved', why: 'EIO', starting: true })
    expect(acts).toEqual(['say', 'save', 'say', 'tell', 'go back', 'replace'])
    expect(state.note.trial).toMatchObject({ is: 'undoing', reason: 'a start of it could not be noted' })
  })
  test('is made in any case if the file has already reported', () =>
    expect(after(kept, { is: 'unsaved', why: 'EIO', starting: true }).acts).toEqual(['say']))
  test('is not counted again if the starter has counted it, but only for the first start of a process', () => {
    const counted: KeepingEvent = { is: 'start', counted: true }
    expect(after({ ...trying, fresh: true }, counted).state.note.trial).toMatchObject({ starts: 1, processes: 2 })
    expect(after(trying, counted).state.note.trial).toMatchObject({ starts: 2, processes: 1 })
  })
  test('after three that did not last restores the previous file, and says how the last one ended', () => {
    const third = { ...trying, last: 'it ended with code 1', note: { trial: trial({ starts: 3 }) } }
    const { acts, lines } = after(third, { is: 'start', counted: false })
    expect(acts).toEqual(['save start', 'say', 'tell', 'go back'])
    expect(lines).toEqual(['runtime 2.0.0 goes back to 1.0.0: 3 starts did not last: it ended with code 1'])
  })
  test('is nothing special if nothing is on trial', () =>
    expect(after(initialKeeping({}), { is: 'start', counted: true }).acts).toEqual([]))
})

describe('the five minutes', () => {
  const started: KeepingEvent = { is: 'started' }
  test.each<[string, Keeping, Moment, number]>([
    ['of a file that has not reported count from its swap', { ...trying, due: Infinity }, at(1000), 300_000],
    ['are set once, whatever the clock does meanwhile', trying, at(1000, 99_000_000), 300_000],
    ['are never more than five, even if the clock was set back', { ...trying, due: Infinity }, at(1000, 0), 301_000],
    ['are over at once for a file that had them', { ...trying, due: Infinity }, at(1000, 9_000_000), 1000],
    ['restart with each start of a file that reported', kept, at(7000), 307_000],
    ['are not counted if nothing is on trial', { ...initialKeeping({}), due: 5 }, at(1000), Infinity],
  ])('%s', (_name, state, moment, due) => expect(after(state, started, moment).state.due).toBe(due))

  test('end the trial without a report; for a file that has reported they end it well', () => {
    expect(after(trying, { is: 'time' }, at(299_999)).acts).toEqual([])
    const over = after(trying, { is: 'time' }, at(300_000))
    expect(over.acts).toContain('replace')
    expect(over.state.note.trial).toMatchObject({ reason: 'no report of it was answered in five minutes' })
    const good = after(kept, { is: 'time' }, at(300_000))
    expect([good.acts, good.state.note.trial]).toEqual([['save', 'tell'], undefined])
  })
  test('of a trial restart with the first report; a second report changes nothing', () => {
    const { state, acts } = after(trying, { is: 'good' }, at(9000))
    expect(acts).toEqual(['save', 'say', 'tell'])
    expect([state.note.trial?.is, state.due]).toEqual(['kept', 309_000])
    expect(after(state, { is: 'good' }, at(10_000))).toMatchObject({ state, acts: [] })
  })
})

describe('the way back', () => {
  test('is noted before it is taken, and another file is started', () =>
    expect(after(trying, { is: 'hung', how: 'it hung' }).acts).toEqual(['save', 'say', 'tell', 'go back', 'replace']))
  test('is finished by a new process, which may find it already done', () => {
    expect(after({ ...undoing, fresh: true }, { is: 'found', inPlace: 'new' }).acts).toEqual(['go back'])
    const done = after({ ...undoing, fresh: true }, { is: 'found', inPlace: 'old' })
    expect(done.state.note).toMatchObject({ applied: { outcome: 'rolled_back' }, hold: { version: '2.0.0' } })
  })
  test('holds the version when it is done; if the previous file is missing the new one stays', () => {
    expect(after({ ...undoing, stuck: true }, { is: 'restored' }).state).toMatchObject({
      stuck: false,
      note: { applied: { outcome: 'rolled_back' }, hold: { version: '2.0.0' } },
    })
    expect(after(undoing, { is: 'lost' }).state.note).toMatchObject({
      applied: { version: '2.0.0', outcome: 'failed' },
    })
  })
  test('that the disk refuses is logged once, and tried again every minute until it succeeds', () => {
    const refused = after(undoing, { is: 'refused', why: 'EROFS' })
    expect([refused.lines.length, refused.state.stuck, refused.state.retry]).toEqual([1, true, 61_000])
    expect(after(refused.state, { is: 'refused', why: 'EROFS' }).lines).toEqual([])
    expect(after(refused.state, { is: 'check' }, at(60_999)).acts).toEqual([])
    expect(after(refused.state, { is: 'check' }, at(61_000)).acts).toEqual(['go back', 'save'])
    expect(after(refused.state, { is: 'saved' }).state.retry).toBe(61_000)
  })
})

describe('a person who returns to the previous file', () => {
  const asked: KeepingEvent = { is: 'asked', from, to, by: 'ann', at: 7, inPlace: 'new' }
  test.each<[string, Keeping]>([
    ['from a file on trial', trying],
    ['from a file that was kept long ago', initialKeeping({})],
  ])('%s is answered once', (_name, state) => {
    const first = after(state, asked)
    expect(first.acts).toEqual(['save', 'say', 'tell', 'go back', 'replace'])
    expect(first.state.note.trial).toMatchObject({ is: 'undoing', reason: 'put back by ann on this machine' })
    expect(after(first.state, asked).acts).toEqual([])
  })
  test('and named another file is not answered', () => {
    const late: KeepingEvent = { ...asked, inPlace: 'newer' }
    expect(after(initialKeeping({}), late)).toMatchObject({ state: { note: {}, taken: 7 }, acts: [] })
  })
})

test('a note that the disk did not take is written again after a minute, and then no longer', () => {
  const unsaved = after(kept, { is: 'unsaved', why: 'ENOSPC', starting: false })
  expect(unsaved.lines[0]).toContain('could not be written: ENOSPC')
  expect(after(unsaved.state, { is: 'check' }, at(60_999)).acts).toEqual([])
  expect(after(unsaved.state, { is: 'check' }, at(61_000)).acts).toEqual(['save'])
  expect(after(unsaved.state, { is: 'saved' }).state.retry).toBe(Infinity)
})

test('a swap puts the new file on trial; a swap that fails changes nothing', () => {
  const none = initialKeeping({})
  const swapped = after(none, { is: 'swap', from, to }).state
  expect(swapped.note.trial).toMatchObject({ is: 'trying', starts: 0, began: 1_001_000 })
  expect(after(swapped, { is: 'unswapped', note: none.note, noted: false })).toMatchObject({ state: none, acts: [] })
  expect(after(swapped, { is: 'unswapped', note: none.note, noted: true }).acts).toEqual(['save'])
})

test('a clean end is not a failed start', () => {
  expect(after(trying, { is: 'stopped' }).state.note.trial).toMatchObject({ starts: 0 })
  expect(after(initialKeeping({}), { is: 'stopped' }).acts).toEqual([])
})

test('an attempt without a swap, and the end of a hold, are noted and reported', () => {
  const applied = { version: '1.0.0', outcome: 'failed', message: 'm' } as const
  const hold = { version: '2.0.0', reason: 'r', running: 'old' }
  const held = after(initialKeeping({}), { is: 'attempted', applied, hold })
  expect([held.state.note, held.acts]).toEqual([{ applied, hold }, ['save', 'say', 'tell']])
  const lifted = after(held.state, { is: 'lifted' })
  expect([lifted.state.note, lifted.lines]).toEqual([{ applied }, ['runtime 2.0.0 is no longer on hold']])
  expect(after(lifted.state, { is: 'lifted' }).acts).toEqual([])
})

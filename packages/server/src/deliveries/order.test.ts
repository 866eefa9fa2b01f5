import fc from 'fast-check'
import { expect, test } from 'vitest'
import { planNextMessage, type WaitingDelivery } from './order.ts'

interface TestChange {
  id: string
  says: string
}
type Row = WaitingDelivery<TestChange>

const now = 1000
const soon = now + 20
const later = now + 100
/** If an alert has ended, its other changes are left out. */
const fold = (all: readonly TestChange[]) =>
  all.filter(({ id, says }) => says === 'ended' || !all.some((other) => other.id === id && other.says === 'ended'))
const plan = (rows: readonly Row[], format: 'single' | 'grouped') =>
  planNextMessage(rows, { format, now, groupAfter: 30, fold })

/** A delivery in short: `a opened, b ended`, then `tried`, `written` or `test`, then its due time. */
function row(id: string, text: string, state: 'new' | 'written' | 'tried' | 'test' = 'new', dueAt = now): Row {
  const changes = text.split(', ').map((part) => {
    const [alert = '', says = ''] = part.split(' ')
    return { id: alert, says }
  })
  return {
    id,
    changes,
    isTest: state === 'test',
    isWritten: state === 'tried' || state === 'written',
    tries: state === 'tried' ? 1 : 0,
    dueAt,
  }
}
const said = (changes: readonly TestChange[] | undefined) => changes?.map(({ id, says }) => `${id} ${says}`).join(', ')

interface Planned {
  next?: string
  write?: string
  replaced?: string[]
  dropped?: string[]
}

test.each<[string, 'single' | 'grouped', Row[], Planned]>([
  ['nothing is sent before it is due', 'single', [row('1', 'a opened', 'new', later)], {}],
  ['what is due is written and sent', 'single', [row('1', 'a opened')], { next: '1', write: 'a opened' }],
  ['what was written is sent as it is', 'single', [row('1', 'a opened', 'tried')], { next: '1' }],
  ['a test comes first', 'single', [row('1', 'a opened'), row('2', 'x', 'test')], { next: '2', write: 'x ' }],
  [
    'messages about one alert go out in order',
    'single',
    [row('1', 'a opened'), row('2', 'a acknowledged')],
    { next: '1', write: 'a opened' },
  ],
  [
    'a newer message takes the place of one that failed',
    'single',
    [row('1', 'a opened', 'tried', later), row('2', 'a acknowledged')],
    { next: '2', write: 'a acknowledged', replaced: ['1'] },
  ],
  [
    'an end takes the place of everything before it, also of what is due',
    'single',
    [row('1', 'a opened', 'tried'), row('2', 'a acknowledged'), row('3', 'a ended')],
    { next: '3', write: 'a ended', replaced: ['1'], dropped: ['2'] },
  ],
  [
    'two messages that were written before are both sent, in order',
    'single',
    [row('1', 'a opened', 'written'), row('2', 'a ended', 'written')],
    { next: '1' },
  ],
  [
    'a message that a node with a fast clock made goes before the next one',
    'single',
    [row('1', 'a opened', 'new', soon), row('2', 'a acknowledged')],
    { next: '1', write: 'a opened' },
  ],
  [
    'a message that a person wants much later is part of the next one',
    'single',
    [row('1', 'a opened', 'new', later), row('2', 'a acknowledged')],
    { next: '2', write: 'a acknowledged', dropped: ['1'] },
  ],
  [
    'another alert does not wait for one that failed',
    'single',
    [row('1', 'a opened', 'tried', later), row('2', 'b opened')],
    { next: '2', write: 'b opened' },
  ],
  [
    'a group has all changes that are due soon',
    'grouped',
    [row('1', 'a opened'), row('2', 'b opened', 'new', soon), row('3', 'c opened', 'new', later)],
    { write: 'a opened, b opened', dropped: ['1', '2'] },
  ],
  [
    'a group takes the place of one that failed and is about the same alert, and says everything',
    'grouped',
    [row('1', 'a opened, b opened', 'tried', later), row('2', 'a acknowledged')],
    { write: 'a opened, b opened, a acknowledged', replaced: ['1'], dropped: ['2'] },
  ],
  [
    'so it goes on with the alerts of that group',
    'grouped',
    [row('1', 'b opened', 'tried', later), row('2', 'a opened, b acknowledged', 'tried', later), row('3', 'a ended')],
    { write: 'b opened, b acknowledged, a ended', replaced: ['1', '2'], dropped: ['3'] },
  ],
  [
    'a group about other alerts is left alone',
    'grouped',
    [row('1', 'a opened', 'tried', later), row('2', 'b opened')],
    { write: 'b opened', dropped: ['2'] },
  ],
  [
    'a group that was written waits for an earlier one about the same alert',
    'grouped',
    [row('1', 'a opened', 'tried', later), row('2', 'a ended', 'tried')],
    {},
  ],
])('%s (%s)', (_rule, format, rows, { next, write, replaced = [], dropped = [] }) => {
  const planned = plan(rows, format)
  expect({ ...planned, write: said(planned.write?.changes) }).toEqual({ next, write, replaced, dropped })
})

const steps = ['opened', 'acknowledged', 'reminder', 'ended'] as const

test('a channel accepts the messages about each alert in the order in which they were made, and always the last one', () =>
  fc.assert(
    fc.property(
      fc.constantFrom('single', 'grouped'),
      fc.array(
        fc.record({
          alert: fc.constantFrom('a', 'b', 'c'),
          waits: fc.nat(60),
          skewed: fc.integer({ min: -25, max: 25 }),
        }),
        { maxLength: 12 },
      ),
      fc.infiniteStream(fc.boolean()),
      (format, made, answers) => {
        const accepted = play(format, made, answers)
        for (const alert of ['a', 'b', 'c']) {
          const count = made.filter((one) => one.alert === alert).length
          const expected = steps.slice(0, count)
          const seen = accepted.filter(({ id }) => id === alert).map(({ says }) => says)
          const places = seen.map((says) => expected.indexOf(says as (typeof steps)[number]))
          expect(places).toEqual(places.toSorted((x, y) => x - y))
          expect(new Set(places).size).toBe(places.length)
          expect(seen.at(-1)).toBe(expected.at(-1))
        }
      },
    ),
    { numRuns: 500 },
  ))

/**
 * Plays a channel: changes are made one after the other, each by a node whose clock is ahead or behind, and between
 * them messages are tried. Returns the changes in the order in which the receiver accepted them.
 */
function play(
  format: 'single' | 'grouped',
  made: readonly { alert: string; waits: number; skewed: number }[],
  answers: Iterator<boolean>,
): TestChange[] {
  const accepted: TestChange[] = []
  let rows: Row[] = []
  let [at, ids] = [now, 0]
  const tryOnce = (isTaken: boolean) => {
    const planned = planNextMessage(rows, { format, now: at, groupAfter: 30, fold })
    const ended = new Set([...planned.replaced, ...planned.dropped])
    // A new group has the place of the last one of those that it replaces.
    const after = rows.slice(rows.findLastIndex(({ id }) => ended.has(id)) + 1)
    rows = rows.filter(({ id }) => !ended.has(id))
    const { write } = planned
    let target = planned.next
    if (write && write.into === undefined) {
      target = `${ids++}`
      const group = { id: target, isTest: false, changes: write.changes, isWritten: true, tries: 0, dueAt: at }
      rows.splice(rows.length - after.length, 0, group)
    }
    const sent = rows.find(({ id }) => id === target)
    if (!sent) return false
    if (isTaken) accepted.push(...sent.changes)
    rows = rows.flatMap((one) => {
      if (one.id !== target) return [one]
      return isTaken ? [] : [{ ...one, isWritten: true, tries: one.tries + 1, dueAt: at + 40 * (one.tries + 1) }]
    })
    return true
  }
  const counts = new Map<string, number>()
  for (const { alert, waits, skewed } of made) {
    const step = counts.get(alert) ?? 0
    counts.set(alert, step + 1)
    const says = steps[step]
    if (says)
      rows.push({
        id: `${ids++}`,
        isTest: false,
        changes: [{ id: alert, says }],
        isWritten: false,
        tries: 0,
        dueAt: at + skewed,
      })
    for (let tries = 0; tries < 3 && tryOnce(answers.next().value); tries++);
    at += waits
  }
  for (let rest = 0; rows.length > 0; rest++) {
    if (rest > 1000) throw new Error(`These messages are never sent: ${JSON.stringify(rows)}`)
    if (!tryOnce(true)) at += 20
  }
  return accepted
}

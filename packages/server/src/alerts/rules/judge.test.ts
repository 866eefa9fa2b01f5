import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ConditionFinding, Rule } from './conditions.ts'
import { type Alert, alertStateOf, type EvaluationMessage, judgeRule } from './judge.ts'
import { defaultRule } from './rules.ts'

const start = Date.UTC(2026, 10, 22, 14)
const second = 1000
const minute = 60 * second
const hour = 60 * minute
const turn = 15 * second

const rule = (more: Partial<Rule> = {}): Rule => ({ ...defaultRule('bad'), ...more })
const holds: ConditionFinding = { is: 'holds' }
const clear: ConditionFinding = { is: 'clear' }
const unknown: ConditionFinding = { is: 'unknown' }
const over: ConditionFinding = { is: 'over' }

interface Sent {
  minute: number
  message: EvaluationMessage
}

/** Judges one alert again and again over time. It remembers the alert between two evaluations as the store would. */
function story(of: Rule) {
  let now = start
  let alert: Alert | undefined
  const ended: Alert[] = []
  const sent: Sent[] = []
  const states: string[] = []
  const evaluate = (finding: ConditionFinding, muted: boolean) => {
    const openings = ended.flatMap((one) => one.openings)
    const judged = judgeRule(of, finding, alert, { now, muted, openings })
    if (judged.message) sent.push({ minute: (now - start) / minute, message: judged.message })
    alert = judged.alert
    const owed = alert && alert.endedAt !== null && alert.muted && alert.told !== 'nothing'
    states.push(alert ? alertStateOf(alert) : 'none')
    if (alert && alert.endedAt !== null && !owed) {
      ended.push(alert)
      alert = undefined
    }
  }
  const played = {
    sent,
    states,
    ended,
    alert: () => alert,
    acknowledge: () => {
      if (alert) alert = { ...alert, acknowledged: { by: 'Ada', at: now, note: null } }
    },
    jump: (ms: number) => {
      now += ms
      return played
    },
    /** Evaluates every 15 s for this many minutes. */
    is: (finding: ConditionFinding, minutes: number, { muted = false } = {}) => {
      for (const end = now + minutes * minute; now < end; now += turn) evaluate(finding, muted)
      return played
    },
    messages: () => sent.map(({ message }) => message),
  }
  return played
}

test('an alert opens when its condition has held for long enough, and ends when it has been gone for two minutes', () => {
  const { sent } = story(rule({ after: 10 * minute }))
    .is(clear, 1)
    .is(holds, 20)
    .is(clear, 10)
  expect(sent).toEqual([
    { minute: 11, message: 'alert.opened' },
    { minute: 23, message: 'alert.ended' },
  ])
})

test('an alert that opens in less than two minutes ends as fast', () => {
  expect(
    story(rule({ after: 0 }))
      .is(holds, 1)
      .is(clear, 1).sent,
  ).toEqual([
    { minute: 0, message: 'alert.opened' },
    { minute: 1, message: 'alert.ended' },
  ])
  expect(
    story(rule({ after: minute }))
      .is(holds, 2)
      .is(clear, 2).sent,
  ).toEqual([
    { minute: 1, message: 'alert.opened' },
    { minute: 3, message: 'alert.ended' },
  ])
})

test('a condition that is gone before its time sends nothing and leaves nothing', () => {
  const played = story(rule({ after: 2 * minute }))
    .is(holds, 1.75)
    .is(clear, 5)
  expect(played.sent).toEqual([])
  expect(played.alert()).toBeUndefined()
  expect(new Set(played.states)).toEqual(new Set(['pending', 'none']))
})

test('a short recovery neither ends an alert nor opens another one', () => {
  const played = story(rule({ after: 2 * minute, reminds: false }))
    .is(holds, 5)
    .is(clear, 1.5)
    .is(holds, 30)
  expect(played.messages()).toEqual(['alert.opened'])
  expect(played.states.slice(20, 27)).toEqual([
    'closing',
    'closing',
    'closing',
    'closing',
    'closing',
    'closing',
    'open',
  ])
})

test('a condition with a known beginning counts from there', () => {
  const from = start - 9 * minute
  expect(story(rule({ after: 10 * minute })).is({ is: 'holds', from }, 5).sent).toEqual([
    { minute: 1, message: 'alert.opened' },
  ])
})

test('messages say when the condition began, not when the alert opened', () => {
  const played = story(rule({ after: 0 })).is({ is: 'holds', from: start - 5, since: start - 90_000 }, 1)
  expect(played.alert()).toMatchObject({ since: start - 90_000, openedAt: start })
})

test('the words of an open alert are stored with a message, and not with every report that changes them', () => {
  const says = (label: string | undefined): ConditionFinding => ({ is: 'holds', ...(label !== undefined && { label }) })
  const played = story(rule({ after: 0 })).is(says('2 times in a row'), 1)
  expect(played.alert()?.label).toBe('2 times in a row')
  for (let times = 3; times < 15; times++) played.is(says(`${times} times in a row`), 1)
  expect(played.alert()?.label).toBe('2 times in a row')
  played.is(says('15 times in a row'), 50)
  expect([played.messages(), played.alert()?.label]).toEqual([['alert.opened', 'alert.reminder'], '15 times in a row'])
  played.is(says(undefined), 24 * 60)
  expect([played.messages().length, played.alert()?.label]).toEqual([3, null])
})

test('the words that the service itself chooses are stored as they change', () => {
  const played = story({ ...defaultRule('service'), after: 0 })
    .is({ is: 'holds', label: 'nothing was taken for an hour' }, 1)
    .is({ is: 'holds', label: 'it was disabled' }, 1)
  expect([played.messages(), played.alert()?.label]).toEqual([['alert.opened'], 'it was disabled'])
})

test('an open alert has the present beginning of its condition', () => {
  const played = story({ ...defaultRule('run_long'), on: true })
    .is({ is: 'holds', from: start - 3 * hour }, 1)
    .is({ is: 'holds', from: start - 2 * hour }, 1)
  expect([played.messages(), played.alert()?.since]).toEqual([['alert.opened'], start - 2 * hour])
})

test('while nothing can be found out an open alert stays open, and a pending one does not open and starts again', () => {
  const opened = story(rule({ after: 2 * minute, reminds: false }))
    .is(holds, 3)
    .is(unknown, 600)
  expect([opened.messages(), opened.states.at(-1)]).toEqual([['alert.opened'], 'open'])
  const pending = story(rule({ after: 2 * minute }))
    .is(holds, 1)
    .is(unknown, 60)
  expect(pending.states.at(-1)).toBe('pending')
  expect(pending.is(holds, 5).sent).toEqual([{ minute: 63, message: 'alert.opened' }])
})

test('an alert whose condition no longer applies ends at once and without a message', () => {
  const played = story(rule({ after: 0 }))
    .is(holds, 5)
    .is(over, 1)
  expect(played.messages()).toEqual(['alert.opened'])
  expect(played.ended).toHaveLength(1)
  expect(
    story(rule({ after: minute }))
      .is(holds, 0.5)
      .is(over, 1)
      .alert(),
  ).toBeUndefined()
})

test('the third opening within an hour is unsteady: one message, then none until 30 minutes of calm', () => {
  const played = story(rule({ after: 0 }))
  for (let i = 0; i < 40; i++) played.is(holds, 2).is(clear, 3)
  expect(played.messages()).toEqual(['alert.opened', 'alert.ended', 'alert.opened', 'alert.ended', 'alert.unsteady'])
  expect(played.states.at(-1)).toBe('unsteady')
  const before = played.sent.length
  played.is(clear, 60)
  expect(played.messages().slice(before)).toEqual(['alert.ended'])
  expect(played.alert()).toBeUndefined()
})

test('an unsteady alert that stays open for 30 minutes is sent once as open', () => {
  const played = story(rule({ after: 0, reminds: false }))
  for (let i = 0; i < 2; i++) played.is(holds, 2).is(clear, 3)
  played.is(holds, 60)
  expect(played.sent.slice(4)).toEqual([
    { minute: 10, message: 'alert.unsteady' },
    { minute: 40, message: 'alert.opened' },
  ])
  expect(played.is(clear, 5).messages().at(-1)).toBe('alert.ended')
})

test('a bad alert is repeated after an hour and then daily, until somebody acknowledges it', () => {
  const played = story(rule({ after: 0 })).is(holds, 50 * 60)
  expect(played.sent.map(({ minute, message }) => [message, minute / 60])).toEqual([
    ['alert.opened', 0],
    ['alert.reminder', 1],
    ['alert.reminder', 25],
    ['alert.reminder', 49],
  ])
  played.acknowledge()
  played.is(holds, 50 * 60)
  expect(played.sent).toHaveLength(4)
})

test.each<[string, Partial<Rule>]>([
  ['a rule that is set so', { reminds: false }],
  ['a warning', { level: 'warn' }],
])('%s is never repeated', (_who, more) => {
  expect(
    story(rule({ after: 0, ...more }))
      .is(holds, 50 * 60)
      .messages(),
  ).toEqual(['alert.opened'])
})

test.each<[string, (played: ReturnType<typeof story>) => unknown, EvaluationMessage[]]>([
  [
    'what opened and ended under it is never sent',
    (played) => played.is(holds, 5, { muted: true }).is(clear, 5, { muted: true }).is(clear, 5),
    [],
  ],
  [
    'what opened under it and is still open is sent as opened',
    (played) => played.is(holds, 5, { muted: true }).is(holds, 5),
    ['alert.opened'],
  ],
  [
    'what was open before it is sent once more as a reminder',
    (played) => played.is(holds, 5).is(holds, 5, { muted: true }).is(holds, 5),
    ['alert.opened', 'alert.reminder'],
  ],
  [
    'what people know to be open and ended under it is sent as ended',
    (played) => played.is(holds, 5).is(holds, 5, { muted: true }).is(clear, 30, { muted: true }).is(clear, 5),
    ['alert.opened', 'alert.ended'],
  ],
  [
    'a reminder waits for its end',
    (played) => played.is(holds, 5).is(holds, 600, { muted: true }).is(holds, 5),
    ['alert.opened', 'alert.reminder'],
  ],
])('after a mute: %s', (_rule, tell, messages) => {
  const played = story(rule({ after: 0 }))
  tell(played)
  expect(played.messages()).toEqual(messages)
})

test('an alert ends in its time also after the clock went back by an hour', () => {
  const played = story(rule({ after: 10 * minute, reminds: false }))
    .is(holds, 20)
    .is(clear, 1)
    .jump(-hour)
    .is(clear, 5)
  expect(played.messages()).toEqual(['alert.opened', 'alert.ended'])
})

test('after the clock went forward by an hour, a condition must still hold for its full time', () => {
  const played = story(rule({ after: 10 * minute }))
    .is(holds, 5)
    .is(clear, 1)
    .jump(hour)
    .is(holds, 5)
  expect(played.messages()).toEqual([])
})

const findings = fc.constantFrom(holds, clear, unknown, over)
const steps = fc.array(
  fc.record({
    finding: findings,
    muted: fc.boolean(),
    turns: fc.integer({ min: 1, max: 200 }),
    jump: fc.oneof(
      { weight: 9, arbitrary: fc.constant(0) },
      { weight: 1, arbitrary: fc.integer({ min: -hour, max: hour }) },
    ),
  }),
  { maxLength: 25 },
)
const rules = fc.record({
  after: fc.constantFrom(0, 30 * second, 2 * minute, 10 * minute),
  level: fc.constantFrom<'bad' | 'warn'>('bad', 'warn'),
  reminds: fc.boolean(),
})
const order = ['none', 'pending', 'open', 'closing', 'ended']

test('whatever happens: no message without a change of state, the end of a mute or a reminder, and no state runs backwards', () => {
  fc.assert(
    fc.property(rules, steps, (more, all) => {
      const of = rule(more)
      let now = start
      let alert: Alert | undefined
      let openings: readonly number[] = []
      for (const { finding, muted, turns, jump } of all) {
        now += jump
        for (let i = 0; i < turns; i++, now += turn) {
          const before = alert
          const { alert: after, message } = judgeRule(of, finding, before, { now, muted, openings })
          const [was, is] = [before ? alertStateOf(before) : 'none', after ? alertStateOf(after) : 'none']
          if (message) {
            expect(muted).toBe(false)
            const changed = was !== is
            const unmuted = before?.muted === true
            const due = message === 'alert.reminder' && of.reminds && of.level === 'bad' && is === 'open'
            expect(changed || unmuted || due).toBe(true)
            if (message === 'alert.ended') expect(before?.told).not.toBe('nothing')
          }
          // Except for unsteady alerts, the state of an alert goes back in two cases only: a closing alert opens again,
          // or a pending alert is dropped.
          if (is !== 'unsteady' && was !== 'unsteady' && !(was === 'closing' && is === 'open') && is !== 'none') {
            expect(order.indexOf(is)).toBeGreaterThanOrEqual(order.indexOf(was))
          }
          if (is === 'none') expect(['none', 'pending']).toContain(was)
          if (after?.openedAt != null) openings = after.openings
          alert = after?.endedAt != null && !(after.muted && after.told !== 'nothing') ? undefined : after
        }
      }
    }),
    { numRuns: 50 },
  )
})

test('whatever happened: every alert ends within an hour of calm, and one that was sent as open is sent as ended', () => {
  fc.assert(
    fc.property(rules, steps, (more, all) => {
      const played = story(rule(more))
      for (const { finding, muted, turns, jump } of all) played.jump(jump).is(finding, turns / 4, { muted })
      // After 61 minutes in which the condition is gone and nothing is muted, every alert has ended and its end was
      // sent.
      played.is(clear, 61)
      expect(played.alert()).toBeUndefined()
      const known = played.messages().filter((message) => message !== 'alert.reminder')
      for (const [i, message] of known.entries()) {
        if (message === 'alert.ended') expect(['alert.opened', 'alert.unsteady']).toContain(known[i - 1])
      }
    }),
    { numRuns: 150 },
  )
})

test('an agent that never stays the same for 30 minutes causes at most five messages', () => {
  const flaps = fc.array(fc.tuple(fc.constantFrom(holds, clear), fc.integer({ min: 1, max: 100 })), { maxLength: 60 })
  fc.assert(
    fc.property(flaps, rules, (all, more) => {
      const played = story(rule({ ...more, reminds: false }))
      const alternating = all.map(([, turns], i) => [i % 2 === 0 ? holds : clear, turns] as const)
      for (const [finding, turns] of alternating) {
        // Each finding lasts long enough to count as a change. During a shorter one the state of the alert would stay,
        // and the alert could become steady.
        const needed = finding === holds ? more.after : Math.min(more.after, 2 * minute)
        played.is(finding, Math.min(Math.max(turns, needed / turn + 1), 59) / 4)
      }
      const firstHour = played.sent.filter(({ minute: at }) => at - (played.sent[0]?.minute ?? 0) < 60)
      expect(firstHour.length).toBeLessThanOrEqual(5)
    }),
    { numRuns: 200 },
  )
})

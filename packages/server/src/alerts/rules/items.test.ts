import { otherItems } from '@svc/api'
import { expect, test } from 'vitest'
import { noSigns } from '../../fleet/reports/signs.ts'
import type { AlertFacts, ConditionFinding, Rule } from './conditions.ts'
import { type EarlierItems, findItems, itemsFirst, noEarlierItems } from './items.ts'
import { type Alert, judgeRule } from './judge.ts'
import { defaultRule } from './rules.ts'
import { agentFacts } from './testing/rule-cases.ts'

const now = Date.UTC(2026, 10, 25, 3, 14)
const minute = 60_000
const rule = (more: Partial<Rule> = {}): Rule => ({ ...defaultRule('item'), ...more })

/** An agent whose last report names these items as bad. */
const bad = (items: string[], moreItems = 0, more: Partial<AlertFacts> = {}): AlertFacts =>
  agentFacts({ receivedAt: now, level: 'bad', signs: { ...noSigns, items, moreItems }, ...more })
const silent: Partial<AlertFacts> = { receivedAt: now - 90_000 }

/** Judges the same finding at these minutes. */
function alertAfter(finding: ConditionFinding, ...minutes: number[]): Alert {
  let alert: Alert | undefined
  for (const at of minutes)
    alert = judgeRule(rule(), finding, alert, { now: now + (at - 10) * minute, muted: false }).alert
  if (!alert) throw new Error('There is no alert.')
  return alert
}
const pending = alertAfter({ is: 'holds' }, 0)
const open = alertAfter({ is: 'holds' }, 0, 2)
const closing = judgeRule(rule(), { is: 'clear' }, open, { now: now - minute, muted: false }).alert ?? open
const known = (item: string, alert = open) => ({ item, alert })
const hourOld: Alert = { ...open, openedAt: now - 60 * minute }

const many = Array.from({ length: 20 }, (_, i) => `Job ${i}`)
const found = (
  agent: AlertFacts,
  alerts: ReturnType<typeof known>[] = [],
  more: Partial<Rule> = {},
  earlier: Partial<EarlierItems> = {},
) =>
  findItems(rule(more), agent, { known: alerts, earlier: { ...noEarlierItems, ...earlier }, now }).map(
    ({ item, finding }) =>
      [item, finding.is, ...(finding.is === 'holds' && finding.label ? [finding.label] : [])].join(': '),
  )

test.each<[string, string[], string[]]>([
  ['nothing is bad', found(bad([])), []],
  ['each bad item holds', found(bad(['Job a', 'Job b'])), ['Job a: holds', 'Job b: holds']],
  [
    'one that is well again is clear',
    found(bad(['Job a']), [known('Job a'), known('Job b')]),
    ['Job a: holds', 'Job b: clear'],
  ],
  ['a pending one too', found(bad([]), [known('Job a', pending)]), ['Job a: clear']],
  [
    'more than four at once share one alert',
    found(bad(many, 6)).slice(3),
    ['Job 3: holds', '*: holds: Job 4, Job 5, Job 6 and 19 more'],
  ],
  [
    'those that wait for an alert stay the same, in whatever order the report is',
    found(bad(['Job x', 'Job y', 'Job z', 'Job a', 'Job b']), [known('Job a', pending), known('Job b', pending)]).slice(
      0,
      5,
    ),
    ['Job x: holds', 'Job y: holds', 'Job a: holds', 'Job b: holds', '*: holds: Job z'],
  ],
  [
    'an hour later, four more have alerts',
    found(
      bad(many),
      many.slice(0, 4).map((name) => known(name, hourOld)),
    ).slice(7),
    ['Job 7: holds', '*: holds: Job 8, Job 9, Job 10 and 9 more'],
  ],
  [
    'one that comes later within the hour shares the alert',
    found(
      bad(['Job a', ...many.slice(0, 4)]),
      many.slice(0, 4).map((name) => known(name)),
    ).slice(4),
    ['*: holds: Job a'],
  ],
  [
    'more than twenty are one finding',
    found(
      bad(many, 6),
      many.map((name) => known(name)),
    ).slice(19),
    ['Job 19: holds', '*: holds: and 6 more'],
  ],
  ['which ends when there are no more', found(bad(['Job 0']), [known(otherItems)]), ['Job 0: holds', '*: clear']],
  [
    'while it holds, an open alert whose item is not among the twenty stays',
    found(bad(many, 1), [
      ...many.map((name) => known(name)),
      ...[known('Job x'), known('Job y', closing), known('Job z', pending)],
    ]).slice(20),
    ['*: holds: and 1 more', 'Job x: unknown', 'Job y: unknown', 'Job z: clear'],
  ],
  [
    'its own alert is judged by the number alone',
    found(bad(many, 2), [...many.map((name) => known(name)), known(otherItems)]).slice(20),
    ['*: holds: and 2 more'],
  ],
  ['the rule is off', found(bad(['Job a']), [known('Job b')], { on: false }), ['Job b: over']],
  [
    'the agent is offline',
    found(bad(['Job a'], 0, silent), [known('Job a'), known('Job b')]),
    ['Job a: unknown', 'Job b: unknown'],
  ],
  [
    'after two alerts of the hour, further items share one, pending ones too',
    found(bad(['Job c', 'Job d']), [known('Job d', pending)], {}, { ended: ['Job a', 'Job b'] }),
    ['*: holds: Job c, Job d', 'Job d: over'],
  ],
  [
    'an open one stays beside it',
    found(bad(['Job c', 'Job d']), [known('Job c')], {}, { ended: ['Job a', 'Job b'] }),
    ['Job c: holds', '*: holds: Job d'],
  ],
  [
    'an item that alone comes and goes is itself',
    found(bad(['Job a']), [], {}, { ended: ['Job a', 'Job a', 'Job a'] }),
    ['Job a: holds'],
  ],
  [
    'the shared alert keeps further items while it is unsteady',
    found(bad(['Job c']), [known(otherItems, { ...open, phase: 'calm', unsteadySince: now })]),
    ['*: holds: Job c'],
  ],
  [
    'beyond forty in a day, further items share one with those without a name',
    found(bad(many, 2), [], {}, { inDay: 38 }),
    ['Job 0: holds', 'Job 1: holds', '*: holds: Job 2, Job 3, Job 4 and 17 more'],
  ],
  ['the agent never reported', found(bad([], 0, { receivedAt: null }), [known('Job a')]), ['Job a: clear']],
])('%s', (_what, is, expected) => expect(is).toEqual(expected))

test('no more alerts stay open without a name than a report has room for', () => {
  const opened = (i: number) => known(`Old ${i}`, { ...open, openedAt: now - i })
  const all = Array.from({ length: 40 }, (_, i) => opened(i))
  const stay = findItems(rule(), bad(many, 30), { known: all, earlier: noEarlierItems, now }).filter(
    ({ finding }) => finding.is === 'unknown',
  )
  expect(stay.map(({ item }) => item)).toEqual(Array.from({ length: 30 }, (_, i) => `Old ${i}`))
})

test('`bad` gives way to the open alert about an item of the same agent, and to no other', () => {
  const one = (name: Rule['name'], id: string, finding: ConditionFinding = { is: 'holds' }) => ({
    ...{ rule: rule({ ...defaultRule(name) }), about: { id }, finding },
  })
  const cases: [string, [Rule['name'], string, Alert | undefined][], ConditionFinding['is']][] = [
    ['no alert', [], 'holds'],
    ['an open one', [['item', 'vela', open]], 'over'],
    ['one that closes', [['item', 'vela', closing]], 'over'],
    ['a pending one', [['item', 'vela', pending]], 'holds'],
    ['one that ended', [['item', 'vela', { ...open, endedAt: now }]], 'holds'],
    ['one that is calm', [['item', 'vela', { ...open, phase: 'calm', unsteadySince: now }]], 'holds'],
    ['one of another agent', [['item', 'lyra', open]], 'holds'],
    ['an open one of another rule', [['process', 'vela', open]], 'holds'],
    [
      'one of several',
      [
        ['item', 'vela', open],
        ['item', 'vela', pending],
      ],
      'over',
    ],
  ]
  for (const [what, judged, expected] of cases) {
    const order = itemsFirst()
    for (const [name, id, alert] of judged) order.judged(one(name, id), alert)
    expect(order.finding(one('bad', 'vela')).is, what).toBe(expected)
    expect(order.finding(one('process', 'vela')).is, what).toBe('holds')
  }
})

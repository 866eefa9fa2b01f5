import { ruleNames } from '@svc/api'
import { expect, test } from 'vitest'
import {
  type AlertFacts,
  type ConditionFinding,
  massOutage,
  type Rule,
  type RuleMoment,
  wentOfflineThen,
} from './conditions.ts'
import { readHours } from './hours.ts'
import { agentRules, defaultRule, judgeForAgent, judgeForRollout } from './rules.ts'
import { agentFacts } from './testing/rule-cases.ts'

const now = Date.UTC(2026, 10, 23, 14)
const second = 1000
const minute = 60 * second
const facts = (more: Partial<AlertFacts> = {}) => agentFacts({ receivedAt: now - 10 * second, ...more })
const signs = (more: Partial<AlertFacts['signs']>) => facts({ signs: { ...facts().signs, ...more } })
const find = (
  name: Rule['name'],
  agent: AlertFacts,
  { moment = {}, ...rule }: Partial<Rule> & { moment?: Partial<RuleMoment> } = {},
) => judgeForAgent({ ...defaultRule(name), on: true, ...rule }, agent, { now, backSince: null, ...moment })
const ago = (ms: number, more: Partial<AlertFacts> = {}) => facts({ receivedAt: now - ms, ...more })
const workdays = readHours('weekdays 08:00-19:00 UTC')
const hours = workdays.ok ? workdays.value : null

test.each<[string, ConditionFinding, ConditionFinding['is']]>([
  ['an agent that reports is not silent', find('silent', ago(89 * second)), 'clear'],
  ['an agent that missed its reports for 90 s is', find('silent', ago(90 * second)), 'holds'],
  [
    'one that was asked for fewer reports has more time',
    find('silent', ago(899 * second, { intervalSeconds: 300 })),
    'clear',
  ],
  ['one that never reported is not', find('silent', facts({ receivedAt: null })), 'clear'],
  ['one that a person stopped is not', find('silent', ago(minute * 60, { stopped: 'person' })), 'clear'],
  [
    'soon after the service was away nobody can be called silent',
    find('silent', ago(20 * minute), { moment: { backSince: now - 179 * second } }),
    'unknown',
  ],
  [
    'three minutes later somebody can',
    find('silent', ago(20 * minute), { moment: { backSince: now - 180 * second } }),
    'holds',
  ],
  [
    'three of its intervals later, where these are longer',
    find('silent', ago(20 * minute, { intervalSeconds: 100 }), { moment: { backSince: now - 299 * second } }),
    'unknown',
  ],
  ['in the hours in which it is expected it is', find('silent', ago(10 * minute, { hours })), 'holds'],
  [
    'outside of them nothing is said',
    find('silent', ago(10 * minute, { hours }), { moment: { now: now + 6 * 60 * minute } }),
    'unknown',
  ],
  ['its level is bad', find('bad', facts({ level: 'bad' })), 'holds'],
  ['a warning is not bad', find('bad', facts({ level: 'warn' })), 'clear'],
  ['its level is a warning', find('warning', facts({ level: 'warn' })), 'holds'],
  ['bad is another rule than warning', find('warning', facts({ level: 'bad' })), 'clear'],
  ['its process does not run', find('process', signs({ process: 'warn' })), 'holds'],
  ['the process of a paused agent', find('process', { ...signs({ process: 'bad' }), paused: true }), 'clear'],
  [
    'the process of an agent that a person stopped',
    find('process', { ...signs({ process: 'bad' }), stopped: 'person' }),
    'clear',
  ],
  [
    'the same, an hour later',
    find('process', { ...signs({ process: 'bad' }), stopped: 'person', receivedAt: now - 60 * minute }),
    'clear',
  ],
  [
    'the process of an offline agent',
    find('process', { ...signs({ process: 'bad' }), receivedAt: now - 60 * minute }),
    'unknown',
  ],
  ['the level of an offline agent', find('bad', ago(60 * minute, { level: 'bad' })), 'unknown'],
  ['the good level of an offline agent', find('bad', ago(60 * minute)), 'unknown'],
  ['its status file is stale', find('status_stale', facts({ statusStale: true })), 'holds'],
  ['its disk is nearly full', find('disk', facts({ diskFull: true })), 'holds'],
  ['a binding is broken', find('binding', signs({ bindings: ['mail'] })), 'holds'],
  ['an update was rolled back', find('update', facts({ update: { version: '2', outcome: 'rolled_back' } })), 'holds'],
  ['three runs failed', find('run_failed', facts({ runs: ['failed', 'error', 'failed', 'ok'] })), 'holds'],
  ['three runs ended in other bad ways', find('run_failed', facts({ runs: ['timeout', 'lost', 'error'] })), 'holds'],
  ['the last run was fine', find('run_failed', facts({ runs: ['ok', 'failed', 'failed', 'failed'] })), 'clear'],
  ['there were only two', find('run_failed', facts({ runs: ['failed', 'failed'] })), 'clear'],
  [
    'their status is another',
    find('run_failed', facts({ runs: ['failed', 'failed', 'failed'] }), { statuses: ['crashed'] }),
    'clear',
  ],
  ['a run is active for long', find('run_long', signs({ started: now / 1000 - 7200 })), 'holds'],
  ['a run is active, but not for long', find('run_long', signs({ started: now / 1000 - 7199 })), 'clear'],
  ['a run began in the future', find('run_long', signs({ started: now / 1000 + 1 })), 'clear'],
  ['it did, and any run is long', find('run_long', signs({ started: now / 1000 + 1 }), { after: 0 }), 'holds'],
  ['no run is', find('run_long', facts()), 'clear'],
  [
    'the day cost more than its limit',
    find('cost_day', facts({ cost: { today: 5_000_001, before: [] } }), { limit: 5_000_000 }),
    'holds',
  ],
  [
    'the day cost its limit',
    find('cost_day', facts({ cost: { today: 5_000_000, before: [] } }), { limit: 5_000_000 }),
    'over',
  ],
  ['no limit is set', find('cost_day', facts({ cost: { today: 9e9, before: [] } })), 'over'],
  [
    'a limit counts for an offline agent, too',
    find('cost_day', ago(60 * minute, { cost: { today: 2, before: [] } }), { limit: 1 }),
    'holds',
  ],
  [
    'more than three times as much as usual',
    find('cost_jump', facts({ cost: { today: 3_000_001, before: [1e6, 9e6, 1e5] } })),
    'holds',
  ],
  ['three times as much', find('cost_jump', facts({ cost: { today: 3_000_000, before: [1e6, 9e6, 1e5] } })), 'over'],
  ['little money', find('cost_jump', facts({ cost: { today: 1_000_000, before: [1, 1, 1] } })), 'over'],
  ['51 runs against 16', find('runaway', facts({ starts: { today: 51, before: [16, 1, 1] } })), 'holds'],
  ['51 runs against 17', find('runaway', facts({ starts: { today: 51, before: [1, 17, 1] } })), 'over'],
  ['50 runs against 1', find('runaway', facts({ starts: { today: 50, before: [1, 1, 1] } })), 'over'],
  ['runs on two days only', find('runaway', facts({ starts: { today: 900, before: [1, 1] } })), 'over'],
  ['too few days to know what is usual', find('cost_jump', facts({ cost: { today: 9e9, before: [1, 1] } })), 'over'],
  [
    'an even number of days',
    find('cost_jump', facts({ cost: { today: 4_500_001, before: [1e6, 2e6, 1e6, 2e6] } })),
    'holds',
  ],
  ['a gauge is at its mark', find('gauge', signs({ gauges: ['disk'] })), 'holds'],
  ['two machines use its token', find('two_reporters', facts({ twoReporters: true })), 'holds'],
  ['the rule is off', find('bad', facts({ level: 'bad' }), { on: false }), 'over'],
  ['a rollout is halted', judgeForRollout(defaultRule('rollout'), { state: 'halted' }), 'holds'],
  ['a rollout goes on', judgeForRollout(defaultRule('rollout'), { state: 'running' }), 'clear'],
])('%s', (_fact, finding, is) => expect(finding.is).toBe(is))

test('the time offline counts from the report that was missed, and on a working day at the earliest from its beginning', () => {
  const since = now - 10 * minute
  expect(find('silent', ago(10 * minute + 90 * second))).toMatchObject({ from: since, since })
  const friday = now - 3 * 24 * 60 * minute
  const morning = now - 6 * 60 * minute
  expect(find('silent', facts({ receivedAt: friday - 90 * second, hours }))).toMatchObject({
    from: morning,
    since: friday,
  })
})

/** The times at which agents went offline, as seconds after `now`. */
const fell = (...seconds: number[]): number[] => seconds.map((s) => now + s * second)
/** The number of agents in the mass outage; undefined if there is none. */
const members = (offlineSince: number[], counted: number, known?: number) => {
  const begin = massOutage(offlineSince, counted, known === undefined ? undefined : now + known * second)
  return begin === undefined ? undefined : offlineSince.filter((since) => wentOfflineThen(begin, since)).length
}

test.each<[string, number[], number, number | undefined]>([
  ['five of ten within two minutes are a mass outage', fell(0, 30, 60, 90, 120), 10, 5],
  ['four are not, even where that is everybody', fell(0, 30, 60, 90), 4, undefined],
  ['five of seventeen are less than 30%', fell(0, 1, 2, 3, 4), 17, undefined],
  ['six of twenty are 30%', fell(0, 1, 2, 3, 4, 5), 20, 6],
  ['five within two minutes and a second are not at once', fell(0, 30, 60, 90, 121), 10, undefined],
  ['who has been offline for longer is not part of it', fell(-9000, -300, 0, 30, 60, 90, 120), 10, 5],
  ['nobody is offline', [], 0, undefined],
])('%s', (_rule, offlineSince, counted, expected) => expect(members(offlineSince, counted)).toBe(expected))

test('a mass outage begins when the first of its agents went offline, in whatever order they are found', () => {
  expect(massOutage(fell(120, 0, 90, -500, 60, 30), 10)).toBe(now)
})

test('a mass outage that is known keeps the agents that are still offline, however few, and ends with the last', () => {
  expect(members(fell(30, 60), 100, 0)).toBe(2)
  expect(members(fell(), 100, 0)).toBeUndefined()
})

test('an agent that goes offline in the same two minutes joins the mass outage; one that does so later, or again, does not', () => {
  expect(members(fell(0, 100, 120, 121, 4000), 10, 0)).toBe(3)
})

test('the defaults are those that the documents name', () => {
  const on = ruleNames.map((name) => defaultRule(name)).filter((rule) => rule.on)
  expect(on.map(({ name, after, level }) => `${name} ${after / second} ${level}`)).toEqual([
    'silent 600 bad',
    'bad 120 bad',
    'item 120 bad',
    'process 120 bad',
    'status_stale 0 warn',
    'binding 600 warn',
    'disk 0 warn',
    'update 0 bad',
    'rollout 0 bad',
    'cost_jump 0 warn',
    'runaway 0 warn',
    'two_reporters 0 warn',
    'service 0 bad',
  ])
  expect(ruleNames.filter((name) => !agentRules.includes(name))).toEqual(['item', 'rollout', 'command', 'service'])
})

import type { Level, Report } from '@svc/protocol'
import { expect, test } from 'vitest'
import type { HoldNote, RuntimeHold, Wishes } from '../wishes/kept.ts'
import {
  isWaitedFor,
  judgeMember,
  judgeRollout,
  type MemberFacts,
  ownLevel,
  type RolloutCourse,
  type RolloutMember,
} from './judge.ts'

const at = 1_790_000_000_000
const minute = 60_000
const rollout = { kind: 'blueprint', version: '1.1.0' } as const
const runtimes = { kind: 'runtime', version: '2.0.0' } as const

const member = (more: Partial<RolloutMember> = {}): RolloutMember => ({
  agentId: 'id',
  name: 'mail',
  wave: 1,
  state: 'wished',
  reason: null,
  levelBefore: 'ok',
  wishedAt: at,
  worseAt: null,
  forgiven: false,
  ...more,
})
const wish = (version: string) => ({ version, at, by: 'Ada', mark: null, offeredAt: at })
const hold: HoldNote = { version: '1.1.0', outcome: 'rolled_back', message: 'it said bad', at: at + minute }
const factsOf = (wishes: Wishes, more: Partial<MemberFacts> = {}): MemberFacts => ({
  wishes,
  attempts: {},
  running: '1.0.0',
  level: undefined,
  receivedAt: at,
  silentAt: at + 90_000,
  ...more,
})
const failed = { ...hold, outcome: 'failed' } as const
const away = [{ from: at + 10_000, to: at + 50_000 }]

test.each<[string, RolloutMember, MemberFacts, typeof away, string]>([
  ['the wish stands', member(), factsOf({ blueprint: wish('1.1.0') }), [], 'wished'],
  ['it runs the version', member(), factsOf({}, { running: '1.1.0' }), [], 'kept'],
  ['it rolled the version back', member(), factsOf({ blueprintHold: hold }), [], 'rolled_back'],
  ['the version failed', member(), factsOf({ blueprintHold: failed }), [], 'failed'],
  [
    'it failed while the service was down, so it will be retried',
    member(),
    factsOf({ blueprintHold: failed }),
    away,
    'wished',
  ],
  [
    'it rolled back while the service was down, although an update does not need the service',
    member(),
    factsOf({ blueprintHold: hold }),
    away,
    'rolled_back',
  ],
  [
    'the hold is older than the wish',
    member(),
    factsOf({ blueprint: wish('1.1.0'), blueprintHold: { ...hold, at: at - 1 } }),
    [],
    'wished',
  ],
  ['another version was named', member(), factsOf({ blueprint: wish('1.2.0') }), [], 'withdrawn'],
  [
    'it kept the version and rolled back later',
    member({ state: 'kept' }),
    factsOf({ blueprint: wish('1.1.0') }),
    [],
    'rolled_back',
  ],
  ['its wave has not started', member({ state: 'untouched' }), factsOf({}, { running: '1.1.0' }), [], 'untouched'],
  ['it was left out', member({ state: 'left_out' }), factsOf({}), [], 'left_out'],
])('the outcome of an agent in a blueprint rollout, when %s', (_when, before, now, times, state) => {
  expect(judgeMember(before, rollout, now, times).state).toBe(state)
})

const runs = (version: string) => ({ attempts: { runtime: { version } } })
const held: RuntimeHold = { ...hold, version: '2.0.0', serial: 1, since: at }
test.each<[string, RolloutMember, MemberFacts, typeof away, string]>([
  ['the wish stands', member(), factsOf({ runtime: wish('2.0.0') }), [], 'wished'],
  ['it is on trial', member(), factsOf({ runtime: wish('2.0.0') }, runs('2.0.0')), [], 'wished'],
  ['it runs it for good', member(), factsOf({}, runs('2.0.0')), [], 'kept'],
  ['it was rolled back', member(), factsOf({ runtimeHold: held }, runs('1.0.0')), [], 'rolled_back'],
  [
    'it was rolled back while the service was down',
    member(),
    factsOf({ runtimeHold: held }, runs('1.0.0')),
    away,
    'excused',
  ],
  [
    'the service was down before the trial',
    member(),
    factsOf({ runtimeHold: { ...held, since: at + 55_000 } }, runs('1.0.0')),
    away,
    'rolled_back',
  ],
  ['somebody withdrew the wish', member(), factsOf({}, runs('1.0.0')), [], 'withdrawn'],
  ['it kept it and a person rolled back', member({ state: 'kept' }), factsOf({}, runs('1.0.0')), [], 'rolled_back'],
])('the outcome of an agent in a runtime rollout, when %s', (_when, before, now, times, state) => {
  expect(judgeMember(before, runtimes, now, times).state).toBe(state)
})

test('an agent that kept the version and got worse halts the rollout only when it stays worse', () => {
  const now = (level: Level, seconds: number) =>
    factsOf({}, { running: '1.1.0', level, receivedAt: at + seconds * 1000 })
  let one = member({ levelBefore: 'info' })
  const next = (level: Level, seconds: number) => {
    one = { ...one, ...judgeMember(one, rollout, now(level, seconds), []) }
    return one.state
  }
  expect([next('ok', 0), next('warn', 30), next('info', 60), next('warn', 90), next('bad', 99)]).toEqual(
    Array(5).fill('kept'),
  )
  expect(next('warn', 100)).toBe('worse')
  expect(one.reason).toBe('Its own level changed from info to warn.')
})

test("health items that the runtime adds for bindings, missing secrets and the disk do not count as the agent's own level (D27)", () => {
  const health = [
    { name: 'Binding tasks', level: 'bad' as const },
    { name: 'Missing secrets', level: 'warn' as const },
    { name: 'Space on disk', level: 'bad' as const },
    { name: 'Disk', level: 'warn' as const },
  ]
  const of = (report: Pick<Report, 'state' | 'health'>) => ownLevel(report)
  expect(of({ state: { level: 'ok' }, health })).toBe('warn')
  expect(of({ state: { level: 'ok' }, health: health.slice(0, 3) })).toBe('ok')
  expect(of({})).toBeNull()
})

const course: RolloutCourse = { version: '1.1.0', wave: 1, waves: 3, byHand: false, watchMs: 10 * minute, keptAt: null }
const kept = member({ state: 'kept' })
const later = member({ wave: 2, state: 'untouched' })
test.each<[string, Partial<RolloutCourse>, RolloutMember[], RolloutMember[], object]>([
  ['an agent rolled back', {}, [member({ state: 'rolled_back', reason: 'it said bad' }), later], [], { is: 'halt' }],
  ['an agent of an earlier wave got worse', { wave: 2 }, [member({ state: 'worse' }), kept], [], { is: 'halt' }],
  [
    'a person resumed after a failure',
    { keptAt: at },
    [member({ state: 'failed', forgiven: true }), kept],
    [],
    { is: 'wait', for: 'watch' },
  ],
  ['an agent is updating', {}, [kept, member(), later], [member()], { is: 'wait', for: 'agents', keptAt: null }],
  ['no agent has kept it yet, and the only one is offline', {}, [member(), later], [], { is: 'wait', for: 'proof' }],
  ['no agent of the wave kept it', {}, [member({ state: 'withdrawn' }), later], [], { is: 'ask' }],
  ['all have kept it', {}, [kept, later], [], { is: 'wait', for: 'watch', keptAt: at }],
  ['the wave was watched', { keptAt: at - 10 * minute }, [kept, later], [], { is: 'next' }],
  [
    'the wave was watched, and a person decides when the next one starts',
    { keptAt: at - 10 * minute, byHand: true },
    [kept, later],
    [],
    { is: 'ask' },
  ],
  ['the last wave was watched', { wave: 3, keptAt: at - 10 * minute, byHand: true }, [kept], [], { is: 'done' }],
  ['the rest is offline', { wave: 3, keptAt: at - 10 * minute }, [kept, member()], [], { is: 'done' }],
  ['all were excused', { wave: 3 }, [member({ state: 'excused' })], [], { is: 'done' }],
])('the next step of a rollout, when %s', (_when, more, members, waitsFor, step) => {
  expect(judgeRollout({ ...course, ...more }, members, waitsFor, at)).toMatchObject(step)
})

test('the reason of a halt names the agent and quotes its message', () => {
  const broken = member({ state: 'rolled_back', reason: '1.0.0 -> 1.1.0: it said bad' })
  const step = judgeRollout(course, [broken, { ...broken, name: 'other' }], [], at)
  expect(step).toEqual({ is: 'halt', why: 'On mail 1.1.0 was rolled back: 1.0.0 -> 1.1.0: it said bad (and 1 more)' })
})

test('a wave waits for agents that report or were offered the version, not for one that was offline before', () => {
  const unoffered = { ...wish('1.1.0'), offeredAt: undefined } as unknown as ReturnType<typeof wish>
  const silent = { silentAt: at - 1 }
  expect(isWaitedFor(member(), 'blueprint', factsOf({ blueprint: unoffered }), at)).toBe(true)
  expect(isWaitedFor(member(), 'blueprint', factsOf({ blueprint: unoffered }, silent), at)).toBe(false)
  expect(isWaitedFor(member(), 'blueprint', factsOf({ blueprint: wish('1.1.0') }, silent), at)).toBe(true)
  expect(isWaitedFor(kept, 'blueprint', factsOf({}), at)).toBe(false)
})

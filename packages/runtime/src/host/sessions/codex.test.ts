import { expect, test } from 'vitest'
import { codexSessions, codexState, type RolloutFile } from './codex.ts'
import { emptyRollout, type Rollout, withRolloutLine } from './rollout.ts'
import { costOf, costOfDay, sumOf, tokensOf } from './spent.ts'

const start = 1_800_000_000
const dayOf = (at: number): number => Math.floor(at / 86_400)
const line = (second: number, type: string, payload: object = {}) => ({
  ...{ type, payload, timestamp: new Date((start + second) * 1000).toISOString() },
})
const idOf = (name: string): string => `00000000-0000-7000-8000-00000000000${name}`
const meta = (name = 'a', more: object = {}) =>
  line(0, 'session_meta', {
    id: idOf(name),
    cwd: '/srv/harbour',
    cli_version: '0.171.0',
    thread_source: 'user',
    ...more,
  })
const event = (second: number, type: string, more: object = {}) => line(second, 'event_msg', { type, ...more })
const call = (second: number, id: string, text = 'prompt-mark') =>
  line(second, 'response_item', { type: 'function_call', call_id: id, name: 'exec_command', arguments: text })
const escalated = (second: number, id: string) =>
  call(second, id, '{"cmd":"prompt-mark","sandbox_permissions":"require_escalated"}')
const output = (second: number, id: string) =>
  line(second, 'response_item', { type: 'function_call_output', call_id: id, output: 'answer-mark' })
const counts = (input: number, cached: number, out: number) => ({
  ...{ input_tokens: input, cached_input_tokens: cached, output_tokens: out },
})
const record = (second: number, whole: object, part: object = counts(0, 0, 0)) =>
  line(second, 'token_usage_record', { thread_token_usage: whole, usage: part })
const read = (...lines: readonly object[]): Rollout =>
  lines.reduce<Rollout>((before, one) => withRolloutLine(before, one as Record<string, unknown>, dayOf), emptyRollout)
const file = (
  rollout: Rollout,
  holder: RolloutFile['holder'] = 'none',
  more: Partial<RolloutFile> = {},
): RolloutFile => ({
  ...{ rollout, holder, hasGaps: false, isNew: true, changed: start },
  ...more,
})

const begun = event(1, 'task_started')
const ended = event(9, 'task_complete')
const failed = event(9, 'task_complete', { error: { message: 'secret-mark' } })
const now = start + 60

test.each<[string, object[], RolloutFile['holder'], string]>([
  ['a turn runs', [begun], 7, 'running'],
  ['a call runs without a question', [begun, call(2, 'c')], 7, 'running'],
  ['a question is open', [begun, escalated(2, 'c')], 7, 'waiting'],
  ['a question is open beside a call', [begun, escalated(2, 'c'), call(3, 'd'), output(4, 'd')], 7, 'waiting'],
  ['a question was answered, and the turn goes on', [begun, escalated(2, 'c'), output(3, 'c')], 7, 'running'],
  ['a question is a day old', [begun, escalated(2 - 86_400, 'c')], 7, 'over'],
  [
    'a question is open beside one that is a day old',
    [begun, escalated(2 - 86_400, 'c'), escalated(3, 'd')],
    7,
    'waiting',
  ],
  ['a question is open, and the begin of the turn was not read', [escalated(2, 'c')], 7, 'waiting'],
  ['a call was answered, and the begin of the turn was not read', [output(2, 'c')], 7, 'running'],
  ['a call was made, the begin of the turn was not read, and nobody holds the lock', [call(2, 'c')], 'none', 'died'],
  ['a turn has ended, and the daemon holds the lock', [begun, ended], 7, 'idle'],
  ['a turn was ended by the person', [begun, escalated(2, 'c'), event(3, 'turn_aborted')], 7, 'idle'],
  ['a turn has failed', [begun, failed], 7, 'failed'],
  ['the next turn runs after a failure', [begun, failed, event(10, 'task_started')], 7, 'running'],
  ['a turn was not ended, and nobody holds the lock', [begun], 'none', 'died'],
  ['a question was open, and nobody holds the lock', [begun, escalated(2, 'c')], 'none', 'died'],
  ['a turn has ended, and nobody holds the lock', [begun, ended], 'none', 'over'],
  ['a turn has failed, and nobody holds the lock', [begun, failed], 'none', 'failed'],
  ['no locks are known, and the file changed just now', [begun], 'unknown', 'running'],
])('%s', (_what, lines, holder, state) => expect(codexState(file(read(meta(), ...lines), holder), now)).toBe(state))

test('without locks a session whose file is quiet is over, and never died', () => {
  expect(codexState(file(read(meta(), begun), 'unknown'), start + 121)).toBe('over')
})

test('a rollout tells its folder, version, model and times, and no text', () => {
  const rollout = read(
    meta(),
    line(1, 'turn_context', { model: 'gpt-x', cwd: '/srv/harbour' }),
    begun,
    escalated(2, 'c'),
    failed,
  )
  expect(rollout).toMatchObject({ id: idOf('a'), folder: '/srv/harbour', version: '0.171.0', model: 'gpt-x', steps: 1 })
  expect([rollout.started, rollout.last]).toEqual([start, start + 9])
  expect(JSON.stringify(rollout)).not.toMatch(/prompt-mark|answer-mark|secret-mark/)
})

test('records repeat the total of a thread, and only what is new is counted, for the model of that time', () => {
  const model = (name: string) => line(1, 'turn_context', { model: name })
  const { spent } = read(
    ...[meta(), model('one'), record(1, counts(2000, 800, 34), counts(2000, 800, 34))],
    ...[event(2, 'token_count', { info: { total_token_usage: counts(2000, 800, 34) } })],
    ...[model('two'), record(3, counts(4000, 1600, 68), counts(2000, 800, 34)), record(1, counts(2000, 800, 34))],
  )
  expect(spent.all).toEqual({
    one: { input: 1200, cached: 800, output: 34 },
    two: { input: 1200, cached: 800, output: 34 },
  })
  expect(tokensOf(spent.today.all).output).toBe(68)
})

test('of a rollout whose beginning was not read, the total counts, and today only what was used in the first record', () => {
  const rollout = read(
    meta(),
    line(1, 'turn_context', { model: 'm' }),
    record(5, counts(9000, 0, 900), counts(100, 0, 10)),
  )
  expect(tokensOf(rollout.spent.all)).toEqual({ input: 9000, cached: 0, output: 900 })
  expect(tokensOf(rollout.spent.today.all)).toEqual({ input: 100, cached: 0, output: 10 })
  const { sessions } = codexSessions([file({ ...rollout, turn: 'ended' }, 'none', { hasGaps: true })], [], now)
  expect(sessions[0]?.spent.hasGaps).toBeUndefined()
})

test('what a thread of the tool itself used counts for the session that started it', () => {
  const own = file(read(meta('a'), begun, ended, record(1, counts(10, 0, 1))))
  const part = file(
    read(meta('b', { thread_source: 'subagent', parent_thread_id: idOf('a') }), begun, record(50, counts(10, 0, 5))),
  )
  const deep = file(
    read(meta('d', { thread_source: 'subagent', parent_thread_id: idOf('b') }), begun, record(60, counts(10, 0, 30))),
  )
  const lost = file(read(meta('c', { thread_source: 'subagent', parent_thread_id: idOf('e') }), begun))
  const { sessions } = codexSessions([own, part, deep, lost], [], now)
  expect(sessions.map(({ id, last }) => [id, last])).toEqual([[idOf('a'), start + 60]])
  expect(tokensOf(sessions[0]?.spent.all ?? {}).output).toBe(36)
})

test('the share of a limit is told, if the tool knows it', () => {
  const limits = (rate_limits: unknown) => read(meta(), event(1, 'token_count', { rate_limits })).limits
  const primary = { used_percent: 42, window_minutes: 300, resets_at: start + 9 }
  expect(limits({ primary, secondary: { used_percent: 7, window_minutes: 10_080 } })).toEqual([
    { name: 'Codex limit of 5 hours', used: 0.42, resets: start + 9 },
    { name: 'Codex limit of 7 days', used: 0.07 },
  ])
  expect([
    limits({ primary: null, secondary: null }),
    limits(null),
    limits({ primary: { used_percent: 'a' } }),
  ]).toEqual([...[[], [], []]])
})

test('a repeated first line of another thread changes nothing', () => {
  expect(read(meta('a'), meta('b', { cwd: '/other' }))).toMatchObject({ id: idOf('a'), folder: '/srv/harbour' })
})

test('a file that changed today and begins with no thread is a fault of the tool', () => {
  const odd = file(read(line(1, 'new-kind')))
  expect(codexSessions([odd], [], now).faults).toEqual(['lines of the type "new-kind" are not understood'])
  expect(codexSessions([{ ...odd, isNew: false }], [], now).faults).toEqual([])
})

test('tokens before the end of a large rollout make the cost of today the least', () => {
  const whole = read(meta(), begun, record(2, counts(100, 0, 50), counts(100, 0, 50)))
  const tail = read(meta(), begun, record(2, counts(900, 0, 500), counts(100, 0, 50)))
  const prices = { unknown: { input: 1, cached: 1, output: 1 } }
  const costs = [whole, tail].map(({ spent }) => [costOf(spent, prices).isMinimum, costOfDay(spent, prices).isMinimum])
  expect(costs).toEqual([
    [false, false],
    [false, true],
  ])
  const sum = sumOf(whole.spent, [tail.spent])
  expect(costOfDay(sum, prices).isMinimum).toBe(true)
  const later = withRolloutLine(tail, record(86_400, counts(901, 0, 500)), dayOf)
  expect(costOfDay(later.spent, prices).isMinimum, 'the next day').toBe(false)
})

test('a limit whose time is over is not shown, and a file that gave no session is named', () => {
  const limits = { rate_limits: { primary: { used_percent: 100, window_minutes: 60, resets_at: now - 1 } } }
  const found = codexSessions([file(read(meta(), begun, event(3, 'token_count', limits)))], [], now)
  expect(found.limits).toEqual([])
  const newer = codexSessions([file(read(meta(), line(2, 'turn_v9')))], [], now)
  expect([newer.sessions, newer.faults]).toEqual([[], ['lines of the type "turn_v9" are not understood']])
})

test('a thread that was forked begins with a copy of another one, of which only the totals count, as its beginning', () => {
  const copied = [begun, escalated(0, 'a'), record(1, counts(1000, 0, 100)), record(-500, counts(2000, 0, 200))]
  const fork = (...own: readonly object[]) =>
    read(meta('f', { forked_from_id: idOf('a') }), meta('a'), ...copied, ...own)
  expect(fork()).toMatchObject({ asked: [], steps: 0, spent: { all: {} } })
  expect(fork().turn).toBeUndefined()
  const { spent, turn } = fork(event(30, 'task_started'), record(40, counts(2050, 0, 207), counts(50, 0, 7)))
  expect([turn, tokensOf(spent.all), spent.today.isMinimum]).toEqual([
    'runs',
    { input: 50, cached: 0, output: 7 },
    undefined,
  ])
})

test('a fork without a copy, as of 0.171.0, goes on with the totals of the other thread, which are not its own', () => {
  const fork = read(meta('f', { forked_from_id: idOf('a') }), record(40, counts(2050, 0, 207), counts(50, 0, 7)))
  expect([tokensOf(fork.spent.all).output, fork.spent.today.isMinimum]).toEqual([7, undefined])
  const spentWith = (hasGaps: boolean) =>
    codexSessions([file({ ...fork, turn: 'ended' }, 'none', { hasGaps })], [], now).sessions[0]?.spent.hasGaps
  expect([spentWith(false), spentWith(true)]).toEqual([undefined, true])
})

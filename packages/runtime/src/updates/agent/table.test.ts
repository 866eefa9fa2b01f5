/**
 * Tests the state machine of updates as tables: the result of each wish, of each way to end, and of each kill (3.3, D24
 * to D32, docs/decisions/kills.md).
 */
import { createHash } from 'node:crypto'
import type { Level } from '@svc/protocol'
import { describe, expect, test, vi } from 'vitest'
import type { ProcessState } from '../../state/process-note.ts'
import type { VersionRef } from '../../state/versions/version-ref.ts'
import { judgeAskedUnwatch } from './ask.ts'
import { type UpdateStepResult, updateAfterStep } from './change.ts'
import type { Update, WatchWindow } from './journal.ts'
import { moves, states, type UpdateEvent, type UpdateState } from './moves.ts'
import { appliedOf, updateSentences, wishSentences } from './now.ts'
import { judgeSample } from './proving.ts'
import { stateAtStart } from './start.ts'
import { judgeBundleAnswer } from './steps.ts'
import { countLevel, rollbackReason } from './watching.ts'
import { judgeBlueprintWish, liftsHold } from './wish.ts'

const release = (version: string, letter: string): VersionRef => ({ version, sha256: letter.repeat(64) })
const a = release('1.4.0', 'a')
const b = release('1.5.0', 'b')
const z = release('1.3.0', 'c')
const at = 1_800_000_000_000
const how = { at, chance: 0.5, scale: 1 }
const idle: Update = { state: 'idle', running: a, previous: z, rollbacks: [] }
const window: WatchWindow = { baseline: 'ok', ran: 120, worse: 0, flips: 0, deaths: 0 }
/** The journal in each state of an update from 1.4.0 to 1.5.0. */
const noted: Readonly<Record<UpdateState, Update>> = {
  idle,
  fetching: { ...idle, state: 'fetching', to: { version: '1.5.0', sha256: '' } },
  staging: { ...idle, state: 'staging', to: b },
  swapping: { ...idle, state: 'swapping', to: b },
  proving: { ...idle, state: 'proving', to: b, proofs: 1 },
  watching: { state: 'watching', running: b, previous: a, window, rollbacks: [] },
  undoing: updateAfterStep({ ...idle, state: 'proving', to: b, proofs: 1 }, { event: 'worse', why: 'bad' }, how),
}

describe('what the next start does after a kill (docs/decisions/kills.md)', () => {
  test.each<[UpdateState, VersionRef, UpdateState, string, 'ok' | 'failed' | 'rolled_back' | undefined]>([
    ['idle', a, 'idle', '1.4.0', undefined],
    ['fetching', a, 'idle', '1.4.0', 'failed'],
    ['staging', a, 'idle', '1.4.0', 'failed'],
    ['swapping', a, 'idle', '1.4.0', 'failed'],
    ['swapping', b, 'proving', '1.4.0', undefined],
    ['proving', b, 'proving', '1.4.0', undefined],
    ['proving', a, 'undoing', '1.4.0', 'rolled_back'],
    ['watching', b, 'watching', '1.5.0', undefined],
    ['watching', a, 'undoing', '1.4.0', 'rolled_back'],
    ['undoing', b, 'undoing', '1.4.0', 'rolled_back'],
    ['undoing', a, 'undoing', '1.4.0', 'rolled_back'],
  ])('%s, current leads to %j: %s, %s works, outcome %s', (state, inPlace, then, works, outcome) => {
    const now = stateAtStart(noted[state], inPlace, how)
    expect(now.state).toBe(then)
    expect(now.running.version).toBe(works)
    expect(now.applied?.outcome).toBe(outcome)
    if (outcome === 'failed') {
      expect(now.applied?.message).toMatch(/^1\.4\.0 -> 1\.5\.0, .*interrupted/)
      expect(now.hold).toBeUndefined()
      expect(now.retry).toEqual({ version: '1.5.0', at: at + 600_000 })
    }
    if (outcome === 'rolled_back') expect(now.hold?.version).toBe('1.5.0')
  })

  test('a proof that is killed twice is rolled back', () => {
    const once = stateAtStart(noted.proving, b, how)
    expect(once).toMatchObject({ state: 'proving', proofs: 2 })
    expect(stateAtStart(once, b, how)).toMatchObject({ state: 'undoing', running: a, hold: { version: '1.5.0' } })
  })

  test('no chain of kills loops: after three starts each state has come to rest', () => {
    for (const state of states) {
      for (const inPlace of [a, b]) {
        let now = noted[state]
        for (let i = 0; i < 3; i++) now = stateAtStart(now, now.state === 'undoing' ? now.running : inPlace, how)
        expect(
          stateAtStart(now, now.state === 'undoing' ? now.running : inPlace, how),
          `${state}, ${inPlace.version}`,
        ).toEqual(now)
      }
    }
  })

  test('the window continues from the saved minutes and baseline', () => {
    expect(stateAtStart(noted.watching, b, how).window).toEqual(window)
  })

  test('a folder whose current was pointed elsewhere by hand runs that version, and a first start is not an update', () => {
    expect(stateAtStart(idle, b, how)).toMatchObject({ state: 'idle', running: b, previous: z })
    expect(stateAtStart(undefined, a, how)).toEqual({ state: 'idle', running: a, rollbacks: [] })
    expect(appliedOf(stateAtStart(undefined, a, how))).toEqual({
      version: '1.4.0',
      outcome: 'ok',
      message: 'installed',
    })
  })
})

describe('every state and event', () => {
  const events: UpdateEvent[] = [
    'wanted',
    'present',
    'asked',
    'done',
    'unreachable',
    'refused',
    'dropped',
    'worse',
    'over',
    'killed',
  ]
  const came = (event: UpdateEvent): UpdateStepResult => ({
    event,
    why: 'because',
    ...((event === 'wanted' || event === 'present') && { to: b }),
  })

  test('the version that works is kept until a keep, and is the previous one after a rollback', () => {
    for (const state of states) {
      for (const event of events) {
        const before = noted[state]
        const next = updateAfterStep(before, came(event), how)
        const where = `${state}, ${event}`
        expect(next.state, where).toBe((moves[state] as Partial<Record<UpdateEvent, UpdateState>>)[event] ?? state)
        const kept = state === 'proving' && event === 'done'
        const back = state === 'watching' && next.state === 'undoing'
        const person = state === 'idle' && next.state === 'undoing'
        const works = kept ? b : back ? a : person ? z : before.running
        expect(next.running, where).toEqual(works)
        if (next.applied) expect(next.applied.version, where).toBe(works.version)
        if (next.applied && next.applied !== before.applied)
          expect(next.applied.message?.length).toBeLessThanOrEqual(300)
        expect(next.state === 'idle' && next.to !== undefined && state !== 'idle', where).toBe(false)
      }
    }
  })

  test('a verdict is held, a fault is tried again after ten minutes ± a tenth, a withdrawn wish leaves nothing (D26, D31)', () => {
    const refused = updateAfterStep(noted.staging, { event: 'refused', why: 'no' }, how)
    expect(refused).toMatchObject({
      state: 'idle',
      hold: { version: '1.5.0', reason: 'no' },
      applied: { outcome: 'failed' },
    })
    expect(refused.retry).toBeUndefined()
    for (const chance of [0, 1]) {
      const again = updateAfterStep(noted.fetching, { event: 'unreachable', why: 'no' }, { ...how, chance })
      expect(again.retry?.at).toBe(at + 600_000 + (chance === 0 ? -60_000 : 60_000))
      expect(again.hold).toBeUndefined()
    }
    expect(updateAfterStep(noted.fetching, { event: 'dropped' }, how)).toEqual(idle)
  })

  describe('an update that ends the watch of a version', () => {
    const c = release('1.6.0', 'd')
    const fetching = updateAfterStep(noted.watching, { event: 'wanted', to: { version: c.version, sha256: '' } }, how)
    const proving: Update = { ...fetching, state: 'proving', to: c, proofs: 1 }

    test.each<UpdateEvent>(['unreachable', 'refused', 'dropped', 'killed'])(
      'and ends by %s before the swap: the watch goes on from its saved minutes',
      (event) => {
        const ended = updateAfterStep(fetching, { event, why: 'no' }, how)
        expect(ended).toMatchObject({ state: 'watching', running: b, previous: a, window })
        expect(ended.to).toBeUndefined()
        expect(ended.hold?.version).toBe(event === 'refused' ? '1.6.0' : undefined)
      },
    )
    test('a start after a kill before the swap watches again, and after it proves the new version', () => {
      const swapping: Update = { ...fetching, state: 'swapping', to: c }
      expect(stateAtStart(fetching, b, how)).toMatchObject({ state: 'watching', running: b, window })
      expect(stateAtStart(swapping, b, how)).toMatchObject({ state: 'watching', running: b, window })
      expect(stateAtStart(swapping, c, how)).toMatchObject({ state: 'proving', running: b, to: c })
    })
    test('and whose version fails goes back to the one that was watched, whose watch is over', () => {
      const undoing = updateAfterStep(proving, { event: 'worse', why: 'bad' }, how)
      expect(undoing).toMatchObject({ state: 'undoing', running: b, away: c, hold: { version: '1.6.0' } })
      expect(undoing.window).toBeUndefined()
      expect(updateAfterStep(undoing, { event: 'done' }, how)).toMatchObject({ state: 'idle', running: b, previous: a })
    })
    test('and is kept is watched from its beginning, and can go back to the one that was watched', () => {
      expect(updateAfterStep(proving, { event: 'done', level: 'ok' }, how)).toMatchObject({
        state: 'watching',
        running: c,
        previous: b,
        window: { baseline: 'ok', ran: 0 },
      })
    })
  })

  test('a watch that a person ends is over, and the answer to that person is noted', () => {
    const asked = { id: 'x', ok: true, message: '1.5.0 is no longer watched.' }
    const { window: _, ...rest } = noted.watching
    expect(judgeAskedUnwatch(noted.watching, { id: 'x', running: '1.5.0' })).toEqual({ event: 'over', asked })
    expect(updateAfterStep(noted.watching, { event: 'over', asked }, how)).toEqual({ ...rest, state: 'idle', asked })
    expect(judgeAskedUnwatch(noted.watching, { id: 'x', running: '1.4.0' }).why).toBe('1.4.0 is not being watched.')
    expect(judgeAskedUnwatch(idle, { id: 'x', running: '1.4.0' }).event).toBe('dropped')
  })

  test('messages name both versions even if those have the maximum length', () => {
    const long = (letter: string) => `1.0.0-${letter.repeat(100)}`
    const now = updateAfterStep(
      { ...noted.staging, running: release(long('a'), 'a'), to: release(long('b'), 'b') },
      { event: 'refused', why: 'x'.repeat(500) },
      how,
    )
    expect(now.applied?.message).toContain(long('a'))
    expect(now.applied?.message).toContain(long('b'))
    expect([...(now.applied?.message ?? '')].length).toBe(300)
  })
})

describe('a wish (D24 to D31)', () => {
  const own = (version: string) => ({ blueprint: 'mail', version })
  test.each<[string, Parameters<typeof judgeBlueprintWish>[0], Partial<Update>, ReturnType<typeof judgeBlueprintWish>]>(
    [
      ['none', undefined, {}, 'none'],
      ['of another blueprint', { blueprint: 'other', version: '1.5.0' }, {}, 'foreign'],
      ['an invalid version', own('../x'), {}, 'invalid'],
      ['the running one', own('1.4.0'), {}, 'running'],
      ['another', own('1.5.0'), {}, 'wanted'],
      ['an older one that is not on this machine', own('1.2.0'), {}, 'wanted'],
      ['the one before', own('1.3.0'), {}, 'present'],
      ['the held one', own('1.5.0'), { hold: { version: '1.5.0', reason: '' } }, 'held'],
      ['before the retry', own('1.5.0'), { retry: { version: '1.5.0', at: at + 1 } }, 'waiting'],
      [
        'if the clock was set back since (D20)',
        own('1.5.0'),
        { retry: { version: '1.5.0', at: at + 661_000 } },
        'wanted',
      ],
      ['after it', own('1.5.0'), { retry: { version: '1.5.0', at } }, 'wanted'],
      ['another than the one to be retried', own('1.6.0'), { retry: { version: '1.5.0', at: at + 1 } }, 'wanted'],
      [
        'rolled back three times in a day',
        own('1.5.0'),
        { rollbacks: [1, 2, 3].map((h) => ({ version: '1.5.0', at: at - h * 3_600_000 })) },
        'looping',
      ],
      [
        'rolled back three times in a day, a month ago',
        own('1.5.0'),
        { rollbacks: [720, 721, 722].map((h) => ({ version: '1.5.0', at: at - h * 3_600_000 })) },
        'looping',
      ],
      [
        'two of them two days ago',
        own('1.5.0'),
        { rollbacks: [1, 40, 41].map((h) => ({ version: '1.5.0', at: at - h * 3_600_000 })) },
        'wanted',
      ],
      ['in the window', own('1.6.0'), noted.watching, 'later'],
      ['the one before in the window', own('1.4.0'), noted.watching, 'present'],
      ['in the window, at once', { ...own('1.6.0'), now: true }, noted.watching, 'wanted'],
      ['in the window, not at once', { ...own('1.6.0'), now: false }, noted.watching, 'later'],
      [
        'the held one in the window, at once',
        { ...own('1.6.0'), now: true },
        { ...noted.watching, hold: { version: '1.6.0', reason: '' } },
        'held',
      ],
      [
        'at once, rolled back three times in a day (D29)',
        { ...own('1.6.0'), now: true },
        { ...noted.watching, rollbacks: [1, 2, 3].map((h) => ({ version: '1.6.0', at: at - h * 3_600_000 })) },
        'looping',
      ],
      [
        'at once, before the retry',
        { ...own('1.6.0'), now: true },
        { ...noted.watching, retry: { version: '1.6.0', at: at + 1 } },
        'waiting',
      ],
      ['at once, while an update is in progress', { ...own('1.6.0'), now: true }, noted.staging, 'later'],
      ['while an update is in progress', own('1.6.0'), noted.staging, 'later'],
    ],
  )('%s', (_what, desired, facts, expected) => {
    expect(judgeBlueprintWish(desired, { blueprint: 'mail', now: { ...idle, ...facts }, at })).toBe(expected)
  })

  test('the day of the limit of three rollbacks is shortened like every other duration (D29)', () => {
    const rollbacks = [1, 2, 3].map((minutes) => ({ version: '1.5.0', at: at - minutes * 60_000 }))
    const looping = { blueprint: 'mail', now: { ...idle, rollbacks }, at }
    expect(judgeBlueprintWish(own('1.5.0'), { ...looping, scale: 0.01 })).toBe('looping')
    expect(judgeBlueprintWish(own('1.5.0'), { ...looping, scale: 0.001 })).toBe('wanted')
    expect(updateSentences({ ...idle, rollbacks }, at, 0.01).join(' ')).toContain('3 times in a day')
    expect(updateSentences({ ...idle, rollbacks }, at, 0.001)).toEqual(updateSentences(idle, at))
  })

  test('a rollback is kept for a day, and longer if its version loops (D29)', () => {
    const rollbacks = [1, 2, 3].map((minutes) => ({ version: '1.5.0', at: at - minutes * 60_000 }))
    const back = (scale: number) =>
      updateAfterStep({ ...noted.proving, rollbacks }, { event: 'worse', why: 'bad' }, { ...how, scale }).rollbacks
    expect(back(1)).toHaveLength(4)
    expect(back(0.001), 'those of 1.5.0 are no loop, and only one is of that day').toHaveLength(2)
    const old = rollbacks.map((r) => ({ ...r, at: r.at - 30 * 86_400_000 }))
    const after = updateAfterStep({ ...noted.proving, rollbacks: old }, { event: 'worse', why: 'bad' }, how)
    expect(after.rollbacks).toHaveLength(4)
    expect(
      judgeBlueprintWish(own('1.5.0'), { blueprint: 'mail', now: { ...idle, rollbacks: after.rollbacks }, at }),
    ).toBe('looping')
  })

  test.each<[string, Parameters<typeof liftsHold>[0], boolean]>([
    ['absent', undefined, false],
    ['foreign', { blueprint: 'other', version: '1.6.0' }, false],
    ['invalid', own('1'), false],
    ['the held one', own('1.5.0'), false],
    ['another', own('1.6.0'), true],
    ['the running one', own('1.4.0'), true],
  ])('a hold and a wish that is %s', (_what, desired, expected) => {
    expect(liftsHold(desired, 'mail', { ...idle, hold: { version: '1.5.0', reason: '' } })).toBe(expected)
  })
})

describe('the answer to a fetch (D26)', () => {
  const body = Buffer.from('zip')
  const sum = '9e1be3e0ea6ea04bea3e2a9a8a1a2f0d4dd0d0ee2ae9a7ce1e9c2b4d7a2c4f88'
  const right = createHash('sha256').update(body).digest('hex')
  const answered = (status: number, headers = {}) => ({ is: 'answered', status, headers, body }) as const
  const refusal = { error: { code: 'not_found', message: 'This service …', address: 'https://svc.example.org' } }
  const elsewhere = { ...answered(404), body: Buffer.from(JSON.stringify(refusal)) }
  test.each([
    ...[401, 403, 408, 429, 500, 503, 302, 304, 400].map(
      (status) => [`${status}, whole as it is`, answered(status, { 'x-svc-sha256': right }), 'unreachable'] as const,
    ),
    ['404', answered(404), 'refused'],
    ['404 at another address than that of the service', elsewhere, 'unreachable'],
    ['200 with its checksum', answered(200, { 'x-svc-sha256': right }), 'done'],
    ['200 without a checksum', answered(200), 'unreachable'],
    ['200 with an invalid checksum', answered(200, { 'x-svc-sha256': 'x' }), 'unreachable'],
    ['200 with another checksum', answered(200, { 'x-svc-sha256': sum }), 'refused'],
    ['too large', { is: 'lost', why: 'large', sent: true, tooLarge: true } as const, 'refused'],
    ['lost', { is: 'lost', why: 'reset', sent: true } as const, 'unreachable'],
  ] as const)('%s: %s', (_what, sent, event) => {
    expect(judgeBundleAnswer(sent, '1.5.0').event).toBe(event)
  })
})

describe('a proof (3.3, run health)', () => {
  const running = { is: 'running', pid: 1, start: 's', since: 0, crashes: 0, adopted: false, version: 'b' } as const
  const status = (level: Level, fresh = true) => ({ status: { state: { level } }, health: [], fresh })
  const stopped = (code: number): ProcessState => ({
    is: 'stopped',
    because: 'ended',
    exit: { code, at: 0 },
    version: 'b',
  })
  test.each<[string, ProcessState, number, ReturnType<typeof status> | undefined, string]>([
    ['the old version still runs', { ...running, version: 'a' }, 60_000, status('ok'), 'not yet'],
    ['up for a moment', running, 4000, status('ok'), 'not yet'],
    ['up, and reports ok', running, 5000, status('ok'), 'good'],
    ['up, and reports warn', running, 5000, status('warn'), 'good'],
    ['up, and reports bad', running, 5000, status('bad'), 'not yet'],
    ['up, and only the old version has reported', running, 5000, status('ok', false), 'not yet'],
    ['up, without a status file', running, 5000, undefined, 'good'],
    ['ended well', stopped(0), 0, status('ok'), 'good'],
    ['ended badly', stopped(1), 0, status('ok'), 'not yet'],
    [
      'crashed thrice',
      { is: 'waiting', crashes: 3, startAt: 0, exit: { code: 1, at: 0 }, version: 'b' },
      0,
      status('ok'),
      'bad',
    ],
  ])('%s: %s', (_what, process, up, read, is) => {
    expect(judgeSample({ process, name: 'b', up, ...(read && { status: read }) }).is).toBe(is)
  })
  test.each([
    ['1', 300, 'not yet'],
    ['1', 1000, 'good'],
    ['0', 300, 'good'],
  ])('time made fifty times shorter, a floor of %s s: up for %s ms is %s', (floor, up, is) => {
    vi.stubEnv('SVC_TIME_SCALE', '0.02')
    vi.stubEnv('SVC_TIME_FLOOR', floor)
    expect(judgeSample({ process: running, name: 'b', up }).is).toBe(is)
    vi.unstubAllEnvs()
  })
})

describe('the window (D27, D28)', () => {
  const run = (baseline: Level, levels: readonly Level[]) => {
    let now: WatchWindow = { ...window, baseline }
    for (const [i, level] of levels.entries()) {
      now = countLevel(now, level)
      const why = rollbackReason(now, level)
      if (why !== undefined) return i + 1
    }
    return undefined
  }
  test.each<[Level, readonly Level[], number | undefined]>([
    ['ok', ['ok', 'info', 'ok'], undefined],
    ['ok', ['warn', 'ok'], undefined],
    ['ok', ['warn', 'warn'], 2],
    ['ok', ['ok', 'bad', 'warn'], 3],
    ['warn', ['warn', 'warn', 'ok', 'warn'], undefined],
    ['warn', ['bad', 'bad'], 2],
    ['info', ['ok', 'info', 'ok'], undefined],
    ['ok', ['warn', 'ok', 'warn', 'ok'], 4],
    ['ok', ['warn', 'ok', 'warn'], undefined],
  ])('kept at %s, then %j: rolled back at evaluation %s', (baseline, levels, back) => {
    expect(run(baseline, levels)).toBe(back)
  })

  test('three deaths', () => {
    expect(rollbackReason({ ...window, deaths: 2 }, 'ok')).toBeUndefined()
    expect(rollbackReason({ ...window, deaths: 3 }, 'ok')).toContain('died 3 times')
  })
})

describe('reasons for people', () => {
  const exit = { code: 9, at }
  const crashed: ProcessState = { is: 'waiting', crashes: 3, startAt: at + 8000, exit, version: 'b' }
  const once: ProcessState = { is: 'waiting', crashes: 1, startAt: at + 8000, exit, version: 'b' }
  const said = (detail: string) => ({ status: { state: { level: 'bad', detail } as const }, health: [], fresh: true })
  const up = { is: 'running', pid: 1, start: 's', since: 0, crashes: 0, adopted: false, version: 'b' } as const

  test.each<[string, Parameters<typeof judgeSample>[0], string]>([
    [
      'crashed thrice',
      { process: crashed, name: 'b', up: 0 },
      'it ended with code 9, 3 times in a row ("svc logs output" on its machine shows what it printed)',
    ],
    [
      'crashed once',
      { process: once, name: 'b', up: 0 },
      'it ended with code 9 ("svc logs output" on its machine shows what it printed)',
    ],
    [
      'reports bad',
      { process: up, name: 'b', up: 60_000, status: said('No mailbox.') },
      'its level is bad: No mailbox',
    ],
    [
      'reports bad with a label and a detail',
      {
        process: up,
        name: 'b',
        up: 60_000,
        status: {
          ...said('11 snapshots.'),
          status: { state: { level: 'bad', label: 'Backup failed', detail: '11 snapshots.' } },
        },
      },
      'its level is bad: Backup failed: 11 snapshots',
    ],
    [
      'has a bad health item',
      {
        process: up,
        name: 'b',
        up: 60_000,
        status: { ...said('x'), status: { health: [{ name: 'Disk', level: 'bad', detail: 'full' }] } },
      },
      'its level is bad: Disk: full',
    ],
  ])('the reason of a failed proof names no time and has no full stop: %s', (_what, sample, why) => {
    expect(judgeSample(sample)).toMatchObject({ why })
  })

  test.each(['it ended.', 'it ended', 'it ended…', 'it ended ..'])(
    'each sentence ends with one full stop: %s',
    (why) => {
      const back = updateAfterStep(noted.proving, { event: 'worse', why }, how)
      expect(back.applied?.message).toMatch(/: it ended…?; its state stays as it is$/)
      const refused = updateAfterStep(noted.staging, { event: 'refused', why }, how)
      for (const now of [back, refused, { ...back, hold: { version: '1.5.0', reason: why } }]) {
        const all = updateSentences(now, at).join(' ')
        expect(all).toContain('To try it again')
        expect(all).not.toMatch(/\.\.|…\.|\.;/)
      }
    },
  )
})

test('people are shown what is in progress, what is held and how to roll back', () => {
  expect(updateSentences(noted.watching, at).join(' ')).toMatch(/28 more minutes.*svc rollback/)
  expect(updateSentences({ ...noted.undoing, state: 'idle' }, at).join(' ')).toMatch(
    /rolled_back.*1\.5\.0 is on hold: bad/,
  )
})

test.each<[string, Partial<Update>, { blueprint: string; version: string } | undefined, string[]]>([
  ['none', {}, undefined, []],
  ['the one that runs', {}, { blueprint: 'mail', version: '1.4.0' }, []],
  [
    'another one in the window',
    noted.watching,
    { blueprint: 'mail', version: '2.0.0' },
    [
      '2.0.0 is requested; it starts when the watch of 1.5.0 ends, after 28 more minutes of running. "svc unwatch" ends the watch now.',
    ],
  ],
  ['the version of the current update', noted.fetching, { blueprint: 'mail', version: '1.5.0' }, []],
  [
    'another one meanwhile',
    noted.fetching,
    { blueprint: 'mail', version: '2.0.0' },
    ['2.0.0 is requested; it starts when the current update has ended.'],
  ],
  [
    'of another blueprint',
    {},
    { blueprint: 'calendar', version: '2.0.0' },
    ['2.0.0 is requested, but of the blueprint calendar. This agent is mail, so the request is ignored.'],
  ],
  [
    'no version',
    {},
    { blueprint: 'mail', version: '../2' },
    ['../2 is requested, but it is not a semantic version, so the request is ignored.'],
  ],
  ['not begun', {}, { blueprint: 'mail', version: '2.0.0' }, ['2.0.0 is requested; it has not started yet.']],
])('people are shown what happens to a wish of the service: %s', (_what, facts, desired, said) => {
  expect(wishSentences(desired, { blueprint: 'mail', now: { ...idle, ...facts }, at })).toEqual(said)
})

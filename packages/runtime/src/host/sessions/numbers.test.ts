import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { numbered, readNumbers, type SessionNumbers, writeNumbers } from './numbers.ts'
import { keptSeconds, type ToolSession } from './session.ts'
import { nothingSpent } from './spent.ts'

const now = 1_800_000_000
const session = (id: string, more: Partial<ToolSession> = {}): ToolSession => ({
  ...{ tool: 'claude', id, state: 'idle', since: now, started: now - 100, last: now, lives: true },
  ...{ steps: 0, spent: nothingSpent },
  ...more,
})
const none: SessionNumbers = { sessions: [] }
const numbersOf = (given: ReturnType<typeof numbered>) =>
  Object.fromEntries(given.sessions.map(({ id, number }) => [id, number]))

test('sessions that live get the lowest numbers, then the newest of the others, for each tool alone', () => {
  const given = numbered(
    none,
    [
      session('old', { lives: false, state: 'over', last: now - 500 }),
      session('new', { lives: false, state: 'over', last: now - 50 }),
      session('second', { started: now - 10 }),
      session('first', { started: now - 20 }),
      session('other', { tool: 'codex' }),
    ],
    now,
  )
  expect(numbersOf(given)).toEqual({ first: 1, second: 2, new: 3, old: 4, other: 1 })
})

test('a session keeps its number for a week after its last sign, and then it is free', () => {
  const first = numbered(none, [session('a'), session('b', { started: now })], now)
  const gone = numbered(first.numbers, [session('b', { started: now }), session('c')], now + 86_400)
  expect(numbersOf(gone)).toEqual({ b: 2, c: 3 })
  const back = numbered(gone.numbers, [session('a')], now + 2 * 86_400)
  expect(numbersOf(back)).toEqual({ a: 1 })
  const later = numbered(first.numbers, [session('d')], now + keptSeconds + 60)
  expect(numbersOf(later)).toEqual({ d: 1 })
})

test('what ended before the first look is past; what was seen alive is not, also after a restart', () => {
  const dead = { lives: false, state: 'died' as const, last: now - 100 }
  const first = numbered(none, [session('before', dead), session('alive', { last: now - 100 })], now)
  const pastOf = (given: ReturnType<typeof numbered>) =>
    Object.fromEntries(given.sessions.map(({ id, isPast }) => [id, isPast]))
  expect(pastOf(first)).toEqual({ before: true, alive: false })
  expect(first.numbers.first).toBe(now)
  const next = numbered(first.numbers, [session('before', dead), session('alive', dead)], now + 5)
  expect(pastOf(next)).toEqual({ before: true, alive: false })
  const again = numbered(next.numbers, [session('before', { ...dead, last: now + 10 })], now + 20)
  expect(pastOf(again), 'it went on and died').toEqual({ before: false })
})

test('what ended in the second of the first look is past, unless that look saw it alive', () => {
  const dead = { lives: false, state: 'died' as const, last: now }
  const first = numbered(none, [session('ended', dead), session('alive')], now)
  const next = numbered(first.numbers, [session('ended', dead), session('alive', dead)], now + 5)
  const later = numbered(first.numbers, [session('ended', { ...dead, last: now + 1 })], now + 5)
  const pastOf = (given: ReturnType<typeof numbered>) =>
    Object.fromEntries(given.sessions.map(({ id, isPast }) => [id, isPast]))
  expect(pastOf(first)).toEqual({ ended: true, alive: false })
  expect(pastOf(next)).toEqual({ ended: true, alive: false })
  expect(pastOf(later)).toEqual({ ended: false })
})

test('after the clock was set back, the time of the first look lies no longer ahead', () => {
  const ahead = numbered(none, [session('a', { last: now + 3 * 3600 })], now + 3 * 3600)
  const back = numbered(ahead.numbers, [session('a')], now)
  const died = numbered(back.numbers, [session('a', { lives: false, state: 'died', last: now + 60 })], now + 90)
  expect(died.sessions).toMatchObject([{ isPast: false }])
  const unseen = numbered(ahead.numbers, [session('b', { lives: false, state: 'died', last: now + 60 })], now + 90)
  expect(unseen.numbers.first).toBe(now + 90)
})

test('the note changes once in a minute at most while nothing else changes', () => {
  const first = numbered(none, [session('a')], now)
  const at = (second: number) => numbered(first.numbers, [session('a', { last: now + second })], now + second).numbers
  expect(at(30)).toEqual(first.numbers)
  expect(at(61)).not.toEqual(first.numbers)
})

test('a sign from the future does not keep a number forever', () => {
  const given = numbered(none, [session('a', { lives: false, last: now + 1e9 })], now)
  expect(given.numbers.sessions).toMatchObject([{ last: now }])
})

test('the note is only for its owner, and a damaged one holds nothing', () => {
  const state = mkdtempSync(join(tmpdir(), 'svc-numbers-'))
  const { numbers } = numbered(none, [session('a')], now)
  writeNumbers(state, numbers)
  expect(readNumbers(state)).toEqual(numbers)
  expect(statSync(join(state, 'numbers.json')).mode & 0o777).toBe(0o600)
  writeFileSync(join(state, 'numbers.json'), '{"sessions":[{"tool":1},{"tool":"claude","id":"a","number":0,"last":1}]}')
  expect(readNumbers(state)).toEqual(none)
  writeFileSync(join(state, 'numbers.json'), '{"sess')
  expect(readNumbers(state)).toEqual(none)
  rmSync(state, { recursive: true })
})

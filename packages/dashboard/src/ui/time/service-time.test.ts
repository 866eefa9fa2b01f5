import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { knownNow, noteServiceHeard, noteServiceTime, serviceNow } from './service-time.ts'

const service = Date.UTC(2026, 10, 21, 12)
const hour = 3_600_000

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

test.each([-5, 0, 3])('the service’s time counts, with a browser whose clock is wrong by %i h', (wrong) => {
  vi.setSystemTime(service + wrong * hour)
  noteServiceTime(service)
  expect([serviceNow(), knownNow()]).toEqual([service, service])
  vi.advanceTimersByTime(20_000)
  expect([serviceNow(), knownNow()]).toEqual([service + 20_000, service + 20_000])
})

test('the first answer names the time; later ones only while there is no stream', async () => {
  vi.resetModules()
  const fresh = await import('./service-time.ts')
  fresh.noteAnswerTime(service)
  fresh.noteAnswerTime(service - hour)
  expect(fresh.serviceNow()).toBe(service)
  fresh.followAnswers(true)
  fresh.noteAnswerTime(service - hour)
  expect(fresh.serviceNow()).toBe(service - hour)
})

test('the time goes on if the browser’s clock is set back', () => {
  noteServiceTime(service)
  vi.advanceTimersByTime(10_000)
  vi.setSystemTime(Date.now() - 5 * hour)
  expect(serviceNow()).toBe(service + 10_000)
})

test('what is known stands still 45 s after the service was last heard', () => {
  noteServiceTime(service)
  vi.advanceTimersByTime(30_000)
  noteServiceHeard()
  vi.advanceTimersByTime(60_000)
  expect([serviceNow(), knownNow()]).toEqual([service + 90_000, service + 75_000])
})

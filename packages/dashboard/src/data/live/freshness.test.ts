/** Tests how a tab chooses to keep its data fresh, and its slot with real Web Locks, which Node has, too. */
import { expect, test } from 'vitest'
import { eventually } from '../../../../../testing/eventually.ts'
import { maxHiddenMs, maxStreams, streamModeOf, type TabFacts, takeStreamSlot } from './freshness.ts'

const { locks } = navigator
const holds = (count: number) =>
  eventually(`${count} locks are held`, async () => expect((await locks.query()).held?.length).toBe(count))

test('visible tabs share a few places, a hidden tab loses its own to a visible one, and one that is left is free', async () => {
  const lost: number[] = []
  const places = []
  for (let tab = 0; tab < maxStreams; tab++) places.push(await takeStreamSlot(locks, () => lost.push(tab)))
  expect(places.every((place) => place !== undefined)).toBe(true)
  expect(await takeStreamSlot(locks, () => {}), 'all are visible').toBeUndefined()

  places[1]?.show(false)
  await holds(2 * maxStreams - 1)
  const taken = await takeStreamSlot(locks, () => {})
  expect(taken, 'the place of the hidden tab').toBeDefined()
  await eventually('the hidden tab is told', () => expect(lost).toEqual([1]))

  places[2]?.leave()
  await holds(2 * maxStreams - 2)
  const free = await takeStreamSlot(locks, () => {})
  expect(free, 'the place that was left').toBeDefined()
  for (const place of [taken, free, places[0], places[3]]) place?.leave()
  await holds(0)
})

test('the places leave connections for requests: a browser opens six to one service', () =>
  expect(maxStreams).toBeLessThanOrEqual(4))

const now = 1_000_000_000
const visible: TabFacts = { signedIn: true, hiddenSince: undefined, locks: true, hasSlot: true }
const hidden: TabFacts = { ...visible, hiddenSince: now }
const frozen: TabFacts = { ...visible, hiddenSince: Number.NEGATIVE_INFINITY }

test.each<[string, TabFacts, ReturnType<typeof streamModeOf>]>([
  ['is visible and has a slot', visible, 'holds'],
  ['is visible, while other tabs have all slots', { ...visible, hasSlot: false }, 'polls'],
  ['is visible, in a browser without locks', { ...visible, hasSlot: false, locks: false }, 'holds'],
  ['was just hidden and has a slot', hidden, 'holds'],
  ['was hidden a moment less than the limit', { ...hidden, hiddenSince: now - maxHiddenMs + 1 }, 'holds'],
  ['was hidden for as long as the limit', { ...hidden, hiddenSince: now - maxHiddenMs }, 'idle'],
  ['is hidden without a slot', { ...hidden, hasSlot: false }, 'idle'],
  ['is hidden, in a browser without locks', { ...hidden, hasSlot: false, locks: false }, 'idle'],
  ['is frozen and has a slot', frozen, 'idle'],
  ['is visible and has a slot, but nobody is signed in', { ...visible, signedIn: false }, 'idle'],
  ['is visible without a slot, and nobody is signed in', { ...visible, hasSlot: false, signedIn: false }, 'idle'],
  ['has no locks, and nobody is signed in', { ...visible, hasSlot: false, locks: false, signedIn: false }, 'idle'],
  ['is hidden, and nobody is signed in', { ...hidden, signedIn: false }, 'idle'],
])('a tab that %s: %3$s', (_which, facts, way) => {
  expect(streamModeOf(facts, now)).toBe(way)
})

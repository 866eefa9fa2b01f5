/** Tests the places of tabs with real Web Locks, which Node has, too. */
import { expect, test } from 'vitest'
import { eventually } from '../../../../../testing/eventually.ts'
import { takeStreamSlot } from './freshness.ts'
import { maxStreams } from './stream-mode.ts'

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

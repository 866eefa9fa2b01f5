import { expect, test } from 'vitest'
import { plannedRollouts } from '../story.ts'
import { membersOf } from './members.ts'
import { badVersion, endTrial, firstUpdateState, fleetBlueprint, goesBack, takeWish, trialSeconds } from './updates.ts'

const now = 1_795_000_000
const seed = 1
const members = membersOf(200, seed)
const wish = { blueprint: fleetBlueprint, version: badVersion }
const one = (isFailing: boolean) => {
  const found = members.find((each) => each.version === '1.4.0' && goesBack(each, badVersion) === isFailing)
  if (!found) throw new Error('There is no such agent.')
  return found
}

test('an agent tries a wished version, and keeps it after the trial', () => {
  const agent = one(false)
  const trying = takeWish(firstUpdateState(agent), wish, now)
  expect(endTrial(agent, trying, now + trialSeconds - 1)).toBe(trying)
  expect(takeWish(trying, wish, now + 1)).toBe(trying)
  const kept = endTrial(agent, trying, now + trialSeconds)
  expect(kept).toMatchObject({ version: badVersion, applied: { version: badVersion, outcome: 'ok' } })
  expect(takeWish(kept, wish, now + 60).trial).toBeUndefined()
})

test('an agent that goes back holds the version until another one is wished', () => {
  const agent = one(true)
  const back = endTrial(agent, takeWish(firstUpdateState(agent), wish, now), now + trialSeconds)
  expect(back).toMatchObject({ version: '1.4.0', applied: { version: '1.4.0', outcome: 'rolled_back' } })
  expect(back.applied?.message).toContain('1.4.0 -> 1.6.0')
  expect(takeWish(back, wish, now + 60)).toBe(back)
  const other = takeWish(back, { ...wish, version: '1.4.0' }, now + 60)
  expect(takeWish(other, wish, now + 90).trial?.version).toBe(badVersion)
})

test('a wish for another blueprint, or to an agent without one, changes nothing', () => {
  const state = firstUpdateState(one(false))
  expect(takeWish(state, { ...wish, blueprint: 'other' }, now)).toBe(state)
  const byHand = firstUpdateState({ version: 'nightly' })
  expect(byHand).toEqual({ version: 'nightly' })
  expect(takeWish(byHand, wish, now)).toBe(byHand)
})

test.each([40, 200, 5000])('of %i agents one rollout goes well, and the first wave of the other one fails', (count) => {
  const all = membersOf(count, seed)
  const [good, bad] = plannedRollouts(all)
  const failing = (names: readonly string[] = [], version = '') =>
    names.filter((name) => all.some((each) => each.name === name && goesBack(each, version)))
  expect(failing(good?.agents, good?.version)).toEqual([])
  expect(failing(bad?.agents.toSorted().slice(0, 2), bad?.version)).not.toEqual([])
  expect(good?.agents.filter((name) => bad?.agents.includes(name))).toEqual([])
})

test('a fleet that is too small for rollouts has none', () => {
  expect(plannedRollouts(membersOf(5, seed))).toEqual([])
})

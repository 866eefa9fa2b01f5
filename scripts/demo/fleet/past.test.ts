import { expect, test } from 'vitest'
import { membersOf } from './members.ts'
import { pastOf, pastVersions } from './past.ts'
import { hasBlueprint } from './updates.ts'

const now = Date.parse('2026-11-27T17:00:00Z')

test('the past of each agent is in order, longer than a day, and ends with the level that it has', () => {
  for (const member of membersOf(300, 1)) {
    const past = pastOf(member, now)
    if (member.condition.reports === 'never') expect(past).toEqual([])
    else {
      expect(now - (past[0]?.at ?? now)).toBeGreaterThan(24 * 3_600_000)
      expect(past.map(({ at }) => at)).toEqual(past.map(({ at }) => at).toSorted((a, b) => a - b))
      expect(past.at(-1)?.level).toBe(member.condition.state?.level ?? 'ok')
      expect(past.at(-1)?.at).toBeLessThan(now)
    }
  }
})

test('on each day before, every agent of the blueprint had one version, and none newer than its present one', () => {
  const members = membersOf(300, 1).filter(hasBlueprint)
  const days = Map.groupBy(pastVersions(membersOf(300, 1), now), ({ at }) => at)
  expect(days.size).toBe(45)
  for (const counts of days.values()) expect(counts.reduce((sum, { agents }) => sum + agents, 0)).toBe(members.length)
  const onLast = [...days.values()].at(-1)
  for (const { version, agents } of onLast ?? [])
    expect(members.filter((member) => member.version === version)).toHaveLength(agents)
  expect([...days.values()][0]?.map(({ version }) => version)).toEqual(['1.2.0'])
})

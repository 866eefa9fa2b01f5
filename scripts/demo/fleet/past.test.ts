import { expect, test } from 'vitest'
import { membersOf } from './members.ts'
import { pastOf } from './past.ts'

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

import { describe, expect, test } from 'vitest'
import { isProved, memberRightsOf, type SessionFacts } from './rules.ts'

const minute = 60_000
const now = 100 * minute
const ago = (minutes: number) => now - minutes * minute
const session = (facts: Partial<SessionFacts>): SessionFacts => ({
  signedInAt: ago(60),
  factorAt: null,
  proofAt: null,
  ...facts,
})

describe('a proof', () => {
  test.each<[string, Partial<SessionFacts>, boolean, boolean]>([
    ['without a factor: signed in 9 minutes ago', { signedInAt: ago(9) }, false, true],
    ['without a factor: signed in 10 minutes ago', { signedInAt: ago(10) }, false, false],
    ['without a factor: the password 9 minutes ago', { proofAt: ago(9) }, false, true],
    ['without a factor: the password 10 minutes ago', { proofAt: ago(10) }, false, false],
    ['with a factor: signed in a minute ago, but showed none', { signedInAt: ago(1) }, true, false],
    ['with a factor: the password a minute ago, but showed none', { proofAt: ago(1) }, true, false],
    ['with a factor: showed it 9 minutes ago', { factorAt: ago(9) }, true, true],
    ['with a factor: showed it 10 minutes ago', { factorAt: ago(10), signedInAt: ago(1) }, true, false],
    ['after the clock was set back: signed in three hours ahead', { signedInAt: ago(-180) }, false, false],
    ['after the clock was set back: the password three hours ahead', { proofAt: ago(-180) }, false, false],
    ['after the clock was set back: showed it three hours ahead', { factorAt: ago(-180) }, true, false],
    ['a minute ahead, by the clock of another node', { factorAt: ago(-1) }, true, true],
    ['after the factor was removed: it was shown a minute ago', { factorAt: ago(1) }, false, true],
  ])('%s', (_, facts, hasFactor, holds) => {
    expect(isProved(session(facts), hasFactor, now)).toBe(holds)
  })
})

describe('the rights in a session', () => {
  test.each<[string, Parameters<typeof memberRightsOf>[0], number | null, number | null, string, boolean]>([
    ['an admin, nothing required', 'admin', null, null, 'admin', false],
    ['an admin, required from tomorrow on', 'admin', now + 1, null, 'admin', false],
    ['an admin who showed no factor, required from now on', 'admin', now, null, 'member', true],
    ['an admin who showed one long ago', 'admin', now, 1, 'admin', false],
    ['a member needs none', 'member', now, null, 'member', false],
  ])('%s', (_, held, factorFrom, factorAt, role, factorMissing) => {
    expect(memberRightsOf(held, { factorFrom, factorAt }, now)).toMatchObject({ role, factorMissing })
  })
})

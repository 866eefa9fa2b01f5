import { expect, test } from 'vitest'
import { maxHiddenMs, streamModeOf, type TabFacts } from './stream-mode.ts'

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

import type { WaitReason, WishState } from '@svc/api'
import { expect, test } from 'vitest'
import { type BlueprintWaitFacts, blueprintWaits, type RuntimeWaitFacts, runtimeWaits } from './waits.ts'

const at = 1_790_000_000_000
const minute = 60_000
const heard = { receivedAt: at + 2.5 * minute, silentAt: at + 4 * minute }
const now = at + 3 * minute
const wish = { version: '1.2.0', at, by: 'Ada', mark: null }
const offeredWish = { ...wish, offeredAt: at + minute }
const facts: BlueprintWaitFacts = { ...heard, previous: '1.0.0', kept: null, runtimeOnTrial: false }

type Wish = typeof wish & { offeredAt?: number; hurriedAt?: number }
test.each<[string, WishState, Wish, Partial<BlueprintWaitFacts>, WaitReason | null]>([
  ['it has not reported since the wish', 'waiting', wish, { receivedAt: at - 1 }, null],
  ['it has never reported', 'waiting', wish, { receivedAt: null, silentAt: null }, { for: 'first_report' }],
  ['it is offline', 'offered', offeredWish, { silentAt: now }, { for: 'silent', since: heard.receivedAt }],
  [
    'it went offline during the trial',
    'trying',
    offeredWish,
    { silentAt: now },
    { for: 'silent', since: heard.receivedAt },
  ],
  ['it reported to a node that is shutting down', 'waiting', wish, {}, { for: 'node' }],
  ['the version was offered in its last answer', 'offered', { ...wish, offeredAt: heard.receivedAt }, {}, null],
  ['the version was offered a moment ago', 'offered', { ...wish, offeredAt: at + 2 * minute }, {}, null],
  ['it was offered the version, reported, and has not fetched it', 'offered', offeredWish, {}, { for: 'fetch' }],
  [
    'it watches the version that it kept',
    'offered',
    offeredWish,
    { kept: { version: '1.1.0', at } },
    { for: 'window', until: at + 30 * minute, version: '1.1.0' },
  ],
  [
    'it watches that version, and the wish was not offered yet',
    'waiting',
    wish,
    { kept: { version: '1.1.0', at }, receivedAt: at - 1 },
    { for: 'window', until: at + 30 * minute, version: '1.1.0' },
  ],
  [
    'a person told it not to wait before the offer, which was a moment ago',
    'offered',
    { ...wish, hurriedAt: at, offeredAt: at + 2 * minute },
    { kept: { version: '1.1.0', at } },
    null,
  ],
  [
    'it watched that version long enough',
    'offered',
    offeredWish,
    { kept: { version: '1.1.0', at: now - 30 * minute } },
    { for: 'fetch' },
  ],
  [
    'a person told it not to wait, a moment ago',
    'offered',
    { ...offeredWish, hurriedAt: at + 2 * minute },
    { kept: { version: '1.1.0', at } },
    null,
  ],
  [
    'a person told it not to wait, and it has not begun',
    'offered',
    { ...offeredWish, hurriedAt: at + minute },
    { kept: { version: '1.1.0', at } },
    { for: 'fetch' },
  ],
  [
    'a rollback waits for no window',
    'offered',
    offeredWish,
    { kept: { version: '1.1.0', at }, previous: '1.2.0' },
    { for: 'fetch' },
  ],
  [
    'its runtime is on trial',
    'offered',
    offeredWish,
    { kept: { version: '1.1.0', at }, runtimeOnTrial: true },
    { for: 'runtime_trial' },
  ],
  ['the version is on trial', 'trying', offeredWish, {}, null],
  ['it kept the version', 'kept', offeredWish, {}, null],
  ['it was rolled back', 'rolled_back', offeredWish, { silentAt: now }, null],
])('what a blueprint wish waits for, when %s', (_when, state, wish, more, waits) => {
  expect(blueprintWaits(state, wish, { ...facts, ...more }, now)).toEqual(waits)
})

const ofRollout = { ...wish, rollout: 'r' }
const granted = { ...ofRollout, grantedAt: at }
const offered = { ...granted, offeredAt: at + minute }
const places = { max: 5, busy: 5 }

test.each<
  [
    string,
    WishState,
    typeof wish & { rollout?: string; grantedAt?: number; offeredAt?: number },
    Partial<RuntimeWaitFacts>,
    WaitReason | null,
  ]
>([
  ['a rollout has as many on trial as allowed', 'queued', ofRollout, {}, { for: 'trials', most: 5, now: 5 }],
  ['it is offline before its turn', 'queued', ofRollout, { silentAt: now }, { for: 'silent', since: heard.receivedAt }],
  ['the update was requested, and it reported to a node that is shutting down', 'waiting', wish, {}, { for: 'node' }],
  ['it reported to a node that is shutting down', 'waiting', granted, {}, { for: 'node' }],
  ['it has not reported since its turn came', 'waiting', { ...wish, grantedAt: now }, {}, null],
  ['it tries a version of its blueprint', 'offered', offered, { blueprintOnTrial: true }, { for: 'blueprint_trial' }],
  ['it was offered the version, reported, and has not started', 'offered', offered, {}, { for: 'fetch' }],
  ['it is on trial', 'trying', offered, {}, null],
  [
    'it went offline during the trial',
    'trying',
    offered,
    { silentAt: now },
    { for: 'silent', since: heard.receivedAt },
  ],
])('what a runtime wish waits for, when %s', (_when, state, wish, more, waits) => {
  expect(runtimeWaits(state, wish, { ...heard, trials: places, blueprintOnTrial: false, ...more }, now)).toEqual(waits)
})

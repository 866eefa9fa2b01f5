/** Tests which channels of a workspace get a message. Personal channels are tested in personal.store.test.ts. */
import { expect, test } from 'vitest'
import type { AlertChannelRow } from '../../platform/db/tables.ts'
import { defaultRule } from '../rules/rules.ts'
import type { ScopedRule } from '../scoped-rules.ts'
import { recipients, secondChannels } from './recipients.ts'

const channel = (id: string, enabled = 1) => ({ id, enabled, owner: '' }) as AlertChannelRow
const all = [channel('ops'), channel('mail'), channel('boss'), channel('off', 0)]
const rule = (channels: string[] | null, second?: string[]): ScopedRule => ({
  ...defaultRule('bad'),
  channels,
  filter: null,
  escalation: second ? { after: 60_000, channels: second } : null,
})
const sentTo = (set: ScopedRule, isEscalated = false) =>
  recipients(set, all, { type: 'alert.opened', level: 'bad', isEscalated }, 0).map(({ id }) => id)

test.each<[string, ScopedRule, string[], string[]]>([
  ['that names no channels tells all that are enabled', rule(null), ['ops', 'mail', 'boss'], []],
  ['that names channels tells only these', rule(['mail', 'off']), ['mail'], []],
  ['that names none of them tells nobody', rule([]), [], []],
  ['leaves the second set out at first', rule(null, ['boss']), ['ops', 'mail'], ['boss']],
  ['may name a channel in both sets', rule(['ops', 'boss'], ['boss', 'mail']), ['ops', 'boss'], ['mail']],
])('a rule %s', (_which, set, first, second) => {
  expect(sentTo(set)).toEqual(first)
  expect(secondChannels(set, all).map(({ id }) => id)).toEqual(second)
  expect(sentTo(set, true).toSorted()).toEqual([...first, ...second].toSorted())
})

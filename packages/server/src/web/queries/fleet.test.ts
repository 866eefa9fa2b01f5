import { expect, test } from 'vitest'
import type { FleetRow } from '../../api.ts'
import { fleetPage } from './fleet.ts'

const now = 1_000_000
const later = now + 1
const row = (name: string, level: FleetRow['level'], silentAt: number | null): [string, FleetRow] => [
  name,
  { name, level, silentAt, seenAt: silentAt === null ? null : 1 } as FleetRow,
]
const fleet = new Map([
  row('fine', 'ok', later),
  row('silent-since-fine', 'ok', now),
  row('silent-since-bad', 'bad', now),
  row('silent-without-a-level', null, now),
  row('warns', 'warn', later),
  row('bad', 'bad', later),
  row('new', null, null),
])
const names = (desc: boolean) => {
  const view = { search: undefined, level: undefined, silent: undefined, offset: 0, limit: 200 }
  return fleetPage(fleet, { ...view, sort: 'level', desc }, now).rows.map(({ name }) => name)
}

test('the worst first: bad, then silent whatever it said last, then warnings, then what is well; new ones last', () => {
  const silent = ['silent-since-fine', 'silent-without-a-level']
  expect(names(true)).toEqual(['bad', 'silent-since-bad', ...silent, 'warns', 'fine', 'new'])
  expect(names(false)).toEqual(['fine', 'warns', ...silent, 'bad', 'silent-since-bad', 'new'])
})

/**
 * Tests which frame follows from which changes, without a service. With a service these tests would need 120 agents.
 */
import type { FleetRow } from '@svc/api'
import { expect, test } from 'vitest'
import { frameOf, noNews } from './frame.ts'

const row = (name: string) => ({ name }) as FleetRow
const ids = (from: number, to: number) => new Set(Array.from({ length: to - from }, (_, i) => `id-${from + i}`))
const rows = new Map([...ids(0, 300)].map((id) => [id, row(id.replace('id', 'agent'))]))
const framed = (news: object, open: string[] = []) => {
  const frame = frameOf(rows, { ...noNews(), ...news }, new Set(open), 7)
  return { ...frame, rows: frame.rows.map(({ name }) => name) }
}
const empty = { now: 7, rows: [], changed: [], list: false, alerts: false, more: false }

test.each<[string, object, object]>([
  [
    'contains the rows of agents that reported, and the names of those that changed',
    { reported: ids(1, 3), changed: ids(2, 3) },
    { rows: ['agent-1', 'agent-2'], changed: ['agent-2'] },
  ],
  ['says that the list has changed', { list: true }, { list: true }],
  ['says that alerts have changed', { alerts: true }, { alerts: true }],
  ['omits an agent that was deleted', { reported: new Set(['gone']), changed: new Set(['gone']) }, {}],
  [
    'has up to a hundred rows',
    { reported: ids(0, 100) },
    { rows: [...ids(0, 100)].map((id) => id.replace('id', 'agent')) },
  ],
  ['asks pages to reload if more agents reported', { reported: ids(0, 101) }, { more: true }],
  ['asks pages to reload if more agents changed', { changed: ids(0, 101), reported: ids(0, 1) }, { more: true }],
  [
    'asks pages to reload everything if announcements may be missing',
    { missed: true },
    { list: true, alerts: true, more: true },
  ],
])('a frame %s', (_name, news, expected) => expect(framed(news)).toEqual({ ...empty, ...expected }))

test('every frame names the agents whose page somebody has open, so that pages of other agents need not reload', () => {
  const busy = framed({ reported: ids(0, 120), changed: ids(5, 9) }, ['id-7', 'id-200'])
  expect(busy).toEqual({ ...empty, rows: ['agent-7'], changed: ['agent-7'], more: true })
})

test('if the pages of more than a hundred agents with news are open, the frame has a hundred rows and names the others', () => {
  const all = [...ids(0, 300)]
  const names = all.map((id) => id.replace('id', 'agent'))
  expect(framed({ reported: ids(0, 300), changed: ids(90, 103) }, all)).toEqual({
    ...empty,
    rows: names.slice(0, 100),
    changed: [...names.slice(90, 103), ...names.slice(103)],
    more: true,
  })
  expect(framed({ changed: ids(0, 300) }, all).changed).toEqual(names)
})

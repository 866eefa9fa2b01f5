import type { FleetRow } from '@svc/api'
import { limits } from '@svc/protocol'
import { expect, test } from 'vitest'
import { namesWithoutStrip } from './useStrips.ts'

const row = (name: string, more: Partial<FleetRow> = {}): FleetRow =>
  ({ name, level: 'ok', label: 'Idle', stopped: null, silentAt: 90_000, seenAt: 0, ...more }) as FleetRow
const known = new Map([['a', { state: 'ok false null false', at: 1000 }]])
const now = { at: 2000, now: 0 }

test('a strip is asked for if it is missing, and not again while it is right', () => {
  expect(namesWithoutStrip([row('a'), row('b')], known, now)).toEqual({ names: ['b'], missing: true })
  expect(namesWithoutStrip([row('a', { label: 'Busy', seenAt: 5, silentAt: 95_000 })], known, now).names).toEqual([])
})

test.each<[why: string, row: FleetRow, at: { at: number; now: number }]>([
  ['its level changed', row('a', { level: 'bad' }), now],
  ['it was paused', row('a', { label: 'Paused' }), now],
  ['it was stopped', row('a', { stopped: 'person' }), now],
  ['it went offline', row('a'), { at: 2000, now: 90_000 }],
  ['a minute passed', row('a'), { at: 61_000, now: 0 }],
])('a strip is asked for again because %s', (_why, changed, at) => {
  expect(namesWithoutStrip([changed], known, at)).toEqual({ names: ['a'], missing: false })
})

test('a request for agents with the longest names has an address that proxies take', () => {
  const rows = Array.from({ length: 300 }, (_, i) => row(`agent-${i}-`.padEnd(limits.agentName, 'x')))
  const { names } = namesWithoutStrip(rows, known, now)
  expect(names).toHaveLength(100)
  const address = `/api/web/w/${'s'.repeat(40)}/history/strips?${new URLSearchParams({ names: names.join(',') })}`
  expect(address.length).toBeLessThan(7_500)
})

import type { LogEntry } from '@svc/api'
import { expect, test } from 'vitest'
import { requestedLog } from './Printed.tsx'

const askedAt = Date.parse('2026-11-28T12:00:00Z')
const minute = 60_000
const log = (name: string, receivedAt: number) => ({ id: `${name}-${receivedAt}`, name, receivedAt }) as LogEntry

test('a log that was asked for is late after ten minutes, and shown even then when it arrives', () => {
  const asked = { name: 'output', askedAt }
  const others = [log('output', askedAt - minute), log('errors', askedAt + minute)]
  expect(requestedLog({ ...asked, askedAt: null }, others, askedAt)).toBeUndefined()
  expect(requestedLog(asked, undefined, askedAt)).toBe('on its way')
  expect(requestedLog(asked, others, askedAt + 10 * minute)).toBe('on its way')
  expect(requestedLog(asked, others, askedAt + 11 * minute)).toBe('late')
  const arrived = log('output', askedAt + 12 * minute)
  expect(requestedLog(asked, [...others, arrived], askedAt + 13 * minute)).toBe(arrived)
})

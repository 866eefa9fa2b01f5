import { expect, test } from 'vitest'
import { ApiError } from '../../data/api.ts'
import { addInZone, browserZone } from './zone.ts'

test.each([
  ['Europe/Berlin', 'Europe/Berlin'],
  ['UTC', 'UTC'],
  ['Etc/Unknown', 'UTC'],
  ['Mars/Olympus', 'UTC'],
  ['GMT+3', 'UTC'],
  ['+03:00', 'UTC'],
  ['', 'UTC'],
])('a browser in %j is in %s', (zone, known) => {
  expect(browserZone(zone)).toBe(known)
})

test('a zone that the service does not know is no reason to get no messages', async () => {
  const tried: string[] = []
  const add = (code: string) => async (zone: string) => {
    tried.push(zone)
    if (zone !== 'UTC') throw new ApiError(400, code, 'No.')
    return zone
  }
  expect(await addInZone(add('channel_invalid'), 'America/Coyhaique')).toBe('UTC')
  await expect(addInZone(add('channel_taken'), 'Europe/Berlin')).rejects.toThrow('No.')
  expect(tried).toEqual(['America/Coyhaique', 'UTC', 'Europe/Berlin'])
})

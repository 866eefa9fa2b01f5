import { expect, test } from 'vitest'
import { newPostgresDatabase } from '../../testing/stores.ts'
import { openPostgres } from '../db/open.ts'
import { serve } from '../web/testing/service.ts'
import { streamOf } from '../web/testing/stream.ts'

/** Two nodes of the service on one PostgreSQL. */
async function twoNodes() {
  const url = await newPostgresDatabase()
  const [first, second] = [await serve({ postgres: openPostgres(url) }), await serve({ postgres: openPostgres(url) })]
  const north = await first.workspace('north')
  const { agent, token } = await first.agent(north, 'mail')
  return { first, second, agent, token, ann: await first.person('Ann', 'north', 'admin') }
}
const events = '/api/web/w/north/events'

test('a report to one node is on the screen of a page that is open on another (PostgreSQL)', async () => {
  const { first, second, token, ann } = await twoNodes()
  const stream = await streamOf(first.origin + events, ann.cookie)
  await expect
    .poll(async () => {
      await second.reports(token, { state: { level: 'warn', label: 'from the other node' } })
      return stream.text()
    })
    .toContain('from the other node')
  await second.reports(token, { state: { level: 'bad', label: 'the next' } })
  const frame = await stream.frame((f) => f.rows.some(({ label }) => label === 'the next'))
  expect(frame.rows).toMatchObject([{ name: 'mail', level: 'bad' }])
})

test('an agent that is looked at through one node is asked to hurry by the other, and no longer when nobody looks (PostgreSQL)', async () => {
  const { first, second, token, ann } = await twoNodes()
  const stream = await streamOf(`${first.origin}${events}?agent=mail`, ann.cookie)
  const interval = async () => (await second.reports(token, {})).interval
  await expect.poll(interval, { timeout: 10_000, interval: 300 }).toBe(5)
  stream.close()
  await expect.poll(interval, { timeout: 10_000, interval: 300 }).toBe(30)
})

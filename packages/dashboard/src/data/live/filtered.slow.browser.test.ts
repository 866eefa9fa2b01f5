/**
 * Tests that a list with a filter follows the agents that it does not show. `npm test` leaves this out.
 * packages/dashboard/src/data/live/merge.test.ts proves the same rules.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type BrowserSetup, openBrowserSetup, type Visitor } from '../../../testing/browser-setup.ts'

let setup: BrowserSetup
let ada: Visitor

beforeAll(async () => {
  setup = await openBrowserSetup()
  ada = await setup.ada()
})
afterAll(() => setup?.close())

test('an agent that comes to fit the filter appears, and one that no longer fits it goes', async () => {
  const { token } = await ada.call<{ token: string }>('POST', '/api/web/w/north-wind/agents', { name: 'mail-triage' })
  await setup.report(token, { state: { level: 'ok', label: 'Idle' } })
  const connected = ada.page.waitForResponse(/\/events/)
  await ada.page.goto(`${setup.url}/w/north-wind?show=bad`)
  await connected
  await ada.page
    .getByText(/^No agents/)
    .first()
    .waitFor()
  await setup.report(token, { state: { level: 'bad', label: 'HTTP 401' } })
  const link = ada.page.locator('.fleet-body').getByRole('link', { name: 'mail-triage', exact: true })
  await link.waitFor()
  await setup.report(token, { state: { level: 'ok', label: 'Idle' } })
  await link.waitFor({ state: 'detached' })
  expect(setup.faults).toEqual([])
})

/**
 * Tests alerts with one cause on the page, with real alerts. `npm test` leaves this out.
 * packages/dashboard/src/alerts/folding.test.ts proves the same rules.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { wrongLooks } from '../../testing/axe.ts'
import { type BrowserSetup, openBrowserSetup, type Visitor } from '../../testing/browser-setup.ts'

let setup: BrowserSetup
let ada: Visitor
const north = '/api/web/w/north-wind'
/** The timeout for the step that waits until the service has evaluated the alerts, every 15 s. */
const evaluated = { timeout: 60_000 }
const labels = { m1: 'HTTP 401', m2: 'HTTP 401', m3: 'HTTP 401', m4: 'Disk gone' }

beforeAll(async () => {
  setup = await openBrowserSetup()
  ada = await setup.ada()
  await ada.call('PATCH', `${north}/rules`, { rule: 'bad', after: 0 })
  for (const [name, label] of Object.entries(labels)) {
    const { token } = await ada.call<{ token: string }>('POST', `${north}/agents`, { name })
    await setup.report(token, { state: { level: 'bad', label } })
  }
})
afterAll(() => setup?.close())

test('alerts with one cause are one line, and all selected ones are acknowledged and muted together', async () => {
  const { page } = ada
  await page.goto(`${setup.url}/w/north-wind/alerts`)
  const lines = page.getByRole('list', { name: 'Open alerts' }).getByRole('listitem')
  const folded = lines.filter({ hasText: 'HTTP 401: 3 agents' })
  await folded.waitFor(evaluated)
  await lines.filter({ hasText: 'Disk gone' }).waitFor(evaluated)
  await folded.getByText('m1', { exact: false }).first().waitFor()
  expect(await lines.count()).toBe(2)
  expect(await wrongLooks(page, () => folded.waitFor(), [1440, 360])).toEqual([])
  await folded.getByRole('button', { name: /^Show each of/ }).click()
  expect(await lines.count()).toBe(5)

  await lines.getByRole('checkbox', { name: 'Select the alert about m2' }).check()
  await page.getByText('1 alert selected').waitFor()
  await page.getByRole('checkbox', { name: 'Select all alerts' }).check()
  await page.getByText('4 alerts selected').waitFor()
  await page.locator('.al-bar').getByRole('button', { name: 'Acknowledge 4 alerts' }).click()
  const dialog = page.getByRole('dialog', { name: 'Acknowledge 4 alerts?' })
  await dialog.getByLabel('Note').fill('The mailbox moved.')
  await dialog.getByRole('button', { name: 'Acknowledge' }).click()
  await folded.getByText('3 acknowledged').waitFor()
  await lines.filter({ hasText: 'Disk gone' }).getByText('The mailbox moved.').waitFor()

  await folded.getByRole('button', { name: 'Mute all 3' }).click()
  await page.getByRole('menuitem', { name: 'For 1 hour' }).click()
  const mutes = page.getByRole('list', { name: 'Mutes' }).getByRole('listitem')
  await mutes.filter({ hasText: 'm3' }).waitFor()
  expect(await mutes.count()).toBe(3)
  expect(setup.faults).toEqual([])
})

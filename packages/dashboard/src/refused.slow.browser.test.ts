/**
 * Refusals that people meet without a fault of the page: each says in the page what to do, and the browser's console
 * shows no error. `npm test` leaves this out.
 * packages/server/src/web/routing/refused.http.test.ts proves the same rules.
 */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type BrowserSetup, openBrowserSetup, password, type Visitor } from '../testing/browser-setup.ts'

let setup: BrowserSetup
let ada: Visitor
/** The errors in the console after a link for the first account that is not valid, while nobody has an account. */
let early: string[]

beforeAll(async () => {
  setup = await openBrowserSetup()
  const { page } = await setup.visitor({ own: true })
  early = errorsOf(page)
  await page.goto(`${setup.url}/start?token=x`)
  await says(page, 'This link can’t be used')
  ada = await setup.ada()
  await ada.call('POST', '/api/web/w/north-wind/agents', { name: 'mail-1' })
  await ada.call('PUT', '/api/web/w/north-wind/views', { name: 'Mails', q: 'mail', shared: false })
  await ada.call('PUT', '/api/web/w/north-wind/views', { name: 'Disks', q: 'disk', shared: false })
})
afterAll(() => setup?.close())

/** The errors in the console of a page from now on, each with the address. */
function errorsOf(page: Page): string[] {
  const errors: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(`${message.text()} ${message.location().url}`)
  })
  return errors
}

const says = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor()
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true })
const dialog = (page: Page) => page.getByRole('dialog')
/** Deletes the agent eleven minutes after the sign-in, so that the service asks for a proof. */
const deleteAgent = async (page: Page) => {
  setup.ageProofs(11)
  await button(page, 'More for mail-1').or(button(page, /^More/)).first().click()
  await page
    .getByRole('menuitem', { name: /^Delete/ })
    .first()
    .click()
  await dialog(page).getByRole('textbox').fill('mail-1')
  await dialog(page).getByRole('button', { name: 'Delete agent' }).click()
  await says(page, 'Confirm that it’s you')
}

test('the console shows no error for a link for the first account that is not valid', () => expect(early).toEqual([]))

test.each<[what: string, address: string, meet: (page: Page) => Promise<unknown>]>([
  ['a link for the first account, which exists', '/start?token=x', (page) => says(page, 'This link can’t be used')],
  [
    'a sign-in link that was used',
    '/link?token=x',
    async (page) => {
      await button(page, 'Sign in').click()
      await says(page, /used or has expired/)
    },
  ],
  ['a claim that was used', '/claim?token=x', (page) => says(page, /used or has expired/)],
  ['an invitation that was revoked', '/invitation/x', (page) => says(page, /invitation can’t be used/)],
  ['an unknown workspace', '/w/none', (page) => page.getByRole('heading', { level: 1 }).waitFor()],
  ['an unknown agent', '/w/north-wind/agents/none', (page) => says(page, 'Back to agents')],
  ['an unknown blueprint', '/w/north-wind/blueprints/none', (page) => says(page, 'Back to blueprints')],
  ['an unknown rollout', '/w/north-wind/updates/none', (page) => says(page, 'Back to updates')],
  ['an unknown action', '/w/north-wind/actions/none', (page) => says(page, 'Back to actions')],
  ['an unknown code', '/w/north-wind/codes/none', (page) => says(page, 'Install code not found')],
  ['a filter with a mistake', '/w/north-wind?q=level:green', (page) => says(page, /green/)],
  [
    'a name that is taken',
    '/w/north-wind/add',
    async (page) => {
      await page.getByLabel('Name').fill('mail-1')
      await button(page, 'Add agent').click()
      await says(page, /already has an agent/)
    },
  ],
  [
    'a wrong current password',
    '/account',
    async (page) => {
      await page.getByLabel('Current password').fill('not the password')
      await page.getByLabel('New password').fill('another good password')
      await page.getByRole('button', { name: 'Change password' }).click()
      await says(page, /wrong|not right/i)
    },
  ],
  [
    'a proof, after a wrong password',
    '/w/north-wind/agents/mail-1',
    async (page) => {
      await deleteAgent(page)
      await dialog(page).getByRole('textbox', { name: 'Password' }).fill('not the password')
      await button(page, 'Continue').click()
      await says(page, /wrong|not right/i)
      await dialog(page).getByRole('textbox', { name: 'Password' }).fill(password)
      await button(page, 'Continue').click()
      await page.getByRole('heading', { level: 1, name: 'Agents' }).waitFor()
    },
  ],
])('the console shows no error for %s', async (_what, address, meet) => {
  const page = await setup.window(ada, { width: 1440 })
  const errors = errorsOf(page)
  await page.goto(setup.url + address)
  await meet(page)
  expect([errors, setup.faults.splice(0)]).toEqual([[], []])
})

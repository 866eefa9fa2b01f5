/**
 * Tests second factors on the page at the width of a phone, with the keyboard only: adding an app, signing in, losing
 * the phone, new recovery codes, removing the app, and proofs by a code. `npm test` leaves this out.
 * packages/server/src/web/routing/second-factor.http.test.ts proves the same rules.
 */
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { wrongLooks } from '../../testing/axe.ts'
import { type BrowserSetup, openBrowserSetup, password } from '../../testing/browser-setup.ts'
import { codeOf } from '../../testing/factors.ts'
import { focusIs, tabTo } from '../../testing/keys.ts'

let setup: BrowserSetup
let secret = ''
let recovery: string[] = []
beforeAll(async () => {
  setup = await openBrowserSetup()
})
afterAll(() => setup?.close())
afterEach(() => expect(setup.faults.splice(0)).toEqual([]))

const phone = { width: 360, height: 780 }
const code = () => codeOf(setup, secret)
/** The faults of the page at all widths; the window has the width of a phone afterwards. */
const faults = (page: Page) => wrongLooks(page, async () => {}, [1440, 1024, 360])
const press = async (page: Page, name: string) => {
  await tabTo(page, name, 60)
  await page.keyboard.press('Enter')
}
const shownLines = (page: Page) =>
  page
    .locator('.svc-copy', { has: page.getByRole('button', { name: /^Copy (secret|recovery codes)$/ }) })
    .locator('pre')
const account = async (page: Page) => {
  await page.goto(`${setup.url}/account`)
  await page.getByText(/^(None\. With|Authenticator app, with)/).waitFor()
}

async function halfway(next = ''): Promise<Page> {
  const { page } = await setup.visitor(phone)
  await page.goto(`${setup.url}/sign-in${next}`)
  await focusIs(page, 'Email')
  await page.keyboard.type('ada@example.org')
  await tabTo(page, 'Password', 1)
  await page.keyboard.type(password)
  await page.keyboard.press('Enter')
  await focusIs(page, 'Code')
  return page
}
async function signedIn(): Promise<Page> {
  const page = await halfway()
  await page.keyboard.type(code())
  await page.keyboard.press('Enter')
  await page.waitForURL('**/w/north-wind')
  return page
}

/** Everything that the page holds where somebody could read it: its source, its address and its storage. */
const held = (page: Page): Promise<string> =>
  page.evaluate(() =>
    [
      document.documentElement.outerHTML,
      location.href,
      JSON.stringify({ ...localStorage, ...sessionStorage, ...history.state }),
    ].join('\n'),
  )

test('by keys alone an app is added by its secret, and ten recovery codes are shown once, to copy or to save', async () => {
  const { page } = await setup.ada(phone)
  const answers: { route: string; text: Promise<string> }[] = []
  page.on('response', (response) => {
    const { pathname } = new URL(response.url())
    // The answer of the live connection never ends.
    if (pathname.startsWith('/api/') && !pathname.endsWith('/events'))
      answers.push({ route: `${response.request().method()} ${pathname}`, text: response.text().catch(() => '') })
  })
  await account(page)
  await press(page, 'Add an authenticator app')
  await focusIs(page, 'Code')
  await page.getByRole('img', { name: 'QR code with the secret' }).waitFor()
  secret = (await shownLines(page).textContent()) ?? ''
  expect(secret).toMatch(/^[A-Z2-7]{32}$/)
  await page.getByText('svc-server person reset-factor').waitFor()
  expect(await faults(page)).toEqual([])
  await page.getByLabel('Code', { exact: true }).fill('12')
  await page.keyboard.press('Enter')
  await page.getByText('Enter the six digits that the app shows.').waitFor()
  await page.getByLabel('Code', { exact: true }).fill('000000')
  await page.keyboard.press('Enter')
  await page.getByRole('alert').getByText('That code is not right').waitFor()
  await focusIs(page, 'Code')
  await page.getByLabel('Code', { exact: true }).fill(code())
  await page.keyboard.press('Enter')

  await page.getByRole('heading', { name: 'Recovery codes' }).waitFor()
  await focusIs(page, 'Recovery codes')
  const title = await page.getByRole('heading', { name: 'Recovery codes' }).boundingBox()
  expect(title?.y, 'the title is below the bar at the top').toBeGreaterThan(48)
  recovery = ((await shownLines(page).textContent()) ?? '').split('\n')
  expect(new Set(recovery).size).toBe(10)
  expect(await faults(page)).toEqual([])
  const download = page.waitForEvent('download')
  await press(page, 'Download')
  const file = readFileSync(await (await download).path(), 'utf8')
  expect(file).toContain(`Recovery codes for ada@example.org at ${new URL(setup.url).host}`)
  expect(file.split('\n').slice(3, 13)).toEqual(recovery)
  await page.getByRole('button', { name: 'Copy recovery codes' }).waitFor()
  await press(page, 'I have saved them')
  await page.getByText('10 recovery codes left').waitFor()
  expect(await faults(page)).toEqual([])

  const kept = await held(page)
  for (const hidden of [secret, ...recovery]) expect(kept).not.toContain(hidden)
  const telling = async (hidden: string) =>
    (await Promise.all(answers.map(async ({ route, text }) => ((await text).includes(hidden) ? [route] : [])))).flat()
  expect(await telling(secret)).toEqual(['POST /api/web/factors/totp'])
  for (const one of recovery) expect(await telling(one)).toEqual(['POST /api/web/factors/totp/confirm'])
})

test('an app that is not confirmed is not a factor, and the button that began it has the focus again', async () => {
  await setup.operator(['person', 'create', 'bo@example.org', '--name', 'Bo'], password)
  const visitor = await setup.visitor(phone)
  await setup.signIn(visitor, 'bo@example.org')
  const { page } = visitor
  await account(page)
  await press(page, 'Add an authenticator app')
  await focusIs(page, 'Code')
  const shown = (await shownLines(page).textContent()) ?? ''
  await press(page, 'Cancel')
  await page.getByText('None. With an authenticator app').waitFor()
  expect(await held(page)).not.toContain(shown)
  await tabTo(page, 'Add an authenticator app', 1)
  await setup.signIn(visitor, 'bo@example.org')
})

test('a sign-in asks for a code of the app, and leads to the page that was asked for', async () => {
  const page = await halfway('?next=%2Fw%2Fnorth-wind%2Fmembers')
  expect(await faults(page)).toEqual([])
  await page.keyboard.type('000000')
  await page.keyboard.press('Enter')
  await page.getByRole('alert').getByText('That code is not right').waitFor()
  await focusIs(page, 'Code')
  expect(await page.getByLabel('Code', { exact: true }).inputValue()).toBe('000000')
  await page.getByLabel('Code', { exact: true }).fill(code())
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Members' }).waitFor()
})

test('somebody who lost the phone signs in with a recovery code, once, and makes new codes', async () => {
  const page = await halfway()
  await page.getByText('svc-server person reset-factor').waitFor()
  await press(page, 'Use a recovery code')
  await focusIs(page, 'Recovery code')
  expect(await faults(page)).toEqual([])
  await page.keyboard.type((recovery[0] ?? '').toUpperCase().replaceAll('-', ' '))
  await page.keyboard.press('Enter')
  await page.getByText('remove the authenticator app within ten minutes').waitFor()
  await press(page, 'I still have the phone')
  await page.waitForURL('**/w/north-wind')

  const again = await halfway()
  await again.keyboard.type('000000')
  await again.keyboard.press('Enter')
  await again.getByRole('alert').waitFor()
  await press(again, 'Use a recovery code')
  await focusIs(again, 'Recovery code')
  expect(await again.getByRole('alert').count(), 'the error about the code is gone').toBe(0)
  await again.keyboard.type(recovery[0] ?? '')
  await again.keyboard.press('Enter')
  await again.getByRole('alert').getByText('That code is not right').waitFor()

  await account(page)
  await page.getByText('9 recovery codes left').waitFor()
  await press(page, 'Make new recovery codes')
  await focusIs(page, 'Recovery codes')
  await page.getByText('Your earlier codes no longer work.').waitFor()
  const fresh = ((await shownLines(page).textContent()) ?? '').split('\n')
  expect(fresh.filter((one) => recovery.includes(one))).toEqual([])
  await press(page, 'I have saved them')
  await page.getByText('10 recovery codes left').waitFor()
  const kept = await held(page)
  for (const one of fresh) expect(kept).not.toContain(one)
})

test('without a proof the page asks for a code; a cancelled one and a wrong one change nothing, and it goes on after a good one', async () => {
  const page = await signedIn()
  await account(page)
  setup.ageProofs(11)
  await press(page, 'Remove app')
  const confirm = page.getByRole('dialog', { name: 'Remove the authenticator app?' })
  await confirm.waitFor()
  await press(page, 'Remove app')
  const proof = page.getByRole('dialog', { name: 'Confirm that it’s you' })
  await focusIs(page, 'Code')
  await proof.getByText('To remove the authenticator app and the recovery codes, give a code').waitFor()
  expect(await faults(page)).toEqual([])
  await page.keyboard.press('Escape')
  await proof.waitFor({ state: 'detached' })
  await confirm.getByText('Nothing was changed').waitFor()
  await focusIs(page, 'Remove app')
  await page.keyboard.press('Enter')
  await focusIs(page, 'Code')
  await page.keyboard.type('000000')
  await page.keyboard.press('Enter')
  await proof.getByText('That code is not right').waitFor()
  expect(await proof.getByLabel('Code', { exact: true }).inputValue()).toBe('000000')
  await proof.getByLabel('Code', { exact: true }).fill(code())
  await page.keyboard.press('Enter')
  await page.getByText('None. With an authenticator app').waitFor()
  await confirm.waitFor({ state: 'detached' })
  await tabTo(page, 'Add an authenticator app', 1)
  expect(await faults(page)).toEqual([])
})

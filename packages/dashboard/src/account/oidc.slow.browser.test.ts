/**
 * Tests the sign-in through a provider (OpenID Connect) on the page, at the width of a phone, with the keyboard only:
 * signing in, connecting, disconnecting, proofs, invitations, and everything that can fail. The service is on localhost
 * and the provider on 127.0.0.1, because browsers treat one host as one site. `npm test` leaves this out.
 * packages/server/src/web/routing/oidc.http.test.ts proves the same rules.
 */
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { startProvider, type TestProvider } from '../../../server/testing/oidc.ts'
import { wrongLooks } from '../../testing/axe.ts'
import { type BrowserSetup, openBrowserSetup, password } from '../../testing/browser-setup.ts'
import { focusIs, tabTo } from '../../testing/keys.ts'

let provider: TestProvider
let setup: BrowserSetup
/** A service on which people sign in only through the provider. */
let only: BrowserSetup
beforeAll(async () => {
  provider = await startProvider()
  for (const name of ['ada', 'cy', 'dan', 'eve'])
    provider.people[name] = { email: `${name}@example.org`, email_verified: true, name }
  setup = await openBrowserSetup(provider.env)
  only = await openBrowserSetup({ ...provider.env, SVC_OIDC_ONLY: 'on' })
  for (const { url } of [setup, only]) provider.knows(url)
  await setup.ada()
})
afterAll(async () => {
  await Promise.all([setup?.close(), only?.close()])
  await provider?.close()
})
afterEach(() => {
  provider.fails = {}
  expect([...setup.faults.splice(0), ...only.faults.splice(0)]).toEqual([])
})

const phone = { width: 360, height: 780 }
const faults = (page: Page) => wrongLooks(page, async () => {}, [1440, 1024, 360])
const press = async (page: Page, name: string | RegExp) => {
  await tabTo(page, name, 60)
  await page.keyboard.press('Enter')
}

/** The sign-in page in a new browser. */
async function door({ url }: BrowserSetup, query = ''): Promise<Page> {
  const { page } = await setup.visitor(phone)
  await page.goto(`${url}/sign-in${query}`)
  await page.getByRole('link', { name: 'Sign in with Example' }).waitFor()
  return page
}
/** Chooses an account on the page of the provider, which leads back. */
async function choose(page: Page, button: string): Promise<void> {
  await page.getByRole('button', { name: button }).waitFor()
  expect(new URL(page.url()).hostname).toBe('127.0.0.1')
  await press(page, button)
}
const account = async (page: Page, { url }: BrowserSetup = setup) => {
  await page.goto(`${url}/account`)
  await page.getByRole('heading', { name: 'Sign-in provider' }).waitFor()
}
const connected = (page: Page) => page.getByText(/^Connected with Example as \S+ since/).waitFor()
/** Signs in through the provider in a new browser, as somebody who gets an account by it. */
async function enter(who: string, service = setup): Promise<Page> {
  const page = await door(service)
  await press(page, 'Sign in with Example')
  await choose(page, `Continue as ${who}`)
  await page.waitForURL(`${service.url}/**`)
  await page.locator('h1').waitFor()
  return page
}
const typePassword = async (page: Page, email: string) => {
  await focusIs(page, 'Email')
  await page.keyboard.type(email)
  await tabTo(page, 'Password', 1)
  await page.keyboard.type(password)
  await page.keyboard.press('Enter')
}

test('by keys alone somebody new signs in through the provider, and the account has no password', async () => {
  const page = await door(setup)
  await focusIs(page, 'Email')
  expect(await faults(page)).toEqual([])
  await press(page, 'Sign in with Example')
  await choose(page, 'Continue as ann')
  await page.waitForURL(`${setup.url}/`)
  await page.locator('h1').waitFor()
  await account(page)
  await connected(page)
  await page.getByText('You have none.').waitFor()
  await page.getByText(/through the sign-in provider/).waitFor()
  expect(await faults(page)).toEqual([])

  await press(page, 'Disconnect account')
  const confirm = page.getByRole('dialog', { name: 'Disconnect Example?' })
  await confirm.waitFor()
  await press(page, 'Disconnect account')
  await confirm.getByText('This is the last way in to your account.').waitFor()
  expect(await faults(page)).toEqual([])
  await page.keyboard.press('Escape')
  await confirm.waitFor({ state: 'detached' })

  await tabTo(page, 'New password', 60)
  await page.keyboard.type(password)
  await page.keyboard.press('Enter')
  await page.getByText('Password chosen.').waitFor()
  await page.getByLabel('Current password').waitFor()
  await press(page, 'Disconnect account')
  await confirm.waitFor()
  await press(page, 'Disconnect account')
  await page.getByText('Example was disconnected.').waitFor()
  await page.getByText('Not connected. Once it is, you sign in with Example or with your password.').waitFor()
  await tabTo(page, 'Connect account', 60)
})

test('who has an account already is told to connect it, and then signs in through the provider', async () => {
  const page = await door(setup, '?next=%2Fw%2Fnorth-wind%2Fmembers')
  await press(page, 'Sign in with Example')
  await choose(page, 'Continue as ada')
  await page.getByRole('alert').getByText('Your email address already has an account here.').waitFor()
  expect(await faults(page)).toEqual([])
  await typePassword(page, 'ada@example.org')
  await page.getByRole('heading', { level: 1, name: 'Members' }).waitFor()

  await account(page)
  await page.getByText('Not connected.').waitFor()
  await press(page, 'Connect account')
  await choose(page, 'Continue as ada')
  await page.waitForURL(`${setup.url}/account`)
  await connected(page)
  await page.getByText('Your account was connected.').waitFor()
  await tabTo(page, 'Disconnect account', 1)
  expect(await faults(page)).toEqual([])

  const another = await door(setup, '?next=%2Fw%2Fnorth-wind%2Fmembers')
  await press(another, 'Sign in with Example')
  await choose(another, 'Continue as ada')
  await another.waitForURL(`${setup.url}/w/north-wind/members`)
  await another.getByText(/ada@example\.org.* · second factor/).waitFor()
})

test('an account at the provider belongs to one account here', async () => {
  await setup.operator(['person', 'create', 'bo@example.org', '--name', 'Bo'], password)
  const page = await door(setup)
  await typePassword(page, 'bo@example.org')
  await page.waitForURL(`${setup.url}/`)
  await account(page)
  await press(page, 'Connect account')
  await choose(page, 'Continue as ada')
  await page.getByRole('alert').getByText('Another account here is connected').waitFor()
  expect(page.url()).toBe(`${setup.url}/account`)
  expect(await faults(page)).toEqual([])
  await press(page, 'Connect account')
  await choose(page, 'Continue as ada')
  await page.getByRole('alert').getByText('Another account here is connected').waitFor()
})

test.each([
  ['an address that is not verified', { email: 'eve@example.org', email_verified: false }, 'has not verified'],
  ['no address', { email_verified: true }, 'has not verified'],
  [
    'an address of another domain',
    { email: 'eve@sub.example.org', email_verified: true },
    'your domain get no account',
  ],
])('%s gets no account, and the page says what to do', async (_what, claims, words) => {
  provider.people.eve = { ...claims, name: 'Eve' }
  const page = await door(setup)
  await press(page, 'Sign in with Example')
  await choose(page, 'Continue as eve')
  await page.getByRole('alert').getByText(words).waitFor()
  expect(await faults(page)).toEqual([])
})

test('a sign-in that was cancelled or failed says so, and the next one leads to the page that was asked for', async () => {
  const page = await door(setup, '?next=%2Faccount')
  await press(page, 'Sign in with Example')
  await choose(page, 'Cancel')
  await page.getByRole('alert').getByText('You were not signed in through Example. Try again').waitFor()
  provider.fails = { signature: 'other key' }
  await press(page, 'Sign in with Example')
  await choose(page, 'Continue as dan')
  await page.getByRole('alert').getByText('You were not signed in through Example. Try again').waitFor()
  provider.fails = {}
  await press(page, 'Sign in with Example')
  await page.waitForURL(`${setup.url}/account`)
  await connected(page)

  await setup.operator(['person', 'disable', 'dan@example.org'])
  const again = await door(setup)
  await press(again, 'Sign in with Example')
  await choose(again, 'Continue as dan')
  await again.getByRole('alert').getByText('This account is disabled. Ask the operator').waitFor()
  expect(await faults(again)).toEqual([])
})

test('without factor and password a proof is a new sign-in, after which the page asks for the press again', async () => {
  const page = await enter('cy')
  await account(page)
  setup.ageProofs(11)
  await press(page, 'Add an authenticator app')
  const proof = page.getByRole('dialog', { name: 'Confirm that it’s you' })
  await proof.getByText('sign in again with Example. You signed in more than ten minutes ago.').waitFor()
  await focusIs(page, 'Sign in again')
  expect(await faults(page)).toEqual([])
  await page.keyboard.press('Escape')
  await proof.waitFor({ state: 'detached' })
  await page.getByText('Nothing was changed').waitFor()
  await press(page, 'Add an authenticator app')
  await focusIs(page, 'Sign in again')
  await page.keyboard.press('Enter')
  await choose(page, 'Continue as cy')
  await page.getByText('You signed in again').waitFor()
  expect(page.url(), 'the mark is taken from the address').toBe(`${setup.url}/account`)
  expect(await faults(page)).toEqual([])
  await press(page, 'Add an authenticator app')
  await focusIs(page, 'Code')
})

test('where people sign in only through the provider, no page asks for a password but that of the first account', async () => {
  const { page } = await setup.visitor(phone)
  await page.goto(only.firstLink)
  await page.getByText('The password works only now. Next, connect Example under My account').waitFor()
  expect(await faults(page)).toEqual([])
  const ada = await only.ada()
  const { url: link } = await ada.call<{ url: string }>('POST', '/api/web/w/north-wind/invitations', {
    email: 'bob@example.org',
    role: 'member',
  })

  await page.goto(`${only.url}/sign-in`)
  await focusIs(page, 'Sign in with Example')
  expect(await page.getByRole('textbox').count()).toBe(0)
  expect(await page.getByText('Forgot your password?').count()).toBe(0)
  await tabTo(page, 'Use a passkey', 1)
  expect(await faults(page)).toEqual([])
  for (const path of ['/forgot', '/claim?token=none']) {
    await page.goto(only.url + path)
    await page.getByRole('heading', { name: 'No password is needed' }).waitFor()
    expect(await page.getByRole('textbox').count()).toBe(0)
  }
  expect(await faults(page)).toEqual([])

  await page.goto(link)
  await page.getByText('Sign in as bob@example.org, and then accept the invitation:').waitFor()
  expect(await page.getByRole('textbox').count()).toBe(0)
  expect(await faults(page)).toEqual([])
  await press(page, 'Sign in with Example')
  await choose(page, 'Continue as bob')
  await page.waitForURL(link)
  await press(page, 'Join as bob@example.org')
  await page.waitForURL(`${only.url}/w/north-wind`)
  await account(page, only)
  await connected(page)
  await page.getByText('People sign in to this service with Example or with a passkey.').waitFor()
  expect(await page.getByLabel('New password').count()).toBe(0)
  expect(await faults(page)).toEqual([])
})

test('beside passwords an invited person without an account may use the provider, too', async () => {
  const ada = await setup.ada()
  const { url: link } = await ada.call<{ url: string }>('POST', '/api/web/w/north-wind/invitations', {
    email: 'bob@example.org',
    role: 'member',
  })
  const { page } = await setup.visitor(phone)
  await page.goto(link)
  await focusIs(page, 'Your name')
  expect(await faults(page)).toEqual([])
  await press(page, 'Sign in with Example')
  await choose(page, 'Continue as bob')
  await page.waitForURL(link)
  await press(page, 'Join as bob@example.org')
  await page.waitForURL(`${setup.url}/w/north-wind`)
})

/**
 * Tests passkeys on the page with a device that Chromium simulates, at the width of a phone and with the keyboard only:
 * adding one, signing in, proofs, losing and removing it, and answers that are not good. `npm test` leaves this out.
 * packages/server/src/web/routing/passkeys.http.test.ts proves the same rules.
 */
import type { Factors } from '@svc/api'
import type { CDPSession, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { axe, wrongLooks } from '../../testing/axe.ts'
import { type BrowserSetup, openBrowserSetup, password } from '../../testing/browser-setup.ts'
import { addFactor, codeOf } from '../../testing/factors.ts'
import { focusIs, tabTo } from '../../testing/keys.ts'

let setup: BrowserSetup
beforeAll(async () => {
  setup = await openBrowserSetup()
})
afterAll(() => setup?.close())
const devices: CDPSession[] = []
afterEach(async () => {
  // A later test may get the same browser, where the device would still answer.
  for (const device of devices.splice(0)) await device.send('WebAuthn.disable').catch(() => {})
  expect(setup.faults.splice(0)).toEqual([])
})

const phone = { width: 360, height: 780 }
const faults = (page: Page) => wrongLooks(page, async () => {}, [1440, 1024, 360])
const press = async (page: Page, name: string | RegExp) => {
  await tabTo(page, name, 60)
  await page.keyboard.press('Enter')
}
const account = async (page: Page) => {
  await page.goto(`${setup.url}/account`)
  await page.getByRole('heading', { name: 'Passkeys' }).waitFor()
}

/** A passkey as the simulated device keeps it. */
interface Kept {
  credentialId: string
  isResidentCredential: boolean
  privateKey: string
  signCount: number
  rpId?: string
  userHandle?: string
}

/**
 * Gives the browser of a page a device that keeps passkeys and verifies the person. Chromium forgets the device when
 * the first page of the service is opened, since the opener policy of the service moves it to another browsing context
 * group, and when another debugger detaches, as that of axe does. So the page must be open, and axe runs first.
 */
async function deviceOf(page: Page, keys: readonly Kept[] = [], verifies = true) {
  await axe(page)
  const cdp = await page.context().newCDPSession(page)
  devices.push(cdp)
  await cdp.send('WebAuthn.enable')
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      ...({ protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true } as const),
      ...{ isUserVerified: verifies, automaticPresenceSimulation: true },
    },
  })
  for (const credential of keys) await cdp.send('WebAuthn.addCredential', { authenticatorId, credential })
  return {
    kept: async (): Promise<Kept[]> => (await cdp.send('WebAuthn.getCredentials', { authenticatorId })).credentials,
    loses: async ({ credentialId }: { credentialId: string }) =>
      cdp.send('WebAuthn.removeCredential', { authenticatorId, credentialId }),
    verifies: (isUserVerified: boolean) => cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified }),
  }
}

/** The sign-in page in a new browser whose device keeps these passkeys. */
async function door(keys: readonly Kept[], { next = '', verifies = true } = {}) {
  const { page } = await setup.visitor(phone)
  await page.goto(`${setup.url}/sign-in${next}`)
  await focusIs(page, 'Email')
  const device = await deviceOf(page, keys, verifies)
  return { page, device }
}
const inside = (page: Page) => page.waitForURL('**/w/north-wind')
const notAccepted = (page: Page) => page.getByRole('alert').getByText('This passkey was not accepted').waitFor()

const typePassword = async (page: Page) => {
  await page.keyboard.type('ada@example.org')
  await tabTo(page, 'Password', 1)
  await page.keyboard.type(password)
  await page.keyboard.press('Enter')
}

let keys: Kept[] = []

test('by keys alone a passkey is added, with a name, and the device keeps it', async () => {
  const { page } = await setup.ada(phone)
  await account(page)
  const device = await deviceOf(page)
  await page.getByText('None. A passkey signs you in without a password').waitFor()
  expect(await faults(page)).toEqual([])
  await press(page, 'Add a passkey')
  await focusIs(page, 'Name of the passkey')
  await page.getByText('Your other sessions end').waitFor()
  await page.keyboard.press('Enter')
  await page.getByText('Required').waitFor()
  expect(await faults(page)).toEqual([])
  await page.keyboard.type('Laptop')
  await page.keyboard.press('Enter')
  await page.getByText('Passkey added.').waitFor()
  await page.getByRole('list', { name: 'Passkeys' }).getByText('Laptop').waitFor()
  await page.getByText('not used yet').waitFor()
  expect(await faults(page)).toEqual([])
  keys = await device.kept()
  expect(keys).toMatchObject([{ isResidentCredential: true, rpId: 'localhost' }])

  await press(page, 'Add a passkey')
  await page.keyboard.type('The same')
  await page.keyboard.press('Enter')
  await page.getByRole('alert').getByText('This device already has a passkey for your account.').waitFor()
  await press(page, 'Cancel')
  await tabTo(page, 'Add a passkey', 60)
})

test('by keys alone it signs in without an address, and leads to the page that was asked for', async () => {
  const { page, device } = await door(keys, { next: '?next=%2Fw%2Fnorth-wind%2Fmembers' })
  expect(await faults(page)).toEqual([])
  await press(page, 'Use a passkey')
  await page.getByRole('heading', { level: 1, name: 'Members' }).waitFor()
  keys = await device.kept()
  await account(page)
  await page.getByRole('list', { name: 'Passkeys' }).getByText(/used/).waitFor()
})

test('a device that does not verify the person signs nobody in, and one that lost the passkey says so', async () => {
  const { page, device } = await door(keys, { verifies: false })
  await press(page, 'Use a passkey')
  await page.getByRole('alert').getByText('No passkey was given.').waitFor()
  await focusIs(page, 'Use a passkey')
  expect(await faults(page)).toEqual([])
  await device.verifies(true)
  for (const key of keys) await device.loses(key)
  await page.keyboard.press('Enter')
  await page.getByRole('alert').getByText('No passkey was given.').waitFor()
})

test('an answer is good once and in its browser only, and the counter of a device does not go back', async () => {
  const { page, device } = await door(keys)
  const request = page.waitForRequest('**/api/web/passkey')
  await press(page, 'Use a passkey')
  const body = (await request).postData() ?? ''
  await inside(page)
  const before = keys
  keys = await device.kept()
  const send = (from: Page) =>
    from.evaluate(async (text) => {
      const headers = { 'content-type': 'application/json' }
      await fetch('/api/web/passkey/options', { method: 'POST', headers })
      return (await (await fetch('/api/web/passkey', { method: 'POST', headers, body: text })).json()).error?.code
    }, body)
  const other = await door([])
  expect([await send(page), await send(other.page)]).toEqual(['sign_in_failed', 'sign_in_failed'])
  setup.faults.splice(0)

  const copy = await door(before)
  await press(copy.page, 'Use a passkey')
  await notAccepted(copy.page)
  expect(await faults(copy.page)).toEqual([])
})

test('a proof is given by the passkey, and of two one is removed; the other still signs in', async () => {
  const { page, device: laptop } = await door(keys)
  await press(page, 'Use a passkey')
  await inside(page)
  const elsewhere = await laptop.kept()
  await account(page)
  const device = await deviceOf(page)
  await press(page, 'Add a passkey')
  await focusIs(page, 'Name of the passkey')
  expect(await page.getByText('Your other sessions end').count(), 'it is not the first').toBe(0)
  await page.keyboard.type('Security key')
  await page.keyboard.press('Enter')
  await page.getByRole('list', { name: 'Passkeys' }).getByText('Security key').waitFor()
  keys = await device.kept()

  setup.ageProofs(11)
  await press(page, 'Remove passkey: Laptop')
  const confirm = page.getByRole('dialog', { name: 'Remove this passkey?' })
  await confirm.waitFor()
  expect(await faults(page)).toEqual([])
  await press(page, 'Remove passkey')
  const proof = page.getByRole('dialog', { name: 'Confirm that it’s you' })
  await proof.getByText('To remove a passkey, use a passkey.').waitFor()
  await focusIs(page, 'Use a passkey')
  expect(await faults(page)).toEqual([])
  await page.keyboard.press('Escape')
  await confirm.getByText('Nothing was changed').waitFor()
  await focusIs(page, 'Remove passkey')
  await page.keyboard.press('Enter')
  await focusIs(page, 'Use a passkey')
  await page.keyboard.press('Enter')
  await page.getByText('Passkey removed.').waitFor()
  await confirm.waitFor({ state: 'detached' })
  expect(await page.getByText('Laptop').count()).toBe(0)
  keys = await device.kept()

  const lost = await door(elsewhere)
  await press(lost.page, 'Use a passkey')
  await notAccepted(lost.page)
  const good = await door(keys)
  await press(good.page, 'Use a passkey')
  await inside(good.page)
  keys = await good.device.kept()
})

test('the password alone still signs in, but proves nothing; with an app the passkey finishes the sign-in', async () => {
  const { page } = await door([])
  await typePassword(page)
  await inside(page)
  await account(page)
  const device = await deviceOf(page, keys)
  await press(page, 'Add an authenticator app')
  const proof = page.getByRole('dialog', { name: 'Confirm that it’s you' })
  await proof.getByText('use a passkey. This session has shown no second factor.').waitFor()
  expect(await proof.getByLabel('Password').count()).toBe(0)
  await press(page, 'Use a passkey')
  await focusIs(page, 'Code')
  keys = await device.kept()

  const ada = await setup.ada(phone)
  await account(ada.page)
  await deviceOf(ada.page, keys)
  await press(ada.page, /^Remove passkey/)
  await ada.page.getByRole('dialog', { name: 'Remove this passkey?' }).waitFor()
  await press(ada.page, 'Remove passkey')
  await press(ada.page, 'Use a passkey')
  await ada.page.getByText('Passkey removed.').waitFor()
  await ada.page.getByText('None. A passkey signs you in').waitFor()
  const { secret } = await addFactor(setup, ada)
  await account(ada.page)
  const another = await deviceOf(ada.page)
  await press(ada.page, 'Add a passkey')
  await ada.page.keyboard.type('Phone')
  await ada.page.keyboard.press('Enter')
  await ada.page.getByText('Passkey added.').waitFor()
  keys = await another.kept()

  const { page: half, device: halfs } = await door(keys)
  await typePassword(half)
  await focusIs(half, 'Code')
  expect(await faults(half)).toEqual([])
  await press(half, 'Use a passkey')
  await inside(half)
  keys = await halfs.kept()
  setup.ageProofs(11)
  await account(half)
  await press(half, 'Remove app')
  await half.getByRole('dialog', { name: /Remove/ }).waitFor()
  await press(half, 'Remove app')
  await half.getByText('give a code of your authenticator app or use a passkey').waitFor()
  expect(await faults(half)).toEqual([])
  await half.keyboard.type(codeOf(setup, secret))
  await half.keyboard.press('Enter')
  await half.getByText('Authenticator app removed.').waitFor()
})

test('where a factor is required, the banner asks for the passkey, which gives the rights of an admin back', async () => {
  await setup.operator(['workspace', 'require-factor', 'north-wind', 'on', '--from', '2020-01-01'])
  const { page } = await door([])
  await typePassword(page)
  await inside(page)
  const device = await deviceOf(page, keys)
  const banner = page.getByText('Until you show a second factor, you have the rights of a member.')
  await banner.waitFor()
  expect(await faults(page)).toEqual([])
  await press(page, 'Use a passkey')
  await page.getByText('To go on, use a passkey. This session has shown no second factor.').waitFor()
  await focusIs(page, 'Use a passkey')
  await page.keyboard.press('Enter')
  await banner.waitFor({ state: 'detached' })
  keys = await device.kept()
})

test('a browser that knows no passkeys shows no button for them, and My account says why', async () => {
  const visitor = await setup.visitor(phone)
  await visitor.page.addInitScript(() => {
    Reflect.deleteProperty(PublicKeyCredential, 'parseCreationOptionsFromJSON')
  })
  await visitor.page.goto(`${setup.url}/sign-in`)
  await focusIs(visitor.page, 'Email')
  expect(await visitor.page.getByRole('button', { name: 'Use a passkey' }).count()).toBe(0)
  await setup.operator(['person', 'create', 'bo@example.org', '--name', 'Bo'], password)
  await setup.signIn(visitor, 'bo@example.org')
  await account(visitor.page)
  await visitor.page.getByText('None. This browser cannot add passkeys. A newer one can.').waitFor()
  expect(await visitor.page.getByRole('button', { name: 'Add a passkey' }).count()).toBe(0)
  expect((await visitor.call<Factors>('GET', '/api/web/factors')).passkeys).toEqual([])
})

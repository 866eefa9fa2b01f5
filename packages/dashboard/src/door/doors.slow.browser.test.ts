/**
 * Tests the pages that people see before they are in a workspace (first start, sign-in, one-time links, invitations),
 * and addresses that do not exist. `npm test` leaves this out. packages/server/src/web/routing/sign-in.http.test.ts
 * proves the same rules.
 */
import { createECDH, randomBytes } from 'node:crypto'
import type { PersonalChannelRow } from '@svc/api'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { axe, wrongLooks } from '../../testing/axe.ts'
import { opensBeside } from '../../testing/beside.ts'
import { type BrowserSetup, openBrowserSetup, password } from '../../testing/browser-setup.ts'

let setup: BrowserSetup
beforeAll(async () => {
  setup = await openBrowserSetup()
})
afterAll(() => setup?.close())
afterEach(() => expect(setup.faults.splice(0)).toEqual([]))

/** Returns a list to which each later request of the page is added if the service refuses it. */
function refusedTo(page: Page): string[] {
  const refused: string[] = []
  page.on('response', (response) => response.status() >= 400 && refused.push(`${response.status()} ${response.url()}`))
  return refused
}

test('the first link creates the account and the workspace, suggests its address, and leads to an empty fleet that says what to do', async () => {
  const { page } = await setup.visitor()
  const refused = refusedTo(page)
  await page.goto(setup.firstLink)
  await page.getByLabel('Your name').fill('Ada Winter')
  await page.getByLabel('Email').fill('ada@example.org')
  await page.getByLabel('Password', { exact: true }).fill('short')
  await page.getByLabel('Workspace', { exact: true }).fill('North Wind & Söhne')
  await page.getByText(/^Address: .*\/w\/north-wind-sohne$/).waitFor()
  await page.getByRole('button', { name: 'Change the address' }).click()
  expect(await page.getByLabel('Workspace URL').inputValue()).toBe('north-wind-sohne')
  await page.getByLabel('Workspace URL').fill('north-wind')
  const make = page.getByRole('button', { name: 'Create account and workspace' })
  await make.click()
  await page.getByText('At least 10 characters.', { exact: true }).waitFor()
  expect(await axe(page)).toEqual([])
  await page.getByLabel('Password', { exact: true }).fill(password)
  await make.click()
  await page.waitForURL('**/w/north-wind')
  await page.getByRole('link', { name: 'Add your first agent' }).waitFor()
  expect(await page.title()).toBe('Agents · North Wind & Söhne · svc')
  expect(refused, 'a used link is not asked for').toEqual([])
  const used = setup.firstLink
  setup.firstLink = ''
  await page.goto(used)
  await page.getByRole('heading', { name: 'This link can’t be used' }).waitFor()
})

test('a person who is not signed in is sent to the sign-in page, and afterwards to the page they wanted', async () => {
  const { page } = await setup.visitor()
  await page.goto(`${setup.url}/w/north-wind/members`)
  await page.waitForURL('**/sign-in?next=*')
  await page.getByLabel('Email').fill('ada@example.org')
  await page.getByLabel('Password', { exact: true }).fill('not the password')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText('Wrong email or password.').waitFor()
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL('**/w/north-wind/members')
  await page.getByRole('heading', { level: 1, name: 'Members' }).waitFor()

  await page.goto(`${setup.url}/account`)
  await page.route('**/sign-out', (route) => route.abort())
  await page.getByRole('main').getByRole('button', { name: 'Sign out' }).click()
  await page.getByText('Your session did not end').waitFor()
  await page.waitForURL('**/sign-in')
  await page.unroute('**/sign-out')
})

test('a person whose session ends is sent to the sign-in page, which may load slowly, and afterwards sees the same page', async () => {
  const other = await setup.ada()
  const { context, page } = await setup.ada()
  const isLive = page.waitForResponse('**/w/north-wind/events')
  await page.goto(`${setup.url}/w/north-wind/alerts?tab=mine`)
  const content = page.getByText('You are not notified yet')
  await Promise.all([content.waitFor(), isLive])
  const isLoaded = Promise.withResolvers<void>()
  await page.route('**/door-*.js', async (route) => {
    await isLoaded.promise
    await route.continue()
  })
  const refused = refusedTo(page)
  await context.clearCookies()
  const isRefused = page.waitForResponse((response) => response.status() === 401)
  await other.call('PATCH', '/api/web/w/north-wind/rules', { rule: 'silent', after: 900 })
  await isRefused
  await page.getByRole('status', { name: 'Loading' }).waitFor()
  expect(refused, 'who is signed in is not asked again').not.toContain(`401 ${setup.url}/api/web/me`)
  isLoaded.resolve()
  await page.waitForURL('**/sign-in?next=*')
  await page.getByLabel('Email').fill('ada@example.org')
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await content.waitFor()
})

test('after the sign-in nobody is sent to another site', async () => {
  const { page } = await setup.visitor()
  await page.goto(`${setup.url}/sign-in?next=${encodeURIComponent('//evil.example/')}`)
  await page.getByLabel('Email').fill('ada@example.org')
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL(`${setup.url}/w/north-wind`)
})

test("an operator's link signs in once, after a button is pressed", async () => {
  const { link } = await setup.operator<{ link: string }>(['link', 'ada@example.org'])
  const { page } = await setup.visitor()
  await page.goto(link)
  expect(await axe(page)).toEqual([])
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL('**/w/north-wind')
  const other = await setup.visitor()
  await other.page.goto(link)
  await other.page.getByRole('button', { name: 'Sign in' }).click()
  await other.page.getByRole('alert').waitFor()
})

test('an invitation is copied and accepted by a new person, and then cannot be used again', async () => {
  const ada = await setup.ada()
  await ada.page.goto(`${setup.url}/w/north-wind/members`)
  await ada.page.getByRole('button', { name: 'Invite' }).click()
  await ada.page.getByLabel('Email').fill('bo@example.org')
  await ada.page.getByRole('button', { name: 'Create link' }).click()
  const link = (await ada.page.locator('.svc-copy pre').textContent()) ?? ''
  expect(link).toContain(`${setup.url}/invitation/`)
  expect(await axe(ada.page)).toEqual([])
  const bo = await setup.visitor()
  await bo.page.goto(link)
  await bo.page.getByRole('heading', { name: /^Join North Wind/ }).waitFor()
  expect(await axe(bo.page)).toEqual([])
  await bo.page.getByLabel('Your name').fill('Bo')
  await bo.page.getByLabel('Password', { exact: true }).fill(password)
  const refused = refusedTo(bo.page)
  await bo.page.getByRole('button', { name: 'Create account and join' }).click()
  await bo.page.waitForURL('**/w/north-wind')
  await bo.page.getByText('Agents that admins add will be listed here.').waitFor()
  expect(refused, 'a used invitation is not asked for').toEqual([])
  const late = await setup.visitor()
  await late.page.goto(link)
  await late.page.getByRole('heading', { name: 'This invitation can’t be used' }).waitFor()
})

test('an empty page links to its document, which is read without signing in', async () => {
  const ada = await setup.ada()
  await ada.page.goto(`${setup.url}/w/north-wind/blueprints`)
  const help = ada.page.getByRole('link', { name: 'Help: for authors' })
  await help.waitFor()
  const address = await opensBeside(ada.page, () => help.click())
  expect(address).toBe(`${setup.url}/help/blueprints#for-authors`)
  const { page } = await setup.visitor()
  await page.goto(address ?? '')
  await page.keyboard.press('Tab')
  await page.getByRole('link', { name: 'Skip to content' }).press('Enter')
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('document')
  for (const path of ['/help', '/help/page', '/help/blueprints']) {
    await page.goto(setup.url + path)
    expect(await wrongLooks(page, () => page.locator('h1').waitFor()), path).toEqual([])
  }
})

test('an address without a page says so and leads back', async () => {
  const { page } = await setup.ada()
  for (const path of ['/nowhere', '/w/north-wind/nowhere', '/w/somebody-elses/agents/mail']) {
    await page.goto(setup.url + path)
    expect(await wrongLooks(page, () => page.getByRole('heading', { name: 'Page not found' }).waitFor()), path).toEqual(
      [],
    )
    await page.locator('nav', { hasText: 'Alerts' }).waitFor({ state: 'attached' })
  }
  await page.goto(`${setup.url}/w/somebody-elses`)
  await page.getByRole('heading', { name: 'Page not found' }).waitFor()
  await page.getByRole('link', { name: 'Back to agents' }).click()
  await page.waitForURL('**/w/north-wind')
})

test('axe finds nothing in light and dark, and nothing is wider than 360 pixels', async () => {
  const { page } = await setup.visitor()
  for (const path of ['/sign-in', '/forgot', '/start?token=none', '/link?token=none', '/invitation/none', '/nowhere']) {
    await page.goto(setup.url + path)
    expect(await wrongLooks(page, () => page.locator('h1').waitFor(), [360]), path).toEqual([])
  }
})

const subscriptionOf = (endpoint: string) => ({
  endpoint,
  expirationTime: null,
  keys: { p256dh: createECDH('prime256v1').generateKeys('base64url'), auth: randomBytes(16).toString('base64url') },
})

/** Gives the page the permission to notify, and this subscription. */
const subscribesTo = (page: Page, subscription: ReturnType<typeof subscriptionOf>) =>
  page.evaluate((given) => {
    Notification.requestPermission = async () => 'granted'
    PushManager.prototype.subscribe = async () => ({ ...given, toJSON: () => given }) as unknown as PushSubscription
  }, subscription)

/** The parts of the page's service worker that the next tests use. */
interface Worker {
  shown: Promise<{ title: string; tag: string; data: { url: string } }>
  registration: { showNotification: (title: string, options: object) => Promise<void> }
  clients: { openWindow: (url: string) => Promise<void> }
  dispatchEvent: (event: Event) => void
}

// The test browser can neither show a notification nor reach a push service. So the test records the notification that
// the service worker wants to show, and simulates the click on it. The browser itself delivers the push event.
test('the page can be installed; a browser is notified after one press, and its worker shows a message and opens its link, but never answers for the service', async () => {
  const { context, page, call } = await setup.ada({ own: true })
  await call('POST', '/api/web/w/north-wind/agents', { name: 'mail-triage' })
  await page.goto(`${setup.url}/w/north-wind`)
  const debug = await context.newCDPSession(page)
  const { url, errors, data = '' } = await debug.send('Page.getAppManifest')
  expect([url, errors]).toEqual([`${setup.url}/manifest.webmanifest`, []])
  const { icons } = JSON.parse(data) as { icons: { src: string; purpose?: string }[] }
  expect(icons.map(({ purpose }) => purpose)).toContain('maskable')
  for (const { src } of icons) expect((await page.request.get(setup.url + src)).status(), src).toBe(200)

  const registered = new Promise<string>((found) => {
    debug.on('ServiceWorker.workerRegistrationUpdated', ({ registrations: [one] }) => one && found(one.registrationId))
  })
  await debug.send('ServiceWorker.enable')
  // The test browser cannot ask the person for a permission, and it has no push service. So the test replaces the
  // function that asks for the permission and the function that subscribes to push messages.
  const button = page.getByRole('button', { name: 'Notify this browser' })
  await page.evaluate(() => {
    Notification.requestPermission = async () => 'denied'
  })
  await button.click()
  await page.getByText('This browser blocks notifications from this page.').waitFor()
  const subscription = subscriptionOf('https://push.example.org/send/ada')
  await subscribesTo(page, subscription)
  await button.click()
  await page.getByText('This browser is notified of alerts from now on.').waitFor()
  await button.waitFor({ state: 'detached' })
  const [mine] = await call<{ kind: string; name: string }[]>('GET', '/api/web/w/north-wind/my-channels')
  expect(mine).toMatchObject({ kind: 'push', name: expect.stringMatching(/^chrome-on-linux-/), enabled: true })
  const worker = context.serviceWorkers()[0] ?? (await context.waitForEvent('serviceworker'))
  await worker.evaluate(() => {
    const self = globalThis as unknown as Worker
    self.shown = new Promise((done) => {
      self.registration.showNotification = async (title, options) =>
        done({ title, ...options } as Awaited<Worker['shown']>)
    })
  })
  const link = `${setup.url}/w/north-wind/agents/mail-triage`
  const message = { title: 'mail-triage has been offline for 10 minutes', body: 'Level Bad.', tag: 'a1', url: link }
  await debug.send('ServiceWorker.deliverPushMessage', {
    origin: setup.url,
    registrationId: await registered,
    data: JSON.stringify(message),
  })
  const shown = await worker.evaluate(() => (globalThis as unknown as Worker).shown)
  expect(shown).toMatchObject({ title: message.title, body: 'Level Bad.', tag: 'a1', data: { url: link } })

  const clicked = (to: string) =>
    worker.evaluate(
      (at) =>
        new Promise<string>((opened) => {
          const self = globalThis as unknown as Worker
          self.clients.openWindow = async (address) => opened(address)
          const notification = { close: () => {}, data: { url: at } }
          self.dispatchEvent(Object.assign(new Event('notificationclick'), { notification, waitUntil: () => {} }))
        }),
      to,
    )
  expect(await clicked('https://elsewhere.example/')).toBe(`${setup.url}/`)
  const answer = await page.goto(await clicked(shown.data.url))
  await page.getByRole('heading', { level: 1, name: 'mail-triage' }).waitFor()
  expect([answer?.fromServiceWorker(), await page.evaluate(() => caches.keys())]).toEqual([false, []])
  const program = await page.request.get(`${setup.url}/push-worker.js`)
  expect(program.headers()).toMatchObject({
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': 'no-cache',
  })
})

test('a browser that replaces its subscription keeps its channel with its preferences; signed out, it asks the person to renew it', async () => {
  const { context, page, call } = await setup.ada({ own: true })
  const path = '/api/web/w/north-wind/my-channels'
  const others = (await call<PersonalChannelRow[]>('GET', path)).map(({ name }) => name)
  const ofThisBrowser = async ({ call: ask } = { call }) =>
    (await ask<PersonalChannelRow[]>('GET', path)).filter(({ name }) => !others.includes(name))
  await page.goto(`${setup.url}/w/north-wind/alerts?tab=mine`)
  const button = page.getByRole('button', { name: 'Notify this browser' })
  await button.waitFor()
  const old = subscriptionOf('https://push.example.org/send/old')
  const fresh = subscriptionOf('https://push.example.org/send/fresh')
  await subscribesTo(page, old)
  await button.click()
  await page.getByText('This browser is notified of alerts from now on.').waitFor()
  const [before] = await ofThisBrowser()
  const quiet = { days: [1, 7], from: '22:00', to: '07:00' }
  const chosen = { rules: ['silent'], pace: 'daily', quiet, badPasses: true }
  await call('PATCH', `${path}/${before?.name}`, chosen)

  const worker = context.serviceWorkers()[0] ?? (await context.waitForEvent('serviceworker'))
  /** Sends the worker the event of a new subscription, and returns the titles of the notifications that it shows. */
  const replaced = (subscriptions: object) =>
    worker.evaluate(async (given) => {
      const self = globalThis as unknown as Worker
      const titles: string[] = []
      self.registration.showNotification = async (title) => void titles.push(title)
      await new Promise<unknown>((done) => {
        const waitUntil = (work: Promise<unknown>) => void work.then(done)
        self.dispatchEvent(Object.assign(new Event('pushsubscriptionchange'), { ...given, waitUntil }))
      })
      return titles
    }, subscriptions)
  expect(await replaced({ oldSubscription: old, newSubscription: fresh })).toEqual([])
  const after = await ofThisBrowser()
  expect(after).toMatchObject([{ ...chosen, kind: 'push', enabled: true, zone: before?.zone }])
  expect(after[0]?.name).not.toBe(before?.name)

  const asked = ['This browser is no longer notified of alerts']
  expect(await replaced({ oldSubscription: old, newSubscription: fresh }), 'no channel has the old one').toEqual(asked)
  expect(await replaced({ oldSubscription: null, newSubscription: fresh }), 'the old one is unknown').toEqual(asked)
  await context.clearCookies()
  expect(await replaced({ oldSubscription: fresh, newSubscription: old }), 'nobody is signed in').toEqual(asked)
  expect(await ofThisBrowser(await setup.ada())).toEqual(after)
})

test('the service gives browsers its key, and takes the subscription of one as a channel of the person', async () => {
  const { call } = await setup.ada()
  const { publicKey } = await call<{ publicKey: string }>('GET', '/api/web/push')
  expect(Buffer.from(publicKey, 'base64url')).toHaveLength(65)
  const secret = JSON.stringify(subscriptionOf('https://push.example.org/send/abc'))
  const channel = { name: 'chrome-on-linux-0a1b', kind: 'push', zone: 'Europe/Berlin' }
  const path = '/api/web/w/north-wind/my-channels'
  const added = await call('POST', path, { ...channel, secret })
  expect(added).toMatchObject({ ...channel, enabled: true, address: 'https://push.example.org/…' })
  await expect(call('POST', path, { ...channel, secret })).rejects.toThrow('channel_taken')
  await expect(call('POST', path, { ...channel, secret: '{}' })).rejects.toThrow("takes a browser's subscription")
  expect(JSON.stringify(await call('GET', path))).not.toContain('send/abc')
})

import { expect, test } from 'vitest'
import { browserName, CannotNotify, type NotifyingBrowser, subscribeBrowser } from './browser.ts'

const publicKey = 'BKO3ZDbkPFwwc-Th10YqOokfPO-K6HQxg5hZbxVhLlIt8FYSIoKn3BZ0mmz2pywrZKnqNAzGB0cEDyJnjOTUbD0'
const userAgent = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
const made = { endpoint: 'https://push.example.org/abc', toJSON: () => ({ endpoint: 'https://push.example.org/abc' }) }

/**
 * Makes a simulated browser that permits everything. `keys` has the length of each key with which the page subscribed.
 */
function browser(more: Partial<NotifyingBrowser> = {}, manager: object = {}) {
  const keys: number[] = []
  const pushManager = {
    getSubscription: async () => null,
    subscribe: async ({ applicationServerKey }: { applicationServerKey: Uint8Array }) => {
      keys.push(applicationServerKey.length)
      return made
    },
    ...manager,
  }
  const registration = { pushManager } as unknown as ServiceWorkerRegistration
  const here: NotifyingBrowser = {
    isSecureContext: true,
    navigator: {
      userAgent,
      serviceWorker: { register: async () => registration, ready: Promise.resolve(registration) },
    },
    Notification: { requestPermission: async () => 'granted' },
    PushManager: class {},
    ...more,
  }
  return { here, keys }
}
const subscribe = (here: NotifyingBrowser) => subscribeBrowser(async () => publicKey, here)
const refuse = (message: string) => async () => {
  throw new DOMException(message, 'AbortError')
}

test('a browser that agrees becomes a channel with its subscription', async () => {
  const { here, keys } = browser()
  expect(await subscribe(here)).toEqual({
    name: 'firefox-on-linux-7628',
    kind: 'push',
    secret: '{"endpoint":"https://push.example.org/abc"}',
  })
  expect(keys).toEqual([65])
})

test('a subscription for the key of the service is kept, and one for another key is replaced', async () => {
  const ended: string[] = []
  const bytes = Uint8Array.from(Buffer.from(publicKey, 'base64url'))
  const before = (applicationServerKey: ArrayBuffer) => ({
    getSubscription: async () => ({
      ...made,
      options: { applicationServerKey },
      unsubscribe: async () => ended.push('ended'),
    }),
  })
  const kept = browser({}, before(bytes.buffer))
  await subscribe(kept.here)
  expect([kept.keys, ended]).toEqual([[], []])
  const replaced = browser({}, before(new ArrayBuffer(65)))
  await subscribe(replaced.here)
  expect([replaced.keys, ended]).toEqual([[65], ['ended']])
})

test.each<[string, Partial<NotifyingBrowser>, object, string]>([
  ['without https', { isSecureContext: false }, {}, 'only from a page at an https:// address'],
  ['without service workers', { navigator: { userAgent } }, {}, 'This browser cannot receive notifications'],
  ['without a push service', { PushManager: undefined }, {}, 'This browser cannot receive notifications'],
  ['that blocks the page', { Notification: { requestPermission: async () => 'denied' } }, {}, 'blocks notifications'],
  ['whose question was closed', { Notification: { requestPermission: async () => 'default' } }, {}, 'choose Allow'],
  [
    'that cannot start the worker',
    { navigator: { userAgent, serviceWorker: { register: refuse('not found'), ready: new Promise(() => {}) } } },
    {},
    'the part of this page that shows notifications: not found.',
  ],
  [
    'whose push service cannot be reached',
    {},
    { subscribe: refuse('push service error') },
    'push service error. Check',
  ],
])('a browser %s says what to do', async (_which, more, manager, says) => {
  const refused = await subscribe(browser(more, manager).here).catch((error: unknown) => error)
  expect(refused).toBeInstanceOf(CannotNotify)
  expect((refused as Error).message).toContain(says)
})

test.each([
  [
    'chrome-on-windows',
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36',
  ],
  [
    'edge-on-windows',
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/141.0.0.0 Safari/537.36 Edg/141.0.0.0',
  ],
  [
    'safari-on-iphone',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 Version/18.5 Mobile/15E148 Safari/604.1',
  ],
  [
    'chrome-on-android',
    'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Mobile Safari/537.36',
  ],
  ['browser-on-another-system', 'curl/8'],
])('a channel is called %s, with an end of its own', async (name, agent) => {
  const names = await Promise.all(['https://a.example/1', 'https://a.example/2'].map((at) => browserName(agent, at)))
  for (const one of names) expect(one).toMatch(new RegExp(`^${name}-[0-9a-f]{4}$`))
  expect(new Set(names).size).toBe(2)
})

/**
 * Makes this browser a channel for alerts of the signed-in person. Errors tell the person what to do, because most
 * causes are in the browser.
 */

import type { PersonalChannelRow } from '@svc/api'
import { ApiError, call } from '../../data/api.ts'
import { addInZone } from '../parts/zone.ts'

const workerPath = '/push-worker.js'

/** The error if this browser cannot receive notifications. Its message is shown to the person as it is. */
export class CannotNotify extends Error {}

/** The parts of a browser that are needed to receive notifications. A browser may lack the optional ones. */
export interface NotifyingBrowser {
  isSecureContext: boolean
  navigator: Pick<Navigator, 'userAgent'> & { serviceWorker?: Pick<ServiceWorkerContainer, 'register' | 'ready'> }
  Notification?: Pick<typeof Notification, 'requestPermission'>
  PushManager?: unknown
}

/** The fields of a new personal channel of the kind `push`, without its time zone. */
interface BrowserChannel {
  name: string
  kind: 'push'
  /** The browser's push subscription as JSON. */
  secret: string
}

/**
 * Adds this browser to the channels of the signed-in person in a workspace, or enables its channel again. Throws
 * CannotNotify or ApiError, each with a message to show. Call it only on a click, because browsers otherwise may not
 * ask for permission.
 */
export async function notifyThisBrowser(slug: string): Promise<PersonalChannelRow> {
  const channel = await subscribeBrowser(async () => (await call('GET /push')).publicKey)
  try {
    return await addInZone((zone) => call('POST /w/:slug/my-channels', { slug }, { ...channel, zone }))
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'channel_taken')) throw error
    return await call('PATCH /w/:slug/my-channels/:channel', { slug, channel: channel.name }, { enabled: true })
  }
}

/**
 * Asks the person for permission to notify, and subscribes this browser at the push service of the browser's maker.
 * `publicKey` requests the key of our service, which the subscription needs.
 */
export async function subscribeBrowser(
  publicKey: () => Promise<string>,
  here: NotifyingBrowser = window,
): Promise<BrowserChannel> {
  const { serviceWorker } = here.navigator
  if (!here.isSecureContext) throw new CannotNotify(refusals.insecure)
  if (!serviceWorker || !here.Notification || !here.PushManager) throw new CannotNotify(refusals.unable)
  const permission = await here.Notification.requestPermission()
  if (permission !== 'granted') throw new CannotNotify(refusals[permission])
  const { pushManager } = await registered(serviceWorker)
  const subscription = await subscribed(pushManager, bytesOf(await publicKey()))
  const secret = JSON.stringify(subscription)
  return { name: await browserName(here.navigator.userAgent, subscription.endpoint), kind: 'push', secret }
}

const refusals = {
  insecure:
    'Browsers accept notifications only from a page at an https:// address. Open this page at one, then try again.',
  unable:
    'This browser cannot receive notifications. On an iPhone or iPad, add this page to the Home Screen, and open it from there.',
  denied:
    'This browser blocks notifications from this page. Allow them in the settings of the browser for this page, then try again.',
  default: 'The browser asked for your permission and did not get it. Try again, and choose Allow.',
} as const

async function registered(container: Pick<ServiceWorkerContainer, 'register' | 'ready'>) {
  try {
    await container.register(workerPath)
  } catch (error) {
    throw new CannotNotify(
      `The browser could not start the part of this page that shows notifications: ${wordsOf(error)}`,
    )
  }
  return await container.ready
}

/**
 * Subscribes this browser to push messages, or returns its present subscription. A subscription made with another key
 * is replaced, because our service cannot send to it.
 */
async function subscribed(manager: PushManager, key: Uint8Array<ArrayBuffer>): Promise<PushSubscription> {
  const before = await manager.getSubscription()
  if (before && isSame(before.options.applicationServerKey, key)) return before
  await before?.unsubscribe()
  try {
    return await manager.subscribe({ userVisibleOnly: true, applicationServerKey: key })
  } catch (error) {
    throw new CannotNotify(
      `The browser could not subscribe at the push service of its maker: ${wordsOf(error)} Check that this network lets the browser reach it, then try again.`,
    )
  }
}

const wordsOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).replace(/\.?$/, '.')

const bytesOf = (base64url: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64url.replace(/-/g, '+').replace(/_/g, '/')), (character) => character.charCodeAt(0))

const isSame = (buffer: ArrayBuffer | null, key: Uint8Array): boolean => {
  const bytes = new Uint8Array(buffer ?? new ArrayBuffer(0))
  return bytes.length === key.length && bytes.every((byte, i) => byte === key[i])
}

/**
 * Makes the name of the channel for a browser, such as `firefox-on-linux-3f2a`. Its end is a short hash of the
 * subscription's address. The service worker (public/push-worker.js) makes the same hash to find the channel of an old
 * subscription.
 */
export async function browserName(userAgent: string, endpoint: string): Promise<string> {
  const first = (words: Readonly<Record<string, RegExp>>, otherwise: string) =>
    Object.entries(words).find(([, pattern]) => pattern.test(userAgent))?.[0] ?? otherwise
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(endpoint)))
  const end = [...hash.subarray(0, 2)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  return `${first(browsers, 'browser')}-on-${first(systems, 'another-system')}-${end}`
}

/** Patterns for user agents, tried in this order, because most browsers also name others in their user agent. */
const browsers = { edge: /Edg/, opera: /OPR\//, firefox: /Firefox|FxiOS/, chrome: /Chrome|CriOS/, safari: /Safari/ }
const systems = {
  android: /Android/,
  iphone: /iPhone/,
  ipad: /iPad/,
  mac: /Mac OS X/,
  windows: /Windows/,
  linux: /Linux/,
}

// Shows the messages that arrive by Web Push, and opens the link of a message that a person clicks. If the browser
// replaces its subscription, the worker renews the channels that used it. It handles no fetch and caches nothing, so the
// page always comes from the service.

const unrenewed = {
  title: 'This browser is no longer notified of alerts',
  body: 'Open the page, then Alerts and For me, and choose “Notify this browser”.',
  tag: 'renew',
  url: '/',
}
const unreadable = { title: 'Something happened to your agents', body: 'Open the page to see what.', tag: '', url: '/' }

self.addEventListener('install', () => self.skipWaiting())
self.addEventListener('push', (event) => event.waitUntil(show(messageOf(event.data))))
self.addEventListener('pushsubscriptionchange', (event) => event.waitUntil(renew(event)))
self.addEventListener('notificationclick', (event) => {
  event.notification.close()
  event.waitUntil(open(event.notification.data.url))
})

/**
 * Reads a pushed message. If the message cannot be read, a general text is returned, because browsers themselves show a
 * warning if a push shows nothing.
 */
function messageOf(data) {
  try {
    return { ...unreadable, ...data.json() }
  } catch {
    return unreadable
  }
}

/**
 * Shows a message as a notification. A later message with the same `tag`, such as one about the same alert, replaces
 * the notification and alerts the person again.
 */
const show = ({ title, body, tag, url }) =>
  self.registration.showNotification(title, {
    body,
    tag,
    renotify: tag !== '',
    icon: '/icon-192.png',
    data: { url },
  })

/**
 * Opens the link of a notification, or the home page if the link leads away from this service. A window that already
 * shows the link is brought to the front.
 */
async function open(link) {
  const { href } = inside(new URL(link, self.location.origin))
  const windows = await self.clients.matchAll({ type: 'window', includeUncontrolled: true })
  const shown = windows.find(({ url }) => url === href)
  await (shown ? shown.focus() : self.clients.openWindow(href))
}

const inside = (url) => (url.origin === self.location.origin ? url : new URL('/', self.location.origin))

/**
 * Replaces the channels that used the old subscription of this browser by channels with a new one. Only a signed-in
 * person can change their channels. If nobody is signed in, or if no channel used the old subscription, a notification
 * asks the person to renew it on the page.
 */
async function renew({ oldSubscription, newSubscription }) {
  try {
    const fresh = newSubscription ?? (await self.registration.pushManager.subscribe(oldSubscription.options))
    const ends = { old: await endOf(oldSubscription.endpoint), fresh: await endOf(fresh.endpoint) }
    const { workspaces } = await request('GET', '/me')
    let renewed = 0
    for (const { slug } of workspaces) {
      const channels = `/w/${slug}/my-channels`
      const own = (await request('GET', channels)).filter(
        ({ kind, name }) => kind === 'push' && name.endsWith(ends.old),
      )
      for (const channel of own) await replace(channels, channel, { ends, secret: JSON.stringify(fresh) })
      renewed += own.length
    }
    if (renewed === 0) await show(unrenewed)
  } catch {
    await show(unrenewed)
  }
}

/** Adds a channel with the new subscription and the preferences of the old channel, then removes the old channel. */
async function replace(channels, old, { ends, secret }) {
  const { kind, zone, rules, pace, quiet, badPasses, disabledBecause } = old
  const name = old.name.slice(0, -ends.old.length) + ends.fresh
  await request('POST', channels, { name, kind, zone, secret })
  // A channel that the service disabled because its subscription ended is enabled again.
  const enabled = old.enabled || disabledBecause !== null
  await request('PATCH', `${channels}/${name}`, { enabled, rules, pace, quiet, badPasses })
  await request('DELETE', `${channels}/${old.name}`)
}

async function request(method, path, body) {
  const response = await fetch(`/api/web${path}`, {
    method,
    headers: { accept: 'application/json', ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })
  if (!response.ok) throw new Error(`The service answered ${response.status}.`)
  return await response.json()
}

/** The end of the name of a channel with this subscription. The page makes the same one in src/alerts/channels/browser.ts. */
async function endOf(endpoint) {
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(endpoint)))
  return [...hash.subarray(0, 2)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

// Shows the messages that arrive by Web Push, and opens the link of a message that a person clicks. The worker handles
// no fetch and caches nothing, so the page always comes from the service.

const unreadable = { title: 'Something happened to your agents', body: 'Open the page to see what.', tag: '', url: '/' }

self.addEventListener('install', () => self.skipWaiting())
self.addEventListener('push', (event) => event.waitUntil(show(messageOf(event.data))))
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

/**
 * Web Push: the message is encrypted for one browser and given to the push service of its maker, which can read only where it
 * goes. The page's service worker (packages/dashboard/public/push-worker.js) shows it.
 */
import { isObject } from '@svc/protocol'
import { type Channel, type Delivery, facts, needed, oneLine } from './call.ts'
import { vapidOf } from './vapid.ts'

/** The keys by which a message is encrypted for one browser (RFC 8291), base64url. */
export interface PushKeys {
  p256dh: string
  auth: string
}

/** All push services take 4,096 bytes after encryption. With the link, this leaves room for texts whose characters JSON escapes. */
const maxTitle = 120
const maxBody = 300
/** A delivery is given up after a day; a browser that was off for longer shows nothing. */
const ttlSeconds = 86_400

/** The fields that the service worker reads. */
interface PushMessage {
  title: string
  body: string
  /** A later message with the same tag takes the place of an earlier one. */
  tag: string
  url: string
}

export const push: Channel = async ({ url, secret }, delivery, key) => {
  const { text } = delivery
  const tag = tagOf(delivery)
  const { default: webPush } = await import('web-push')
  const { endpoint, headers, body } = webPush.generateRequestDetails(
    { endpoint: needed(url, 'endpoint'), keys: JSON.parse(needed(secret, 'keys')) as PushKeys },
    JSON.stringify(messageOf(delivery, tag)),
    {
      vapidDetails: { subject: contactOf(text.url), ...vapidOf(key) },
      TTL: ttlSeconds,
      urgency: text.level === 'bad' ? 'high' : 'normal',
      topic: topicOf(tag),
    },
  )
  const named = Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), String(value)])
  return { method: 'POST', url: endpoint, headers: Object.fromEntries(named), body: body ?? '' }
}

const messageOf = ({ text }: Delivery, tag: string): PushMessage => ({
  title: oneLine(text.title).slice(0, maxTitle).toWellFormed(),
  body: text.lines.length > 0 ? facts(text, maxBody) : '',
  tag,
  url: text.url,
})

/** The id of the alert where the message is about one, otherwise that of the delivery. */
function tagOf({ id, body }: Delivery): string {
  const { data }: { data?: unknown } = JSON.parse(body)
  const list =
    isObject(data) && Array.isArray(data.alerts) ? data.alerts.map((one: { data?: unknown }) => one.data) : [data]
  const [only] = list
  return list.length === 1 && isObject(only) && typeof only.id === 'string' ? only.id : id
}

/** A push service keeps only the newest message of a topic for a browser that is off. A topic has at most 32 characters. */
const topicOf = (tag: string): string => tag.replace(/[^\w]/g, '').slice(-32)

/** How the maker of a browser reaches whoever runs this service; without https they get an address that says so. */
const contactOf = (link: string): string => {
  const { origin, protocol, hostname } = new URL(link)
  return protocol === 'https:' ? origin : `mailto:svc@${hostname}`
}

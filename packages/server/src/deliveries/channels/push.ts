/**
 * Makes requests for Web Push: a message is encrypted for one browser and sent to the push service of that browser's
 * maker, which cannot read it. In the browser the service worker (packages/dashboard/public/push-worker.js) shows the
 * message.
 */

import { cut, isObject } from '@svc/protocol'
import { domainOfMails } from '../../platform/mail-host.ts'
import { type Delivery, factLines, type MakeRequest, oneLine, requireValue } from './call.ts'
import { vapidOf } from './vapid.ts'

/** The keys with which a message is encrypted for one browser (RFC 8291), in base64url. */
export interface PushKeys {
  p256dh: string
  auth: string
}

/**
 * The maximum lengths of title and text. All push services accept 4,096 bytes after encryption, which suffices for
 * these lengths and a link, even if JSON has to escape every character.
 */
const maxTitle = 120
const maxBody = 300
/**
 * The seconds for which a push service keeps a message for a browser that is off. After the same time, a day, this
 * service gives up a delivery that was not accepted.
 */
const ttlSeconds = 86_400

/** The message as the page's service worker gets it. */
interface PushMessage {
  title: string
  body: string
  /** The tag of the browser's notification. A later message with the same tag replaces the notification. */
  tag: string
  url: string
}

export const push: MakeRequest = async ({ url, secret }, delivery, key) => {
  const { text } = delivery
  const tag = tagOf(delivery)
  const { default: webPush } = await import('web-push')
  const { endpoint, headers, body } = webPush.generateRequestDetails(
    { endpoint: requireValue(url, 'endpoint'), keys: JSON.parse(requireValue(secret, 'keys')) as PushKeys },
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
  title: cut(oneLine(text.title), maxTitle),
  body: text.lines.length > 0 ? factLines(text, maxBody) : '',
  tag,
  url: text.url,
})

/** The id of the alert if the message is about one alert, otherwise the id of the delivery. */
function tagOf({ id, body }: Delivery): string {
  const { data }: { data?: unknown } = JSON.parse(body)
  const list =
    isObject(data) && Array.isArray(data.alerts) ? data.alerts.map((one: { data?: unknown }) => one.data) : [data]
  const [only] = list
  return list.length === 1 && isObject(only) && typeof only.id === 'string' ? only.id : id
}

/**
 * The topic of a message, of at most 32 characters. While a browser is off, its push service keeps only the newest
 * message of each topic.
 */
const topicOf = (tag: string): string => tag.replace(/[^\w]/g, '').slice(-32)

/**
 * The address at which the maker of a browser can reach the operator. Makers accept only https or mailto addresses, so
 * a service without https gives a mailto address that does not exist.
 */
const contactOf = (link: string): string => {
  const { origin, protocol } = new URL(link)
  return protocol === 'https:' ? origin : `mailto:svc@${domainOfMails(link)}`
}

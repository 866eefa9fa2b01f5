import { cut } from '@svc/protocol'
import { addressBelow, type Channel, factLines, jsonCall, mustHave, oneLine } from './call.ts'

const server = 'https://api.pushover.net'
const [maxTitle, maxMessage] = [250, 1024]

/** Makes a request for Pushover, which shows text without markup unless `html` or `monospace` is set. */
export const pushover: Channel = ({ url = server, to, secret }, { text }) =>
  jsonCall(addressBelow(url, '1/messages.json'), {
    token: mustHave(secret, 'token'),
    user: mustHave(to, 'user'),
    title: cut(oneLine(text.title), maxTitle),
    message: factLines(text, maxMessage),
    url: text.url,
    priority: text.level === 'bad' ? 1 : text.level === 'warn' ? 0 : -1,
  })

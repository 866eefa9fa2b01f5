import { cut } from '@svc/protocol'
import { addressBelow, factLines, jsonCall, type MakeRequest, oneLine, requireValue } from './call.ts'

const server = 'https://api.pushover.net'
const [maxTitle, maxMessage] = [250, 1024]

/** Makes a request for Pushover, which shows text without markup unless `html` or `monospace` is set. */
export const pushover: MakeRequest = ({ url = server, to, secret }, { text }) =>
  jsonCall(addressBelow(url, '1/messages.json'), {
    token: requireValue(secret, 'token'),
    user: requireValue(to, 'user'),
    title: cut(oneLine(text.title), maxTitle),
    message: factLines(text, maxMessage),
    url: text.url,
    priority: text.level === 'bad' ? 1 : text.level === 'warn' ? 0 : -1,
  })

import { cut } from '@svc/protocol'
import { below, type Channel, facts, json, needed, oneLine } from './call.ts'

const server = 'https://api.pushover.net'
const [maxTitle, maxMessage] = [250, 1024]

/** Makes a request for Pushover, which shows text without markup unless `html` or `monospace` is set. */
export const pushover: Channel = ({ url = server, to, secret }, { text }) =>
  json(below(url, '1/messages.json'), {
    token: needed(secret, 'token'),
    user: needed(to, 'user'),
    title: cut(oneLine(text.title), maxTitle),
    message: facts(text, maxMessage),
    url: text.url,
    priority: text.level === 'bad' ? 1 : text.level === 'warn' ? 0 : -1,
  })

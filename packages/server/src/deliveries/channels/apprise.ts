import { type Channel, json, needed, oneLine, plain } from './call.ts'

const max = 10_000

/**
 * Sends to a server of Apprise, which forwards to about a hundred other services. The address contains the key of the
 * configuration that says where to.
 */
export const apprise: Channel = ({ url }, { text }) =>
  json(needed(url, 'address'), {
    title: oneLine(text.title),
    body: plain(text, max),
    type: text.level === 'bad' ? 'failure' : text.level === 'warn' ? 'warning' : 'success',
    format: 'text',
  })

import { type Channel, json, needed, oneLine, plain } from './call.ts'

const max = 10_000

/**
 * Sends a message to an Apprise server, which forwards it to about a hundred other services. The address of the channel
 * contains the key of the Apprise configuration that names the receivers.
 */
export const apprise: Channel = ({ url }, { text }) =>
  json(needed(url, 'address'), {
    title: oneLine(text.title),
    body: plain(text, max),
    type: text.level === 'bad' ? 'failure' : text.level === 'warn' ? 'warning' : 'success',
    format: 'text',
  })

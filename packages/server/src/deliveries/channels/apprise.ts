import { type Channel, json, needed, oneLine, plain } from './call.ts'

const max = 10_000

/** A server of Apprise, which knows a hundred other services. The key of its configuration is part of the address. */
export const apprise: Channel = ({ url }, { text }) =>
  json(needed(url, 'address'), {
    title: oneLine(text.title),
    body: plain(text, max),
    type: text.level === 'bad' ? 'failure' : text.level === 'warn' ? 'warning' : 'success',
    format: 'text',
  })

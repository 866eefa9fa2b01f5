import { below, type Channel, facts, json, needed, oneLine } from './call.ts'

const max = 10_000

export const gotify: Channel = ({ url, secret }, { text }) =>
  json(
    below(needed(url, 'server'), 'message'),
    {
      title: oneLine(text.title),
      message: facts(text, max),
      priority: text.level === 'bad' ? 8 : text.level === 'warn' ? 5 : 2,
      extras: {
        'client::display': { contentType: 'text/plain' },
        'client::notification': { click: { url: text.url } },
      },
    },
    { 'x-gotify-key': needed(secret, 'token') },
  )

import { addressBelow, type Channel, factLines, jsonCall, mustHave, oneLine } from './call.ts'

const max = 10_000

export const gotify: Channel = ({ url, secret }, { text }) =>
  jsonCall(
    addressBelow(mustHave(url, 'server'), 'message'),
    {
      title: oneLine(text.title),
      message: factLines(text, max),
      priority: text.level === 'bad' ? 8 : text.level === 'warn' ? 5 : 2,
      extras: {
        'client::display': { contentType: 'text/plain' },
        'client::notification': { click: { url: text.url } },
      },
    },
    { 'x-gotify-key': mustHave(secret, 'token') },
  )

import { addressBelow, factLines, jsonCall, type MakeRequest, oneLine, requireValue } from './call.ts'

const max = 10_000

export const gotify: MakeRequest = ({ url, secret }, { text }) =>
  jsonCall(
    addressBelow(requireValue(url, 'server'), 'message'),
    {
      title: oneLine(text.title),
      message: factLines(text, max),
      priority: text.level === 'bad' ? 8 : text.level === 'warn' ? 5 : 2,
      extras: {
        'client::display': { contentType: 'text/plain' },
        'client::notification': { click: { url: text.url } },
      },
    },
    { 'x-gotify-key': requireValue(secret, 'token') },
  )

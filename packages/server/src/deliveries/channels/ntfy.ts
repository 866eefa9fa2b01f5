import { cut } from '@svc/protocol'
import { factLines, type MakeRequest, oneLine, requireValue, userAgentName } from './call.ts'

const max = 3500
const maxTitle = 200
const priorities = { bad: '4', warn: '3' } as const

/**
 * Makes a request for ntfy, whose topic is part of the address. HTTP headers allow only ASCII, so a title with other
 * characters is encoded by RFC 2047.
 */
export const ntfy: MakeRequest = ({ url, secret }, { text }) => ({
  method: 'POST',
  url: requireValue(url, 'address'),
  headers: {
    'content-type': 'text/plain; charset=utf-8',
    'user-agent': userAgentName,
    title: encodeHeader(cut(oneLine(text.title), maxTitle)),
    priority: text.level === null ? '2' : priorities[text.level],
    click: encodeURI(text.url),
    ...(secret !== undefined && { authorization: `Bearer ${secret}` }),
  },
  body: factLines(text, max),
})

const encodeHeader = (text: string): string =>
  /^[\x20-\x7e]*$/.test(text) && !text.startsWith('=?') ? text : `=?UTF-8?B?${Buffer.from(text).toString('base64')}?=`

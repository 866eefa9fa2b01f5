import { jsonCall, type MakeRequest, oneLine, plainMessage, requireValue } from './call.ts'

const max = 10_000

/**
 * Makes a request for an Apprise server, which forwards it to about a hundred other services. The address of the
 * channel contains the key of the Apprise configuration that names the receivers.
 */
export const apprise: MakeRequest = ({ url }, { text }) =>
  jsonCall(requireValue(url, 'address'), {
    title: oneLine(text.title),
    body: plainMessage(text, max),
    type: text.level === 'bad' ? 'failure' : text.level === 'warn' ? 'warning' : 'success',
    format: 'text',
  })

import { addressBelow, jsonCall, type MakeRequest, plainMessage, requireValue } from './call.ts'

const server = 'https://api.telegram.org'
const max = 4096

/** Makes a request for Telegram, which shows text without markup unless `parse_mode` is set. */
export const telegram: MakeRequest = ({ url = server, to, secret }, { text }) =>
  jsonCall(addressBelow(url, `bot${requireValue(secret, 'token')}/sendMessage`), {
    chat_id: requireValue(to, 'chat'),
    text: plainMessage(text, max),
    link_preview_options: { is_disabled: true },
  })

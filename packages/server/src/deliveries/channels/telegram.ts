import { below, type Channel, json, needed, plain } from './call.ts'

const server = 'https://api.telegram.org'
const max = 4096

/** Makes a request for Telegram, which shows text without markup unless `parse_mode` is set. */
export const telegram: Channel = ({ url = server, to, secret }, { text }) =>
  json(below(url, `bot${needed(secret, 'token')}/sendMessage`), {
    chat_id: needed(to, 'chat'),
    text: plain(text, max),
    link_preview_options: { is_disabled: true },
  })

import { jsonCall, type MakeRequest, plainMessage, requireValue } from './call.ts'

const max = 2000
/** Discord's flag for messages whose links get no preview. */
const suppressEmbeds = 1 << 2

/** Escapes every character that Discord could take for markup, a mention, or a link with another text. */
const escaped = (text: string): string => text.replace(/[\\*_~`|>#[\]()<@]/g, '\\$&')

/**
 * Makes a request for Discord. The request allows no mentions, so text from an agent notifies nobody even if the
 * escaping misses something.
 */
export const discord: MakeRequest = ({ url }, { text }) =>
  jsonCall(requireValue(url, 'address'), {
    content: plainMessage(text, max, escaped),
    allowed_mentions: { parse: [] },
    flags: suppressEmbeds,
  })

import { type Channel, json, needed, plain } from './call.ts'

const max = 2000
/** No preview of the link. */
const suppressEmbeds = 1 << 2

/** Every character that Discord could take for markup, a mention or a link with another text. */
const escaped = (text: string): string => text.replace(/[\\*_~`|>#[\]()<@]/g, '\\$&')

/** A mention in a text of an agent calls nobody, whatever the escaping lets through. */
export const discord: Channel = ({ url }, { text }) =>
  json(needed(url, 'address'), {
    content: plain(text, max, escaped),
    allowed_mentions: { parse: [] },
    flags: suppressEmbeds,
  })

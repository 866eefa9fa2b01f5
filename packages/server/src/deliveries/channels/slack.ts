import { type Channel, json, needed, plain } from './call.ts'

const max = 4000

/**
 * Escapes text for Slack. The request switches Slack's markup off, but Slack still reads `<…>` as a link or mention.
 */
const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

export const slack: Channel = ({ url }, { text }) =>
  json(needed(url, 'address'), {
    text: plain(text, max, escaped),
    mrkdwn: false,
    link_names: false,
    unfurl_links: false,
    unfurl_media: false,
  })

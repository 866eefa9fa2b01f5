import { type Channel, json, needed, plain } from './call.ts'

const max = 4000

/** Slack reads `<…>` as links and mentions, and nothing else once its markup is switched off. */
const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

export const slack: Channel = ({ url }, { text }) =>
  json(needed(url, 'address'), {
    text: plain(text, max, escaped),
    mrkdwn: false,
    link_names: false,
    unfurl_links: false,
    unfurl_media: false,
  })

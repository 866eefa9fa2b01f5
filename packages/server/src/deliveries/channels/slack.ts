import { jsonCall, type MakeRequest, plainMessage, requireValue } from './call.ts'

const max = 4000

/**
 * Escapes text for Slack. The request switches Slack's markup off, but Slack still reads `<…>` as a link or mention.
 */
const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

export const slack: MakeRequest = ({ url }, { text }) =>
  jsonCall(requireValue(url, 'address'), {
    text: plainMessage(text, max, escaped),
    mrkdwn: false,
    link_names: false,
    unfurl_links: false,
    unfurl_media: false,
  })

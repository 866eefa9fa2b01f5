import { jsonCall, type MakeRequest, oneLine, requireValue } from './call.ts'

/**
 * Returns one line as a text run, in which Teams shows Markdown characters as they are. In a text block they would
 * change the format.
 */
const line = (text: string, weight: 'bolder' | 'default') => ({
  type: 'RichTextBlock',
  inlines: [{ type: 'TextRun', text: oneLine(text), weight }],
})

export const teams: MakeRequest = ({ url }, { text }) => {
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: [line(text.title, 'bolder'), ...text.lines.map((one) => line(one, 'default'))],
    actions: [{ type: 'Action.OpenUrl', title: 'Open', url: text.url }],
  }
  const card = { contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content }
  return jsonCall(requireValue(url, 'address'), { type: 'message', attachments: [card] })
}

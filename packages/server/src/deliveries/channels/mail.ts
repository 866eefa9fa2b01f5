/**
 * Makes a mail from a message: plain text, escaped HTML, and headers that tell mail programs that a machine wrote it.
 * Pure.
 */
import { oneLine, type Text } from './call.ts'

interface Mail {
  subject: string
  text: string
  html: string
  headers: Record<string, string>
}

const maxSubject = 200

interface MailParts {
  /** The id of the delivery, which is the same on every try. */
  id: string
  text: Text
  /** The origin of the service. */
  baseUrl: string
  /**
   * The address of the page on which the person chooses what to receive. Opening it changes nothing, since only a
   * button on the page does.
   */
  settingsUrl: string
}

export function mailOf({ id, text, baseUrl, settingsUrl }: MailParts): Mail {
  const lines = [text.title, ...text.lines].map(oneLine)
  const said = lines.map((line) => `<p>${escaped(line)}</p>`).join('\n')
  return {
    subject: oneLine(text.title).slice(0, maxSubject).toWellFormed(),
    text: `${lines.join('\n\n')}\n\n${text.url}\n\n-- \nChoose what you hear about: ${settingsUrl}\n`,
    html: `<!doctype html>\n<html><body>\n${said}\n<p><a href="${escaped(text.url)}">${escaped(text.url)}</a></p>\n<p><small><a href="${escaped(settingsUrl)}">Choose what you hear about</a></small></p>\n</body></html>\n`,
    headers: {
      'Message-ID': `<${id}@${new URL(baseUrl).hostname}>`,
      'Auto-Submitted': 'auto-generated',
      'List-Unsubscribe': `<${settingsUrl}>`,
    },
  }
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character] ?? character)

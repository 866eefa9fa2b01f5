/**
 * Makes a mail from a message: plain text, escaped HTML, and headers that tell mail programs that a machine wrote it.
 * Pure.
 */

import { cut } from '@svc/protocol'
import { hostOfMails } from '../../platform/mail-host.ts'
import { type MessageText, oneLine } from './call.ts'

export interface Mail {
  subject: string
  text: string
  html: string
  /** The Message-ID of the mail, made from the id of its delivery, so that it is the same on every try. */
  messageId: string
  headers: Record<string, string>
}

const maxSubject = 200

interface MailParts {
  /** The id of the delivery, which is the same on every try. */
  id: string
  text: MessageText
  /** The origin of the service. */
  baseUrl: string
  /**
   * The address of the page on which people choose which messages they receive. Opening that page changes nothing; only
   * a button on it does. Undefined for mails about accounts.
   */
  settingsUrl?: string
}

export function mailOf({ id, text, baseUrl, settingsUrl }: MailParts): Mail {
  const lines = [text.title, ...text.lines].map(oneLine)
  const said = lines.map((line) => `<p>${escapeHtml(line)}</p>`).join('\n')
  return {
    subject: cut(oneLine(text.title), maxSubject),
    text: `${lines.join('\n\n')}\n\n${text.url}\n${settingsUrl ? `\n-- \n${chooseText}: ${settingsUrl}\n` : ''}`,
    html: `<!doctype html>\n<html><body>\n${said}\n<p>${link(text.url, text.url)}</p>\n${settingsUrl ? `<p><small>${link(settingsUrl, chooseText)}</small></p>\n` : ''}</body></html>\n`,
    messageId: `<${id}@${hostOfMails(baseUrl)}>`,
    headers: {
      'Auto-Submitted': 'auto-generated',
      ...(settingsUrl && { 'List-Unsubscribe': `<${settingsUrl}>` }),
    },
  }
}

const chooseText = 'Choose what you are notified about'
const link = (url: string, said: string) => `<a href="${escapeHtml(url)}">${escapeHtml(said)}</a>`

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character] ?? character)

/**
 * Answers a person's browser with a small page instead of the JSON error that programs get. It is used where the page
 * of the service itself cannot be shown.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { endAfterReading } from './body.ts'

interface PersonPage {
  title: string
  /** Paragraphs of plain text. */
  lines: readonly string[]
  /** A link below the paragraphs. */
  link?: string
}

/** True for the request of a browser that wants to show a page. Programs ask for JSON, or for anything. */
export const wantsPage = ({ method, headers }: IncomingMessage): boolean =>
  (method === 'GET' || method === 'HEAD') && /\btext\/html\b/i.test(headers.accept ?? '')

/** Sends the page and closes the connection. */
export function sendPage(req: IncomingMessage, res: ServerResponse, status: number, page: PersonPage): void {
  if (res.headersSent || res.destroyed) return
  const { html, headers } = pageParts(page)
  res.writeHead(status, { ...headers, connection: 'close' })
  endAfterReading(req, res, html)
}

/** The body and the headers of an answer with the page. */
export function pageParts(page: PersonPage): { html: string; headers: Record<string, string> } {
  const html = htmlOf(page)
  return { html, headers: pageHeaders(html) }
}

/** The whole response with the page as text, for a connection on which Node's parser has read no request. */
export function rawPage(status: string, page: PersonPage): string {
  const { html, headers } = pageParts(page)
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${status}\r\n${lines.join('')}connection: close\r\n\r\n${html}`
}

/** Like `wantsPage`, for the first bytes of a request that Node's parser did not read. */
export const rawWantsPage = (bytes: Buffer | undefined): boolean =>
  bytes !== undefined && /^(?:GET|HEAD) .*?\r\naccept:[^\r\n]*\btext\/html\b/is.test(bytes.toString('latin1'))

/** The headers of an answer with this HTML, which has no script and loads nothing. */
const pageHeaders = (html: string): Record<string, string> => ({
  'content-type': 'text/html; charset=utf-8',
  'content-length': String(Buffer.byteLength(html)),
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
})

const htmlOf = ({ title, lines, link }: PersonPage): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
${lines.map((line) => `<p>${escapeHtml(line)}</p>\n`).join('')}${link === undefined ? '' : `<p><a href="${escapeHtml(link)}">${escapeHtml(link)}</a></p>\n`}</main>
</body>
</html>
`

const style =
  ':root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;margin:0}main{max-width:40rem;margin:12vh auto;padding:0 1.25rem}h1{font-size:1.4rem}'

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => entities[character] ?? character)

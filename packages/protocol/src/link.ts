import { limits } from './limits.ts'

/** What a link may hold besides its characters' meaning: no space, control or backslash (D21). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: finding control characters is its purpose
const forbidden = /[\s\u0000-\u001f\u007f-\u009f\\]/

/**
 * D21: a link is kept if it starts with a literal `http://` or `https://`, parses, names a host, holds no user
 * information, no space, control or backslash, and is no longer than 2000 characters. Anything else is no link.
 */
export function isLink(text: string): boolean {
  if (!text.startsWith('http://') && !text.startsWith('https://')) return false
  if (text.length > limits.url || forbidden.test(text)) return false
  const url = parse(text)
  return url !== undefined && url.hostname !== '' && url.username === '' && url.password === '' && !hasUserInfo(text)
}

/** `http://@host/` parses with an empty user name; the contract's readers still see an `@` before the host. */
function hasUserInfo(text: string): boolean {
  const rest = text.slice(text.indexOf('//') + 2)
  const authority = rest.split(/[/?#]/, 1)[0] ?? ''
  return authority.includes('@')
}

function parse(text: string): URL | undefined {
  try {
    return new URL(text)
  } catch {
    return undefined
  }
}

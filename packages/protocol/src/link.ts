import { limits } from './limits.ts'
import { cut } from './text.ts'

/**
 * What can be said of a link (D21) by a pattern alone: a literal `http://` or `https://`, a host, no user information, no
 * space, control, backslash or lone surrogate.
 */
const unfit = '\\s\\\\\\u0000-\\u001f\\u007f-\\u009f\\ud800-\\udfff'
export const linkPattern = `^https?://[^/?#@${unfit}]+([/?#][^${unfit}]*)?$`
const shape = new RegExp(linkPattern, 'u')

/** Most links: hosts of labels that begin and end with a letter, which without punycode always parse, and ASCII after them. */
const plain =
  /^https?:\/\/(?!xn--|[^/?#]*\.xn--)[a-z](?:[a-z0-9-]*[a-z])?(?:\.[a-z](?:[a-z0-9-]*[a-z])?)*(?:[/?#][!-[\]-~]*)?$/

/**
 * D21: besides its shape a link parses as a URL and is no longer than 2000 characters. A text of this shape that parses
 * has a host and no user, so there is no need to build the URL.
 */
export function isLink(text: string): boolean {
  if (text.length <= limits.url && plain.test(text)) return true
  return shape.test(text) && cut(text, limits.url) === text && URL.canParse(text)
}

import { limits } from './limits.ts'
import { cut } from './text.ts'

/** The characters that no link may contain, for use in a pattern: space, backslash, controls and lone surrogates. */
const unfit = '\\s\\\\\\u0000-\\u001f\\u007f-\\u009f\\ud800-\\udfff'
/**
 * The part of the rule for links (D21) that a pattern can express: a literal `http://` or `https://`, a host, no user
 * information, no space, control, backslash or lone surrogate.
 */
export const linkPattern = `^https?://[^/?#@${unfit}]+([/?#][^${unfit}]*)?$`
const shape = new RegExp(linkPattern, 'u')

/**
 * A cheap pattern that most links match, so that no URL has to be parsed for them. It allows only hosts whose labels
 * begin and end with a letter and are not punycode, and ASCII after the host. Everything that matches is known to
 * parse.
 */
const plain =
  /^https?:\/\/(?!xn--|[^/?#]*\.xn--)[a-z](?:[a-z0-9-]*[a-z])?(?:\.[a-z](?:[a-z0-9-]*[a-z])?)*(?:[/?#][!-[\]-~]*)?$/

/**
 * True for a link (D21): it matches `linkPattern`, parses as a URL and has at most 2,000 characters. A text that
 * matches and parses has a host and no user, so no URL object is built.
 */
export function isLink(text: string): boolean {
  if (text.length <= limits.url && plain.test(text)) return true
  return shape.test(text) && cut(text, limits.url) === text && URL.canParse(text)
}

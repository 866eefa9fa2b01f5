import { limits } from './limits.ts'
import { cut } from './text.ts'

/**
 * The characters that no link may contain, written for use in a pattern: white space, backslash, control characters and
 * lone surrogates.
 */
const forbiddenCharacters = '\\s\\\\\\u0000-\\u001f\\u007f-\\u009f\\ud800-\\udfff'
/**
 * The part of the rule for links (D21) that a pattern can express. A link begins with `http://` or `https://` in lower
 * case, has a host but no user information, and contains no character of `forbiddenCharacters`.
 */
export const linkPattern = `^https?://[^/?#@${forbiddenCharacters}]+([/?#][^${forbiddenCharacters}]*)?$`
const linkShape = new RegExp(linkPattern, 'u')

/**
 * A pattern that most links match, and that is cheaper than parsing a URL. It allows only hosts whose labels begin and
 * end with a letter and are not punycode, and only ASCII after the host. Every text that matches is a valid URL.
 */
const plain =
  /^https?:\/\/(?!xn--|[^/?#]*\.xn--)[a-z](?:[a-z0-9-]*[a-z])?(?:\.[a-z](?:[a-z0-9-]*[a-z])?)*(?:[/?#][!-[\]-~]*)?$/

/** A simpler pattern, for hosts of letters only. It takes two thirds of the time of `plain`. */
const simpleLinkPattern = /^https?:\/\/[a-z]+(?:\.[a-z]+)*(?:[/?#][!-[\]-~]*)?$/

/** True if a text is a link (D21): it matches `linkPattern`, parses as a URL, and has at most 2,000 characters. */
export function isLink(text: string): boolean {
  if (text.length <= limits.url && (simpleLinkPattern.test(text) || plain.test(text))) return true
  return linkShape.test(text) && cut(text, limits.url) === text && URL.canParse(text)
}

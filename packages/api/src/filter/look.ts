/**
 * Makes texts that look alike equal. Phones, chats and word processors replace some characters by similar ones, so a
 * filter treats similar characters as the same, in filters and in what agents report.
 */
import { replaceHidden } from '@svc/protocol'

/** The character that replaces each UTF-16 unit of an invisible character. */
export const hiddenMark = '\u200b'

/** The similar characters for each character that has a meaning in a filter. */
const lookalikes: Readonly<Record<string, string>> = {
  '"': '“”„‟«»″‶〝〞〟「」『』｢｣﹁﹂﹃﹄❝❞ʺ˝',
  "'": '‘’‚‛‹›′‵ʹʻʼʽ´❛❜',
  ':': '﹕︓∶꞉ː˸',
  ',': '，﹐︐、､،',
  '-': '‐‑‒–—―−﹣⁃',
  '*': '﹡∗⁎✱',
  '<': '﹤',
  '>': '﹥',
  '=': '﹦',
}
const plainCharacters = new Map(
  Object.entries(lookalikes).flatMap(([sign, others]) => [...others].map((other) => [other, sign])),
)
const otherCharacter = new RegExp(
  `[${[...plainCharacters.keys()].join('').replace(/[\\\]^-]/g, '\\$&')}\uff01-\uff5e]`,
  'g',
)
const isPlain = /^[ -~]*$/

/** The plain character for a similar one in `lookalikes`, or for a full-width one. */
const plainCharacter = (sign: string): string =>
  plainCharacters.get(sign) ?? String.fromCharCode(sign.charCodeAt(0) - 0xfee0)

/** A text with plain characters, and with `hiddenMark` for invisible ones. Every character keeps its position. */
export const plainText = (text: string): string =>
  isPlain.test(text) ? text : replaceHidden(text, hiddenMark).replace(otherCharacter, plainCharacter)

/** The form in which texts are compared. Texts that look the same have the same form. */
export function foldedText(text: string): string {
  if (isPlain.test(text)) return text.toLowerCase()
  const shown = plainText(text.normalize('NFC')).replaceAll(hiddenMark, '').replace(/\s/g, ' ')
  return shown.toLowerCase().normalize('NFC')
}

/** The words that somebody typed into a search, in the form in which texts are compared. */
export const typedWords = (typed: string): string[] => foldedText(typed).split(/\s+/).filter(Boolean)

/** Makes the test of a search: true if the texts together contain each typed word, in any order. */
export function wordSearch(typed: string): (texts: readonly unknown[]) => boolean {
  const words = typedWords(typed)
  if (words.length === 0) return () => true
  return (texts) => {
    const whole = foldedText(texts.join(' '))
    return words.every((word) => whole.includes(word))
  }
}

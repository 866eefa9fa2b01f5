/**
 * The look of texts. Phones, chats and word processors replace some characters by similar ones. A filter treats both as
 * the same, in what people type and in what agents report.
 */
import { replaceHidden } from '@svc/protocol'

/** The character that stands for each UTF-16 unit of an invisible one. */
export const hiddenMark = '\u200b'

/** For each character that has a meaning in a filter, the characters that look like it or stand for it. */
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

/** The plain character for a wide one, or for one that looks like it. */
const plainCharacter = (sign: string): string =>
  plainCharacters.get(sign) ?? String.fromCharCode(sign.charCodeAt(0) - 0xfee0)

/** A text with plain characters, and with `hiddenMark` for invisible ones. Every character keeps its position. */
export const plainText = (text: string): string =>
  isPlain.test(text) ? text : replaceHidden(text, hiddenMark).replace(otherCharacter, plainCharacter)

/** The form of a text in which texts are compared: texts that look the same are equal in it. */
export function foldedText(text: string): string {
  if (isPlain.test(text)) return text.toLowerCase()
  const shown = plainText(text.normalize('NFC')).replaceAll(hiddenMark, '').replace(/\s/g, ' ')
  return shown.toLowerCase().normalize('NFC')
}

/** The words that somebody typed into a search, in the form in which texts are compared. */
export const typedWords = (typed: string): string[] => foldedText(typed).split(/\s+/).filter(Boolean)

/** Makes the test of a search: true if the texts together hold each typed word, in any order. */
export function wordSearch(typed: string): (texts: readonly unknown[]) => boolean {
  const words = typedWords(typed)
  if (words.length === 0) return () => true
  return (texts) => {
    const whole = foldedText(texts.join(' '))
    return words.every((word) => whole.includes(word))
  }
}

/**
 * Reads identifiers that people paste: addresses, names, codes, tokens and links. Chat programs and web pages add
 * characters that nobody sees. They are removed at the ends of an identifier and refused inside it, so that two
 * identifiers with the same look are the same.
 */
import type { Verdict } from './refusals.ts'
import { shown } from './text.ts'

/** Format characters that are visible: marks around a number or a word in Arabic, Syriac and Kaithi. */
const visibleFormats = '\\u0600-\\u0605\\u06dd\\u070f\\u0890\\u0891\\u08e2\\u{110bd}\\u{110cd}'
/** Blanks that Unicode classes as letters, marks or symbols. */
const blankCharacters = '\\u2800\\ufffc\\u{1107f}\\u{13441}\\u{13442}\\u{16fe4}\\u{1d159}'
const invisiblePattern = `(?![${visibleFormats}])[\\p{Cf}\\p{Cs}\\p{Default_Ignorable_Code_Point}\\p{Noncharacter_Code_Point}${blankCharacters}]`
/** The characters that nobody sees. A plain space is not one of them, since it is seen between two words. */
const hiddenPattern = new RegExp(`(?! )(?:[\\p{Cc}\\s]|${invisiblePattern})`, 'u')
const hiddenCharacters = new RegExp(hiddenPattern.source, 'gu')

/** The maximum number of characters that a refusal quotes in front of the hidden one. */
const maxQuoted = 40

/** The text without white space, control characters and invisible characters at its ends. */
export function trimInvisible(text: string): string {
  let [start, end] = [0, text.length]
  while (start < end) {
    const character = String.fromCodePoint(text.codePointAt(start) as number)
    if (character !== ' ' && !hiddenPattern.test(character)) break
    start += character.length
  }
  while (end > start) {
    const at =
      isLow(text.charCodeAt(end - 1)) && end - 2 >= start && isHigh(text.charCodeAt(end - 2)) ? end - 2 : end - 1
    const character = text.slice(at, end)
    if (character !== ' ' && !hiddenPattern.test(character)) break
    end = at
  }
  return text.slice(start, end)
}

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff
const isLow = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff

const hiddenGroups = new RegExp(`(?![^\\S\ufeff])(?:\\p{Cc}|${invisiblePattern})`, 'gu')
/**
 * Replaces each invisible UTF-16 unit of a text, apart from spaces, by `veil`. All other units keep their positions.
 */
export const replaceHidden = (text: string, veil: string): string =>
  text.replace(hiddenGroups, (unseen) => veil.repeat(unseen.length))

/** The text without control characters, invisible characters and unusual spaces: what a reader sees of it. */
export const visibleText = (text: string): string => text.replace(hiddenCharacters, '')

/**
 * Names the first invisible character of a text and its position, as the end of a sentence: `holds an invisible
 * character, U+200B, after bob`. For a secret, it names only the number of characters before that character. Undefined
 * if all characters can be seen.
 */
export function hiddenCharacterIn(text: string, { secret = false } = {}): string | undefined {
  const at = text.search(hiddenPattern)
  if (at === -1) return undefined
  const code = text.codePointAt(at) as number
  const before = text.slice(0, at)
  const count = [...before].length
  const place = at === 0 ? 'at its beginning' : secret ? `after ${characters(count)}` : `after ${endOf(before, count)}`
  return `holds ${kindOf(String.fromCodePoint(code))}, U+${code.toString(16).toUpperCase().padStart(4, '0')}, ${place}`
}

const characters = (count: number): string => (count === 1 ? '1 character' : `${count} characters`)
const endOf = (text: string, count: number): string =>
  count <= maxQuoted ? text : `…${[...text].slice(-maxQuoted).join('')}`

function kindOf(character: string): string {
  if (/[^\S\ufeff]/.test(character) && !/\p{Cc}/u.test(character)) return 'a space'
  return /\p{Cc}/u.test(character) ? 'a control character' : 'an invisible character'
}

/**
 * Reads an identifier that a person pasted. `what` begins the sentence of a refusal, such as "The install code". A
 * refusal about a secret does not repeat any part of it.
 */
export function readPasted(
  what: string,
  text: string,
  { secret = false }: { secret?: boolean } = {},
): Verdict<string, 'text_invalid'> {
  const value = trimInvisible(text)
  const wrong = hiddenCharacterIn(value, { secret })
  if (wrong === undefined) return { ok: true, value }
  return { ok: false, code: 'text_invalid', message: `${what} ${wrong}: type that part instead of pasting it.` }
}

/**
 * The letters and digits of a code that a person typed or pasted, such as six digits or a recovery code: without
 * anything that nobody sees, spaces, hyphens and other characters that separate groups. Digits of all scripts and
 * widths count as digits.
 */
export const codeIn = (typed: string): string =>
  typed
    .normalize('NFKC')
    .replace(hiddenCharacters, '')
    .replace(/\p{Nd}/gu, (digit) => String(digitOf(digit.codePointAt(0) ?? 0)))
    .replace(/[\s\p{Pd}\u2212_.,:;/|·・'"`\u2018-\u201f]/gu, '')

/** Wide characters, as keyboards for Chinese and Japanese type them in place of those of ASCII. */
const wideCharacters = /[\uff01-\uff5e]/g

/**
 * The text of a number as a person typed it, in plain characters: without anything that nobody sees at its ends, and
 * with digits of all scripts and widths as digits. The reader of the field decides whether it is a number.
 */
export const numberIn = (typed: string): string =>
  trimInvisible(typed)
    .replace(wideCharacters, (wide) => String.fromCharCode(wide.charCodeAt(0) - 0xfee0))
    .replace(/\p{Nd}/gu, (digit) => String(digitOf(digit.codePointAt(0) ?? 0)))
    .replace(/[\u2010-\u2013\u2212]/g, '-')

/** The parts of a list of names as a person typed it, such as `eu, prod`. */
export const listIn = (typed: string): string[] => typed.split(/[,\uff0c\u3001]/).map(trimInvisible)

/** The value of a decimal digit. Unicode gives the ten digits of a script consecutive numbers, from zero on. */
function digitOf(point: number): number {
  let before = 0
  while (/^\p{Nd}$/u.test(String.fromCodePoint(point - before - 1))) before++
  return before % 10
}

/** Scripts in which a joiner or non-joiner between two letters changes their look. */
const joinerScripts = [
  'Arabic',
  'Bengali',
  'Devanagari',
  'Gujarati',
  'Gurmukhi',
  'Kannada',
  'Malayalam',
  'Oriya',
  'Sinhala',
]
const joinerLetter = `[${[...joinerScripts, 'Tamil', 'Telugu'].map((script) => `\\p{Script=${script}}`).join('')}]`
/** Joiners and selectors that readers see, as a part of a letter or of an emoji. */
const visibleJoiners = new RegExp(
  `(?<=${joinerLetter})[\\u200c\\u200d](?=${joinerLetter})|(?<=\\p{Extended_Pictographic}\\p{Emoji_Modifier}?)(?:\\ufe0f?\\u200d(?=\\p{Extended_Pictographic})|\\ufe0f)`,
  'gu',
)

/**
 * Reads a name that people give to a person or a workspace, and that is only shown: one line in NFC. Characters that
 * nobody sees are removed at its ends and refused inside; those that join letters or emoji stay.
 */
export function readName(typed: string, max: number): Verdict<string, 'name_invalid'> {
  const ends = trimInvisible(typed)
  const behind = typed[typed.indexOf(ends) + ends.length]
  // The selector behind an emoji at the end belongs to the emoji.
  const whole = behind === '\ufe0f' && /\p{Extended_Pictographic}$/u.test(ends) ? ends + behind : ends
  const value = whole.normalize('NFC')
  const { length } = [...value]
  const wrong = hiddenCharacterIn(value.replace(visibleJoiners, ''))
  if (wrong !== undefined)
    return { ok: false, code: 'name_invalid', message: `The name ${wrong}: type that part instead of pasting it.` }
  if (length >= 1 && length <= max) return { ok: true, value }
  return {
    ok: false,
    code: 'name_invalid',
    message: `A name must have 1 to ${max} characters and no line breaks: got ${shown(typed)}.`,
  }
}

/**
 * Reads identifiers that people paste: addresses, names, codes, tokens and links. Chat programs and web pages add
 * characters that nobody sees. They are removed at the ends of an identifier and refused inside it, so that two
 * identifiers with the same look are the same.
 */
import type { Verdict } from './refusals.ts'
import { shown } from './text.ts'

/** Characters of the Unicode class Format that are visible: marks around a number or a word in some scripts. */
const visibleFormats = '\\u0600-\\u0605\\u06dd\\u070f\\u0890\\u0891\\u08e2\\u{110bd}\\u{110cd}'
/** Blank characters that Unicode does not class as spaces. */
const blankCharacters = '\\u2800\\ufffc\\u{1107f}\\u{13441}\\u{13442}\\u{16fe4}\\u{1d159}'
const invisiblePattern = `(?![${visibleFormats}])[\\p{Cf}\\p{Cs}\\p{Default_Ignorable_Code_Point}\\p{Noncharacter_Code_Point}${blankCharacters}]`
/** Matches a character that nobody sees, or that looks like a plain space. A plain space itself does not match. */
const hiddenPattern = new RegExp(`(?! )(?:[\\p{Cc}\\s]|${invisiblePattern})`, 'u')
const hiddenCharacters = new RegExp(hiddenPattern.source, 'gu')

/** The maximum number of characters before a hidden one that a refusal quotes. */
const maxQuoted = 40

/** Removes white space, control characters and invisible characters from the ends of a text. */
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
 * Replaces each UTF-16 unit of the invisible characters of a text by `veil`, which has one unit. White space stays, and
 * all other units keep their positions.
 */
export const replaceHidden = (text: string, veil: string): string =>
  text.replace(hiddenGroups, (unseen) => veil.repeat(unseen.length))

/** Removes control characters, invisible characters, and all white space except plain spaces. */
export const visibleText = (text: string): string => text.replace(hiddenCharacters, '')

/**
 * Names the first invisible character of a text and its position, as the end of a sentence: `holds an invisible
 * character, U+200B, after bob`. For a secret, the position is only a number of characters. Returns undefined if all
 * characters can be seen.
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
 * Reads an identifier that a person pasted. A refusal is a sentence that begins with `what`, such as "The install
 * code". The refusal of a secret does not quote any part of the secret.
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
 * Reads a code that a person typed or pasted, such as six digits or a recovery code. Removes invisible characters, and
 * the spaces, hyphens and other characters that separate groups. Digits of other scripts become ASCII digits.
 */
export const codeIn = (typed: string): string =>
  typed
    .normalize('NFKC')
    .replace(hiddenCharacters, '')
    .replace(/\p{Nd}/gu, (digit) => String(digitOf(digit.codePointAt(0) ?? 0)))
    .replace(/[\s\p{Pd}\u2212_.,:;/|·・'"`\u2018-\u201f]/gu, '')

/** The wide forms of ASCII characters, which keyboards for Chinese and Japanese type. */
const wideCharacters = /[\uff01-\uff5e]/g

/**
 * Converts a number as a person typed it to ASCII: wide characters, digits of other scripts, and dashes used as minus
 * signs. White space and invisible characters at the ends are removed. The caller checks whether the result is a
 * number.
 */
export const numberIn = (typed: string): string =>
  trimInvisible(typed)
    .replace(wideCharacters, (wide) => String.fromCharCode(wide.charCodeAt(0) - 0xfee0))
    .replace(/\p{Nd}/gu, (digit) => String(digitOf(digit.codePointAt(0) ?? 0)))
    .replace(/[\u2010-\u2013\u2212]/g, '-')

/** The parts of a list of names as a person typed it, such as `eu, prod`. */
export const listIn = (typed: string): string[] => typed.split(/[,\uff0c\u3001]/).map(trimInvisible)

/** The value of a decimal digit, given its code point. In Unicode, the ten digits of a script follow each other. */
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
/** Joiners and variation selectors that change the look of a letter or an emoji. */
const visibleJoiners = new RegExp(
  `(?<=${joinerLetter})[\\u200c\\u200d](?=${joinerLetter})|(?<=\\p{Extended_Pictographic}\\p{Emoji_Modifier}?)(?:\\ufe0f?\\u200d(?=\\p{Extended_Pictographic})|\\ufe0f)`,
  'gu',
)

/**
 * Reads a name that is only shown, such as that of a person, and returns it in NFC. Invisible characters are removed at
 * its ends and refused inside, except for those that join letters or emoji.
 */
export function readName(typed: string, max: number): Verdict<string, 'name_invalid'> {
  const ends = trimInvisible(typed)
  const behind = typed[typed.indexOf(ends) + ends.length]
  // `trimInvisible` removes a variation selector at the end, but after an emoji it belongs to the emoji.
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

/**
 * For tests: texts that look like another text but have other characters, as programs and keyboards write them. `write`
 * turns a text into such a text, and `says` names the difference.
 */
interface Look {
  says: string
  write: (text: string) => string
}

/** Invisible characters at the ends of a text. Most fields remove them; a field for a password keeps them. */
export const looksAtEnds: readonly Look[] = [
  { says: 'spaces around it', write: (text) => `  ${text} ` },
  { says: 'a line break behind it', write: (text) => `${text}\r\n` },
  { says: 'a tab in front of it', write: (text) => `\t${text}` },
  { says: 'a no-break space behind it', write: (text) => `${text}\u00a0` },
  { says: 'a byte order mark in front of it', write: (text) => `\ufeff${text}` },
  { says: 'a zero width space behind it', write: (text) => `${text}\u200b` },
  { says: 'marks for the direction around it', write: (text) => `\u2066${text}\u2069` },
]

const putInMiddle = (text: string, put: string): string => {
  const characters = [...text]
  return characters.toSpliced(Math.ceil(characters.length / 2), 0, put).join('')
}
/** Invisible characters inside a text. Fields such as a name refuse the text, and name the character by its `code`. */
export const looksInside: readonly (Look & { code: string })[] = [
  { code: 'U+200B', says: 'a zero width space inside', write: (text) => putInMiddle(text, '\u200b') },
  { code: 'U+00AD', says: 'a soft hyphen inside', write: (text) => putInMiddle(text, '\u00ad') },
  { code: 'U+00A0', says: 'a no-break space inside', write: (text) => putInMiddle(text, '\u00a0') },
  { code: 'U+2060', says: 'a word joiner inside', write: (text) => putInMiddle(text, '\u2060') },
]

/** The text in the wide characters of keyboards for Chinese and Japanese. */
export const wideText = (text: string): string =>
  text.replace(/[!-~]/g, (character) => String.fromCodePoint((character.codePointAt(0) ?? 0) + 0xfee0))
/** Characters that people see if they look closely. Most fields do not read such a text as the plain one. */
export const visibleLooks: readonly Look[] = [
  { says: 'typographic quotation marks around it', write: (text) => `\u201c${text}\u201d` },
  { says: 'wide letters and digits', write: wideText },
  { says: 'dashes for hyphens', write: (text) => text.replaceAll('-', '\u2013') },
]

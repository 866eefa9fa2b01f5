/**
 * For tests: texts that look like another text, as programs and keyboards make them. Each has a way to write a text
 * like this, and the place of what differs.
 */
interface Look {
  says: string
  write: (text: string) => string
}

/** Characters at the ends that nobody sees: they are removed everywhere. */
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
/** Characters inside that nobody sees: they are refused, and named by this code. */
export const looksInside: readonly (Look & { code: string })[] = [
  { code: 'U+200B', says: 'a zero width space inside', write: (text) => putInMiddle(text, '\u200b') },
  { code: 'U+00AD', says: 'a soft hyphen inside', write: (text) => putInMiddle(text, '\u00ad') },
  { code: 'U+00A0', says: 'a no-break space inside', write: (text) => putInMiddle(text, '\u00a0') },
  { code: 'U+2060', says: 'a word joiner inside', write: (text) => putInMiddle(text, '\u2060') },
]

/** The text in the wide characters of keyboards for Chinese and Japanese. */
export const wideText = (text: string): string =>
  text.replace(/[!-~]/g, (character) => String.fromCodePoint((character.codePointAt(0) ?? 0) + 0xfee0))
/** Characters that people see if they look closely. The text is never silently taken for the plain one. */
export const visibleLooks: readonly Look[] = [
  { says: 'typographic quotation marks around it', write: (text) => `\u201c${text}\u201d` },
  { says: 'wide letters and digits', write: wideText },
  { says: 'dashes for hyphens', write: (text) => text.replaceAll('-', '\u2013') },
]

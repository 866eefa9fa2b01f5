/**
 * Reads e-mail addresses. All parts of svc store and compare addresses in the form that `readEmail` returns: NFC, lower
 * case, and without characters that would let two addresses look the same.
 */
import { hiddenCharacterIn, trimInvisible, visibleText } from './pasted.ts'
import type { Verdict } from './refusals.ts'
import { shown } from './text.ts'

/** The maximum length of an e-mail address (RFC 5321). */
export const maxEmailLength = 254

/** Converts a text to NFC and lower case. The result of `toLowerCase` may not be in NFC, so NFC is applied again. */
const folded = (text: string): string => text.normalize('NFC').toLowerCase().normalize('NFC')

/**
 * Returns a stored address without invisible characters, in NFC and lower case. Use it to compare addresses that an
 * earlier version of svc may have stored.
 */
export const lookOfEmail = (stored: string): string => folded(visibleText(stored))

/** Alphabets whose letters look alike. A word of an address uses at most one of them. */
const alphabets = ['Latin', 'Greek', 'Cyrillic', 'Armenian', 'Cherokee', 'Coptic', 'Lisu'] as const
const isOf = Object.fromEntries(alphabets.map((name) => [name, new RegExp(`\\p{Script=${name}}`, 'u')]))

/** The rules for the form of an address. `says` is what is wrong with an address for which `isBroken` returns true. */
const rules: readonly (readonly [says: string, isBroken: (local: string, domain: string) => boolean])[] = [
  ['has a part in front of the @ that is not one word', (local) => !/^[^\s@<>"',;:\\()[\]]+$/.test(local)],
  ['has a dot at an end of the part in front of the @, or two in a row', (local) => local.split('.').includes('')],
  ['has a domain with other characters than letters, digits, - and _', (_, d) => !/^[\p{L}\p{M}\p{N}._-]+$/u.test(d)],
  ['has an empty part in its domain', (_, domain) => domain.split('.').includes('')],
  ['has a hyphen at an end of a part of its domain', (_, d) => d.split('.').some((part) => /^-|-$/.test(part))],
  ['has a part of its domain with more than 63 characters', (_, d) => d.split('.').some((part) => part.length > 63)],
  ['has a number as the last part of its domain', (_, domain) => /(^|\.)(\d+|0x[0-9a-f]*)$/.test(domain)],
]

/**
 * Reads an address that a person typed or pasted, and returns it as it is stored. A refusal says what is wrong in one
 * sentence.
 */
export function readEmail(typed: string): Verdict<string, 'email_invalid'> {
  const text = trimInvisible(typed)
  const invisible = hiddenCharacterIn(text)
  if (invisible) return refusedEmail(`The email address ${invisible}: type it instead of pasting it.`)
  const address = folded(text)
  if (address.length > maxEmailLength)
    return refusedEmail(`An e-mail address has at most ${maxEmailLength} characters: this one has ${address.length}.`)
  const [local, domain, more] = address.split('@')
  if (!local || !domain || more !== undefined) return refusedEmail(`${exampleText}: got ${shown(text)}.`)
  const broken = rules.find(([, isBroken]) => isBroken(local, domain))
  if (broken) return refusedEmail(`${exampleText}: ${shown(text)} ${broken[0]}.`)
  const double = lookalikeIn(address)
  return double ? refusedEmail(`The email address ${shown(text)} ${double}.`) : { ok: true, value: address }
}

const exampleText = 'An e-mail address looks like name@example.org'
const refusedEmail = (message: string) => ({ ok: false, code: 'email_invalid', message }) as const

/** True if `readEmail` accepts the text. */
export const isEmail = (typed: string): boolean => readEmail(typed).ok

/** Says which part of an address looks like another text; undefined if there is no such part. */
function lookalikeIn(address: string): string | undefined {
  const other = [...address].find((character) => character.normalize('NFKC') !== character)
  if (other) return `holds ${other} (${codeOf(other)}), which looks like ${other.normalize('NFKC')}`
  const dotted = /[ij]\u0307/.exec(address)?.[0]
  if (dotted) return `holds U+0307 after ${dotted[0]}, which nobody can see there`
  const word = address.split(/[.@_+-]/).find((each) => alphabetsOf(each).length > 1)
  return word && `mixes ${alphabetsOf(word).join(' and ')} letters in ${shown(word)}`
}

const codeOf = (character: string): string =>
  `U+${(character.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0')}`
const alphabetsOf = (word: string) => alphabets.filter((name) => isOf[name]?.test(word))

/**
 * The forms in which a typed address may be stored, in the order in which they are looked up. The first and the last
 * form find addresses that an earlier version of svc stored.
 */
export function storedForms(typed: string): string[] {
  const read = readEmail(typed)
  const forms = read.ok ? [read.value, read.value.normalize('NFD')] : []
  return [...new Set([typed.trim().toLowerCase(), ...forms])]
}

/**
 * Says why the present rules would not allow a stored address, as the end of a sentence; undefined if they would. An
 * earlier version of svc stored such an address.
 */
export function emailOddity(stored: string): string | undefined {
  const invisible = hiddenCharacterIn(stored)
  if (invisible) return invisible
  const read = readEmail(stored)
  if (!read.ok) return 'is not in a form that is accepted today'
  return read.value === stored ? undefined : 'is not stored in NFC and lower case'
}

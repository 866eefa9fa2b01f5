/**
 * Rules for form fields. Each rule returns what is wrong with a value as a sentence, or null for a valid value. The
 * service checks every value again.
 */
import { readEmail, trimInvisible } from '@svc/protocol'

const minPassword = 10
const maxPassword = 200

export const wrongWithPassword = (v: string): string | null =>
  v.length < minPassword
    ? `At least ${minPassword} characters.`
    : v.length > maxPassword
      ? `At most ${maxPassword} characters.`
      : null
/** Checks the email address of an existing account, which may be older than the rules for new addresses. */
export const wrongWithOldEmail = (v: string): string | null =>
  /^[^\s@]+@[^\s@]+$/.test(trimInvisible(v)) ? null : 'Enter an email address, e.g. ann@example.org'
/** Checks a new email address. */
export function wrongWithEmail(v: string): string | null {
  const read = readEmail(v)
  return wrongWithOldEmail(trimInvisible(v)) ?? (read.ok ? null : read.message)
}
export const wrongWithText = (v: string): string | null =>
  trimInvisible(v) === '' ? 'Required' : v.length > 100 ? 'At most 100 characters.' : null
export const wrongWithSlug = (v: string): string | null =>
  /^[a-z0-9](-?[a-z0-9])*$/.test(trimInvisible(v)) && trimInvisible(v).length <= 63
    ? null
    : 'Lowercase letters, digits and single hyphens, at most 63.'

/** Makes a short name for addresses from a name for people: `Ärzte & Co.` becomes `arzte-co`. */
export const slugOf = (name: string): string =>
  name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 63)
    .replace(/^-+|-+$/g, '')

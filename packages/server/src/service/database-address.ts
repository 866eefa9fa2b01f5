/**
 * Tells whether an address of PostgreSQL has a character in its user name or password that would be read as a separator.
 * The parts would then be wrong, and messages about them would name a part of the password.
 */
export function hasBareSeparator(text: string): boolean {
  const [, authority = '', path = '', rest = ''] = /^[a-z]+:\/\/([^/?#]*)([^?#]*)(.*)$/s.exec(text) ?? []
  const isCut = authority.includes(':') && !authority.includes('@') && rest.includes('@')
  return path.includes('@') || isCut || /%(?![0-9a-f]{2})/i.test(authority)
}

/** The refusal of such an address, after the name of the setting. It repeats nothing of the address. */
export const bareSeparator =
  'has a character in its user name or password that separates the parts of an address. Write @ as %40, / as %2F, : as %3A, ? as %3F, # as %23 and % as %25.'

/**
 * Checks an address of PostgreSQL, wherever somebody gives one. Messages repeat nothing of the address, since it may hold
 * a password.
 */

/**
 * The reason to refuse an address, as the end of a sentence that begins with the name of the setting or option.
 * Undefined if it can be used.
 */
export function wrongWithDatabaseAddress(text: string): string | undefined {
  if (hasBareSeparator(text)) return bareSeparator
  if (hasSeveralHosts(text)) return oneHost
  return /^postgres(ql)?:\/\/./.test(text) && URL.canParse(text.replace(/@\//, '@localhost/')) ? undefined : noAddress
}

const noAddress =
  'must be a PostgreSQL address that starts with postgres:// or postgresql://: got (not repeated here, it may hold a password)'

/**
 * Tells whether an address of PostgreSQL has a character in its user name or password that would be read as a separator.
 * The parts would then be wrong, and messages about them would name a part of the password.
 */
function hasBareSeparator(text: string): boolean {
  const [, authority = '', path = '', rest = ''] = /^[a-z]+:\/\/([^/?#]*)([^?#]*)(.*)$/s.exec(text) ?? []
  const isCut = authority.includes(':') && !authority.includes('@') && rest.includes('@')
  return path.includes('@') || isCut || /%(?![0-9a-f]{2})/i.test(authority)
}

const bareSeparator =
  'has a character in its user name or password that separates the parts of an address. Write @ as %40, / as %2F, : as %3A, ? as %3F, # as %23 and % as %25.'

/**
 * True for a PostgreSQL address with several hosts, which libpq tries one after another: `a,b` before the path, or in
 * the parameters `host` and `hostaddr`.
 */
function hasSeveralHosts(text: string): boolean {
  const [, authority = '', query = ''] = /^postgres(?:ql)?:\/\/([^/?#]*)[^?#]*(?:\?([^#]*))?/.exec(text) ?? []
  if (authority.slice(authority.lastIndexOf('@') + 1).match(/,|%2c/i)) return true
  const given = new URLSearchParams(query)
  return ['host', 'hostaddr', 'port'].some((name) => given.getAll(name).length > 1 || given.get(name)?.includes(','))
}

const oneHost =
  'names several hosts, and the service uses one. Name something that leads to the primary: a proxy such as HAProxy or pgbouncer, a floating IP address, or a DNS name that the failover moves (docs/operate.md, "Failover").'

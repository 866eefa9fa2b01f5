/**
 * Reads addresses to which mails are sent, and checks that the mail library passes them on as they are stored. The
 * library replaces control characters with spaces, quotes what it cannot read, and converts domains, so some addresses
 * would turn into those of somebody else.
 */
import { domainToASCII, domainToUnicode } from 'node:url'
import { lookOfEmail, readEmail, shown, type Verdict } from '@svc/protocol'
import { refuse } from '../platform/verdict.ts'

/** Reads an address that a person typed or pasted, as it is stored: in NFC and lower case. */
export function readMailbox(typed: string): Verdict<string, 'email_invalid'> {
  const read = readEmail(typed)
  if (!read.ok || wrongRecipient(read.value) === undefined) return read
  return refuse('email_invalid', `An e-mail address looks like name@example.org: got ${shown(read.value)}.`)
}

/** Says why no mail may be sent to a stored address; undefined if the library passes it on as it is. */
export function wrongRecipient(stored: string): string | undefined {
  const [local, domain, more] = stored.split('@')
  const isOne = local && domain && more === undefined && !/[\p{Cc}\p{Cs}\s<>()[\]\\,;:"]/u.test(stored)
  if (isOne && isSameDomain(domain)) return undefined
  return `No mail was sent: the mail server would read ${shown(stored)} as another address.`
}

/**
 * True if a domain is still the same after its conversion for mail servers (IDNA). Invisible characters do not count,
 * since no domain contains them.
 */
function isSameDomain(domain: string): boolean {
  const ascii = domainToASCII(domain)
  return ascii !== '' && (ascii === domain.toLowerCase() || domainToUnicode(ascii) === lookOfEmail(domain))
}

/** The host of the service in mail addresses and in ids of mails, which have stricter forms than addresses of pages. */
import { isIP } from 'node:net'

/** The host of an origin without the dot that may end a full name. */
export const hostOfMails = (baseUrl: string): string => new URL(baseUrl).hostname.replace(/\.$/, '')

/**
 * The host behind the @ of an address: `localhost` for an IP address, because a mail address cannot simply contain an
 * IP address there.
 */
export function domainOfMails(baseUrl: string): string {
  const host = hostOfMails(baseUrl)
  return isIP(host) === 0 && !host.startsWith('[') ? host : 'localhost'
}

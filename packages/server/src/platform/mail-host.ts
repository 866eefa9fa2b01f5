/** The host of the service in mail addresses and in ids of mails, which have stricter forms than addresses of pages. */
import { isIP } from 'node:net'

/** The host of an origin without the dot that may end a full name. */
export const hostOfMails = (baseUrl: string): string => new URL(baseUrl).hostname.replace(/\.$/, '')

/**
 * The host behind the @ of an address. It is `localhost` if the service has an IP address instead of a name, because
 * that would need brackets in a mail address.
 */
export function domainOfMails(baseUrl: string): string {
  const host = hostOfMails(baseUrl)
  return isIP(host) === 0 && !host.startsWith('[') ? host : 'localhost'
}

/** Tells whether other machines can reach the address of a service. */

/** Names of the machine itself, and names by which containers and virtual machines know the machine that runs them. */
const ownNames =
  /^(?:localhost[46]?|ip6-(?:localhost|loopback)|(?:.+\.)?localhost|localhost\.localdomain|(?:host|gateway)\.docker\.internal|host\.(?:containers|lima)\.internal)$/

/** The addresses 127.*, 0.* and their IPv6 forms, as a parsed URL writes them. */
const ownAddresses = /^(?:(?:127|0)\.\d+\.\d+\.\d+|\[::1?\]|\[::ffff:(?:7f[0-9a-f]{2}|0):[0-9a-f]{1,4}\])$/

/**
 * True if an address such as `http://localhost:8787` stands for the machine itself, so that no other machine reaches
 * it.
 */
export function isOwnMachineOnly(address: string): boolean {
  const host = URL.canParse(address) ? new URL(address).hostname.replace(/\.$/, '') : ''
  return ownNames.test(host) || ownAddresses.test(host)
}

/** The sentence beside an address of the service that only its own machine reaches. */
export const ownMachineWords =
  'Only the machine of the service reaches this address. Its operator can set SVC_BASE_URL to one that others reach, too.'

/** The message for a request that is refused because it names an address other than the service's own (D23, D82). */
export const elsewhereWords = (baseUrl: string): string =>
  isOwnMachineOnly(baseUrl)
    ? `This service answers only at ${baseUrl}, which only its own machine reaches. Its operator can set SVC_BASE_URL to an address that others reach, too (docs/start.md, "Reach it from another machine").`
    : `This service answers only at ${baseUrl}. Use that address, or its operator can set SVC_BASE_URL to another one (docs/start.md, "Reach it from another machine").`

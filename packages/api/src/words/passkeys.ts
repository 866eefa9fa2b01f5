/** Says at which addresses of a service browsers allow passkeys. */

/** Why there can be no passkeys: the service has no name but an IP address, or it is reached without TLS. */
type PasskeyObstacle = 'address' | 'http'

/** The reason why browsers allow no passkeys at this base address; undefined if they do. */
export function passkeyObstacle(baseUrl: string): PasskeyObstacle | undefined {
  const [, scheme, host = ''] = /^(https?):\/\/(\[[^\]]*\]|[^/:]*)/.exec(baseUrl) ?? []
  // A host whose last part is a number is an IP address.
  if (host === '' || host.startsWith('[') || /(^|\.)\d+\.?$/.test(host)) return 'address'
  return scheme === 'https' || /(^|\.)localhost$/.test(host) ? undefined : 'http'
}

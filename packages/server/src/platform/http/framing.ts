/**
 * Finds ambiguous requests that Node's parser accepts: those for which the host, or the end of the body, can be read in
 * two ways.
 */
import type { IncomingMessage } from 'node:http'

/** Returns the fault of the request as a sentence; undefined if it has none. */
export function faultOf(req: IncomingMessage): string | undefined {
  const hosts = hostsOf(req.rawHeaders)
  if (hosts > 1) return 'The request names a host twice.'
  if (hosts === 0 && req.httpVersion !== '1.0') return 'The request must name its host (the header Host).'
  const encoding = req.headers['transfer-encoding']
  if (encoding === undefined) return undefined
  if (req.httpVersion === '1.0') return 'HTTP/1.0 knows no Transfer-Encoding.'
  return encoding.toLowerCase() === 'chunked' ? undefined : 'The only Transfer-Encoding that is taken is "chunked".'
}

function hostsOf(rawHeaders: readonly string[]): number {
  let hosts = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  return hosts
}

/**
 * Downloads what the service serves to everybody below `/cli/` (3.5, 2): without the token (I25), without following
 * redirects, straight into a file, and within limits (D59). The download uses a separate connection, since it can take
 * minutes and must not delay a report.
 */
import { createHash } from 'node:crypto'
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { duration } from '../../machine/base/time.ts'
import { version } from '../../machine/base/version.ts'
import { lookup } from '../../machine/client/lookup.ts'
import { reason, tls } from '../../machine/client/service-client.ts'

export type Downloaded =
  | {
      readonly is: 'file'
      readonly sha256: string
      /** The value of the response header `X-Svc-Sha256`; absent if the answer had none. */
      readonly named?: string
    }
  | { readonly is: 'status'; readonly status: number }
  | { readonly is: 'lost'; readonly why: string }

/** Limits of a download (D59): it may take `maxSeconds`, and must receive at least `minBytes` in every `minSeconds`. */
const maxSeconds = 600
const minBytes = 60 * 1024
const minSeconds = 60
/**
 * The minimum time over which the pace of a download is measured, even if a drill shortens all times: a busy machine
 * must not look like a slow network.
 */
const minPaceMs = 3000

export function download(url: URL, file: string, maxBytes: number, signal: AbortSignal): Promise<Downloaded> {
  const secure = url.protocol === 'https:'
  return new Promise((resolve) => {
    const sink = openSync(file, 'w', 0o700)
    let open = true
    const end = (result: Downloaded) => {
      if (!open) return
      open = false
      clearTimeout(whole)
      clearInterval(pace)
      signal.removeEventListener('abort', stop)
      closeSync(sink)
      if (result.is !== 'file') request.destroy()
      resolve(result)
    }
    const lost = (why: string) => end({ is: 'lost', why })
    const stop = () => lost('the runtime was stopped')
    const hash = createHash('sha256')
    let total = 0
    let before = 0
    const whole = setTimeout(() => lost('it took more than ten minutes'), duration(maxSeconds))
    const pace = setInterval(
      () => {
        if (total - before < minBytes) lost('it was slower than 1 KB a second')
        before = total
      },
      Math.max(duration(minSeconds), minPaceMs),
    )
    const request = (secure ? httpsRequest : httpRequest)(url, {
      method: 'GET',
      agent: false,
      lookup,
      ...(secure && tls()),
      headers: { 'user-agent': `svc/${version}` },
    })
    signal.addEventListener('abort', stop)
    if (signal.aborted) return stop()
    request.on('error', (error) => lost(reason(error)))
    request.on('response', (response) => {
      if (response.statusCode !== 200) return end({ is: 'status', status: response.statusCode ?? 0 })
      response.on('error', (error) => lost(reason(error)))
      response.on('aborted', () => lost('it broke off'))
      response.on('data', (part: Buffer) => {
        if (!open) return
        total += part.length
        if (total > maxBytes) return lost(`it is larger than ${Math.floor(maxBytes / 1024)} KB`)
        try {
          hash.update(part)
          for (let at = 0; at < part.length; ) at += writeSync(sink, part, at)
        } catch (error) {
          lost(reason(error))
        }
      })
      response.on('end', () => {
        if (!open) return
        try {
          fsyncSync(sink)
          end({ is: 'file', sha256: hash.digest('hex'), ...namedBy(response) })
        } catch (error) {
          lost(reason(error))
        }
      })
    })
    request.end()
  })
}

function namedBy({ headers }: IncomingMessage): { named?: string } {
  const named = headers['x-svc-sha256']
  return typeof named === 'string' ? { named: named.toLowerCase() } : {}
}

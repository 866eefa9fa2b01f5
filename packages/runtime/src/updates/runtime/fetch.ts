/**
 * Steps `fetching` and `checking` of an attempt: fetches the file and its signature, and checks that they are the
 * expected ones (3.5, 2).
 */

import { createHash } from 'node:crypto'
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { join } from 'node:path'
import { limits, limitText, type ServedRuntime } from '@svc/protocol'
import { scaledMs, wait } from '../../machine/base/time.ts'
import { ownVersion } from '../../machine/base/version.ts'
import { lookup } from '../../machine/client/lookup.ts'
import { noAnswerReason, tlsOptions } from '../../machine/client/service-client.ts'
import { readInsideRelease } from './release.ts'
import { maxSignatureBytes } from './verify.ts'

/** The checksum of the downloaded file, and the one that the response named. */
export interface FetchedRelease {
  readonly sha256: string
  readonly named?: string
}
export type StepResult<T = unknown> =
  | { readonly is: 'done'; readonly value: T }
  | { readonly is: 'unreachable' | 'differs' | 'refused' | 'unable' | 'falls' | 'dropped'; readonly why: string }

/** The seconds of pause before each of the three tries of a download (D35). */
const tryDelays = [0, 30, 120]

/**
 * Downloads the runtime's new file and its signature into `folder`. If the service has no signature, the release is
 * refused at once. After any other failure, both are downloaded again, up to three times in all.
 */
export async function fetchRelease(
  origin: string,
  folder: string,
  signal: AbortSignal,
): Promise<StepResult<FetchedRelease>> {
  let why = ''
  for (const pause of tryDelays) {
    if (!(await wait(scaledMs(pause), signal))) return stopped
    const file = await downloadFile(
      new URL('/cli/svc.pyz', origin),
      join(folder, 'svc.pyz'),
      limits.runtimeBytes,
      signal,
    )
    const sig =
      file.is === 'file'
        ? await downloadFile(
            new URL('/cli/svc.pyz.sig', origin),
            join(folder, 'svc.pyz.sig'),
            maxSignatureBytes,
            signal,
          )
        : file
    if (signal.aborted) return stopped
    if (file.is === 'file' && sig.is === 'file') return { is: 'done', value: file }
    if (file.is === 'file' && sig.is === 'status' && sig.status === 404)
      return { is: 'refused', why: 'the file is not signed: the service serves no signature of it' }
    why = `${file.is === 'file' ? 'the signature' : 'the file'} could not be downloaded: ${wordsFor(sig)}`
  }
  return { is: 'unreachable', why }
}

const stopped: StepResult<never> = { is: 'dropped', why: 'the runtime was stopped' }

function wordsFor(got: DownloadResult): string {
  if (got.is === 'lost') return got.why
  if (got.is === 'file') return 'nothing'
  const { status } = got
  return status >= 300 && status < 400
    ? `the service answered ${status}, and redirects are not followed`
    : `the service answered ${status}`
}

/**
 * Checks the downloaded file: its checksum, its version, and the version of Node that it needs. `served` is the part of
 * the service's answer about the file; it is used only if it names the wished version.
 */
export function checkDownload(
  folder: string,
  wish: string,
  fetched: FetchedRelease,
  served: ServedRuntime | undefined,
): StepResult {
  const differs = (why: string): StepResult => ({ is: 'differs', why })
  const { sha256, named } = fetched
  if (served?.version === wish && served.sha256 !== sha256)
    return differs(`its checksum is ${shortSum(sha256)}, and the service named ${shortSum(served.sha256)}`)
  if (named !== undefined && named !== sha256)
    return differs(`its checksum is ${shortSum(sha256)}, and its header says ${shortSum(named)}`)
  const inside = readInsideRelease(join(folder, 'svc.pyz'))
  if (!inside) return differs('it is no runtime, or only a part of one')
  if (inside.version !== wish) return differs(`it is version ${inside.version.slice(0, 64)}`)
  const node = Number(process.versions.node.split('.')[0])
  if (inside.leastNode > node)
    return { is: 'refused', why: `it needs Node ${inside.leastNode}, and this is Node ${process.versions.node}` }
  return { is: 'done', value: undefined }
}

const shortSum = (sha256: string) => sha256.slice(0, 12)

// `downloadFile` follows no redirects (3.5, 2). It sends no token (I25), since everybody may read the files
// below `/cli/`. It uses a connection of its own, since a download can take minutes and must not delay a report.

type DownloadResult =
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

export function downloadFile(url: URL, file: string, maxBytes: number, signal: AbortSignal): Promise<DownloadResult> {
  const secure = url.protocol === 'https:'
  return new Promise((resolve) => {
    const sink = openSync(file, 'w', 0o700)
    let open = true
    const end = (result: DownloadResult) => {
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
    const whole = setTimeout(() => lost('it took more than ten minutes'), scaledMs(maxSeconds))
    const pace = setInterval(
      () => {
        if (total - before < minBytes) lost('it was slower than 1 KB a second')
        before = total
      },
      Math.max(scaledMs(minSeconds), minPaceMs),
    )
    const request = (secure ? httpsRequest : httpRequest)(url, {
      method: 'GET',
      agent: false,
      lookup,
      ...(secure && tlsOptions()),
      headers: { 'user-agent': `svc/${ownVersion}` },
    })
    signal.addEventListener('abort', stop)
    if (signal.aborted) return stop()
    request.on('error', (error) => lost(noAnswerReason(error)))
    request.on('response', (response) => {
      if (response.statusCode !== 200) return end({ is: 'status', status: response.statusCode ?? 0 })
      response.on('error', (error) => lost(noAnswerReason(error)))
      response.on('aborted', () => lost('it broke off'))
      response.on('data', (part: Buffer) => {
        if (!open) return
        total += part.length
        if (total > maxBytes) return lost(`it is larger than ${limitText(maxBytes)}`)
        try {
          hash.update(part)
          for (let at = 0; at < part.length; ) at += writeSync(sink, part, at)
        } catch (error) {
          lost(noAnswerReason(error))
        }
      })
      response.on('end', () => {
        if (!open) return
        try {
          fsyncSync(sink)
          end({ is: 'file', sha256: hash.digest('hex'), ...namedBy(response) })
        } catch (error) {
          lost(noAnswerReason(error))
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

import { createHash } from 'node:crypto'
import { type Context, Hono } from 'hono'
import { Refusal } from '../../platform/refusal.ts'
import type { ReleaseFiles, Releases } from '../../updates/releases/releases.ts'
import { streamOfPieces } from '../routing/pieces.ts'

/**
 * Serves the files of the served release at `/cli/`: the same for everyone, without a credential. Clients revalidate
 * each time with the ETag, and rarely receive the bytes again (D56).
 */
export const releaseRoutes = (releases: Releases) =>
  new Hono()
    .get('/cli/svc.pyz', async (c) => {
      const { file, sha256 } = await serving(releases)
      return send(c, { sha256, etag: `"${sha256}"`, type: 'application/octet-stream', bytes: file })
    })
    .get('/cli/svc.pyz.sha256', async (c) => {
      const { sha256 } = await serving(releases)
      return send(c, {
        sha256,
        etag: `"${sha256}-sum"`,
        type: plainTextType,
        bytes: Buffer.from(`${sha256} svc.pyz\n`),
      })
    })
    .get('/cli/svc.pyz.sig', async (c) => {
      const { sha256, signature } = await serving(releases)
      if (!signature) throw new Refusal('not_found', 'The build that is served here is not signed.')
      return send(c, { sha256, etag: etagOf(signature), type: plainTextType, bytes: signature })
    })

async function serving(releases: Releases): Promise<ReleaseFiles> {
  const files = await releases.files()
  if (!files) throw new Refusal('not_found', 'This service serves no runtime build.')
  return files
}

/**
 * The ETag of a signature comes from the signature itself, because the same build may be signed again with another key.
 */
const etagOf = (signature: Buffer) => `"${createHash('sha256').update(signature).digest('hex')}"`

interface SentRelease {
  /** The checksum of `svc.pyz`, whether the file sent is `svc.pyz`, its signature or its checksum file. */
  sha256: string
  etag: string
  type: string
  bytes: Buffer
}
const plainTextType = 'text/plain; charset=utf-8'

function send(c: Context, { sha256, etag, type, bytes }: SentRelease): Response {
  const headers = { 'cache-control': 'no-cache', etag, 'x-svc-sha256': sha256 }
  if (c.req.header('if-none-match') === etag) return c.body(null, 304, headers)
  return c.body(streamOfPieces(bytes), 200, {
    ...headers,
    'content-type': type,
    'content-length': String(bytes.length),
  })
}

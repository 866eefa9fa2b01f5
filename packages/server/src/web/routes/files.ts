/**
 * Routes that carry files: the upload and download of bundles, and the downloads of logs and of the served release. The
 * guards `requireSignedIn` and `requireMember` run before the routes of bundles and logs (app.ts); a release is for
 * everyone.
 */
import { createHash } from 'node:crypto'
import { type BundleFinding, blueprints } from '@svc/api'
import type { BundleFinding as Found } from '@svc/blueprint'
import { limits } from '@svc/protocol'
import { type Context, Hono } from 'hono'
import { noteReading } from '../../fleet/logs/reading.ts'
import { announcesTooMuch, continueIfAsked } from '../../platform/http/body.ts'
import { granted, Refusal, requireFound } from '../../platform/refusal.ts'
import { findBundle, versionPage } from '../../updates/blueprints/store.ts'
import { uploadBlueprint } from '../../updates/blueprints/upload.ts'
import { bundleTooLarge, Uploads } from '../../updates/blueprints/uploads.ts'
import type { ReleaseFiles, Releases } from '../../updates/releases/releases.ts'
import { findLog } from '../queries/logs.ts'
import { memberWriter } from '../routing/acting.ts'
import { requireAdmin, requireAgent, type WebEnv } from '../routing/guards.ts'
import { streamOfPieces } from '../routing/pieces.ts'
import { proofGuard } from '../routing/proof.ts'
import type { WebDeps } from '../routing/web-deps.ts'

export const bundleRoutes = (deps: WebDeps) => {
  const { store, config, now, live } = deps
  const { db } = store
  const uploads = new Uploads(config.dataDir)
  return new Hono<WebEnv>()
    .post('/blueprints', requireAdmin, proofGuard(deps, blueprints.uploadBlueprint), async (c) => {
      const { workspace, person, role } = c.var
      const write = memberWriter(deps, c.var, 'admin')
      const upload = await uploads.receive(person.id, zipOf(c), (bundle) =>
        uploadBlueprint({ db: write, by: person, now: now() }, workspace, bundle),
      )
      if (!upload.ok && upload.code === 'bundle_refused') throw new BundleRefused(upload.message, upload.findings)
      const { blueprint, version, note } = granted(upload)
      live.listChanged(workspace.id)
      const page = requireFound(
        await versionPage(db, workspace, { name: blueprint, version }, now()),
        'version_unknown',
      )
      return c.json({ ...page, canAct: role === 'admin', ...(note && { note }) }, 201)
    })
    .get('/blueprints/:blueprint/versions/:version/bundle', requireAdmin, async (c) => {
      const { blueprint, version } = c.req.param()
      const { bundle, sha256 } = requireFound(
        await findBundle(db, c.var.workspace, blueprint, version),
        'version_unknown',
      )
      return c.body(streamOfPieces(bundle), 200, {
        'content-type': 'application/zip',
        'content-length': String(bundle.length),
        'content-disposition': `attachment; filename="${blueprint}-${version}.zip"`,
        'x-svc-sha256': sha256,
      })
    })
}

/** The refusal of a bundle. It carries all findings, so that the page can show them. */
class BundleRefused extends Refusal {
  override readonly findings: BundleFinding[]
  constructor(message: string, findings: readonly Found[]) {
    super('bundle_refused', message)
    this.findings = findings.map(({ file, line, column, message }) => ({
      file: file === '' ? null : file,
      line: line ?? null,
      column: column ?? null,
      message,
    }))
  }
}

/**
 * The content types that browsers use for a zip. A page of another site cannot send requests of these types without a
 * preflight request.
 */
const zipTypes = /^application\/(?:zip|x-zip-compressed|octet-stream)\s*(?:;|$)/i

function zipOf(c: Context<WebEnv>): ReadableStream<Uint8Array> | null {
  if (!zipTypes.test(c.req.header('content-type') ?? ''))
    throw new Refusal('body_invalid', 'The body must be the zip itself, with Content-Type: application/zip.')
  const { incoming, outgoing } = c.env
  if (announcesTooMuch(incoming, limits.bundleBytes)) throw bundleTooLarge()
  continueIfAsked(incoming, outgoing)
  return c.req.raw.body
}

/** Sends a log from an agent (2.8) as a file: only to admins, and not after 30 days (I32). */
export const logDownload = (deps: WebDeps) => {
  const { store, now } = deps
  const one = requireAgent(deps)
  const readingOf = (c: Context<WebEnv>) => ({
    workspaceId: c.var.workspace.id,
    agent: c.var.agent,
    by: c.var.person,
    now: now(),
  })
  return new Hono<WebEnv>().get('/agents/:name/logs/:id/download', requireAdmin, one, async (c) => {
    const log = requireFound(await findLog(store.db, c.var.agent, c.req.param('id'), now()), 'log_unknown')
    await noteReading(store.db, { ...readingOf(c), log, how: 'log.downloaded' })
    const at = new Date(log.receivedAt).toISOString().slice(0, 19).replaceAll(':', '-')
    const name = log.name.replaceAll(/[^A-Za-z0-9._-]+/g, '_').slice(0, 80)
    c.header('content-disposition', `attachment; filename="${c.var.agent.name}-${name}-${at}.txt"`)
    return c.text(log.text)
  })
}

/**
 * Serves the files of the served release at `/cli/`: the same for everyone, without a credential. Clients revalidate
 * each time with the ETag, and rarely receive the bytes again (D56).
 */
export const releaseRoutes = (releases: Releases) =>
  new Hono()
    .get('/cli/svc.pyz', async (c) => {
      const { file, sha256 } = await requireRelease(releases)
      return sendRelease(c, { sha256, etag: `"${sha256}"`, type: 'application/octet-stream', bytes: file })
    })
    .get('/cli/svc.pyz.sha256', async (c) => {
      const { sha256 } = await requireRelease(releases)
      return sendRelease(c, {
        sha256,
        etag: `"${sha256}-sum"`,
        type: plainTextType,
        bytes: Buffer.from(`${sha256} svc.pyz\n`),
      })
    })
    .get('/cli/svc.pyz.sig', async (c) => {
      const { sha256, signature } = await requireRelease(releases)
      if (!signature) throw new Refusal('not_found', 'The build that is served here is not signed.')
      return sendRelease(c, { sha256, etag: etagOf(signature), type: plainTextType, bytes: signature })
    })

async function requireRelease(releases: Releases): Promise<ReleaseFiles> {
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

function sendRelease(c: Context, { sha256, etag, type, bytes }: SentRelease): Response {
  const headers = { 'cache-control': 'no-cache', etag, 'x-svc-sha256': sha256 }
  if (c.req.header('if-none-match') === etag) return c.body(null, 304, headers)
  return c.body(streamOfPieces(bytes), 200, {
    ...headers,
    'content-type': type,
    'content-length': String(bytes.length),
  })
}

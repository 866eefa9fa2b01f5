/** Blueprints of a workspace on its page. `signedIn` and `member` stand in front (web/app.ts). */

import type { Blueprints, BundleFinding } from '@svc/api'
import type { BundleFinding as Found } from '@svc/blueprint'
import { limits } from '@svc/protocol'
import { type Context, Hono } from 'hono'
import { announcesTooMuch, continueIfAsked } from '../http/body.ts'
import { asMember, memberWriter } from '../web/kit/acting.ts'
import type { WebDeps } from '../web/kit/deps.ts'
import { admin, type WebEnv } from '../web/kit/guards.ts'
import { inPieces } from '../web/kit/pieces.ts'
import { found, granted, Refusal } from '../web/kit/refusal.ts'
import { blueprintPage, bundleOf, deleteVersion, listBlueprints, versionPage } from './store.ts'
import { uploadBlueprint } from './upload.ts'
import { bundleTooLarge, Uploads } from './uploads.ts'

export const blueprintRoutes = (deps: WebDeps) => {
  const { store, config, now, live } = deps
  const { db } = store
  const uploads = new Uploads(config.dataDir)
  return new Hono<WebEnv>()
    .get('/blueprints', async (c) => {
      return c.json({ now: now(), rows: await listBlueprints(db, c.var.workspace) } satisfies Blueprints)
    })
    .post('/blueprints', admin, async (c) => {
      const { workspace, person, role } = c.var
      const write = memberWriter(deps, c.var, 'admin')
      const upload = await uploads.receive(person.id, zipOf(c), (bundle) =>
        uploadBlueprint(write, workspace, bundle, person, now()),
      )
      if (!upload.ok && upload.code === 'bundle_refused') throw new BundleRefused(upload.message, upload.findings)
      const { blueprint, version } = granted(upload)
      live.listChanged(workspace.id)
      const page = found(await versionPage(db, workspace, blueprint, version, now()), 'version_unknown')
      return c.json({ ...page, canAct: role === 'admin' }, 201)
    })
    .get('/blueprints/:blueprint', async (c) => {
      const page = await blueprintPage(db, c.var.workspace, c.req.param('blueprint'), now())
      return c.json({ ...found(page, 'blueprint_unknown'), canAct: c.var.role === 'admin' })
    })
    .get('/blueprints/:blueprint/versions/:version', async (c) => {
      const { blueprint, version } = c.req.param()
      const page = await versionPage(db, c.var.workspace, blueprint, version, now())
      return c.json({ ...found(page, 'version_unknown'), canAct: c.var.role === 'admin' })
    })
    .get('/blueprints/:blueprint/versions/:version/bundle', admin, async (c) => {
      const { blueprint, version } = c.req.param()
      const { bundle, sha256 } = found(await bundleOf(db, c.var.workspace, blueprint, version), 'version_unknown')
      return c.body(inPieces(bundle), 200, {
        'content-type': 'application/zip',
        'content-length': String(bundle.length),
        'content-disposition': `attachment; filename="${blueprint}-${version}.zip"`,
        'x-svc-sha256': sha256,
      })
    })
    .delete('/blueprints/:blueprint/versions/:version', admin, async (c) => {
      const { workspace } = c.var
      const { blueprint: name, version } = c.req.param()
      await asMember(deps, c.var, 'admin', ({ db, by, now }) =>
        deleteVersion(db, workspace, { name, version }, by, now),
      )
      live.listChanged(workspace.id)
      return c.json({ ok: true })
    })
}

/** Carries every finding to the page. */
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

/** What browsers call a zip. A form of another site cannot send any of these without asking first. */
const zipTypes = /^application\/(?:zip|x-zip-compressed|octet-stream)\s*(?:;|$)/i

function zipOf(c: Context<WebEnv>): ReadableStream<Uint8Array> | null {
  if (!zipTypes.test(c.req.header('content-type') ?? ''))
    throw new Refusal('body_invalid', 'The body must be the zip itself, with Content-Type: application/zip.')
  const { incoming, outgoing } = c.env
  if (announcesTooMuch(incoming, limits.bundleBytes)) throw bundleTooLarge()
  continueIfAsked(incoming, outgoing)
  return c.req.raw.body
}

/** The built page. Hashed files never change; the page itself is asked about anew each time. */
import { createHash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { extname, join, relative } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { type Context, Hono } from 'hono'
import { inPieces } from './pieces.ts'

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
}

type Coding = 'br' | 'gzip'
interface File {
  bytes: Buffer
  type: string
  etag: string
  /** Its name holds a hash of what is in it. */
  immutable: boolean
  smaller: Map<Coding, Promise<Buffer>>
  stamp: string
}

/** Serves `dir`; every address without a file is the page, which knows the address itself. */
export function staticRoutes(dir: string) {
  const files = new Map<string, File>()
  return new Hono().get('*', async (c) => {
    const path = decoded(c.req.path)
    if (path === undefined || !isInside(dir, path)) return c.text('There is no such file.', 404)
    // An address may hold dots (an invitation, a version); only what ends like a file of the page is asked for as one.
    const wanted = Object.hasOwn(types, extname(path)) ? path : '/index.html'
    const file = read(files, dir, wanted)
    if (file) return send(c, file)
    if (wanted === '/index.html') return c.html(notBuilt, 200, { 'cache-control': 'no-store' })
    return c.text('There is no such file.', 404)
  })
}

async function send(c: Context, file: File): Promise<Response> {
  const headers: Record<string, string> = {
    'content-type': file.type,
    etag: file.etag,
    vary: 'Accept-Encoding',
    'cache-control': file.immutable ? 'public, max-age=31536000, immutable' : 'no-cache',
  }
  if (c.req.header('if-none-match') === file.etag) return c.body(null, 304, headers)
  const coding = codingOf(c.req.header('accept-encoding') ?? '')
  const worth = coding && /^(text|application\/(json|manifest)|image\/svg)/.test(file.type) && file.bytes.length > 1000
  if (!worth) return whole(c, file.bytes, headers)
  return whole(c, await smaller(file, coding), { ...headers, 'content-encoding': coding })
}

const whole = (c: Context, bytes: Buffer, headers: Record<string, string>): Response =>
  c.body(inPieces(bytes), 200, { ...headers, 'content-length': String(bytes.length) })

/** Compressed once and kept: the page is a few hundred kilobytes in all. */
function smaller(file: File, coding: Coding): Promise<Buffer> {
  const known = file.smaller.get(coding)
  if (known) return known
  const made =
    coding === 'gzip'
      ? promisify(gzip)(file.bytes, { level: 9 })
      : promisify(brotliCompress)(file.bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } })
  file.smaller.set(coding, made)
  return made
}

const codingOf = (accepts: string): Coding | undefined =>
  /\bbr\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/.test(accepts)
    ? 'br'
    : /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/.test(accepts)
      ? 'gzip'
      : undefined

/** The file as it is now: a new build is served without a restart. */
function read(files: Map<string, File>, dir: string, path: string): File | undefined {
  const full = join(dir, path)
  const info = statSync(full, { throwIfNoEntry: false })
  if (!info?.isFile()) return undefined
  const stamp = `${info.size} ${info.mtimeMs}`
  const known = files.get(path)
  if (known?.stamp === stamp) return known
  const bytes = readFileSync(full)
  const file: File = {
    bytes,
    type: types[extname(path)] ?? 'application/octet-stream',
    etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`,
    immutable: path.startsWith('/assets/'),
    smaller: new Map(),
    stamp,
  }
  files.set(path, file)
  return file
}

function decoded(path: string): string | undefined {
  try {
    const text = decodeURIComponent(path)
    return /[\0\\]/.test(text) ? undefined : text
  } catch {
    return undefined
  }
}

const isInside = (dir: string, path: string): boolean => !relative(dir, join(dir, path)).startsWith('..')

const notBuilt = `<!doctype html><html lang="en"><meta charset="utf-8"><title>svc</title>
<h1>The page is not built yet</h1>
<p>The service runs, and agents can report to it. Build the page with <code>npm run build</code>, then load this again.
<code>npm start</code> does so by itself.</p></html>`

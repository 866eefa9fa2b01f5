/**
 * Serves the built page and security.txt; help.ts serves `/help` like the page. Files with a hash in their name never
 * change; browsers revalidate the page itself each time. The memory for files is bounded whatever clients request,
 * since only the exact address of an existing file finds it.
 */
import { createHash } from 'node:crypto'
import { type Dirent, readdirSync, readFileSync, statSync } from 'node:fs'
import { extname, join, relative } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { HttpBindings } from '@hono/node-server'
import { type Context, Hono } from 'hono'
import { isCode } from '../../platform/errors.ts'
import { missingBuildHtml } from '../../platform/installed.ts'
import { dayMs, dayNumber } from '../../platform/limits/units.ts'
import { Refusal } from '../../platform/refusal.ts'
import { acceptsCoding, type ContentCoding } from '../routing/codings.ts'
import type { Deps } from '../routing/deps.ts'
import { streamOfPieces } from '../routing/pieces.ts'
import { rawPathOf } from './target.ts'

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

/**
 * The milliseconds after which the folder of the built page is listed again, so that a new build is served without a
 * restart.
 */
const listedEvery = 1000
const page = '/index.html'

/** A file of the built page, as it was read. */
export interface PageFile {
  bytes: Buffer
  type: string
  etag: string
  /**
   * True if the file's address contains a hash of its content, so that browsers may cache the file without revalidating
   * it.
   */
  immutable: boolean
  /** The bytes in each content coding in which the file has been sent. */
  compressed: Map<ContentCoding, Promise<Buffer>>
}
export type PageContext = Context<{ Bindings: HttpBindings }>

/**
 * Serves the files of `dir`. An address that does not end like a file gets `index.html`, which then shows the part of
 * the page that belongs to the address. For other missing files the answer is 404.
 */
export function staticRoutes(dir: string, clock: () => number = () => performance.now()) {
  const files = fileFinder(dir, clock)
  return new Hono<{ Bindings: HttpBindings }>().get('*', async (c) => {
    const path = rawPathOf(c.env.incoming.url ?? '/')
    // A missing file gets 404 only if its address ends like one of the page's files. Addresses inside the page may
    // contain dots too, for example in a version.
    const wanted = Object.hasOwn(types, extname(path)) ? path : page
    const file = files(wanted)
    if (file) return sendFile(c, file)
    if (wanted === page) return c.html(notBuilt, 200, { 'cache-control': 'no-store' })
    throw new Refusal('not_found', 'There is no such file.')
  })
}

/**
 * Sends a file, compressed if that is worth it and the client accepts it. With the status 404, the file is the answer
 * for an address that does not exist, and is not cached.
 */
export async function sendFile(c: PageContext, file: PageFile, status: 200 | 404 = 200): Promise<Response> {
  const lasting = file.immutable ? 'public, max-age=31536000, immutable' : 'no-cache'
  const headers: Record<string, string> = {
    'content-type': file.type,
    etag: file.etag,
    vary: 'Accept-Encoding',
    'cache-control': status === 200 ? lasting : 'no-store',
  }
  if (status === 200 && c.req.header('if-none-match') === file.etag) return c.body(null, 304, headers)
  const coding = codings.find((each) => acceptsCoding(c.req.header('accept-encoding'), each))
  const worth = coding && /^(text|application\/(json|manifest)|image\/svg)/.test(file.type) && file.bytes.length > 1000
  if (!worth) return wholeResponse(c, file.bytes, status, headers)
  return wholeResponse(c, await compress(file, coding), status, { ...headers, 'content-encoding': coding })
}

const wholeResponse = (c: Context, bytes: Buffer, status: 200 | 404, headers: Record<string, string>): Response =>
  c.body(streamOfPieces(bytes), status, { ...headers, 'content-length': String(bytes.length) })

/**
 * Compresses a file once and keeps the result in memory, because the compressed files of the page together take less
 * than a megabyte.
 */
function compress(file: PageFile, coding: ContentCoding): Promise<Buffer> {
  const known = file.compressed.get(coding)
  if (known) return known
  const made =
    coding === 'gzip'
      ? promisify(gzip)(file.bytes, { level: 9 })
      : promisify(brotliCompress)(file.bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } })
  file.compressed.set(coding, made)
  return made
}

const codings: readonly ContentCoding[] = ['br', 'gzip']

/**
 * Returns a function that finds the file at an address. All addresses come from the listed folder, so a request for
 * another address costs one lookup in a map. Each file is read once, and again when it has changed.
 */
export function fileFinder(dir: string, clock: () => number): (path: string) => PageFile | undefined {
  let listed = Number.NEGATIVE_INFINITY
  /** The size and the time of the last change of each file by its address, to notice changes. */
  let stamps = new Map<string, string>()
  const read = new Map<string, { file: PageFile; stamp: string }>()

  function list(): void {
    listed = clock()
    stamps = stampsIn(dir)
    for (const path of read.keys()) if (!stamps.has(path)) read.delete(path)
  }

  return (path) => {
    if (clock() - listed >= listedEvery) list()
    const stamp = stamps.get(path)
    if (stamp === undefined) return undefined
    const known = read.get(path)
    if (known?.stamp === stamp) return known.file
    const file = readIn(dir, path)
    if (file) read.set(path, { file, stamp })
    return file
  }
}

function stampsIn(dir: string): Map<string, string> {
  const stamps = new Map<string, string>()
  for (const entry of entriesOf(dir)) {
    const full = join(entry.parentPath, entry.name)
    const info = statSync(full, { throwIfNoEntry: false })
    if (info?.isFile()) stamps.set(`/${relative(dir, full)}`, `${info.size} ${info.mtimeMs}`)
  }
  return stamps
}

/**
 * The entries of the folder of the built page. There are none if the page was not built, and some may be missing while
 * a new build replaces the old one.
 */
function entriesOf(dir: string): Dirent[] {
  try {
    return readdirSync(dir, { recursive: true, withFileTypes: true })
  } catch (error) {
    if (isCode(error, 'ENOENT')) return []
    throw error
  }
}

function readIn(dir: string, path: string): PageFile | undefined {
  try {
    const bytes = readFileSync(join(dir, path))
    return {
      bytes,
      type: types[extname(path)] ?? 'application/octet-stream',
      etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`,
      immutable: path.startsWith('/assets/'),
      compressed: new Map(),
    }
  } catch (error) {
    if (isCode(error, 'ENOENT')) return undefined
    throw error
  }
}

const notBuilt = `<!doctype html><html lang="en"><meta charset="utf-8"><title>svc</title>
<h1>The page is not built yet</h1>
<p>The service is running, and agents can report to it. ${missingBuildHtml}</p></html>`

/**
 * The days after which security.txt says that it expires. The service generates it for each request; RFC 9116 wants
 * less than a year.
 */
const holdsDays = 180

/** Serves `/.well-known/security.txt` (RFC 9116), which says where to report a vulnerability of this installation. */
export const securityRoutes = ({ config, now }: Pick<Deps, 'config' | 'now'>) =>
  new Hono().get('/.well-known/security.txt', (c) => {
    const { baseUrl, securityContact } = config
    if (securityContact === undefined)
      throw new Refusal('not_found', 'The operator of this service has not named a contact.')
    const today = dayNumber(now()) * dayMs
    const lines = [
      `Contact: ${securityContact}`,
      `Expires: ${new Date(today + holdsDays * dayMs).toISOString()}`,
      `Canonical: ${baseUrl}/.well-known/security.txt`,
      '',
    ]
    return c.text(lines.join('\n'), 200, { 'cache-control': 'no-cache' })
  })

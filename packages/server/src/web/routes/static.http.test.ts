import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { byLevel } from '../../../../../testing/level.ts'
import { serve } from '../../../testing/page/service.ts'
import { Refusal } from '../../platform/refusal.ts'
import { staticRoutes } from './static.ts'

function builtPage(): string {
  const dir = mkdtempSync(join(tmpdir(), 'svc-page-'))
  mkdirSync(join(dir, 'assets'))
  writeFileSync(join(dir, 'index.html'), '<!doctype html><title>svc</title>')
  writeFileSync(join(dir, 'assets', 'index-abc123.js'), `console.log(1)\n${'// filling\n'.repeat(500)}`)
  writeFileSync(join(dir, 'icon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>')
  return dir
}

test('every address of the page serves the page, with revalidation; a file that does not exist is 404', async () => {
  const browser = (await serve({ pageDir: builtPage() })).browser()
  for (const path of [
    '/',
    '/sign-in',
    '/w/north',
    '/w/north/agents/mail-triage',
    '/start?token=x',
    '/invitation/a1.b-2',
  ]) {
    const answer = await browser.get(path)
    expect([path, answer.status, answer.text]).toEqual([path, 200, '<!doctype html><title>svc</title>'])
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(answer.headers.get('cache-control')).toBe('no-cache')
    expect((await browser.get(path, { 'if-none-match': answer.headers.get('etag') ?? '' })).status).toBe(304)
  }
  for (const path of ['/assets/index-old.js', '/favicon.ico', '/..%2fpackage.json', '/%2e%2e/package.json']) {
    const answer = await browser.get(path)
    expect([path, answer.status, answer.headers.get('cache-control')]).toEqual([path, 404, 'no-store'])
  }
})

/** Requests a path exactly as given, like a client that does not normalise addresses. */
const ask = (origin: string, path: string, headers: Record<string, string> = {}, method = 'GET') =>
  new Promise<{ status: number; bytes: number }>((resolve, reject) => {
    const { port } = new URL(origin)
    const asked = request({ host: '127.0.0.1', port, path, method, headers, agent }, (answer) => {
      sizeOf(answer).then((bytes) => resolve({ status: answer.statusCode ?? 0, bytes }), reject)
    })
    asked.on('error', reject).end()
  })
async function sizeOf(answer: IncomingMessage): Promise<number> {
  let bytes = 0
  for await (const chunk of answer) bytes += (chunk as Buffer).length
  return bytes
}
const agent = new Agent({ keepAlive: true, maxSockets: 8 })
afterAll(() => agent.destroy())

/**
 * Each of four ways to write the same file's address is tried in this many variants. If the service kept the file of
 * 200 kB for each variant, the 1,200 copies of a short run would take 240 MB.
 */
const spellingsOfEach = byLevel(100, 300, 1250)

test(`${4 * spellingsOfEach} spellings of one file are not addresses of it, and take no memory`, async () => {
  const dir = builtPage()
  writeFileSync(join(dir, 'assets', 'large-abc123.js'), 'x'.repeat(200_000))
  const { origin } = await serve({ pageDir: dir })
  const spellings = Array.from({ length: spellingsOfEach }, (_, i) => [
    `${'/'.repeat(i + 2)}assets/large-abc123.js`,
    `/assets${'/'.repeat(i + 2)}large-abc123.js`,
    `/assets/${'./'.repeat(i + 1)}large-abc123.js`,
    `/assets%2${i % 2 ? 'f' : 'F'}${'x/../'.repeat(i)}large-abc123.js`,
  ]).flat()
  expect((await ask(origin, '/assets/large-abc123.js')).bytes).toBe(200_000)
  const before = process.memoryUsage().arrayBuffers
  const statuses = new Map<number, number>()
  await Promise.all(
    spellings.map(async (path, i) => {
      const { status } = await ask(origin, path, { 'accept-encoding': 'br' }, i % 2 ? 'GET' : 'HEAD')
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }),
  )
  expect([...statuses]).toEqual([[404, spellings.length]])
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(50_000_000)
})

test('a file of a new build is served without a restart, and one that is gone is not', async () => {
  const dir = builtPage()
  let seconds = 0
  const routes = staticRoutes(dir, () => seconds * 1000).onError((error, c) =>
    c.text('', error instanceof Refusal && error.status === 404 ? 404 : 500),
  )
  const get = async (path: string) => (await routes.request(path, {}, { incoming: { url: path } })).status
  expect(await get('/assets/index-abc123.js')).toBe(200)
  rmSync(join(dir, 'assets', 'index-abc123.js'))
  writeFileSync(join(dir, 'assets', 'index-def456.js'), 'console.log(2)')
  seconds = 2
  expect([await get('/assets/index-abc123.js'), await get('/assets/index-def456.js')]).toEqual([404, 200])
})

test('files with a hash in their name never change, and are sent compressed', async () => {
  const browser = (await serve({ pageDir: builtPage() })).browser()
  for (const coding of ['br', 'gzip', 'identity']) {
    const answer = await browser.get('/assets/index-abc123.js', { 'accept-encoding': coding })
    expect(answer.headers.get('content-encoding') ?? 'identity').toBe(coding)
    expect(answer.text).toMatch(/^console\.log/)
    expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(answer.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
    expect(answer.headers.get('vary')).toBe('Accept-Encoding')
  }
  expect((await browser.get('/icon.svg')).headers.get('content-type')).toBe('image/svg+xml')
})

test('while the page is not built, a placeholder says what to do', async () => {
  const answer = await (await serve()).browser().get('/w/north')
  expect(answer.text).toContain('npm run build')
})

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { helpRoutes } from '../../packages/server/src/web/routes/help.ts'
import { serve } from '../../packages/server/testing/page/service.ts'
import { copied, served } from './documents.ts'
import { writeHelp } from './make.ts'

/** Renders the documents of this checkout into a folder of the test. */
function builtHelp(): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-help-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  writeHelp(join(folder, 'help'))
  return join(folder, 'help')
}
const visitor = async () => (await serve({ helpDir: builtHelp() })).browser()

test('everybody reads the contents and each document without signing in', async () => {
  const browser = await visitor()
  for (const path of ['/help', ...served.map((name) => `/help/${name}`)]) {
    const answer = await browser.get(path)
    expect([path, answer.status, answer.headers.get('content-type')]).toEqual([path, 200, 'text/html; charset=utf-8'])
    expect(answer.headers.get('set-cookie')).toBeNull()
    expect(answer.text).toContain('<h1>')
  }
  expect((await browser.get('/help')).text).toContain('<h1>Help</h1>')
  expect((await browser.get('/help/alerts')).text).toContain('<h1>Alerts</h1>')
})

test('the policy of the documents allows a style sheet, a form, and nothing that runs', async () => {
  const browser = await visitor()
  for (const path of ['/help', '/help/alerts', '/help/nothing', '/help/ALERTS']) {
    const { headers } = await browser.get(path)
    expect([path, headers.get('content-security-policy')]).toEqual([
      path,
      "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    ])
    expect([headers.get('x-content-type-options'), headers.get('referrer-policy')]).toEqual(['nosniff', 'no-referrer'])
  }
})

test.each([
  ['svc-scheme=dark', 'dark'],
  ['a=b; svc-scheme=light; c=d', 'light'],
  ['svc-scheme=auto', undefined],
  ['svc-scheme="><script>', undefined],
  ['other-svc-scheme=dark', undefined],
])('with the cookie %s a document has the scheme that was chosen on the page: %s', async (cookie, scheme) => {
  const browser = await visitor()
  for (const path of ['/help', '/help/alerts']) {
    const { text, headers } = await browser.get(path, { cookie })
    expect(/<html[^>]*>/.exec(text)?.[0]).toBe(scheme ? `<html data-scheme="${scheme}" lang="en">` : '<html lang="en">')
    expect(headers.get('cache-control')).toBe(scheme ? 'no-store' : 'no-cache')
  }
})

test('a document is revalidated and compressed, and its style sheet never changes', async () => {
  const browser = await visitor()
  for (const coding of ['br', 'gzip', 'identity']) {
    const answer = await browser.get('/help/alerts', { 'accept-encoding': coding })
    expect(answer.headers.get('content-encoding') ?? 'identity').toBe(coding)
    expect(answer.headers.get('cache-control')).toBe('no-cache')
    expect(answer.text).toContain('<h1>Alerts</h1>')
    const again = await browser.get('/help/alerts', { 'if-none-match': answer.headers.get('etag') ?? '' })
    expect([again.status, again.text]).toEqual([304, ''])
  }
  const [, sheet = ''] = /<link rel="stylesheet" href="([^"]+)">/.exec((await browser.get('/help/alerts')).text) ?? []
  const { status, headers } = await browser.get(sheet)
  expect([status, headers.get('content-type')]).toEqual([200, 'text/css; charset=utf-8'])
  expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
})

test('an address without a document is 404, with a page that leads to the contents', async () => {
  const browser = await visitor()
  for (const path of [
    '/help/nothing',
    '/help/architecture',
    '/help/alerts.md',
    '/help/alerts.html',
    '/help/index.html',
    '/help/contents.html',
    '/help/not-found.html',
    '/help/documents/alerts.html',
    '/help/alerts/more',
    '/help/assets/help.css',
    '/help/%61lerts',
    '/help/alerts%20',
  ]) {
    const { status, headers, text } = await browser.get(path)
    expect([path, status, headers.get('cache-control')]).toEqual([path, 404, 'no-store'])
    expect(text).toContain('<a href="/help">')
  }
  // A browser that shows the page for a missing document keeps nothing of it.
  const etag = (await browser.get('/help/nothing')).headers.get('etag') ?? ''
  expect((await browser.get('/help/nothing', { 'if-none-match': etag })).status).toBe(404)
})

test('the files that people copy are served as they are, to everybody', async () => {
  const browser = await visitor()
  for (const path of copied) {
    const { status, headers, text } = await browser.get(`/help/sdk/${path.replace(/.*\//, '')}`)
    expect([path, status, headers.get('cache-control')]).toEqual([path, 200, 'no-cache'])
    expect(text).toBe(readFileSync(join(import.meta.dirname, '../..', path), 'utf8'))
  }
  for (const path of ['/help/sdk/', '/help/sdk/drive.py', '/help/sdk/python/svc_status.py', '/help/svc_status.py'])
    expect([path, (await browser.get(path, { redirect: 'manual' })).status]).toEqual([
      path,
      path.endsWith('/') ? 308 : 404,
    ])
})

test('the index with which the page searches is JSON that is revalidated', async () => {
  const { status, headers, text } = await (await visitor()).get('/help/search.json')
  expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8'])
  expect(headers.get('cache-control')).toBe('no-cache')
  expect(text).toContain('"Using the page"')
})

test('a search lists the sections with all words, best first, and shows what was typed as text', async () => {
  const browser = await visitor()
  const { text, headers } = await browser.get('/help?q=Acknowledge+mute', { cookie: 'svc-scheme=dark' })
  expect(text).toMatch(
    /<ul class="documents">\n<li><a href="\/help\/alerts#acknowledge-and-mute">Acknowledge and mute</,
  )
  expect(text).toContain('<html data-scheme="dark" lang="en">')
  expect(headers.get('cache-control')).toBe('no-store')
  const typed = await browser.get(`/help?q=${encodeURIComponent('"><script>$&')}`)
  expect(typed.text).toContain('value="&quot;&gt;&lt;script&gt;$&amp;"')
  expect(typed.text).toContain('No section has all words')
  expect(typed.text).not.toContain('<script>')
  for (const empty of ['', '%20', '%00'])
    expect([empty, (await browser.get(`/help?q=${empty}`)).status]).toEqual([empty, 200])
  expect((await browser.get('/help?q=')).text).toContain('<h1>Help</h1>')
})

test('a slash at the end and upper case lead to the one address of a document', async () => {
  const browser = await visitor()
  for (const [path, to] of [
    ['/help/', '/help'],
    ['/help/alerts/', '/help/alerts'],
    ['/help/Alerts', '/help/alerts'],
    ['/help/ALERTS/?a=b', '/help/alerts'],
  ] as const) {
    const { status, headers } = await browser.get(path)
    expect([path, status, headers.get('location')]).toEqual([path, 308, to])
  }
})

/** Requests a path exactly as given, like a client that does not normalise addresses. */
const ask = (origin: string, path: string) =>
  new Promise<number | undefined>((resolve, reject) => {
    const { port } = new URL(origin)
    get({ host: '127.0.0.1', port, path, agent: false }, (answer) => {
      answer.resume().once('end', () => resolve(answer.statusCode))
    }).once('error', reject)
  })

test('no spelling of an address reaches a file outside of the help', async () => {
  const dir = builtHelp()
  writeFileSync(join(dir, '../outside.html'), 'secret')
  const { origin } = await serve({ helpDir: dir })
  for (const path of [
    '/help/../outside',
    '/help/../outside.html',
    '/help/documents/../../outside.html',
    '/help/..%2foutside.html',
    '/help/%2e%2e/outside.html',
    '/help/assets/../../outside.html',
    '/help/assets/..%5c..%5coutside.html',
    '/help//alerts',
    '/help/./alerts',
    '/help/alerts%00',
    '/help/%c0%ae%c0%ae/outside.html',
  ])
    expect([path, await ask(origin, path)]).toEqual([path, 404])
})

test('a new build is served without a restart, and requests for other addresses read no file', async () => {
  const dir = builtHelp()
  let seconds = 0
  const routes = helpRoutes(dir, () => seconds * 1000)
  const open = (path: string) => routes.request(path, {}, { incoming: { url: path } })
  expect(await (await open('/help/alerts')).text()).toContain('<h1>Alerts</h1>')
  writeFileSync(join(dir, 'documents/alerts.html'), `${readFileSync(join(dir, 'documents/alerts.html'))}<!-- newer -->`)
  writeFileSync(join(dir, 'documents/another.html'), 'another')
  expect((await open('/help/another')).status).toBe(404)
  seconds = 2
  expect(await (await open('/help/alerts')).text()).toContain('newer')
  expect((await open('/help/another')).status).toBe(200)
})

test('while the help is not built, a placeholder says what to do', async () => {
  const answer = await (await serve()).browser().get('/help/alerts')
  expect([answer.status, answer.text]).toEqual([404, expect.stringContaining('npm run build')])
})

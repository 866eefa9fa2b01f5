import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { serve } from './testing/service.ts'

function builtPage(): string {
  const dir = mkdtempSync(join(tmpdir(), 'svc-page-'))
  mkdirSync(join(dir, 'assets'))
  writeFileSync(join(dir, 'index.html'), '<!doctype html><title>svc</title>')
  writeFileSync(join(dir, 'assets', 'index-abc123.js'), `console.log(1)\n${'// filling\n'.repeat(500)}`)
  writeFileSync(join(dir, 'icon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>')
  return dir
}

test('every address of the page gives the page, asked about anew; a file that is not there is none', async () => {
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
    expect([path, (await browser.get(path)).status]).toEqual([path, 404])
  }
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

test('while the page is not built, there is one that says what to do', async () => {
  const answer = await (await serve()).browser().get('/w/north')
  expect(answer.text).toContain('npm run build')
})

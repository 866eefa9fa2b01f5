import { createHash } from 'node:crypto'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Me } from '../api.ts'
import { serve } from '../web/testing/service.ts'

const hash = (text: string) => createHash('sha256').update(text).digest('hex')

test('without a build the three files are not there, and the page knows', async () => {
  const service = await serve()
  for (const end of ['', '.sha256', '.sig']) {
    expect(await service.browser().get(`/cli/svc.pyz${end}`)).toMatchObject({ status: 404, body: { error: {} } })
  }
  await service.workspace('north')
  const ann = await service.person('Ann', 'north', 'admin')
  expect((await ann.get<Me>('/api/web/me')).body.service).toMatchObject({ version: '1.2.3', runtime: false })
})

test('archive, checksum and signature are of the same bytes, need no credential, and are asked about anew', async () => {
  const service = await serve()
  const dir = service.config.releaseDir
  mkdirSync(dir)
  writeFileSync(join(dir, 'svc.pyz'), 'build one')
  const browser = service.browser()
  const file = await browser.get('/cli/svc.pyz')
  expect([file.status, file.text]).toEqual([200, 'build one'])
  expect(file.headers.get('x-svc-sha256')).toBe(hash('build one'))
  expect(file.headers.get('cache-control')).toBe('no-cache')
  expect((await browser.get('/cli/svc.pyz.sha256')).text).toBe(`${hash('build one')} svc.pyz\n`)
  expect((await browser.get('/cli/svc.pyz.sig')).status).toBe(404)
  const etag = file.headers.get('etag') ?? ''
  expect((await browser.get('/cli/svc.pyz', { 'if-none-match': etag })).status).toBe(304)

  writeFileSync(join(dir, 'svc.pyz'), 'build two, signed')
  writeFileSync(join(dir, 'svc.pyz.sig'), 'a signature')
  await expect.poll(async () => (await browser.get('/cli/svc.pyz.sig')).text, { timeout: 5000 }).toBe('a signature')
  const next = await browser.get('/cli/svc.pyz', { 'if-none-match': etag })
  expect([next.status, next.text]).toEqual([200, 'build two, signed'])
  expect(next.headers.get('x-svc-sha256')).toBe(hash('build two, signed'))
  rmSync(join(dir, 'svc.pyz'))
  await expect.poll(async () => (await browser.get('/cli/svc.pyz')).status, { timeout: 5000 }).toBe(404)
})

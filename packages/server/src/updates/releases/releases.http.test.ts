import { createHash } from 'node:crypto'
import type { Me } from '@svc/api'
import { expect, test } from 'vitest'
import { operator, serve } from '../../../testing/page/service.ts'
import { buildOf, newKey, pyz } from '../../../testing/releases.ts'
import { addRelease } from './store.ts'

const hash = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

test('without a build the three files do not exist, and the page knows', async () => {
  const service = await serve()
  for (const end of ['', '.sha256', '.sig']) {
    expect(await service.browser().get(`/cli/svc.pyz${end}`)).toMatchObject({ status: 404, body: { error: {} } })
  }
  await service.workspace('north')
  const ann = await service.person('Ann', 'north', 'admin')
  expect((await ann.get<Me>('/api/web/me')).body.service).toMatchObject({ version: '1.2.3', runtime: false })
})

test('archive, checksum and signature are of the same bytes, need no credential, and are revalidated each time', async () => {
  const service = await serve()
  const serves = (version: string, given = {}) =>
    addRelease(service.store.db, buildOf(version, given), { older: false, by: operator, now: service.now() })
  await serves('1.0.0')
  const browser = service.browser()
  const file = await browser.get('/cli/svc.pyz')
  expect(file.status).toBe(200)
  expect(file.headers.get('x-svc-sha256')).toBe(hash(pyz('1.0.0')))
  expect(file.headers.get('cache-control')).toBe('no-cache')
  expect((await browser.get('/cli/svc.pyz.sha256')).text).toBe(`${hash(pyz('1.0.0'))} svc.pyz\n`)
  expect((await browser.get('/cli/svc.pyz.sig')).status).toBe(404)
  const etag = file.headers.get('etag') ?? ''
  expect((await browser.get('/cli/svc.pyz', { 'if-none-match': etag })).status).toBe(304)

  const key = newKey()
  await serves('1.1.0', { key })
  const build = buildOf('1.1.0', { key })
  const bytes = async (path: string) => Buffer.from(await (await fetch(service.origin + path)).arrayBuffer())
  expect((await bytes('/cli/svc.pyz')).equals(build.bytes)).toBe(true)
  expect((await bytes('/cli/svc.pyz.sig')).equals(build.signature ?? Buffer.alloc(0))).toBe(true)
  const next = await browser.get('/cli/svc.pyz', { 'if-none-match': etag })
  expect([next.status, next.headers.get('x-svc-sha256')]).toEqual([200, build.sha256])
})

import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../../../../testing/eventually.ts'
import { operator, serve } from '../../../testing/page/service.ts'
import { buildOf } from '../../../testing/releases.ts'
import { addRelease } from '../../updates/releases/store.ts'

const size = 6 * 1024 * 1024
const many = 40

/**
 * Lets many clients request a file without reading the answer, and returns the bytes of buffers that the service then
 * holds in memory.
 */
async function costOf(origin: string, path: string): Promise<number> {
  const whole = Buffer.from(await (await fetch(origin + path)).arrayBuffer())
  expect(whole.length).toBeGreaterThan(size)
  const { host, hostname, port } = new URL(origin)
  const before = process.memoryUsage().arrayBuffers
  const sockets = Array.from({ length: many }, () => connect(Number(port), hostname))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
  })
  await Promise.all(
    sockets.map(async (socket) => {
      socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
      await once(socket, 'readable')
    }),
  )
  const cost = process.memoryUsage().arrayBuffers - before
  const [first] = sockets
  let read = 0
  first?.on('data', (chunk: Buffer) => {
    read += chunk.length
  })
  await eventually('the one who reads has all of it', () => expect(read).toBeGreaterThan(whole.length))
  return cost
}

test('the public runtime file is in memory only once, however many clients requested it without reading the answer', async () => {
  const service = await serve()
  const build = buildOf('1.0.0', { salt: 'x'.repeat(1000) })
  const large = { ...build, bytes: Buffer.concat([build.bytes, Buffer.alloc(size)]) }
  await addRelease(service.store.db, large, { older: false, by: operator, now: service.now() })
  expect(await costOf(service.origin, '/cli/svc.pyz')).toBeLessThan(5 * size)
})

test('each file of the page is in memory only once, too', async () => {
  const pageDir = mkdtempSync(join(tmpdir(), 'svc-page-'))
  onTestFinished(() => rmSync(pageDir, { recursive: true, force: true }))
  mkdirSync(join(pageDir, 'assets'))
  writeFileSync(join(pageDir, 'assets/large.js'), Buffer.alloc(size + 1, 'x'))
  const service = await serve({ pageDir })
  expect(await costOf(service.origin, '/assets/large.js')).toBeLessThan(5 * size)
})

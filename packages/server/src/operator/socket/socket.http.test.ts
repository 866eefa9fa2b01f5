/**
 * Tests that the operator's socket accepts only one route, whatever a process that can open the data folder writes to
 * it.
 */
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import { limits } from '@svc/protocol'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { testConfig } from '../../../testing/service.ts'
import { liveWithoutService, type OpenedService, openService } from '../../service/open.ts'
import { serveOperator } from './socket.ts'

let dataDir: string
let opened: OpenedService
let socket: { close: () => Promise<void> }
beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'svc-socket-'))
  const mine = await openService(testConfig({ dataDir }), Date.now, async () => true)
  if (!mine) throw new Error('The data folder is in use.')
  opened = mine
  socket = await serveOperator({ ...opened, live: liveWithoutService(opened.store) }, pino({ level: 'silent' }))
})
afterEach(async () => {
  await socket.close()
  await opened.close()
  rmSync(dataDir, { recursive: true, force: true })
})

function call(method: string, path: string, body: string): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
    const socketPath = join(dataDir, 'operator.sock')
    const asked = request({ socketPath, method, path, headers, agent: false }, (answer) => {
      textOf(answer).then((text) => resolve({ status: answer.statusCode ?? 0, text }), reject)
    })
    asked.on('error', reject).end(body)
  })
}
const create = (slug: string) => JSON.stringify({ name: 'workspace create', args: [slug], options: {}, input: '' })
const workspaces = async () =>
  (await opened.store.db.selectFrom('workspace').select('slug').execute()).map((w) => w.slug)

test('POST /run carries out a command', async () => {
  const { status, text } = await call('POST', '/run', create('north'))
  expect([status, JSON.parse(text)]).toMatchObject([200, { ok: true }])
  expect(await workspaces()).toEqual(['north'])
})

test.each([
  ['PUT', '/run'],
  ['GET', '/run'],
  ['DELETE', '/run'],
  ['POST', '/'],
  ['POST', '/run/'],
  ['POST', '/run?x=1'],
])('%s %s is refused, and nothing is done', async (method, path) => {
  expect(await call(method, path, create('north'))).toEqual({
    status: 404,
    text: '{"message":"There is only POST /run."}',
  })
  expect(await workspaces()).toEqual([])
})

test('a connection that sends nothing, or half a command, ends when the socket is closed', async () => {
  const silent = connect(join(dataDir, 'operator.sock'))
  const half = connect(join(dataDir, 'operator.sock'))
  half.write('POST /run HTTP/1.1\r\nHost: x\r\nContent-Length: 99\r\n\r\n{')
  const ended = [silent, half].map(
    (one) => new Promise<void>((resolve) => void one.on('error', () => {}).on('close', () => resolve())),
  )
  await Promise.all([silent, half].map((one) => once(one, 'connect')))
  await socket.close()
  await Promise.all(ended)
})

test('an operator is told that a command was not finished when the socket is closed', async () => {
  const db = opened.store.db
  await socket.close()
  let begins: () => void = () => {}
  const begun = new Promise<void>((resolve) => {
    begins = resolve
  })
  const now = () => {
    begins()
    return Date.now()
  }
  const service = { ...opened, live: liveWithoutService(opened.store), now }
  socket = await serveOperator(service, pino({ level: 'silent' }), { arrivingMs: 0, runningMs: 10 })
  await db.transaction().execute(async () => {
    const answered = call('POST', '/run', create('north'))
    await begun
    await socket.close()
    expect(await answered).toEqual({
      status: 503,
      text: '{"message":"The service stopped before the command was finished. Check whether it took effect."}',
    })
  })
})

test('a command that is too long in bytes is refused, even if it has few characters', async () => {
  // The limit is 1 MB and a bundle in Base64. This body has half of the characters that would be allowed as bytes, but
  // each of them is three bytes in UTF-8.
  const characters = (1024 * 1024 + (limits.bundleBytes * 4) / 3) / 2
  const { status, text } = await call('POST', '/run', create('€'.repeat(characters)))
  expect([status, JSON.parse(text).message]).toEqual([500, expect.stringContaining('The command failed')])
  expect(await workspaces()).toEqual([])
})

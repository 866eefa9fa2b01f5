import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { eventually } from '../../../../../testing/eventually.ts'
import { bundle } from '../../../testing/bundles.ts'
import { type Browser, type Service, serve } from '../../../testing/page/service.ts'
import { type UploadLimits, Uploads } from './uploads.ts'

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'svc-uploads-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

const files = (dataDir: string) => readdirSync(join(dataDir, 'uploads'))
const long = 600_000
const limits: UploadLimits = { perPerson: 3, inAll: 4, idle: long, time: long }

/** A request body that the test sends piece by piece. */
function body() {
  let send = (_piece: string) => {}
  let end = () => {}
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      send = (piece) => controller.enqueue(Buffer.from(piece))
      end = () => controller.close()
    },
  })
  return { stream, send, end }
}
const use = async ({ size }: { size: number }) => size
const outcome = (done: Promise<unknown>) =>
  done.then(String, (error: { code?: string; message: string }) => `${error.code}: ${error.message}`)

describe('bundles that are being uploaded', () => {
  test('are in a file until they are stored, and then the file is removed', async () => {
    const uploads = new Uploads(dir, limits)
    const { stream, send, end } = body()
    let seen: string[] = []
    const done = uploads.receive('ada', stream, async ({ size }) => {
      seen = files(dir)
      return size
    })
    send('abc')
    send('def')
    const sizes = () => files(dir).map((name) => statSync(join(dir, 'uploads', name)).size)
    await eventually('one file has the six bytes', () => expect(sizes()).toEqual([6]))
    end()
    expect(await done).toBe(6)
    expect(seen).toHaveLength(1)
    expect(files(dir)).toEqual([])
  })

  test('are refused beyond a few of one person, while others can still upload', async () => {
    const uploads = new Uploads(dir, limits)
    const open = [1, 2, 3].map(() => body())
    const done = open.map(({ stream }) => uploads.receive('ada', stream, use))
    expect(await outcome(uploads.receive('ada', body().stream, use))).toBe(
      'uploads_too_many: You have 3 uploads in progress: wait until one has ended.',
    )
    const bob = body()
    bob.end()
    expect(await uploads.receive('bob', bob.stream, use)).toBe(0)
    for (const { end } of open) end()
    await Promise.all(done)
    expect(files(dir)).toEqual([])
  })

  test('make room for later ones: the upload that has been arriving longest is given up', async () => {
    const uploads = new Uploads(dir, limits)
    const open = ['ada', 'bob', 'cid', 'dan', 'eve'].map((person) => ({ person, ...body() }))
    const done = open.map(({ person, stream }) => outcome(uploads.receive(person, stream, use)))
    expect(await done[0]).toMatch(/^unavailable: Too many bundles are being uploaded at once/)
    await eventually('four files are there', () => expect(files(dir)).toHaveLength(4))
    for (const { end } of open) end()
    expect(await Promise.all(done.slice(1))).toEqual(['0', '0', '0', '0'])
    expect(files(dir)).toEqual([])
  })

  test.each([
    ['stopped arriving', { idle: 20 }],
    ['took too long to arrive', { time: 20 }],
  ])('are given up and their file removed if the bundle %s', async (says, short) => {
    const uploads = new Uploads(dir, { ...limits, ...short })
    const { stream, send } = body()
    const done = outcome(uploads.receive('ada', stream, use))
    send('abc')
    expect(await done).toBe(`upload_too_slow: The bundle ${says}.`)
    expect(files(dir)).toEqual([])
  })

  test('are removed at the next start if their process was killed, and stay if it lives', () => {
    const killed = spawnSync('true').pid
    mkdirSync(join(dir, 'uploads'))
    for (const name of [`${killed}-a.zip`, `${process.pid}-b.zip`, `${process.ppid}-c.zip`, 'other'])
      writeFileSync(join(dir, 'uploads', name), 'x')
    new Uploads(dir, limits)
    expect(files(dir).sort()).toEqual([`${process.ppid}-c.zip`, 'other'].sort())
  })
})

/** Starts an upload that sends its whole body except the last byte. The upload then stays open. */
function stalled(service: Service, who: Browser, size: number) {
  const req = request(`${service.origin}/api/web/w/north/blueprints`, {
    method: 'POST',
    headers: { cookie: who.cookie, origin: service.origin, 'content-type': 'application/zip', 'content-length': size },
  })
  const status = new Promise<number | undefined>((resolve) => {
    req.on('response', (res) => resolve(res.resume().statusCode))
    req.on('error', () => resolve(undefined))
  })
  req.write(Buffer.alloc(size - 1))
  return { req, status }
}

test('if one person starts twenty uploads and never ends them, three are on the disk and the others are refused', async () => {
  const service = await serve()
  await service.workspace('north')
  const ada = await service.person('Ada', 'north', 'admin')
  const size = 256 * 1024
  const open = Array.from({ length: 20 }, () => stalled(service, ada, size))
  const refused: (number | undefined)[] = []
  for (const { status } of open) void status.then((one) => refused.push(one))
  await eventually('17 are refused', () => expect(refused).toEqual(Array.from({ length: 17 }, () => 429)))
  const onDisk = () =>
    files(service.config.dataDir).map((name) => statSync(join(service.config.dataDir, 'uploads', name)).size)
  await eventually('three files lack one byte', () => expect(onDisk()).toEqual([size - 1, size - 1, size - 1]))
  for (const { req } of open) req.destroy()
  await eventually('no file is left', () => expect(onDisk()).toEqual([]))
  const made = await fetch(`${service.origin}/api/web/w/north/blueprints`, {
    method: 'POST',
    body: Buffer.from(await bundle()),
    headers: { cookie: ada.cookie, origin: service.origin, 'content-type': 'application/zip' },
  })
  expect(made.status).toBe(201)
  expect(service.errors).toEqual([])
})

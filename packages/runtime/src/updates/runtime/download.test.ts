import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { limits } from '@svc/protocol'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { downloadFile } from './fetch.ts'

let folder: string
let server: Server | undefined
const stop = new AbortController()
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-download-'))
})
afterEach(() => {
  vi.unstubAllEnvs()
  server?.closeAllConnections()
  server?.close()
  rmSync(folder, { recursive: true, force: true })
})

async function from(answer: RequestListener) {
  server = createServer(answer)
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return downloadFile(
    new URL(`http://127.0.0.1:${port}/cli/svc.pyz`),
    join(folder, 'svc.pyz'),
    limits.runtimeBytes,
    stop.signal,
  )
}
/** The handler of a server that sends data without end: this many KB per second, or by default as fast as possible. */
const endless =
  (kilobytes?: number): RequestListener =>
  (_req, res) => {
    if (kilobytes !== undefined) {
      const timer = setInterval(() => res.write(Buffer.alloc(kilobytes * 102)), 100)
      res.once('close', () => clearInterval(timer))
      return
    }
    const more = () => {
      while (!res.destroyed && res.write(Buffer.alloc(1_000_000)));
    }
    res.on('drain', more)
    more()
  }

test('the download of a file of more than 32 MB is given up (D59)', async () => {
  expect(await from(endless())).toEqual({ is: 'lost', why: 'it is larger than 32 MB' })
  expect(readFileSync(join(folder, 'svc.pyz')).length).toBeLessThanOrEqual(limits.runtimeBytes)
})

test('a download that takes more than ten minutes is given up, even if it is still active (D59)', async () => {
  vi.stubEnv('SVC_TIME_SCALE', '0.002')
  expect(await from(endless(100))).toEqual({ is: 'lost', why: 'it took more than ten minutes' })
})

test('a download slower than 1 KB a second for a minute is given up (D59)', async () => {
  vi.stubEnv('SVC_TIME_SCALE', '0.05')
  expect(await from(endless(10))).toEqual({ is: 'lost', why: 'it was slower than 1 KB a second' })
})

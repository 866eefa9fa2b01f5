import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, onTestFinished, test } from 'vitest'
import { Uploads, uploadPieces } from './uploads.ts'

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

test('an upload that stalls holds none of the pieces that were written', async () => {
  const pieces: WeakRef<Uint8Array>[] = []
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const piece = new Uint8Array(1024)
      pieces.push(new WeakRef(piece))
      if (pieces.length <= 100) controller.enqueue(piece)
    },
  })
  const givenUp = new AbortController()
  const arriving = uploadPieces(body, givenUp.signal)
  for (let i = 0; i < 100; i++) await arriving.next()
  const stalled = arriving.next()
  await turn()
  collectGarbage()
  expect(pieces.filter((piece) => piece.deref() !== undefined).length).toBeLessThan(5)
  givenUp.abort(new Error('it stalled'))
  await expect(stalled).rejects.toThrow('The upload of the bundle was cut off.')
})

test('a folder of uploads that cannot be made refuses each upload, but not the start of the service', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-uploads-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
  writeFileSync(join(dataDir, 'uploads'), 'This is not a folder.')
  const uploads = new Uploads(dataDir)
  const refused = { code: 'unavailable', message: expect.stringContaining('cannot be written') }
  await expect(uploads.receive('ada', null, async () => {})).rejects.toMatchObject(refused)
  rmSync(join(dataDir, 'uploads'))
  expect(await uploads.receive('ada', null, async ({ size }) => size)).toBe(0)
})

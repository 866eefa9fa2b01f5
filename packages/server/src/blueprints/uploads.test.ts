import { setImmediate as turn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { piecesOf } from './uploads.ts'

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
  const arriving = piecesOf(body, givenUp.signal)
  for (let i = 0; i < 100; i++) await arriving.next()
  const stalled = arriving.next()
  await turn()
  collectGarbage()
  expect(pieces.filter((piece) => piece.deref() !== undefined).length).toBeLessThan(5)
  givenUp.abort(new Error('it stalled'))
  await expect(stalled).rejects.toThrow('The upload of the bundle was cut off.')
})

import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { ArrivingBodies } from './arrivals.ts'
import { readBody } from './body.ts'

const piece = Buffer.alloc(64 * 1024)

/**
 * A request whose body has `pieces` pieces, each available as soon as it is read. With `silentAfter` the client stops
 * after that many.
 */
function request(pieces: number, silentAfter = pieces): IncomingMessage {
  let sent = 0
  const body = new Readable({
    read() {
      if (sent < Math.min(pieces, silentAfter)) {
        sent += 1
        this.push(piece)
      } else if (silentAfter === pieces) this.push(null)
    },
  })
  return Object.assign(body, { headers: {}, complete: false }) as unknown as IncomingMessage
}

test('each turn reads a few pieces of many large bodies, and a client that stops in the middle delays no other', async () => {
  const arrivals = new ArrivingBodies()
  let thisTurn = 0
  const read = (req: IncomingMessage) => {
    req.on('data', () => thisTurn++)
    return readBody(req, {} as ServerResponse, 1_000_000, arrivals)
  }
  const stopped = Array.from({ length: 8 }, () => request(10, 2))
  const waiting = stopped.map(read)
  const bodies = Promise.all(Array.from({ length: 20 }, () => read(request(10))))
  await turn() // After one turn of the event loop, the first piece of each body has arrived.
  const turns: number[] = []
  let left = 20 * 9 + stopped.length
  for (; left > 0 && turns.length < 1000; left -= thisTurn) {
    thisTurn = 0
    await turn()
    turns.push(thisTurn)
  }
  expect(left).toBe(0)
  expect(Math.max(...turns)).toBeLessThanOrEqual(4)
  expect((await bodies).map(({ is }) => is)).toEqual(Array.from({ length: 20 }, () => 'whole'))
  for (const req of stopped) req.destroy()
  await Promise.all(waiting)
})

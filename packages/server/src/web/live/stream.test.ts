import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { judgePageReading, type PageReading, writeOrDisconnect } from './stream.ts'

test.each<[string, number[], PageReading[]]>([
  ['a page that reads keeps up', [0, 0], ['keeps up', 'keeps up']],
  ['a page that reads slowly may be behind at a ping', [9, 0, 9], ['is behind', 'keeps up', 'is behind']],
  ['a page that is behind at two pings in a row reads nothing', [0, 1, 1], ['keeps up', 'is behind', 'reads nothing']],
])('%s', (_name, unsent, readings) => {
  let reading: PageReading = 'keeps up'
  expect(
    unsent.map((bytes) => {
      reading = judgePageReading(reading, bytes)
      return reading
    }),
  ).toEqual(readings)
})

test.each([
  ['gets what is sent', {}, ['write']],
  ['is disconnected once it is more than 512 KB behind', { writableLength: 512 * 1024 + 1 }, ['write', 'destroy']],
  ['that is closed gets nothing', { destroyed: true }, []],
  ['that is about to close gets nothing', { writableEnded: true }, []],
])('a page %s', (_name, state, calls) => {
  const called: string[] = []
  const res = {
    writableLength: 512 * 1024,
    write: () => called.push('write'),
    destroy: () => called.push('destroy'),
    ...state,
  }
  writeOrDisconnect(res as unknown as ServerResponse, Buffer.from('event'))
  expect(called).toEqual(calls)
})

import { expect, test } from 'vitest'
import { limits } from './limits.ts'
import { readLogUpload } from './log.ts'

const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value))
const upload = { command: 'c-1', name: 'work', text: 'one\ntwo' }

test('2.8: an upload is read', () =>
  expect(readLogUpload(bytes({ ...upload, more: 1 }))).toEqual({ ok: true, value: upload }))

test.each(['command', 'name', 'text'])('7: an upload without %s is refused', (part) => {
  expect(readLogUpload(bytes({ ...upload, [part]: undefined }))).toMatchObject({ ok: false, code: 'body_invalid' })
  expect(readLogUpload(bytes({ ...upload, [part]: 7 }))).toMatchObject({ ok: false, code: 'body_invalid' })
})

test('2.8: an empty log is a log', () =>
  expect(readLogUpload(bytes({ ...upload, text: '' }))).toMatchObject({ ok: true }))

test('D7: the last 524,288 bytes of a longer text are kept, cut at a character', () => {
  const read = readLogUpload(bytes({ ...upload, text: `start${'€'.repeat(200_000)}end` }))
  if (!read.ok) throw new Error(read.message)
  const size = new TextEncoder().encode(read.value.text).length
  expect(size).toBeLessThanOrEqual(limits.logTextBytes)
  expect(size).toBeGreaterThan(limits.logTextBytes - 3)
  expect(read.value.text.startsWith('€') && read.value.text.endsWith('end')).toBe(true)
})

test('D13: control characters of a log are removed; tabs and newlines stay', () =>
  expect(readLogUpload(bytes({ ...upload, text: '\u001b[31mred\u001b[0m\r\n\tx\0' }))).toMatchObject({
    value: { text: '[31mred[0m\n\tx\ufffd' },
  }))

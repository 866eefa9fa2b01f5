import { expect, test } from 'vitest'
import { reasonSentence, reasonsOf } from './reasons.ts'

const attempt = (reason: string) => `1.0.0 -> 1.1.0, 2026-11-22T06:55:08.743Z: ${reason}`

test('the reasons in a timeline are sentences, each shown once', () => {
  const events = [
    { id: 'd', kind: 'held', message: attempt('reported bad') },
    { id: 'c', kind: 'rolled_back', message: attempt('reported bad') },
    { id: 'b', kind: 'kept', message: attempt('kept') },
    { id: 'a', kind: 'failed', message: 'the signature is missing' },
    { id: '0', kind: 'wished', message: null },
  ] as const
  expect([...reasonsOf(events)]).toEqual([
    ['d', 'reported bad'],
    ['a', 'the signature is missing'],
  ])
  expect([...reasonsOf(events, ['reported bad'])]).toEqual([['a', 'the signature is missing']])
})

test.each([
  ['reported bad', 'reported bad.'],
  ['it ended. Why?', 'it ended. Why?'],
  ['', ''],
])('the reason "%s" ends with a full stop where sentences follow', (reason, sentence) => {
  expect(reasonSentence(attempt(reason))).toBe(sentence)
})

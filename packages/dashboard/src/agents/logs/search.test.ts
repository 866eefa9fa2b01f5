import fc from 'fast-check'
import { expect, test } from 'vitest'
import { arrivedLog } from './follow.ts'
import { findMatches, logPiecesOf, logRowsOf, matchesByRow, splitLogTime, stepToMatch } from './search.ts'

const found = (text: string, wanted: string) => {
  const rows = logRowsOf(text)
  return findMatches(rows, wanted).map(({ row, from, to }) => [rows[row]?.line, rows[row]?.text.slice(from, to)])
}

test('line ends of every system are recognised, and the last one does not start another line', () =>
  expect(logRowsOf('a\nb\r\nc\rd\n').map(({ text }) => text)).toEqual(['a', 'b', 'c', 'd']))

test('an empty log is one empty line', () => expect(logRowsOf('')).toEqual([{ line: 0, start: 0, text: '' }]))

test('a line that is too long is drawn in pieces, without cutting a character', () => {
  const line = `${'x'.repeat(1999)}😀${'y'.repeat(3000)}`
  const rows = logRowsOf(line)
  expect(rows.map(({ text }) => text).join('')).toBe(line)
  expect(rows.every(({ line: at, text }) => at === 0 && text.length <= 2000 && text.isWellFormed())).toBe(true)
})

test('search ignores case and treats every character literally', () => {
  expect(found('Error\nno\nan ERROR, error', 'error')).toEqual([
    [0, 'Error'],
    [2, 'ERROR'],
    [2, 'error'],
  ])
  expect(found('a.c abc (x)', 'a.c')).toEqual([[0, 'a.c']])
  for (const odd of ['(', '[', '\\', '*', '-', '/', '$', '^', '{1'])
    expect(found(`x${odd}y`, odd), odd).toEqual([[0, odd]])
})

test('search finds what looks the same, and marks what is written', () => {
  expect(found('a\u200bb caf\u0065\u0301 – “x”', 'ab café - "x"')).toEqual([[0, 'a\u200bb caf\u0065\u0301 – “x”']])
  expect(found('caf\u0065\u0301!', 'É!')).toEqual([[0, 'e\u0301!']])
  expect(found('ＥＲＲＯＲ１', 'error1')).toEqual([[0, 'ＥＲＲＯＲ１']])
  expect(found('plain', '\u200b')).toEqual([])
})

test('a match across two pieces is found once', () => {
  const line = `${'x'.repeat(1998)}needle${'y'.repeat(100)}`
  expect(findMatches(logRowsOf(line), 'needle')).toEqual([{ row: 0, from: 1998, to: 2000 }])
})

test('an empty search finds nothing', () => expect(findMatches(logRowsOf('abc'), '')).toEqual([]))

test('next and previous wrap around', () => {
  const matches = findMatches(logRowsOf('a\na\na'), 'a')
  expect([
    stepToMatch(matches, 2, 1),
    stepToMatch(matches, 0, -1),
    stepToMatch(matches, null, 1, 1),
    stepToMatch([], null, 1),
  ]).toEqual([0, 2, 1, null])
})

test('the pieces of a line together are the whole line', () => {
  fc.assert(
    fc.property(fc.string(), fc.string({ minLength: 1, maxLength: 2 }), (text, wanted) => {
      const rows = logRowsOf(text)
      const marked = matchesByRow(findMatches(rows, wanted))
      rows.forEach((row, i) => {
        const pieces = logPiecesOf(row.text, marked.get(i) ?? [])
        expect(pieces.map((piece) => piece.text).join('')).toBe(row.text)
        for (const piece of pieces) if (piece.at !== null) expect(piece.text.length).toBeGreaterThan(0)
      })
    }),
  )
})

test('every line of half a megabyte is found', () => {
  const text = Array.from(
    { length: 8000 },
    (_, i) => `2026-11-21T10:00:00Z line ${i} of a log that goes on and on`,
  ).join('\n')
  expect(findMatches(logRowsOf(text), 'goes ON')).toHaveLength(8000)
})

test.each([
  ['2026-11-28T06:59:17.192Z   step 13', ['2026-11-28T', '06:59:17', '.192Z', '   step 13']],
  ['2026-11-28 06:59:17,123 - INFO', ['2026-11-28 ', '06:59:17', ',123', ' - INFO']],
  ['2026-11-28T06:59:17+01:00 a', ['2026-11-28T', '06:59:17', '+01:00', ' a']],
  ['[2026-11-28 06:59:17 +0100] a', ['[2026-11-28 ', '06:59:17', ' +0100]', ' a']],
])('the time of day of "%s" is found', (line, parts) => {
  const { whole, before, time, after, rest } = splitLogTime(line) ?? { whole: '' }
  expect([before, time, after, rest]).toEqual(parts)
  expect(whole + rest).toBe(line)
})

test.each(['', 'step 13', '06:59:17 a', ' 2026-11-28T06:59:17Z a', '2026-11-28T06:59:170 a', '2026-11-28T06:59:17Z'])(
  'the line "%s" does not start with a time before words',
  (line) => expect(splitLogTime(line)).toBeUndefined(),
)

test('the arrived log is the new one with the requested name', () => {
  const log = (id: string, name: string) => ({ id, name, receivedAt: 1, bytes: 1, expiresAt: 2, askedBy: 'Ada' })
  const waiting = { name: 'work', before: new Set(['1']) }
  expect(arrivedLog(waiting, [log('1', 'work'), log('2', 'other')])).toBeUndefined()
  expect(arrivedLog(waiting, [log('3', 'work'), log('1', 'work')])?.id).toBe('3')
})

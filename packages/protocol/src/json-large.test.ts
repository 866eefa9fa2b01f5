import fc from 'fast-check'
import { expect, test } from 'vitest'
import { byLevel } from '../../../testing/level.ts'
import { mutate, randomOf } from '../testing/mutate.ts'
import { sampleReport } from '../testing/sample.ts'
import { isMapOfNames, parseAsMaps, parseJson } from './json-large.ts'
import { jsonFaultAt } from './json-reason.ts'
import { keptReport, readReport, report } from './report.ts'

const repeats = byLevel(40, 300, 20_000)
/**
 * The timeout of a test in milliseconds. In the long form, a test does more work and may take more than a minute.
 */
const timeout = 600_000

/** Turns the Maps in a value into objects, as `JSON.parse` makes them. The value must not be deeply nested. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries([...(value instanceof Map ? value : Object.entries(value))].map(([k, v]) => [k, plain(v)]))
}
const readAsMaps = (text: string) => plain(parseAsMaps(text))

/** Makes a report of about this many bytes, in which every model name occurs only once. */
function newNames(bytes: number): string {
  const runs: string[] = []
  for (let i = 0, size = 0; size < bytes; i++) {
    const models = Array.from({ length: 50 }, (_, m) => `"m${(i * 50 + m).toString(36)}":1`)
    runs.push(`{"id":"run-${i}","started":${1_790_000_000 - i},"models":{${models}}}`)
    size += (runs.at(-1) as string).length
  }
  return `{"protocol":1,"runs":[${runs}]}`
}

/** Makes a report that repeats the same names in all its runs, as ordinary agents do. */
function sameNames(bytes: number): string {
  const runs: string[] = []
  for (let i = 0, size = 0; size < bytes; i++) {
    const models = `{"large-${i % 3}":0.5,"small":${i}}`
    runs.push(
      `{"id":"run-${i}","started":${i},"ended":${i},"kind":"mail","status":"done","models":${models},"log":"run-${i}"}`,
    )
    size += (runs.at(-1) as string).length
  }
  return JSON.stringify({ ...sampleReport, runs: JSON.parse(`[${runs}]`) })
}

function outcome(parse: (text: string) => unknown, text: string) {
  try {
    return { value: parse(text) }
  } catch (error) {
    return { refused: (error as Error).name }
  }
}

test.each([
  ...['{}', '[]', '0', '-0', '""', 'null', 'true', 'false', ' [ ] ', '\t{\n}\r', '[{}]', '{"a":{}}', '[[],{},[]]'],
  ...[
    '{"a":1,"a":2}',
    '{"__proto__":{"x":1}}',
    '{"":{"":""}}',
    '{"2":0,"1":0,"b":0}',
    '{"a" : [ 1 , { "b" : null } ] }',
  ],
  ...['12.5e-3', '-1E+2', '1e400', '123456789012345', '1234567890123456789', '-17', '[0,10,0.5,1.0]'],
  ...['"\\""', '"\\\\"', '"\\u00e9\\ud83d"', '"a\u2028b"', '"€👍 is longer than twelve characters"', '{"\\u0061":1}'],
])('%s is read as JSON.parse reads it', (text) => expect(readAsMaps(text)).toEqual(JSON.parse(text)))

test.each([
  ...['', ' ', '{', '[', '[1', '[1,', '[1,]', '[,]', '{"a"', '{"a":', '{"a":1', '{"a":1,', '{"a":1,}', '{a:1}', '{,}'],
  ...[
    '{}x',
    '1 2',
    '[1 2]',
    '{"a" 1}',
    '{"a":1 "b":2}',
    '{"a":1]',
    '[1}',
    ']',
    '}',
    '01',
    '-',
    '1.',
    '.5',
    '+1',
    '1e',
    '0x1',
  ],
  ...['"', '"a', '"\\', '"\\x"', '"\\u12"', '"\n"', 'tru', 'nul', 'True', 'NaN', '\ufeff{}', "{'a':1}", '[\u00a0]'],
])('%j is refused, as by JSON.parse', (text) => {
  expect(() => parseAsMaps(text)).toThrow(SyntaxError)
  expect(() => JSON.parse(text)).toThrow(SyntaxError)
})

test('any JSON is read as JSON.parse reads it', { timeout }, () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 5, stringUnit: 'binary' }), (text) => {
      expect(readAsMaps(text)).toEqual(JSON.parse(text))
    }),
    { numRuns: repeats },
  )
})

test('a damaged report is refused exactly where JSON.parse refuses it', { timeout }, () => {
  const text = JSON.stringify(sampleReport)
  const random = randomOf(7)
  let refused = 0
  for (let i = 0; i < repeats; i++) {
    const at = Math.floor(random() * text.length)
    const part = Math.floor(random() * text.length)
    const damaged = text.slice(0, at) + text.slice(part, part + 3 * random()) + text.slice(at + 2 * random())
    const expected = outcome(JSON.parse, damaged)
    expect(outcome(readAsMaps, damaged), damaged).toEqual(expected)
    if ('refused' in expected) refused++
    expect(jsonFaultAt(damaged) !== undefined).toBe('refused' in expected)
  }
  expect(refused).toBeGreaterThan(repeats / 20)
})

test('a text may be nested to any depth', () => {
  const lists = '['.repeat(200_000) + ']'.repeat(200_000)
  const objects = `${'{"a":'.repeat(200_000)}1${'}'.repeat(200_000)}`
  for (const text of [lists, objects]) expect(typeof parseAsMaps(text)).toBe('object')
})

test('a large text of names that occur once creates no hidden classes, wherever the names are', () => {
  const other = `"x":"${'x'.repeat(60_000)}"`
  const large = newNames(120_000)
  for (const text of [large, `{${other},"r":${large}}`, `{"r":${large},${other}}`])
    for (let i = 0; i < 20; i++) expect(isMapOfNames(parseJson(text))).toBe(true)
})

test('a large text of names that repeat is left to JSON.parse', () => {
  const text = sameNames(200_000)
  for (let i = 0; i < 20; i++) expect(isMapOfNames(parseJson(text))).toBe(false)
})

test('a short text is left to JSON.parse', () => expect(isMapOfNames(parseJson(newNames(20_000)))).toBe(false))

test('a report of new names is read like any other', () => {
  const text = newNames(200_000)
  const read = readReport(new TextEncoder().encode(text), Date.now())
  expect(read).toMatchObject({ ok: true, newNames: true })
  expect(plain(read.ok && read.value)).toEqual(JSON.parse(text))
  expect(plain(keptReport(text))).toEqual(JSON.parse(text))
})

test('the refusal of a large body of new names quotes the protocol it names', () => {
  const body = new TextEncoder().encode(newNames(200_000).replace('"protocol":1', '"protocol":7'))
  expect(readReport(body, Date.now())).toMatchObject({ ok: false, message: expect.stringContaining('got 7.') })
})

test('the same parts of a report are kept, whether its objects are Maps or not', { timeout }, () => {
  for (let seed = 0; seed < repeats; seed++) {
    const random = randomOf(seed)
    const text = JSON.stringify(mutate(sampleReport, random, Math.floor(random() * 6))) ?? 'null'
    expect(plain(report(parseAsMaps(text))), `seed ${seed}`).toEqual(plain(report(JSON.parse(text))))
  }
})

import { expect, test } from 'vitest'
import { byLevel } from '../../../testing/level.ts'
import { mutate, randomOf } from '../testing/mutate.ts'
import { sampleReport } from '../testing/sample.ts'
import { decodeUtf8, isCleanJson } from './json.ts'
import { parseInPieces } from './json-pieces.ts'
import { limits } from './limits.ts'
import { readReport, report } from './report.ts'

const encoder = new TextEncoder()
const times = <T>(length: number, make: (i: number) => T) => Array.from({ length }, (_, i) => make(i))
const item = (i: number) => ({
  title: `Subject ${i}`,
  url: `https://mail.example/d/${i}`,
  meta: `${i} h`,
  level: 'info',
})
const list = (p: number, items = 200) => ({ type: 'list', title: `List ${p}`, items: times(items, item) })
const run = (i: number) => ({ id: `run-${i}`, started: i, models: { small: i }, subjects: [{ title: `Mail ${i}` }] })
const panels = times(14, (p) => list(p))
const ofPanels = { protocol: 1, state: { level: 'ok' }, panels }
const ofRuns = { protocol: 1, runs: times(1900, run), seq: 3 }

/** Reads a text in pieces. `tidy` is what the pieces say together. */
function inPieces(json: string | Uint8Array) {
  let tidy = true
  let pieces = 0
  const body = typeof json === 'string' ? encoder.encode(json) : json
  const value = parseInPieces(body, decodeUtf8, (text, bytes) => {
    pieces++
    tidy &&= isCleanJson(text, bytes)
  })
  return { value, tidy, pieces }
}

test.each<[string, object]>([
  ['panels', ofPanels],
  ['panels, and more behind them', { ...ofPanels, z: 1, runs: [run(1)] }],
  ['runs', ofRuns],
  ['two large lists', { ...ofRuns, panels }],
  ['tables', { protocol: 1, panels: times(14, () => ({ type: 'table', rows: times(200, (i) => [`${i}`, item(i)]) })) }],
  [
    'letters of more than one byte',
    { ...ofPanels, state: { label: 'Größe €👍' }, panels: panels.map((p) => ({ ...p, title: 'é' })) },
  ],
  ['new names in a small part', { ...ofPanels, models: Object.fromEntries(times(40, (i) => [`m${i}`, i])) }],
])('a large report of %s is read in pieces as JSON.parse reads it', (_what, value) => {
  for (const json of [JSON.stringify(value), JSON.stringify(value, null, 1).replaceAll(/\n */g, '')]) {
    const read = inPieces(json)
    expect(read.pieces).toBeGreaterThan(1)
    expect(JSON.stringify(read.value)).toBe(JSON.stringify(JSON.parse(json)))
    expect(read.tidy).toBe(isCleanJson(json, encoder.encode(json).length))
  }
})

const many = (text: string) => times(14_000, () => text).join(',')
test.each<[string, string]>([
  ['an object that is small', '{"protocol":1}'],
  ['a list', `[${many('{"a":[1]},{"b":[2]}')}]`],
  ['no place for a cut', `{"a":"${'x'.repeat(200_000)}","b":[{"c":[]},{"c":[]}]}`],
  ['only places inside of texts', `{"a":[${many(JSON.stringify('"]},{"a":[{"'))}]}`],
  ['only places deeper inside', `{"a":[{"b":[${many('{"c":[1]},{"d":[2]}')}]}]}`],
  ['only places less deep inside', `{"a":${many('[1]},{"a":[2]')}}`],
  ['its name for the prototype', `{"a":[${many('{"c":[1]},{"d":[2]}')}],"__proto__":{"b":1}}`],
  ['new names only', JSON.stringify({ runs: times(9000, (i) => ({ [`name-${i}`]: [1] })) })],
  ['a byte order mark', `\ufeff${JSON.stringify(ofPanels)}`],
  ['an end that is missing', JSON.stringify(ofPanels).slice(0, -1)],
  ['more than one value', `${JSON.stringify(ofPanels)}{}`],
  ['a comma too many', JSON.stringify(ofPanels).replaceAll(']},{', ']},,{')],
])('a body with %s is not read in pieces', (_what, json) => {
  expect(inPieces(json).value).toBeUndefined()
})

test.each(times(13, (i) => i))('a piece can end at each of the last bytes that it may have (%s)', (more) => {
  const part = many('{"c":[1]}')
  const json = `{"a":"${'x'.repeat(more)}","b":[${part},{"d":"${'x'.repeat(more)}","e":[]},${part}],"f":${more}}`
  expect(inPieces(json)).toMatchObject({ pieces: 3, value: JSON.parse(json) })
})

test('bytes that are not UTF-8 are not read in pieces, wherever they are', () => {
  const body = encoder.encode(JSON.stringify(ofPanels))
  for (const at of [300, 130_000, body.length - 300]) {
    const broken = body.slice()
    broken[body.indexOf(0x53 /* S */, at)] = 0xff
    expect(inPieces(broken).value).toBeUndefined()
  }
})

test('a name that occurs twice has its last value, as with JSON.parse, in whichever pieces it is', () => {
  const { panels: _, ...rest } = ofPanels
  const large = JSON.stringify({ ...rest, panels, runs: times(1500, run) })
  for (const more of ['"panels":[{"type":"kv"}]', '"runs":[]', '"state":7', '"protocol":1,"protocol":2']) {
    for (const json of [
      large.replace(/\}$/, `,${more}}`),
      `{${more},${large.slice(1)}`,
      large.replace(/"runs"/, `${more},"runs"`),
    ]) {
      const { value } = inPieces(json)
      expect(value).toBeDefined()
      expect(JSON.stringify(value)).toBe(JSON.stringify(JSON.parse(json)))
    }
  }
})

test('what is read in pieces is what JSON.parse reads, whatever became of the body', { timeout: 600_000 }, () => {
  const seen = { read: 0, not: 0 }
  for (let seed = 0; seed < byLevel(35, 300, 5000); seed++) {
    const random = randomOf(seed)
    const value = mutate({ ...sampleReport, ...(seed % 2 ? ofRuns : ofPanels) }, random, 1 + Math.floor(random() * 4))
    const body = encoder.encode(JSON.stringify(value) ?? 'null')
    for (let changes = Math.floor(random() * 3); changes > 0; changes--) {
      const part = encoder.encode([']},{', '"', ',', '}', '{', '[', ']', ' ', '\\'][Math.floor(random() * 9)])
      body.set(part, Math.floor(random() * (body.length - part.length)))
    }
    const { value: read } = inPieces(body)
    seen[read ? 'read' : 'not']++
    if (read) expect(JSON.stringify(read), `seed ${seed}`).toBe(JSON.stringify(JSON.parse(decodeUtf8(body))))
  }
  expect(Math.min(seen.read, seen.not)).toBeGreaterThan(10)
})

test('a large report is kept as its bytes if all of it is kept, and is read field by field otherwise', () => {
  const body = encoder.encode(JSON.stringify(ofPanels))
  expect(body.length).toBeLessThan(limits.reportBytes)
  expect(readReport(body, 0)).toEqual({ ok: true, value: ofPanels, json: body })
  for (const part of [{ colour: 'red' }, { state: { label: 'x'.repeat(200) } }, { state: { label: 'a\u0007b' } }]) {
    const other = { ...ofPanels, ...part }
    const read = readReport(encoder.encode(JSON.stringify(other)), 0)
    expect(read).toMatchObject({ ok: true, json: undefined, value: report(other) })
  }
})

import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { fitsSource } from '../generate-fits.ts'
import { mutate, randomOf } from '../testing/mutate.ts'
import { sampleReport } from '../testing/sample.ts'
import { isCleanJson } from './json.ts'
import { limits } from './limits.ts'
import { fitsReport } from './report.fits.ts'
import { report } from './report.ts'

const copied = (value: unknown) => JSON.parse(JSON.stringify(value) ?? 'null')

test('report.fits.ts is up to date (else: node packages/protocol/generate-fits.ts)', () => {
  expect(readFileSync(new URL('./report.fits.ts', import.meta.url), 'utf8')).toBe(fitsSource())
})

test('a report that fits is kept as it came, and every clean report that is kept as it came fits', {
  timeout: 60_000,
}, () => {
  const seen = { fits: 0, not: 0 }
  for (let seed = 0; seed < 2000; seed++) {
    const random = randomOf(seed)
    const { runs: _, ...input } = copied(mutate(sampleReport, random, Math.floor(random() * 3))) ?? {}
    const json = JSON.stringify(input)
    if (!isCleanJson(json, new TextEncoder().encode(json).length)) continue
    const kept = report(copied(input), undefined, true)
    const fits = fitsReport(copied(input))
    expect(fits, `seed ${seed}`).toBe(kept !== undefined && JSON.stringify(kept) === json)
    seen[fits ? 'fits' : 'not']++
  }
  expect(Math.min(seen.fits, seen.not)).toBeGreaterThan(300)
})

const { runs, controls, settings, panels } = sampleReport
test.each<[string, Record<string, unknown>]>([
  ['a null', { state: null }],
  ['an unknown key', { mood: 'good' }],
  ['a key that every object has', JSON.parse('{"__proto__":{"level":"ok"}}')],
  ['another protocol', { protocol: 2 }],
  ['a list instead of an object', { state: [] }],
  ['an object instead of a list', { runs: {} }],
  ['a negative zero', { gauges: [{ name: 'Disk', used: -0 }] }],
  ['a fraction instead of a time', { runs: [{ id: 'a', started: 1.5 }] }],
  ['a run without an id', { runs: [{ started: 1 }] }],
  ['a run with an empty id', { runs: [{ id: '' }] }],
  ['a text that is too long', { state: { label: 'x'.repeat(limits.label + 1) } }],
  [
    'a list that is too long',
    { runs: Array.from({ length: limits.runsPerReport + 1 }, (_, i) => ({ id: String(i) })) },
  ],
  ['a button twice', { controls: ['pause', 'pause'] }],
  ['a share above 1', { runs: [{ id: 'a', subjects: [{ title: 'b', share: 1.1 }] }] }],
  ['a link with a user in it', { runs: [{ id: 'a', subjects: [{ title: 'b', url: 'https://me@mail.example/' }] }] }],
  ['an empty free key', { settings: { values: { '': 1 } } }],
  ['a panel of an unknown type', { panels: [{ type: 'map', title: 'a' }] }],
  ['a panel without a title', { panels: [{ type: 'kv', items: [] }] }],
])('a report with %s does not fit', (_, part) => {
  expect(fitsReport({ protocol: 1, runs, controls, settings, panels })).toBe(true)
  expect(fitsReport({ protocol: 1, runs, controls, settings, panels, ...part })).toBe(false)
})

test('objects with free keys lose their prototype, so that they inherit no keys (D13)', () => {
  const value = { protocol: 1, settings: { values: { every: 10, tone: null, loud: true, name: 'x' } } }
  expect(fitsReport(value)).toBe(true)
  expect(Object.getPrototypeOf(value.settings.values)).toBeNull()
})

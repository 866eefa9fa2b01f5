/**
 * Tests the readers of reports and status files with random and mutated input. `npm test` leaves this out.
 * packages/protocol/src/report.test.ts proves the same rules.
 */
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { level } from '../../../testing/level.ts'
import { mutate, mutatedBytes, randomOf } from '../testing/mutate.ts'
import { sampleReport } from '../testing/sample.ts'
import { limits } from './limits.ts'
import { Notes } from './notes.ts'
import { readReport, report } from './report.ts'
import { readStatusFile } from './status-file.ts'

const now = 1_790_000_000_000

/**
 * The timeout of a test in milliseconds. In the long form, a test does more work and may take more than a minute.
 */
const timeout = 600_000
const long = level === 'long'
const decoder = new TextDecoder()
const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value))
// biome-ignore lint/suspicious/noControlCharactersInRegex: finding control characters is its purpose
const dangerous = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/

/**
 * Returns the first violation of the rules for everything that is kept of a report (D12, D13, I31); undefined if there
 * is none.
 */
function wrongIn(kept: unknown, at = '$'): string | undefined {
  if (typeof kept === 'string') {
    // The id in an ack is kept exactly as the agent sent it, because the service only compares it and never shows it
    // (2.7).
    if (/^\$\.acks\[\d+\]\.id$/.test(at)) return [...kept].length > limits.commandId ? `${at} is too long` : undefined
    if (dangerous.test(kept)) return `${at} holds a control character`
    if (!kept.isWellFormed()) return `${at} holds a lone surrogate`
    if ([...kept].length > limits.settingText) return `${at} is longer than any limit`
    return undefined
  }
  if (typeof kept === 'number') return Number.isFinite(kept) ? undefined : `${at} is not finite`
  if (Array.isArray(kept)) {
    if (kept.length > limits.runsPerReport) return `${at} has more entries than any limit`
    return kept.map((entry, i) => wrongIn(entry, `${at}[${i}]`)).find(Boolean)
  }
  if (typeof kept !== 'object' || kept === null) return undefined
  return Object.entries(kept)
    .map(([key, value]) => wrongIn(key, `${at} key`) ?? wrongIn(value, `${at}.${key}`))
    .find(Boolean)
}

/**
 * Turns the Maps in a read report into objects. The reader decides by random samples whether it makes Maps, so two
 * readings can differ.
 */
function asObjects(kept: unknown): unknown {
  if (kept instanceof Map) return asObjects(Object.fromEntries(kept))
  if (Array.isArray(kept)) return kept.map(asObjects)
  if (typeof kept !== 'object' || kept === null) return kept
  return Object.fromEntries(Object.entries(kept).map(([key, value]) => [key, asObjects(value)]))
}

/**
 * Fails if two values differ. The comparison uses Node's `isDeepStrictEqual`, which is ten times as fast as Vitest's
 * `toEqual`; `toEqual` only describes a difference.
 */
function expectSame(value: unknown, other: unknown, what: string): void {
  if (!isDeepStrictEqual(value, other)) expect(value, what).toEqual(other)
}

/**
 * Reads the body of a report, and checks the rules that hold whatever the body is. Returns true if the body is a
 * report.
 */
function holds(body: Uint8Array): boolean {
  const read = readReport(body, now)
  if (!read.ok) {
    expect(read.code).toBe('body_invalid')
    return false
  }
  const value = asObjects(read.value)
  const kept = JSON.stringify(value)
  expect(wrongIn(value)).toBeUndefined()
  const again = readReport(new TextEncoder().encode(kept), now)
  expect(again.ok && JSON.stringify(asObjects(again.value))).toBe(kept)
  const { json } = read
  if (json !== undefined) {
    const text = typeof json === 'string' ? json : decoder.decode(json)
    expect(JSON.parse(text), 'the JSON says the same').toEqual(value)
  }
  expectSame(value, report(JSON.parse(decoder.decode(body)), new Notes()), 'looked through text by text')
  return true
}

test('I10, D12, D13: no mutated report makes the reader throw, and reading what was kept gives the same', {
  timeout: 600_000,
}, () => {
  const whole = bytes(sampleReport)
  let reports = 0
  const count = long ? 100_000 : 1500
  for (let seed = 0; seed < count; seed++) {
    const random = randomOf(seed)
    const faults = 1 + Math.floor(random() * 8)
    const body =
      seed % 4 === 3 ? mutatedBytes(whole, random, faults) : bytes(mutate(sampleReport, random, faults) ?? null)
    try {
      if (holds(body)) reports++
    } catch (error) {
      throw new Error(`seed ${seed}`, { cause: error })
    }
  }
  expect(reports).toBeGreaterThan(count / 2) // Most mutated reports must still be readable, despite their faults.
})

test('I10: no sequence of bytes makes the reader throw', { timeout }, () =>
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (body) => void holds(body)),
    { numRuns: long ? 20_000 : 2000 },
  ),
)

test('I10: no JSON makes the reader throw', { timeout }, () =>
  fc.assert(
    fc.property(
      fc.dictionary(fc.constantFrom(...Object.keys(sampleReport)), fc.jsonValue({ maxDepth: 6 })),
      (parts) => {
        expect(holds(bytes({ ...parts, protocol: 1 }))).toBe(true)
      },
    ),
    { numRuns: long ? 20_000 : 1000 },
  ),
)

test('2.11: a mutated status file never throws, and what was kept is read without a remark', { timeout }, () => {
  const { agent, state, health, active, gauges, runs, panels } = sampleReport
  for (let seed = 0; seed < (long ? 50_000 : 1000); seed++) {
    const input = JSON.parse(
      JSON.stringify(
        mutate({ agent: { version: agent?.version }, state, health, active, gauges, runs, panels }, randomOf(seed), 3),
      ),
    )
    const read = readStatusFile(input, now)
    if (!read) continue
    expect(wrongIn(read.status)).toBeUndefined()
    expectSame(readStatusFile(read.status, now), { status: read.status, unknown: [], dropped: [] }, `seed ${seed}`)
  }
})

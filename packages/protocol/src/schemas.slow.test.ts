/**
 * Tests that the JSON schemas and the readers agree, with mutated input. `npm test` leaves this out.
 * packages/protocol/src/report.test.ts proves the same rules.
 */
import { readFileSync } from 'node:fs'
import { Ajv2020, type AnySchema } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { byLevel } from '../../../testing/level.ts'
import { mutate, randomOf } from '../testing/mutate.ts'
import { sampleReport } from '../testing/sample.ts'
import { readAnswer } from './answer.ts'
import { readLogUpload } from './log.ts'
import { readReport } from './report.ts'
import { schemas } from './schemas.ts'
import { readStatusFile } from './status-file.ts'

const now = 1_790_000_000_000

const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, strictRequired: false })
const validators = Object.fromEntries(
  Object.entries(schemas).map(([name, schema]) => [name, ajv.compile(schema as AnySchema)]),
)
const wrong = (name: keyof typeof schemas, value: unknown): string | undefined =>
  validators[name]?.(value) ? undefined : ajv.errorsText(validators[name]?.errors)

const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value))
const overTheWire = (value: unknown): unknown => JSON.parse(JSON.stringify(value) ?? 'null')
const count = byLevel(1000, 1000, 20_000)
const { protocol: _protocol, settings: _s, controls: _c, acks: _a, agent, gauges, ...own } = sampleReport
const sampleStatus = { ...own, agent: { version: agent?.version }, gauges: gauges?.slice(0, 1) }

test.each(Object.keys(schemas) as (keyof typeof schemas)[])(
  'docs/schemas/%s.json is up to date (else: node packages/protocol/generate-schemas.ts)',
  (name) => {
    const file = readFileSync(new URL(`../../../docs/schemas/${name}.json`, import.meta.url), 'utf8')
    expect(file).toBe(`${JSON.stringify(schemas[name], null, 2)}\n`)
  },
)

/** True if every link in a value parses as a URL, a rule that a pattern cannot express (D21). */
const linksParse = (value: unknown): boolean =>
  typeof value !== 'object' || value === null
    ? true
    : Object.entries(value).every(([key, v]) =>
        key === 'url' && typeof v === 'string' ? URL.canParse(v) : linksParse(v),
      )

/** True if no two runs of a report have the same id, a rule that a schema cannot express (D11). */
const oneOfEach = (value: unknown): boolean => {
  const runs = (value as { runs?: { id: string }[] }).runs ?? []
  return new Set(runs.map((run) => run.id)).size === runs.length
}

test('the report schema accepts everything that is kept, and what it accepts is kept unchanged', {
  timeout: 600_000,
}, () => {
  let unchanged = 0
  for (let seed = 0; seed < count; seed++) {
    const random = randomOf(seed)
    const input = overTheWire(mutate(sampleReport, random, Math.floor(random() * 3)))
    const read = readReport(bytes(input), now)
    const valid = wrong('report', input) === undefined
    if (read.ok) expect(wrong('report', read.value), `seed ${seed}`).toBeUndefined()
    if (!valid || !linksParse(input) || !oneOfEach(input)) continue
    unchanged++
    expect(read.ok && overTheWire(read.value), `seed ${seed}`).toEqual(input)
  }
  expect(unchanged).toBeGreaterThan(count / 3)
})

test('the status file schema accepts everything that is kept, and what it accepts is kept without a remark', {
  timeout: 600_000,
}, () => {
  let unchanged = 0
  for (let seed = 0; seed < count; seed++) {
    const random = randomOf(seed)
    const input = overTheWire(mutate(sampleStatus, random, Math.floor(random() * 3)))
    const read = readStatusFile(input, now)
    if (read) expect(wrong('status-file', overTheWire(read.status)), `seed ${seed}`).toBeUndefined()
    if (wrong('status-file', input) !== undefined || !linksParse(input) || !oneOfEach(input)) continue
    unchanged++
    expect(overTheWire(read), `seed ${seed}`).toEqual({ status: input, unknown: [], dropped: [] })
  }
  expect(unchanged).toBeGreaterThan(count / 3)
})

test('the log upload schema accepts what is kept, and rejects what is refused', () => {
  const upload = { command: 'c', name: 'work', text: 'a\nb' }
  const read = readLogUpload(bytes({ ...upload, text: '\u001b[0m€'.repeat(200_000) }))
  expect(read.ok && wrong('log-upload', read.value)).toBeUndefined()
  expect(wrong('log-upload', upload)).toBeUndefined()
  expect(wrong('log-upload', { ...upload, name: '' })).toBeDefined()
  expect(wrong('log-upload', { command: 'c', name: 'work' })).toBeDefined()
})

test('the answer schema accepts the answers of the service and unknown fields, and a reporter keeps them unchanged', () => {
  const answer = {
    commands: [
      { id: 'c-1', type: 'set', payload: { every: 5, tone: null } },
      { id: 'c-2', type: 'log', payload: { name: 'work' } },
    ],
    interval: 30,
    desired: { blueprint: 'mail', version: '1.4.0' },
    runtime: { version: '2.0.0', sha256: 'ab'.repeat(32) },
    runtime_desired: '2.0.0',
  }
  expect(wrong('answer', answer)).toBeUndefined()
  expect(wrong('answer', { ...answer, more: 1 })).toBeUndefined()
  expect(readAnswer(bytes(answer))).toEqual({ ok: true, value: answer })
  expect(wrong('answer', { ...answer, runtime_desired: '../x' })).toBeDefined()
  expect(wrong('answer', { interval: 30 })).toBeDefined()
})

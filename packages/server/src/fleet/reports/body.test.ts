import { readReport } from '@svc/protocol'
import { expect, test } from 'vitest'
import { reportBodyOf, storedReport } from './body.ts'

const lists = '"runs":[{"id":"a","started":1790000000}],"acks":[{"id":"c","ok":true}]'
const state = '"state":{"level":"ok","label":"Working"}'
const kept = { protocol: 1, state: { level: 'ok', label: 'Working' } }

function stored(json: string): string {
  const read = readReport(Buffer.from(json), 0)
  if (!read.ok) throw new Error(read.message)
  return String(reportBodyOf(read.value, read.json))
}

test('a report of which everything was kept is stored as it arrived', () => {
  const json = `{ "protocol": 1, ${state},${lists} }\n`
  expect(stored(json)).toBe(json)
})

test.each([
  ['as it arrived', `{"protocol":1,${lists},${state}}`],
  ['without the parts that are not kept', `{"protocol":1,${lists},${state},"colour":"red"}`],
  ['without runs and acks', `{"protocol":1,${state}}`],
])('a report that is stored %s is read without runs and acks', (_how, json) =>
  expect(storedReport(stored(json))).toEqual(kept),
)

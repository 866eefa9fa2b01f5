import { readReport } from '@svc/protocol'
import { expect, test } from 'vitest'
import { bodyOf } from './body.ts'

const run = (id: string) =>
  `{"id":"${id}","started":1790000000,"models":{"large-2":0.5},"subjects":[{"title":"a, \\"b\\""}]}`
const state = '"state":{"level":"ok","label":"Working"}'

function stored(json: string): string {
  const read = readReport(Buffer.from(json))
  if (!read.ok) throw new Error(read.message)
  const runs = (read.value.runs ?? []).map((one) => JSON.stringify(one))
  const body = bodyOf(read.value, read.text, runs)
  const { runs: _, acks: __, ...rest } = read.value
  expect(JSON.parse(body), json).toEqual(JSON.parse(JSON.stringify(rest)))
  return body
}

test.each([
  ['behind other fields', `{"protocol":1,${state},"runs":[${run('a')},${run('b')}]}`, `{"protocol":1,${state}}`],
  ['between them', `{"protocol":1,"runs":[${run('a')}],${state}}`, `{"protocol":1,${state}}`],
  ['before them', `{"runs":[${run('a')}],${state},"protocol":1}`, `{${state},"protocol":1}`],
  ['there, and none', `{"protocol":1,"runs":[],${state}}`, `{"protocol":1,${state}}`],
  ['not there', `{ "protocol" : 1, ${state} }\n`, `{ "protocol" : 1, ${state} }\n`],
])('runs %s are cut out of the text that came', (_where, json, body) => expect(stored(json)).toBe(body))

test.each([
  ['with blanks, as others write it', `{"protocol": 1, "runs": [${run('a')}, ${run('b')}], ${state}}`],
  ['with blanks inside runs', `{"protocol":1,"runs":[${run('a').replace(':', ': ')}],${state}}`],
  ['with blanks around the runs', `{"protocol":1,"runs":[${run('a')} ] ,${state}}`],
  ['with escapes that we would not write', `{"protocol":1,"runs":[${run('\\u0061')}],${state}}`],
  ['with runs twice', `{"protocol":1,"runs":[${run('b')}],${state},"runs":[${run('b')}]}`],
  ['with other runs before', `{"protocol":1,"runs":[${run('a')}],${state},"runs":[${run('b')}]}`],
  ['with a setting of that name', `{"protocol":1,"runs":[${run('a')}],"settings":{"values":{"runs":3}}}`],
  ['with a setting of that name before', `{"protocol":1,"settings":{"values":{"runs":3}},"runs":[${run('a')}]}`],
  ['with texts that look like runs', `{"protocol":1,"state":{"label":"\\"runs\\":[${'1]'}"},"runs":[${run('a')}]}`],
  ['with a text of that word', `{"protocol":1,"state":{"label":"runs"},"runs":[${run('runs')}],"controls":[]}`],
  ['with acks', `{"protocol":1,"acks":[{"id":"c","ok":true}],"runs":[${run('a')}],${state}}`],
  ['with what is not kept', `{"protocol":1,"colour":"red","runs":[${run('a')}],${state}}`],
  ['with a run that is not kept', `{"protocol":1,"runs":[${run('a')},{"id":7}],${state}}`],
])('a report %s is stored without runs and acks, whatever it takes', (_how, json) => void stored(json))

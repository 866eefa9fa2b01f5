import { expect, test } from 'vitest'
import { mutatedBytes, randomOf } from '../testing/mutate.ts'
import { jsonFaultAt } from './json-reason.ts'

test.each([
  ['{}', undefined],
  [' [1, -0.5e+7, "\\u00e9\\n", true, false, null, {"a": []}] ', undefined],
  ['', 0],
  ['{} {}', 3],
  ['[1,]', 3],
  ['{"a" 1}', 5],
  ['{"a":1,}', 7],
  ['{a:1}', 1],
  ['[01]', 2],
  ['[-]', 2],
  ['[1.]', 3],
  ['[1e+]', 4],
  ['[tru]', 4],
  ['["\\x"]', 3],
  ['["\\u12G4"]', 6],
  ['["a\nb"]', 3],
  ['["ab', 4],
  ['["a\\', 4],
  ['["a\\u12', 7],
  ['[}', 1],
  ['{]', 1],
])('the fault in %j is at %s', (text, at) => expect(jsonFaultAt(text)).toBe(at))

test('a text has a fault exactly where JSON.parse refuses it, at the place that JSON.parse names', () => {
  const whole = new TextEncoder().encode('{"a": [1, -2.5e3, "x\\u00e9\\n"], "b": {"c": null, "d": true, "e": false}}')
  let refused = 0
  for (let seed = 0; seed < 3000; seed++) {
    const random = randomOf(seed)
    const text = new TextDecoder().decode(mutatedBytes(whole, random, 1 + Math.floor(random() * 2)))
    let said: string | undefined
    try {
      JSON.parse(text)
    } catch (error) {
      said = String(error)
    }
    const at = jsonFaultAt(text)
    expect(at === undefined, text).toBe(said === undefined)
    const named = /at position (\d+)/.exec(said ?? '')?.[1]
    if (named !== undefined) expect(at, `${said} ${text}`).toBe(Number(named))
    if (at !== undefined) refused++
  }
  expect(refused).toBeGreaterThan(1000)
})

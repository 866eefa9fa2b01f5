import { expect, test } from 'vitest'
import { isCanonicalPath, rawPathOf } from './target.ts'

test.each([
  ['/', true],
  ['/w/shop/agents/a.b', true],
  ['/w/caf%C3%A9', true],
  ['/a/..b/c..', true],
  ['', false],
  ['w/shop', false],
  ['//shop', false],
  ['/w//shop', false],
  ['/w\\shop', false],
  ['/w%5Cshop', false],
  ['/w%5cshop', false],
  ['/w%2Fshop', false],
  ['/w%00', false],
  ['/w%0a', false],
  ['/w%7F', false],
  ['/w%C2%9B', false],
  ['/w%2500', true],
  ['/.', false],
  ['/./w', false],
  ['/w/..', false],
  ['/w/%2e%2e/x', false],
  ['/w/%2E/x', false],
  ['/w%', false],
  ['/w%zz', false],
  ['/w%ff', false],
])('%j names one place in one spelling: %s', (path, plain) => expect(isCanonicalPath(path)).toBe(plain))

test('the path of a target ends at its first question mark', () => {
  expect(rawPathOf('/a?b=/c?d')).toBe('/a')
  expect(rawPathOf('/a')).toBe('/a')
})

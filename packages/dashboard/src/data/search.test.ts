import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseSearch, stringifySearch } from './search.ts'

test.each<[address: string, search: Record<string, unknown>]>([
  ['?q=1.10', { q: '1.10' }],
  ['?q=true', { q: 'true' }],
  ['?q=1e3', { q: '1e3' }],
  ['?q=%22the+password%22', { q: '"the password"' }],
  ['?q="the password"', { q: '"the password"' }],
  ['?q=100%25+a%2Bb', { q: '100% a+b' }],
  ['?q=100%', { q: '100%' }],
  ['?q=R%C3%A9sum%C3%A9', { q: 'Résumé' }],
  ['?q=null', { q: 'null' }],
  ['?q={"a":1}', { q: '{"a":1}' }],
  ['?q=level:bad,warn&sort=name&reverse=true', { q: 'level:bad,warn', sort: 'name', reverse: true }],
  ['?search=1.10', { search: '1.10' }],
  ['?search=%221.10%22', { search: '1.10' }],
  ['?search=mail+slow&show=bad&silent=true', { search: 'mail slow', show: 'bad', silent: true }],
  ['?id=7', { id: 7 }],
  ['', {}],
])('the address %s is read as %j', (address, search) => {
  expect(parseSearch(address)).toEqual(search)
})

test.each<[search: Record<string, unknown>, address: string]>([
  [{ q: 'level:bad,warn' }, '?q=level:bad,warn'],
  [{ sort: 'name', q: 'a b', reverse: true }, '?q=a+b&sort=name&reverse=true'],
  [{ q: '' }, ''],
  [{ q: undefined, sort: 'name' }, '?sort=name'],
  [{ q: '%3A' }, '?q=%253A'],
])('the search %j is written as %s', (search, address) => {
  expect(stringifySearch(search)).toBe(address)
})

test('every filter comes back from the address as it was typed', () => {
  const texts = fc.oneof(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' }), fc.json())
  fc.assert(
    fc.property(texts, fc.boolean(), (q, reverse) => {
      const search = { ...(q !== '' && { q }), ...(reverse && { reverse }) }
      expect(parseSearch(stringifySearch(search))).toEqual(search)
    }),
    { numRuns: 500 },
  )
})

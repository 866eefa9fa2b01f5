import type { Me } from '@svc/api'
import { expect, test } from 'vitest'
import { ApiError } from '../data/api.ts'
import { doorPageAt, entryWithoutAnswer, pageToOpen, safeNext } from './place.ts'

test.each([
  ['/sign-in', { page: 'signIn' }],
  ['/sign-in/', { page: 'signIn' }],
  ['/Start', { page: 'start' }],
  ['/link', { page: 'link' }],
  ['/claim', { page: 'claim' }],
  ['/forgot', { page: 'forgot' }],
  ['/invitation/aB-3', { page: 'invitation', id: 'aB-3' }],
  ['/invitation/a%20b/', { page: 'invitation', id: 'a b' }],
  ['/invitation/%', { page: 'invitation', id: '%' }],
  ['/invitation', undefined],
  ['/invitation/a/b', undefined],
  ['/', undefined],
  ['/account', undefined],
  ['/w/sign-in', undefined],
])('the page of the door at %s', (path, page) => expect(doorPageAt(path)).toEqual(page))

const me = { name: 'Ada' } as Me
const at = (path: string, door: { me?: Me; first?: boolean } = {}) =>
  pageToOpen(new URL(path, 'http://localhost'), { me: null, first: false, ...door })

test.each([
  ['/', { is: 'door', address: '/sign-in' }],
  ['/sign-in?next=%2Faccount', { is: 'door' }],
  ['/invitation/1', { is: 'door' }],
  ['/account', { is: 'door', address: '/sign-in?next=%2Faccount' }],
  ['/w/north?q=a%26b#1', { is: 'door', address: '/sign-in?next=%2Fw%2Fnorth%3Fq%3Da%2526b%231' }],
  ['/nowhere', { is: 'door', address: '/sign-in?next=%2Fnowhere' }],
])('%s leads a stranger to the door, which remembers the way', (path, place) => expect(at(path)).toEqual(place))

test('while nobody has an account, the home page stays where it is', () => {
  expect(at('/', { first: true })).toEqual({ is: 'door' })
})

test.each(['/', '/account', '/w/north', '/nowhere'])('%s leads a person with a session to the other pages', (path) =>
  expect(at(path, { me })).toEqual({ is: 'pages', me }),
)

test('a person with a session can still open links and invitations', () => {
  expect([at('/claim?token=1', { me }), at('/invitation/1', { me })]).toEqual([{ is: 'door' }, { is: 'door' }])
})

test.each([
  [undefined, '/'],
  ['/w/north?q=1', '/w/north?q=1'],
  ['/sign-in?next=/', '/'],
  ['//evil.example', '/'],
  ['/\\evil.example', '/'],
  ['https://evil.example', '/'],
  ['javascript:alert(1)', '/'],
])('after the sign-in, %s leads to %s', (next, to) => expect(safeNext(next)).toBe(to))

test.each([
  ['/sign-in', 'rate_limited', true],
  ['/sign-in', 'unavailable', true],
  ['/link', 'unavailable', true],
  ['/w/north', 'rate_limited', true],
  ['/invitation/x', 'rate_limited', true],
  ['/w/north', 'unavailable', false],
  ['/invitation/x', 'unavailable', false],
])('without an answer, %s with %s shows the form for signing in: %s', (pathname, code, shows) => {
  const door = entryWithoutAnswer(new ApiError(code === 'rate_limited' ? 429 : 503, code, ''), pathname)
  expect(door !== undefined).toBe(shows)
  expect(entryWithoutAnswer(new ApiError(0, 'unreachable', ''), '/start')?.first).toBe(true)
})

import { expect, test } from 'vitest'
import { cookieNames, ownCookie, sessionCookie, withPresentName } from './cookies.ts'

test.each([
  ['http://localhost', 'svc.half'],
  ['http://localhost:8787', 'svc.half.8787'],
  ['https://svc.example.org', '__Host-svc.half'],
  ['https://svc.example.org:443', '__Host-svc.half'],
  ['https://svc.example.org:8443', '__Host-svc.half.8443'],
])('at %s a cookie has the name %s', (baseUrl, name) => {
  expect(cookieNames('svc.half', baseUrl).name).toBe(name)
  expect(ownCookie('svc.half', baseUrl).set('x', 9)).toMatch(new RegExp(`^${name}=x; `))
})

test.each([
  ['a=1; svc.session=old', 'a=1; svc.session.8787=old'],
  ['svc.session=old; svc.session.8787=new', 'svc.session=old; svc.session.8787=new'],
  ['svc.session.8788=other', 'svc.session.8788=other'],
  ['xsvc.session=x', 'xsvc.session=x'],
])('the cookies "%s" are read as "%s"', (sent, read) => {
  expect(withPresentName(sent, sessionCookie('http://localhost:8787'))).toBe(read)
})

test('a cookie of its own is found under both names, and the cookie of another port is not', () => {
  const { find } = ownCookie('svc.half', 'http://localhost:8787')
  expect(['svc.half=a', 'svc.half=a; svc.half.8787=b', 'svc.half.8788=c'].map(find)).toEqual(['a', 'b', undefined])
})

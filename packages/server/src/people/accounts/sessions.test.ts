import { expect, test } from 'vitest'
import { type Auth, addressHeader } from './auth.ts'
import { sessionHeaders } from './sessions.ts'

test('an address that a client claims for itself does not reach the accounts library', () => {
  const auth = { options: { baseURL: 'https://svc.example.org' } } as Auth
  const headers = sessionHeaders(auth, new Headers({ cookie: 'a=b', [addressHeader]: '203.0.113.9' }))
  expect([headers.get('cookie'), headers.get(addressHeader)]).toEqual(['a=b', null])
})

import { expect, test } from 'vitest'
import { passkeyObstacle } from './passkeys.ts'

test.each([
  ['https://agents.example.org', undefined],
  ['https://agents.example.org:8443', undefined],
  ['https://agents', undefined],
  ['http://localhost:8787', undefined],
  ['http://svc.localhost', undefined],
  ['http://agents.example.org', 'http'],
  ['http://notlocalhost', 'http'],
  ['http://localhost.example.org', 'http'],
  ['http://127.0.0.1:8787', 'address'],
  ['https://192.0.2.7', 'address'],
  ['https://[2001:db8::1]:8443', 'address'],
  ['http://[::1]:8787', 'address'],
  ['nonsense', 'address'],
])('passkeys at %s: %s', (baseUrl, why) => expect(passkeyObstacle(baseUrl)).toBe(why))

import { expect, test } from 'vitest'
import { hasPassword } from './move.ts'

test.each<[address: string | undefined, has: boolean]>([
  ['postgres://svc:secret@db/svc', true],
  ['postgres://svc:secret@/svc?host=/var/run/postgresql', true],
  ['postgres:///svc?user=svc&password=secret', true],
  ['postgres://svc@db/svc', false],
  ['postgres://svc@/svc?host=/var/run/postgresql', false],
  ['postgres:///svc?host=/run/postgresql', false],
  ['postgres://svc@db/svc?options=-c%20statement_timeout=5s', false],
  ['no address', false],
  [undefined, false],
])('the address %s shows a password to others on the machine: %s', (address, has) =>
  expect(hasPassword(address)).toBe(has),
)

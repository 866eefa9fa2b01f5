import { expect, test } from 'vitest'
import { maskedEmail } from './sign-in-records.ts'

test.each([
  [' Ann@Example.org', 'an…@example.org'],
  ['a@mail.example.co.uk', 'a…@mail.example.co.uk'],
  // The following texts may be passwords typed into the address field, which must not appear in the log (I29).
  ['correct horse battery', '…'],
  ['P@ssw0rd', '…'],
  ['"address":"192.0.2.1"@example.org', '…'],
  [`${'a'.repeat(250)}@example.org`, '…'],
  ['', '…'],
])('%j is %s in the log', (typed, short) => expect(maskedEmail(typed)).toBe(short))

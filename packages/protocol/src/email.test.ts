import { describe, expect, test } from 'vitest'
import { emailOddity, isEmail, lookOfEmail, readEmail, storedForms } from './email.ts'

test.each([
  ['Bob@Example.org', 'bob@example.org'],
  [' bob@example.org\u200b', 'bob@example.org'],
  ['\ufeffbob@example.org\n', 'bob@example.org'],
  ['Ju\u0308rgen@example.org', 'jürgen@example.org'],
  ['JÜRGEN@EXÄMPLE.ORG', 'jürgen@exämple.org'],
  ['bob+tag@example.org', 'bob+tag@example.org'],
  ['svc@localhost', 'svc@localhost'],
  ['ΟΔΟΣ@example.org', 'οδος@example.org'],
  ['bob@xn--exmple-cua.org', 'bob@xn--exmple-cua.org'],
  ['иван.ivan@example.org', 'иван.ivan@example.org'],
])('the address %j is stored as %s', (typed, stored) => {
  expect(readEmail(typed)).toEqual({ ok: true, value: stored })
  expect(emailOddity(stored)).toBeUndefined()
})

describe('an address that would be somebody else’s, or nobody’s', () => {
  test.each([
    '',
    'bob',
    '@example.org',
    'bob@',
    'bob@@example.org',
    'bob@a@example.org',
    'bob..x@example.org',
    'bob..x@',
    '.bob@example.org',
    'bob.@example.org',
    'bob@example..org',
    'bob@.org',
    'bob@example.org.',
    'bob@-x',
    'bob@x-',
    'bob@a.-b.org',
    'bob@1.2',
    'bob@0x7f',
    'bob@ex%41mple.org',
    'bob@example。org',
    'bob@example．org',
    'bob @example.org',
    'bob@exam ple.org',
    'bob,ann@example.org',
    '"bob"@example.org',
    'Bob <bob@example.org>',
    'bob@[127.0.0.1]',
    `bob@${'a'.repeat(64)}.org`,
    `${'a'.repeat(250)}@example.org`,
    'b\u0007ob@example.org',
    'b\u0000ob@example.org',
    'bo\u200bb@example.org',
    'bob\u202e@example.org',
    'bob@exam\u00adple.org',
    '❤\ufe0f@example.org',
  ])('%j is refused', (typed) => {
    expect(isEmail(typed)).toBe(false)
  })
})

describe('an address that looks like another one', () => {
  test.each([
    ['bоb@example.org', 'mixes Latin and Cyrillic letters'],
    ['bob@ехаmple.org', 'mixes Latin and Cyrillic letters'],
    ['ｂob@example.org', 'holds ｂ (U+FF42), which looks like b'],
    ['oﬃce@example.org', 'which looks like ffi'],
    ['İbrahim@example.org', 'holds U+0307 after i'],
  ])('%s is refused with the reason', (typed, reason) => {
    expect(readEmail(typed)).toMatchObject({ ok: false, message: expect.stringContaining(reason) })
  })
})

test('a refusal names the invisible character and its place', () => {
  expect(readEmail('bob\u200b@example.org')).toEqual({
    ok: false,
    code: 'email_invalid',
    message: 'The email address holds an invisible character, U+200B, after bob: type it instead of pasting it.',
  })
})

test('an address is looked up first as earlier versions stored it', () => {
  expect(storedForms(' Bob@example.org\u200b')).toEqual(['bob@example.org\u200b', 'bob@example.org'])
  expect(storedForms('Ju\u0308rgen@example.org')).toEqual(['ju\u0308rgen@example.org', 'jürgen@example.org'])
  expect(storedForms('bob..x@')).toEqual(['bob..x@'])
})

test.each([
  ['bob@example.org\u200b', 'holds an invisible character, U+200B, after bob@example.org'],
  ['b\u0007ob@example.org', 'holds a control character, U+0007, after b'],
  ['ju\u0308rgen@example.org', 'is not stored in NFC and lower case'],
  ['bob..x@example.org', 'is not in a form that is accepted today'],
])('the stored address %j is odd', (stored, why) => {
  expect(emailOddity(stored)).toBe(why)
})

test('stored addresses with the same look are the same in one form', () => {
  expect(lookOfEmail('bo\u200bb@example.org\u00a0')).toBe(lookOfEmail('bob@example.org'))
  expect(lookOfEmail('ju\u0308rgen@example.org')).toBe(lookOfEmail('jürgen@example.org'))
})

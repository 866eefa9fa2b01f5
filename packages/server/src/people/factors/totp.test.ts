import { Secret } from 'otpauth'
import { expect, test } from 'vitest'
import { newTotpSecret, stepOf, totpUri } from './totp.ts'

/** The secret of the test values in RFC 6238, appendix B. */
const secret = new Secret({ buffer: new TextEncoder().encode('12345678901234567890').buffer as ArrayBuffer }).base32

test.each([
  [59, '287082'],
  [1111111109, '081804'],
  [1111111111, '050471'],
  [1234567890, '005924'],
  [2000000000, '279037'],
  [20000000000, '353130'],
])('at %s s the code of RFC 6238 is accepted for its step', (seconds, code) => {
  expect(stepOf(code, secret, 0, seconds * 1000)).toBe(Math.floor(seconds / 30))
})

/** Codes that another program made: `oathtool --totp -b SECRET -N @SECONDS`, OATH Toolkit 2.6.7. */
test.each([
  ['JBSWY3DPEHPK3PXP', 1795659000, '607934'],
  ['JBSWY3DPEHPK3PXP', 1795659029, '607934'],
  ['JBSWY3DPEHPK3PXP', 1795659030, '404401'],
  ['JBSWY3DPEHPK3PXP', 4102444800, '573258'],
  ['MFRGGZDFMZTWQ2LKNNWG23TPOBYXE43U', 1795659000, '464134'],
  ['MFRGGZDFMZTWQ2LKNNWG23TPOBYXE43U', 1795659030, '175898'],
  ['MFRGGZDFMZTWQ2LKNNWG23TPOBYXE43U', 4102444800, '342738'],
  ['7QCUTYKVFEGAKMGBTLQ5BU6OOY3JDB2Z', 1795659000, '977192'],
  ['7QCUTYKVFEGAKMGBTLQ5BU6OOY3JDB2Z', 1795659029, '977192'],
  ['7QCUTYKVFEGAKMGBTLQ5BU6OOY3JDB2Z', 4102444800, '955210'],
  ['AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA', 1795659000, '036251'],
  ['AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA', 4102444800, '155191'],
])('the code of oathtool for %s at %s s is accepted for its step', (base32, seconds, code) => {
  expect(stepOf(code, base32, 0, seconds * 1000)).toBe(Math.floor(seconds / 30))
})

const at = 1111111111_000
test.each([
  ['typed with a space', ' 050 471 ', 0, 0, true],
  ['one step early', '050471', -30, 0, true],
  ['one step late', '050471', 30, 0, true],
  ['two steps late', '050471', 60, 0, false],
  ['used before', '050471', 0, Math.floor(1111111111 / 30), false],
  ['before the last one used', '050471', 0, Math.floor(1111111111 / 30) + 1, false],
  ['another code', '050472', 0, 0, false],
  ['five digits', '50471', 0, 0, false],
  ['nothing', '', 0, 0, false],
  ['digits of another script', '٠٥٠٤٧١', 0, 0, false],
])('a code %s', (_, typed, seconds, last, isRight) => {
  expect(stepOf(typed, secret, last, at + seconds * 1000) !== undefined).toBe(isRight)
})

test('each secret is new, has 160 bits, and its address names the service and the account', () => {
  const [one, other] = [newTotpSecret(), newTotpSecret()]
  expect(one).toMatch(/^[A-Z2-7]{32}$/)
  expect(one).not.toBe(other)
  const uri = new URL(totpUri(one, { email: 'ann+x@example.org', host: 'agents.example.org' }))
  expect([uri.protocol, uri.host, decodeURIComponent(uri.pathname)]).toEqual([
    'otpauth:',
    'totp',
    '/svc agents.example.org:ann+x@example.org',
  ])
  expect(uri.searchParams.get('secret')).toBe(one)
})

import { Secret, TOTP } from 'otpauth'
import { expect, test } from 'vitest'
import { clockDifferenceOf, hashRecovery, newRecoveryCodes, newTotpSecret, stepOf, totpUri } from './codes.ts'

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
  ['digits of another script', '٠٥٠٤٧١', 0, 0, true],
  ['digits of another script, of which some are wide', '०५०４７１', 0, 0, true],
  ['wide digits', '０５０４７１', 0, 0, true],
  ['bold digits', '𝟎𝟓𝟎𝟒𝟕𝟏', 0, 0, true],
  ['with a hyphen', '050-471', 0, 0, true],
  ['with a dash', '050–471', 0, 0, true],
  ['with a dot', '050.471', 0, 0, true],
  ['with a zero width space behind it', '050471\u200b', 0, 0, true],
  ['with a mark for the direction before it', '\u200e050471', 0, 0, true],
  ['with a word joiner inside', '050\u2060471', 0, 0, true],
  ['with a no-break space and a byte order mark', '\ufeff050\u00a0471', 0, 0, true],
  ['between isolates', '\u2068050471\u2069', 0, 0, true],
  ['with a letter', '05o471', 0, 0, false],
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

test.each([
  [0, undefined],
  [-2, -60],
  [2, 60],
  [7, 210],
  [20, 600],
  [-20, -600],
  [21, undefined],
])('a code of %s steps away names the difference of the clocks: %s s', (steps, off) => {
  const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: at + steps * 30_000 })
  expect(clockDifferenceOf(code, secret, 0, at)).toBe(off === undefined ? undefined : off * 1000)
  if (off !== undefined) expect(stepOf(code, secret, 0, at)).toBeUndefined()
})

test.each([
  ['agents.example.org', 'svc agents.example.org'],
  ['localhost:8787', 'svc localhost port 8787'],
  ['[::1]', 'svc --1'],
  ['[2001:db8::7]:443', 'svc 2001-db8--7 port 443'],
])('the address for apps at %s has the issuer %s, and no colon but the one that separates', (host, issuer) => {
  const uri = new URL(totpUri(secret, { email: 'ann@example.org', host }))
  const label = decodeURIComponent(uri.pathname.slice(1))
  expect([label, uri.searchParams.get('issuer')]).toEqual([`${issuer}:ann@example.org`, issuer])
})

test('ten recovery codes of 80 bits are made, without letters that look like others', () => {
  const codes = newRecoveryCodes()
  expect(new Set(codes).size).toBe(10)
  for (const code of codes) expect(code).toMatch(/^([0-9a-hjkmnp-tv-z]{4}-){3}[0-9a-hjkmnp-tv-z]{4}$/)
})

test.each(['7K2M-9XQ4-B0C1-Z8ND', ' 7k2m 9xq4 b0c1 z8nd', '7k2m9xq4bocIz8nd', '7k2m-9xq4-boci-z8nd'])(
  'a recovery code may be typed as %s',
  (typed) => {
    expect(hashRecovery(typed)).toBe(hashRecovery('7k2m-9xq4-b0c1-z8nd'))
  },
)

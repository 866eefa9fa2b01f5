import { expect, test } from 'vitest'
import { bearerToken, isToken, maskSecrets } from './tokens.ts'

const random = `${'A'.repeat(42)}_`

test('5: a token is recognised by its prefix and its characters, whatever its length', () => {
  for (const rest of [random, `${random}x`, random.slice(1), 'a', random.repeat(10)])
    expect(isToken('agent', `svc_agt_${rest}`), rest).toBe(true)
  expect(isToken('install', `svc_inst_${random}x`)).toBe(true)
  expect(isToken('install', `svc_agt_${random}`)).toBe(false)
  for (const rest of ['', `${random}\n`, `${random}=`, `${random}.`, 'ä'])
    expect(isToken('agent', `svc_agt_${rest}`), rest).toBe(false)
  expect(isToken('agent', ` svc_agt_${random}`)).toBe(false)
})

test.each([
  ['Bearer abc', 'abc'],
  ['bearer  abc ', 'abc'],
  ['Basic abc', undefined],
  ['Bearer', undefined],
  ['Bearer a b', undefined],
  ['Bearer ä', undefined],
  [undefined, undefined],
])('5: %j names the token %j', (header, token) => expect(bearerToken(header)).toBe(token))

test.each([
  ['one of our tokens', `at svc_agt_${random}.`, [], 'at ***.'],
  ['a token that was cut short', 'svc_inst_abc', [], '***'],
  ["the token of an agent's bot", `bot svc_bot_${random}`, [], 'bot ***'],
  ['a secret the machine holds', 'login hunter2-long ok', ['hunter2-long'], 'login *** ok'],
  ['the longer of two secrets first', 'abcdefghij', ['abcdefgh', 'abcdefghij'], '***'],
])('D52: %s is masked', (_rule, text, secrets, sent) => expect(maskSecrets(text, secrets)).toBe(sent))

test('D52: a value shorter than eight characters is not treated as a secret, since it would mask half the log', () =>
  expect(maskSecrets('port 8080 open', ['8080', ''])).toBe('port 8080 open'))

import { expect, test } from 'vitest'
import {
  freeNames,
  isAgentName,
  isEnvName,
  isEnvValue,
  isProductId,
  newSecrets,
  preview,
  readInstallBody,
  readRedeemed,
} from './install.ts'

const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value))

test('D45: a body needs the text "code", with any content', () => {
  expect(readInstallBody(bytes({ code: 'x', more: 1 }))).toEqual({ ok: true, value: { code: 'x' } })
  for (const body of [{}, { code: 7 }, { code: null }, []])
    expect(readInstallBody(bytes(body))).toMatchObject({ code: 'body_invalid' })
})

test.each(['a', 'a1', 'mail-triage', '0', 'x'.repeat(63)])('D50: %s is a valid agent name', (name) =>
  expect(isAgentName(name)).toBe(true),
)
test.each(['', 'A', '-a', 'a-', 'a--b', 'a_b', 'a.b', '../a', 'a/b', 'con', 'nul', 'com1', 'ä', 'a\n', 'x'.repeat(64)])(
  'D50: %j is not a valid agent name',
  (name) => expect(isAgentName(name)).toBe(false),
)
test('free names follow a base, leave out the taken ones, and are never too long', () => {
  expect(freeNames('mail', new Set(), 3)).toEqual(['mail', 'mail-2', 'mail-3'])
  expect(freeNames('mail', new Set(['mail', 'mail-3']), 2)).toEqual(['mail-2', 'mail-4'])
  const long = `${'x'.repeat(60)}-yz`
  const names = freeNames(long, new Set([long]), 9)
  expect(names[0]).toBe(`${'x'.repeat(60)}-2`)
  expect(new Set(names).size).toBe(9)
  expect(names.every(isAgentName)).toBe(true)
})
test.each([
  ['tasks', true],
  ['t_1', true],
  ['Tasks', false],
  ['1t', false],
  ['t-s', false],
  ['', false],
])('D46: %j as a product id: %s', (id, holds) => expect(isProductId(id)).toBe(holds))

test('2.9: names and values of variables are checked', () => {
  expect(['SVC_URL', 'SVC_BINDING_T_1_TOKEN', 'SVC_1_'].every(isEnvName)).toBe(true)
  expect(['', 'SVC_', 'svc_a', 'SVC_a', 'SVC-A', 'SVC_A B', 'SVC_Ä', 'A', 'LD_PRELOAD'].some(isEnvName)).toBe(false)
  expect(isEnvValue('any text = "with" \t marks')).toBe(true)
  expect(['a\nb', 'a\rb', 'a\0b'].some(isEnvValue)).toBe(false)
})

test('2.9: a preview is read whole, and refused without a valid name or version', () => {
  const good = {
    blueprint: 'mail',
    version: '1.0.0',
    description: 'd',
    agentName: 'mail-1',
    runtime: 'process',
    secrets: [{ name: 'P', purpose: 'p', optional: false }],
    bindings: [{ product: 'tasks', role: 'editor', scopes: ['a'] }],
  }
  expect(preview(good)).toEqual(good)
  expect(preview({ ...good, agentName: '../x' })).toBeUndefined()
  expect(preview({ ...good, version: '1' })).toBeUndefined()
})

const redeemed = {
  agent: { name: 'mail-1' },
  blueprint: 'mail',
  version: '1.0.0',
  env: { SVC_TOKEN: 't' },
  bundle: 'UEs=',
  sha256: '0a'.repeat(32),
}
test('2.9: a redeem answer is read whole', () =>
  expect(readRedeemed({ ...redeemed, more: 1 })).toEqual({ ok: true, value: redeemed }))
test.each([
  ['no object', null],
  ['no agent', { ...redeemed, agent: undefined }],
  ['an agent whose name is a path', { ...redeemed, agent: { name: '../x' } }],
  ['an invalid version', { ...redeemed, version: 'latest' }],
  ['an invalid checksum', { ...redeemed, sha256: 'x' }],
  ['D51: a variable that loaders read', { ...redeemed, env: { LD_PRELOAD: '/x.so' } }],
  ['D51: a variable with a lower-case name', { ...redeemed, env: { svc_x: 'a' } }],
  ['2.9: a value with a line break', { ...redeemed, env: { SVC_X: 'a\nB=c' } }],
  ['2.9: a value that is not a text', { ...redeemed, env: { SVC_X: 1 } }],
  ['a bundle that is not a text', { ...redeemed, bundle: null }],
])('2.9: a redeem answer with %s is refused', (_rule, answer) =>
  expect(readRedeemed(answer)).toMatchObject({ ok: false, code: 'answer_invalid' }),
)

const asks = (...names: string[]) => ({
  secrets: names.map((name) => ({ name, purpose: `what ${name} is for`, optional: false })),
})
const named = (...args: Parameters<typeof newSecrets>) => newSecrets(...args).map(({ name }) => name)

test('a secret is new if a version in use does not ask for it', () => {
  expect(named(asks('A', 'B'), [asks('A')])).toEqual(['B'])
  expect(named(asks('A', 'B'), [asks('A', 'B')])).toEqual([])
  expect(named(asks('A'), [asks('A', 'B')])).toEqual([])
})

test('one version in use that does not ask for a secret is enough to make it new', () => {
  expect(named(asks('A', 'B'), [asks('A', 'B'), asks('A')])).toEqual(['B'])
})

test('if nothing is known of the versions in use, no secret is called new', () => {
  expect(named(asks('A'), [])).toEqual([])
  expect(named(undefined, [asks()])).toEqual([])
})

import { expect, test } from 'vitest'
import { selfUpdates } from './agent-checks.ts'
import { checkText } from './checked.ts'

test('a build without a release key is a warning that says what it means, not a fault', () => {
  const check = selfUpdates('0.2.0', [])
  expect(check).toMatchObject({ name: 'Self-update', ok: true, warns: true })
  expect(checkText(check as NonNullable<typeof check>)).toBe(
    'WARN Self-update: no release key is built into this runtime, so it trusts no file. This is a development build. It runs like any other, and keeps its version until someone installs a signed svc.pyz',
  )
})

test('a runtime from source does not update itself, and causes no warning', () => {
  expect(checkText(selfUpdates('dev', []) ?? { name: '', ok: false, message: '' })).toMatch(
    /^ok {3}Self-update: .*source/,
  )
})

test('a build with release keys is checked further', () =>
  expect(selfUpdates('0.2.0', ['ssh-ed25519 AAAA'])).toBeUndefined())

test('svc doctor shows a fault as BAD', () =>
  expect(checkText({ name: 'Node', ok: false, message: 'old' })).toBe('BAD  Node: old'))

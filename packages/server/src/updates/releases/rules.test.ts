import { expect, test } from 'vitest'
import { judgeAdded, judgeFound, type KnownRelease } from './rules.ts'

/**
 * Makes a release from a text such as `1.2.0`, `1.2.0 signed` or `1.2.0 signed other`, where `other` means other bytes
 * of that version.
 */
function known(text: string): KnownRelease {
  const [version = '', ...words] = text.split(' ')
  return { version, signed: words.includes('signed'), sha256: words.includes('other') ? `other ${version}` : version }
}

test.each([
  ['the first', '1.0.0', [], 'add'],
  ['a newer one', '1.1.0', ['1.0.0'], 'add'],
  ['an unsigned newer one instead of a signed one', '1.1.0', ['1.0.0 signed'], 'add'],
  ['the very same', '1.0.0 signed', ['1.0.0 signed'], 'served'],
  ['the same bytes without a signature', '1.0.0', ['1.0.0 signed'], 'served'],
  ['the same bytes, now signed', '1.0.0 signed', ['1.0.0'], 'add'],
  ['other bytes of a version that was never signed', '1.0.0 other', ['1.0.0'], 'add'],
  ['other bytes of a signed version', '1.0.0 signed other', ['1.0.0 signed'], 'taken'],
  ['other bytes of a version that was signed once', '1.0.0 other', ['1.1.0', '1.0.0 signed'], 'taken'],
  ['an older one', '1.0.0', ['1.1.0'], 'older'],
  ['a release candidate of the served version', '1.1.0-rc.1', ['1.1.0'], 'older'],
  ['a newer one that was replaced by an older one', '1.1.0', ['1.0.0', '1.1.0'], 'add'],
])('a person adds %s', (_, build, rows, verdict) => {
  expect(judgeAdded(known(build), rows.map(known), false)).toBe(verdict)
  if (verdict === 'older') expect(judgeAdded(known(build), rows.map(known), true)).toBe('add')
})

test.each([
  ['the first', '1.0.0', [], 'add', 'add'],
  ['a newer one', '1.1.0', ['1.0.0'], 'add', 'add'],
  ['a newer signed one', '1.1.0 signed', ['1.0.0 signed'], 'add', 'add'],
  ['an unsigned newer one while a signed one is served', '1.1.0', ['1.0.0 signed'], 'unsigned', 'unsigned'],
  ['the very same', '1.0.0', ['1.0.0'], 'served', 'served'],
  ['the same bytes, now signed', '1.0.0 signed', ['1.0.0'], 'add', 'add'],
  ['a development build with changed bytes', '1.0.0 other', ['1.0.0'], 'replace', 'taken'],
  ['other bytes of a signed version', '1.0.0 other', ['1.0.0 signed'], 'taken', 'taken'],
  ['an older one', '1.0.0', ['1.1.0'], 'older', 'older'],
  ['an older signed one', '1.0.0 signed', ['1.1.0'], 'older', 'older'],
  ['a newer one that a person replaced by an older one', '1.1.0', ['1.0.0', '1.1.0'], 'older', 'older'],
  ['a version between the served one and the one before', '1.1.0 signed', ['1.0.0', '2.0.0'], 'older', 'older'],
])('a node finds %s', (_, build, rows, alone, among) => {
  expect(judgeFound(known(build), rows.map(known), { alone: true })).toBe(alone)
  expect(judgeFound(known(build), rows.map(known), { alone: false })).toBe(among)
})

test.each([
  ['the first signed one after an unsigned one', '1.1.0 signed', ['1.0.0']],
  ['the first signed one of the same version', '1.0.0 signed other', ['1.0.0']],
  ['a signed one after a signed one', '1.1.0 signed', ['1.0.0 signed']],
])('a start serves %s only if runtimes of the served release may know its key', (_, build, rows) => {
  for (const alone of [true, false]) {
    expect(judgeFound(known(build), rows.map(known), { alone, isStranger: false })).toBe('add')
    expect(judgeFound(known(build), rows.map(known), { alone, isStranger: true })).toBe('stranger')
  }
  expect(judgeAdded(known(build), rows.map(known), false)).toBe('add')
})

import { expect, test } from 'vitest'
import { compareVersions, isVersion, runtimeVersion } from './versions.ts'

test.each([
  '0.0.0',
  '1.2.3',
  '1.0.0-alpha.1',
  '1.0.0-0a',
  '1.0.0+build.01',
  '10.20.30-rc.1+x-y',
  `1.0.0-${'a'.repeat(122)}`,
])('D48: %s is a version', (text) => expect(isVersion(text)).toBe(true))
test.each([
  '',
  '1',
  '1.2',
  'v1.2.3',
  '1.2.3.4',
  '01.2.3',
  '1.02.3',
  '1.0.0-01',
  '1.0.0-',
  '1.0.0+',
  '1.0.0-a..b',
  '1.2.3\n',
  '１.2.3',
  '../1.2.3',
  `1.0.0-${'a'.repeat(123)}`,
])('D48: %j is not a version', (text) => expect(isVersion(text)).toBe(false))

test('D48: versions are ordered as in SemVer 2.0.0, section 11', () => {
  const rising = [
    '0.9.9',
    '1.0.0-1',
    '1.0.0-2',
    '1.0.0-10',
    '1.0.0-alpha',
    '1.0.0-alpha.1',
    '1.0.0-alpha.beta',
    '1.0.0-beta',
    '1.0.0-beta.2',
    '1.0.0-beta.11',
    '1.0.0-rc.1',
    '1.0.0',
    '1.0.1',
    '1.2.0',
    '1.10.0',
    '2.0.0',
    '90071992547409930.0.0',
    '90071992547409931.0.0',
  ]
  for (const [i, a] of rising.entries())
    for (const [j, b] of rising.entries())
      expect([a, b, Math.sign(compareVersions(a, b))]).toEqual([a, b, Math.sign(i - j)])
  expect(compareVersions('1.0.0+a', '1.0.0+b')).toBe(0)
})

test.each([
  ['dev', true],
  ['2.1.0-rc_1', true],
  ['a'.repeat(64), true],
  ['a'.repeat(65), false],
  ['.hidden', false],
  ['../x', false],
  ['a/b', false],
  ['a\n', false],
  ['', false],
])('3.5: %j as a runtime version: %s', (text, holds) => expect(runtimeVersion.test(text)).toBe(holds))

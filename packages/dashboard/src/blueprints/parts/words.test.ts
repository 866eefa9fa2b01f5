import { expect, test } from 'vitest'
import { commandText, joinNames, type Manifest, settingText, whyNotDeletable } from './words.ts'

test('a command is shown as a person would type it, whatever its arguments contain', () => {
  expect(commandText(['python3', '-u', 'main.py'])).toBe('python3 -u main.py')
  expect(commandText(['sh', '-c', "echo 'a b'; rm x", ''])).toBe("sh -c 'echo '\\''a b'\\''; rm x' ''")
})

test.each([
  [{ key: 'a', type: 'number', min: 1, max: 120, default: 10 }, 'Number, 1 to 120, default 10'],
  [{ key: 'a', type: 'bool', default: false }, 'On or off, default off'],
  [{ key: 'a', type: 'text' }, 'Text'],
  [{ key: 'a', type: 'text', default: '' }, 'Text, default empty'],
  [
    { key: 'a', type: 'select', options: [{ value: 'calm', label: 'Calm' }, { value: 2 }], default: 'calm' },
    'One of Calm, 2, default Calm',
  ],
] as const)('%j reads: %s', (setting, words) => {
  expect(settingText(setting as unknown as Manifest['settings'][number])).toBe(words)
})

test.each([
  [{ runs: [], keeps: [], codes: 0 }, null],
  [{ runs: ['a'], keeps: ['b'], codes: 1 }, 'a runs this version, so it can’t be deleted.'],
  [{ runs: ['a', 'b'], keeps: [], codes: 0 }, 'a and b run this version, so it can’t be deleted.'],
  [{ runs: [], keeps: ['a'], codes: 0 }, 'a keeps this version for a rollback, so it can’t be deleted.'],
  [{ runs: [], keeps: [], codes: 1 }, 'An install code for this version is still open. Revoke it first.'],
  [{ runs: [], keeps: [], codes: 2 }, '2 install codes for this version are still open. Revoke them first.'],
])('%j: %s', (version, words) => {
  expect(whyNotDeletable(version)).toBe(words)
})

test.each([
  [[], ''],
  [['a'], 'a'],
  [['a', 'b'], 'a and b'],
  [['a', 'b', 'c'], 'a, b and c'],
  [['a', 'b', 'c', 'd', 'e'], 'a, b and 3 more'],
])('%j in a sentence: %s', (names, words) => {
  expect(joinNames(names)).toBe(words)
})

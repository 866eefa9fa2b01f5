import { expect, test } from 'vitest'
import { commandText, type Manifest, settingText, several, whyKept } from './words.ts'

test('a command is shown as one would type it, whatever its words hold', () => {
  expect(commandText(['python3', '-u', 'main.py'])).toBe('python3 -u main.py')
  expect(commandText(['sh', '-c', "echo 'a b'; rm x", ''])).toBe("sh -c 'echo '\\''a b'\\''; rm x' ''")
})

test.each([
  [{ key: 'a', type: 'number', min: 1, max: 120, default: 10 }, 'a number, 1 to 120, at first 10'],
  [{ key: 'a', type: 'bool', default: false }, 'on or off, at first off'],
  [{ key: 'a', type: 'text' }, 'a text'],
  [{ key: 'a', type: 'text', default: '' }, 'a text, at first empty'],
  [
    { key: 'a', type: 'select', options: [{ value: 'calm', label: 'Calm' }, { value: 2 }], default: 'calm' },
    'one of Calm, 2, at first Calm',
  ],
] as const)('%j reads: %s', (setting, words) => {
  expect(settingText(setting as unknown as Manifest['settings'][number])).toBe(words)
})

test.each([
  [{ runs: [], keeps: [], codes: 0 }, null],
  [{ runs: ['a'], keeps: ['b'], codes: 1 }, 'It cannot be deleted: a runs it.'],
  [{ runs: ['a', 'b'], keeps: [], codes: 0 }, 'It cannot be deleted: a and b run it.'],
  [{ runs: [], keeps: ['a'], codes: 0 }, 'It cannot be deleted: a keeps it, to go back to.'],
  [{ runs: [], keeps: [], codes: 1 }, 'It cannot be deleted: an install code for it is still open. Revoke that first.'],
  [
    { runs: [], keeps: [], codes: 2 },
    'It cannot be deleted: 2 install codes for it are still open. Revoke them first.',
  ],
])('%j: %s', (version, words) => {
  expect(whyKept(version)).toBe(words)
})

test.each([
  [[], ''],
  [['a'], 'a'],
  [['a', 'b'], 'a and b'],
  [['a', 'b', 'c'], 'a, b and c'],
  [['a', 'b', 'c', 'd', 'e'], 'a, b and 3 more'],
])('%j in a sentence: %s', (names, words) => {
  expect(several(names)).toBe(words)
})

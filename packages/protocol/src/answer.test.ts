import { expect, test } from 'vitest'
import { clampInterval, offlineAfter, readAnswer } from './answer.ts'
import { limits } from './limits.ts'

const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value))
const read = (value: object) => {
  const verdict = readAnswer(bytes({ commands: [], ...value }))
  if (!verdict.ok) throw new Error(verdict.message)
  return verdict.value
}
const sha256 = 'ab'.repeat(32)

test.each([
  ['no object', []],
  ['no commands', { interval: 30 }],
  ['commands that are not a list', { commands: {} }],
  ['more than 1 MB', { commands: [], more: 'x'.repeat(limits.answerBytes) }],
])('D17: an answer with %s is a failed report', (_rule, body) =>
  expect(readAnswer(bytes(body))).toMatchObject({ ok: false }),
)

test.each([
  [
    '2.7: commands are read',
    { commands: [{ id: 'a', type: 'set', payload: { x: null } }] },
    { commands: [{ id: 'a', type: 'set', payload: { x: null } }] },
  ],
  [
    'D9: a command of unknown type is kept, so that the agent can refuse it',
    { commands: [{ id: 'a', type: 'fly' }] },
    { commands: [{ id: 'a', type: 'fly', payload: {} }] },
  ],
  [
    'D17: a command without an id is skipped, the others are read',
    {
      commands: [
        null,
        7,
        {},
        { id: 7, type: 'pause' },
        { id: '', type: 'pause' },
        { id: 'b', type: 'pause', payload: 'x' },
      ],
    },
    { commands: [{ id: 'b', type: 'pause', payload: {} }] },
  ],
  [
    'D9: a command whose type is empty, missing or not a text is kept, so that the agent can refuse it',
    { commands: [{ id: 'a', type: '' }, { id: 'b' }, { id: 'c', type: 7 }, { id: 'd', type: null }] },
    { commands: ['a', 'b', 'c', 'd'].map((id) => ({ id, type: '', payload: {} })) },
  ],
  [
    'D9: a type is never cleaned or cut into another type',
    {
      commands: [
        { id: 'a', type: 'pause\u0001' },
        { id: 'b', type: 'x'.repeat(201) },
      ],
    },
    { commands: ['a', 'b'].map((id) => ({ id, type: '', payload: {} })) },
  ],
  [
    '2.7: an id is kept exactly as it came, whatever it holds',
    {
      commands: [
        { id: '\u0000 \u001b\ud800\u202e\n', type: 'pause' },
        { id: '\u{1f44d}'.repeat(2000), type: 'pause' },
      ],
    },
    {
      commands: ['\u0000 \u001b\ud800\u202e\n', '\u{1f44d}'.repeat(2000)].map((id) => ({
        id,
        type: 'pause',
        payload: {},
      })),
    },
  ],
  [
    '2.7: a command whose id exceeds 2,000 characters is dropped',
    { commands: [{ id: 'x'.repeat(2001), type: 'pause' }] },
    { commands: [] },
  ],
  ['D18: an interval that is not a number counts as absent', { interval: '5' }, { commands: [] }],
  [
    '2.7: desired is read',
    { desired: { blueprint: 'mail', version: '1.2.3' } },
    { commands: [], desired: { blueprint: 'mail', version: '1.2.3' } },
  ],
  [
    '3.3: a desired version that is not a semantic version is ignored',
    { desired: { blueprint: 'mail', version: '../1' } },
    { commands: [] },
  ],
  [
    'D48: a version is never cut into another version',
    { desired: { blueprint: 'mail', version: `1.0.0-${'a'.repeat(200)}` } },
    { commands: [] },
  ],
  [
    '2.7: runtime is read',
    { runtime: { version: '2.0.0', sha256 } },
    { commands: [], runtime: { version: '2.0.0', sha256 } },
  ],
  ['2.7: an invalid checksum is ignored', { runtime: { version: '2.0.0', sha256: `${sha256}00` } }, { commands: [] }],
  ['3.5: runtime_desired is read', { runtime_desired: '2.0.0' }, { commands: [], runtime_desired: '2.0.0' }],
  ['3.5: a runtime_desired that could be a path is ignored', { runtime_desired: '../x' }, { commands: [] }],
  ['9 rule 4: unknown fields are ignored', { more: 1 }, { commands: [] }],
])('%s', (_rule, input, expected) => expect(read(input)).toEqual(expected))

test.each([
  [30, 10, 30],
  [1, 30, 5],
  [-5, 30, 5],
  [0, 30, 5],
  [5, 30, 5],
  [300, 30, 300],
  [86400, 30, 300],
  [Number.NaN, 20, 20],
  [Number.POSITIVE_INFINITY, 20, 20],
  [undefined, 20, 20],
])('D18: asked for %s with %s in force gives %s', (asked, last, now) => expect(clampInterval(asked, last)).toBe(now))

test('D20: an agent is offline after three intervals without a report, but never before 90 s', () => {
  expect([5, 30, 60, 300].map(offlineAfter)).toEqual([90, 90, 180, 900])
})

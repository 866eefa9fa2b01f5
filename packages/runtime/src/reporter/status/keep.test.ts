import { expect, test } from 'vitest'
import type { FileRead } from '../../machine/files/read.ts'
import { type KeptStatus, statusAfterRead } from './keep.ts'

const bytes = (text: string): FileRead => ({ is: 'bytes', bytes: Buffer.from(text), mtimeMs: 0 })
const good = bytes('{"state": {"level": "ok", "label": "Working"}}')
const none: KeptStatus = { misses: 0 }
/** The result after a series of reads of the status file. */
const after = (...reads: FileRead[]) => {
  let kept = none
  let now = statusAfterRead(kept, reads[0] ?? good, 'status.json', Date.now())
  for (const read of reads) {
    now = statusAfterRead(kept, read, 'status.json', Date.now())
    kept = now.kept
  }
  return { label: now.status.state?.label, health: now.health.map((h) => `${h.level} ${h.detail}`) }
}
const half = bytes('{"state": {"lev')

test.each([
  ['a good file is shown', [good], 'Working', []],
  ['a half-written file is ignored at the first read', [good, half], 'Working', []],
  ['a half-written file is ignored at the second read', [good, half, half], 'Working', []],
  [
    'then it is reported, and the old status is no longer shown',
    [good, half, half, half],
    undefined,
    ['warn status.json is not JSON: it ends too early, at line 1, column 16.'],
  ],
  ['a good read resets the count', [good, half, half, half, good, half], 'Working', []],
  [
    'a file that was never there is reported at once, as information',
    [{ is: 'missing' }],
    undefined,
    ['info status.json is not there.'],
  ],
  [
    'a file that disappeared is a warning',
    [good, { is: 'missing' }, { is: 'missing' }, { is: 'missing' }],
    undefined,
    ['warn status.json is not there.'],
  ],
  [
    'a key that stands twice is named with its lines',
    [bytes('{"state": {"level": "ok", "label": "A",\n"label": "B"}}')],
    'B',
    ['info In it more than once, and only the last one counts: label (lines 1 and 2).'],
  ],
  ['a list is one health line (2.11)', [good, bytes('[]')], 'Working', ['warn status.json holds no JSON object.']],
  [
    'NaN is named with its place',
    [bytes('{"state": {"level": "ok"}, "gauges": [{"value": NaN}]}')],
    undefined,
    ['warn status.json is not JSON: NaN at line 1, column 49 (JSON has no NaN; write null).'],
  ],
  [
    'UTF-16 is named',
    [{ is: 'bytes', bytes: Buffer.from('\ufeff{}', 'utf16le'), mtimeMs: 0 }],
    undefined,
    ['warn status.json is UTF-16; save it as UTF-8.'],
  ],
  [
    'Latin-1 is named with its place',
    [{ is: 'bytes', bytes: Buffer.from('{"state": {"label": "Gr\u00fc\u00dfe"}}', 'latin1'), mtimeMs: 0 }],
    undefined,
    [
      'warn status.json is not UTF-8 (byte 0xFC at line 1, column 24; it may be Latin-1 or Windows-1252); save it as UTF-8.',
    ],
  ],
  ['a byte order mark is ignored', [bytes('\ufeff{"state": {"level": "ok", "label": "Working"}}')], 'Working', []],
  [
    'unknown keys are left out and reported (D55)',
    [bytes('{"state": {"level": "ok", "label": "Working", "mood": 1}, "runtime": {}}')],
    'Working',
    ['info Not known and left out: state.mood, runtime.'],
  ],
  [
    'an item without a required part is left out and reported',
    [bytes('{"state": {"level": "ok", "label": "Working"}, "gauges": [{"name": "a"}]}')],
    'Working',
    ['warn Not as it must be and left out: gauges[0].'],
  ],
] as const)('%s', (_rule, reads, label, health) => {
  expect(after(...(reads as readonly FileRead[]))).toEqual({ label, health })
})

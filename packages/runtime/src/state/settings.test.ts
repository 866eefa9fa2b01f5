import {
  chmodSync,
  existsSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import type { Manifest } from '@svc/blueprint'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { agentFolder } from '../../testing/folder.ts'
import { applyCommand } from '../reporter/commands/apply.ts'
import { readStatus } from '../reporter/status/file.ts'
import { changeSettings, fillSettings, settingsInForce } from './settings.ts'
import { asideRemarks, setAsideFile, settingsHealth, settingsRemarks, whySettingsUnreadable } from './settings-file.ts'

let folder: ReturnType<typeof agentFolder>
beforeEach(() => {
  folder = agentFolder({ '.svc/agent.env': 'SVC_TOKEN=x\n' })
})
afterEach(() => folder.remove())

const settings = [{ key: 'every', label: 'Every', type: 'number', default: 10 }] as unknown as Manifest['settings']
const started = (...command: string[]) => ({ kind: 'process', command }) as unknown as Manifest['runtime']
const modeAfter = (command: string) => {
  fillSettings(folder, { settings, ...(command && { runtime: started(command) }) } as Manifest)
  return (statSync(folder.settings).mode & 0o777).toString(8)
}

test('only the owner may read the settings file, even if an earlier version left it open to everybody (D54)', () => {
  expect(modeAfter('python3')).toBe('600')
  chmodSync(folder.settings, 0o644)
  expect(modeAfter('python3')).toBe('600')
})

test('an agent that runs as another user still reads its settings, and a group that a person added keeps its right (D54)', () => {
  expect(modeAfter('/usr/bin/sudo')).toBe('644')
  chmodSync(folder.settings, 0o640)
  writeFileSync(folder.settings, '{}')
  expect(modeAfter('python3')).toBe('640')
})

test('the status file is not read through a link that leads out of the folder or into .svc (3.6, D52)', () => {
  const file = join(folder.root, 'status.json')
  symlinkSync('.svc/agent.env', file)
  expect(readStatus(folder, file).is).toBe('unreadable')
  symlinkSync('/etc/passwd', join(folder.root, 'other.json'))
  expect(readStatus(folder, join(folder.root, 'other.json')).is).toBe('unreadable')
  writeFileSync(join(folder.root, 'real.json'), '{}')
  symlinkSync('real.json', join(folder.root, 'inside.json'))
  expect(readStatus(folder, join(folder.root, 'inside.json')).is).toBe('bytes')
  symlinkSync('later.json', join(folder.root, 'kept.json'))
  expect(readStatus(folder, join(folder.root, 'kept.json')), 'a path of the state, not written yet').toEqual({
    is: 'missing',
    why: 'is a link that leads nowhere',
  })
})

test.each([
  ['{"every": 5,}', 'is not JSON: a comma too many at line 1, column 12'],
  ['{"every": NaN}', 'is not JSON: NaN at line 1, column 11 (JSON has no NaN; write null)'],
  ['[]', 'holds no JSON object'],
])('a settings file %s that a person wrote is kept beside the new one', (text, why) => {
  writeFileSync(folder.settings, text)
  expect(whySettingsUnreadable(folder)).toBe(why)
  const manifest = { settings } as Manifest
  fillSettings(folder, manifest)
  expect(readFileSync(setAsideFile(folder), 'utf8')).toBe(text)
  expect(settingsInForce(folder, manifest)).toEqual({ every: 10 })
})

test('keys that nobody knows and values that are not allowed are named', () => {
  writeFileSync(folder.settings, '{"evrey": 5, "every": "often"}')
  expect(settingsRemarks(folder, { settings } as Manifest)).toEqual([
    'names "evrey", which is no setting; known are: every',
    expect.stringMatching(/^has a value for every that has no effect: it must be a number/),
  ])
  writeFileSync(folder.settings, '{"every": null}')
  expect(settingsRemarks(folder, { settings } as Manifest)).toEqual([])
})

test('a settings file with a byte order mark is read, and an empty one is written again', () => {
  const manifest = { settings } as Manifest
  writeFileSync(folder.settings, '\ufeff{"every": 5}')
  expect(settingsInForce(folder, manifest)).toEqual({ every: 5 })
  writeFileSync(folder.settings, '')
  changeSettings(folder, manifest, { every: 7 }, { is: 'person', name: 'a', at: 1 } as never)
  expect(existsSync(setAsideFile(folder))).toBe(false)
  expect(settingsInForce(folder, manifest)).toEqual({ every: 7 })
})

const tone = { key: 'tone', label: 'Tone', type: 'text', default: 'calm' } as const
const both = { settings: [...settings, tone] } as unknown as Manifest
const author = { by: 'service', at: 1 } as const

test.each([
  ['is empty', () => writeFileSync(folder.settings, '')],
  ['is gone', () => rmSync(folder.settings)],
])('values that are lost because the settings file %s are named by the change, and in a health item', (_what, lose) => {
  changeSettings(folder, both, { tone: 'brisk', every: 5 }, author)
  expect(settingsHealth(folder, both)).toEqual([])
  lose()
  expect(settingsHealth(folder, both)).toMatchObject([
    { level: 'warn', detail: expect.stringContaining('every, tone') },
  ])
  const set = applyCommand(folder, both, { do: 'set', values: { every: 20 } }, author)
  expect(set).toMatchObject({ ok: true, message: expect.stringMatching(/gone or empty, so tone has its default/) })
  expect(settingsHealth(folder, both), 'until a person has looked').toMatchObject([{ name: 'Settings', level: 'warn' }])
  rmSync(setAsideFile(folder))
  expect(settingsHealth(folder, both)).toEqual([])
})

test.each([
  ['is cut off', () => writeFileSync(folder.settings, '{"every": 5, "to'), () => readFileSync(folder.settings, 'utf8')],
  ['is a link to nowhere', () => symlinkSync('nowhere', folder.settings), () => readlinkSync(folder.settings)],
  ['is a link to itself', () => symlinkSync('settings.json', folder.settings), () => readlinkSync(folder.settings)],
  [
    'is not UTF-8',
    () => writeFileSync(folder.settings, '{"tone": "fr\u00f6hlich"}', 'latin1'),
    () => readFileSync(folder.settings, 'latin1'),
  ],
])(
  'a change from the page refuses a settings file that %s, as "svc set" does, and leaves it alone',
  (_what, make, now) => {
    make()
    const before = now()
    const set = applyCommand(folder, both, { do: 'set', values: { every: 20 } }, author)
    expect(set).toMatchObject({ ok: false, message: expect.stringContaining('Nothing was changed') })
    expect(now()).toBe(before)
    expect(settingsHealth(folder, both)).toMatchObject([{ level: 'warn', detail: expect.stringContaining('defaults') }])
    fillSettings(folder, both)
    expect(asideRemarks(folder, both)).not.toEqual([])
    expect(settingsHealth(folder, both), 'after a start').toMatchObject([{ level: 'warn' }])
  },
)

const writers: readonly (readonly [string, () => void])[] = [
  ['a start', () => fillSettings(folder, both)],
  ['a change from the page', () => applyCommand(folder, both, { do: 'set', values: { tone: 'brisk' } }, author)],
  ['a change at the installation', () => void changeSettings(folder, both, { tone: 'brisk' }, author)],
]
const written: readonly (readonly [what: string, text: string, named: RegExp, keeps: Record<string, unknown>])[] = [
  ['an unknown key', '{"every": 5, "evrey": 7}', /names "evrey", which is no setting/, { every: 5, evrey: 7 }],
  ['an unknown object', '{"x": {"a": [1]}, "every": 5}', /names "x", which is no setting/, { every: 5, x: { a: [1] } }],
  [
    'a wrong type',
    '{"every": "often", "tone": "x"}',
    /has a value for every that has no effect: it must/,
    { every: 10 },
  ],
  [
    'a key that stands twice',
    '{"every": 5,\n"tone": "a",\n"every": 6}',
    /names "every" more than once, in lines 1 and 3/,
    { every: 6 },
  ],
]
test.each(writers.flatMap(([who, write]) => written.map((row) => [row[0], who, write, ...row.slice(1)] as const)))(
  '%s in the settings file is named before and after %s',
  (_what, _who, write, text, named, keeps) => {
    writeFileSync(folder.settings, text as string)
    expect(settingsHealth(folder, both)).toMatchObject([
      { level: 'warn', detail: expect.stringMatching(named as RegExp) },
    ])
    for (let round = 0; round < 2; round++) {
      ;(write as () => void)()
      const [item] = settingsHealth(folder, both)
      expect(item).toMatchObject({ level: 'warn', detail: expect.stringMatching(named as RegExp) })
      expect(JSON.parse(readFileSync(folder.settings, 'utf8'))).toMatchObject(keeps as object)
    }
  },
)

test('a value that svc wrote for an earlier version goes without a word, and one that a person wrote stays', () => {
  fillSettings(folder, both)
  changeSettings(folder, both, { tone: 'brisk' }, author)
  const without = { settings: [] as Manifest['settings'] } as Manifest
  fillSettings(folder, without)
  expect(settingsHealth(folder, without)).toEqual([])
  expect(readFileSync(folder.settings, 'utf8')).toBe('{}\n')
})

test('what a person corrects with the change itself is not set aside', () => {
  writeFileSync(folder.settings, '{"every": "often"}')
  applyCommand(folder, both, { do: 'set', values: { every: 20 } }, author)
  expect(settingsHealth(folder, both)).toEqual([])
})

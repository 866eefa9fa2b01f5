/**
 * A file that cannot be read is not a missing one. Each row is a reader, and each column a file in its place. The test
 * works for root, too, since no row relies on the mode of a file.
 */
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Manifest } from '@svc/blueprint'
import { readFile } from '@svc/blueprint/read-file'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { agentFolder } from '../testing/folder.ts'
import { changeEnv, envFaults, readConnection } from './machine/files/env.ts'
import type { Folder } from './machine/files/folder.ts'
import { readHandedText } from './machine/files/handed.ts'
import { readManifestNow } from './reporter/manifest.ts'
import { readLogFile } from './state/logs/read.ts'
import { secretsHealth } from './state/secrets.ts'
import { settingsHealth } from './state/settings-file.ts'
import { readPin } from './updates/runtime/pin.ts'

let folder: ReturnType<typeof agentFolder>
beforeEach(() => {
  folder = agentFolder({ 'work.log': 'the word is correct horse\n' })
})
afterEach(() => folder.remove())

const inPlace: readonly (readonly [what: string, make: (file: string) => void])[] = [
  ['a folder', (file) => mkdirSync(file)],
  ['a link to itself', (file) => symlinkSync(file, file)],
  ['a link that leads nowhere', (file) => symlinkSync(`${file}.gone`, file)],
]
const notText: (typeof inPlace)[number] = ['UTF-16', (file) => writeFileSync(file, Buffer.from('\ufeffA=1', 'utf16le'))]

const secrets = [{ name: 'WORD', purpose: 'x', optional: false }] as Manifest['secrets']
const settings = [{ key: 'every', label: 'Every', type: 'number', default: 10 }] as unknown as Manifest['settings']
const logs = [{ name: 'work', path: 'work.log' }] as unknown as Manifest['logs']
const thrown = (act: () => unknown): string => {
  try {
    act()
    return 'done'
  } catch (error) {
    return String(error)
  }
}

/** Each reader with its answer for a missing file, and for one that cannot be read. */
const readers: readonly (readonly [
  name: string,
  file: (folder: Folder) => string,
  says: (folder: Folder) => string,
  missing: RegExp,
  unread: RegExp,
])[] = [
  [
    'logs: masking',
    (f) => f.secrets,
    (f) => readLogFile(f, { logs }, 'work') ?? '',
    /correct horse/,
    /^The log is not shown/,
  ],
  [
    'missing secrets',
    (f) => f.secrets,
    (f) => secretsHealth(f, { secrets })[0]?.detail ?? '',
    /WORD not set/,
    /^secrets.env (is|cannot)/,
  ],
  ['faults of secrets', (f) => f.secrets, (f) => envFaults(f.secrets).join(), /^$/, /^(is|cannot)/],
  [
    'changing secrets',
    (f) => f.secrets,
    (f) => thrown(() => changeEnv(f.secrets, { A: '1' })),
    /^done$/,
    /Nothing was changed/,
  ],
  ['connection', (f) => f.env, (f) => JSON.stringify(readConnection(f)), /names no service[^.]*\./, /It (is|cannot)/],
  [
    'settings',
    (f) => f.settings,
    (f) => settingsHealth(f, { settings })[0]?.detail ?? '',
    /^$/,
    /so defaults are used/,
  ],
  ['pin', (f) => f.runtimePin, (f) => String(readPin(f)), /^undefined$/, /^unreadable$/],
  [
    'manifest',
    (f) => f.manifest,
    (f) => JSON.stringify(readManifestNow(f)),
    /There is no/,
    /"ok":false.*(link|regular|UTF-16)/,
  ],
  [
    'handed over',
    (f) => `${f.root}/given`,
    (f) => thrown(() => readHandedText(`${f.root}/given`, 'The file', 99)),
    /is not there/,
    /given (is (?!not there)|cannot)/,
  ],
]

test.each(
  readers.flatMap(([name, file, says, missing, unread]) =>
    [...inPlace, notText].map(([what, make]) => ({ name, what, file, says, missing, unread, make })),
  ),
)('$name: $what in the place of the file does not count as missing', ({ file, says, missing, unread, make }) => {
  const path = file(folder)
  rmSync(path, { recursive: true, force: true })
  mkdirSync(dirname(path), { recursive: true })
  expect(says(folder)).toMatch(missing)
  expect(says(folder)).not.toMatch(unread)
  rmSync(path, { recursive: true, force: true })
  make(path)
  expect(says(folder)).toMatch(unread)
})

test('an error of the disk does not count as missing', () => {
  const fails = () => {
    throw Object.assign(new Error('EIO'), { code: 'EIO' })
  }
  expect(readFile(folder.manifest, 99, fails)).toEqual({ is: 'unreadable', why: 'cannot be opened (EIO)' })
})

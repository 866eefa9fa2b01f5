/**
 * Tests that data from earlier versions still works. Two earlier builds, named by their commits, wrote each note in
 * every state; their files and the values that they read from them are stored here. This version must read the same
 * values, and what it writes must be readable for a version that knows only those values.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Folder, folderAt } from './machine/files/folder.ts'
import { type Journal, readJournal, saveJournal } from './reporter/commands/journal.ts'
import { readInstall, unreadableInstall, writeInstall } from './state/install-note.ts'
import { readNote, writeNote } from './state/process-note.ts'
import { readRuntimeNote, writeRuntimeNote } from './state/versions/runtime-note.ts'
import { readUpdate, unreadableJournal, writeUpdate } from './updates/agent/journal.ts'
import { whyNoUpdates } from './updates/agent/unread.ts'
import { readAttempt, writeAttempt } from './updates/runtime/journal.ts'

interface Fixture {
  readonly note: string
  readonly name: string
  readonly text: string
  readonly value: unknown
}
const builds = ['219af78', '3e2c113']
const fixturesOf = (build: string): Fixture[] =>
  readFileSync(join(import.meta.dirname, `../testing/notes/${build}.jsonl`), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

const notes: Record<
  string,
  { file: keyof Folder; read: (f: Folder) => unknown; write: (f: Folder, v: never) => void }
> = {
  update: { file: 'update', read: readUpdate, write: writeUpdate },
  runtime: { file: 'runtimeNote', read: readRuntimeNote, write: writeRuntimeNote },
  process: { file: 'process', read: readNote, write: writeNote },
  'self-update': { file: 'selfUpdate', read: readAttempt, write: writeAttempt },
  install: { file: 'install', read: readInstall, write: writeInstall },
  commands: {
    file: 'commands',
    read: readJournal,
    write: (f, { commands }: { commands: Journal }) => saveJournal(f, commands),
  },
}

let folder: Folder
beforeAll(() => {
  folder = folderAt(mkdtempSync(join(tmpdir(), 'svc-notes-')))
  mkdirSync(folder.journal, { recursive: true })
  mkdirSync(folder.runtimeFolder, { recursive: true })
})
afterAll(() => rmSync(folder.root, { recursive: true }))

const all = builds.flatMap((build) =>
  fixturesOf(build).map((fixture) => [`${fixture.note} of ${build}, ${fixture.name}`, fixture] as const),
)

test.each(all)('%s', (_name, { note, text, value }) => {
  const { file, read, write } = notes[note] ?? expect.fail(`no reader of ${note}`)
  writeFileSync(String(folder[file]), text)
  expect(read(folder)).toEqual(value)
  write(folder, JSON.parse(text) as never)
  expect(JSON.parse(readFileSync(String(folder[file]), 'utf8'))).toEqual(JSON.parse(text))
})

test.each(builds)('the fixtures of %s have every note and every state', (build) => {
  const fixtures = fixturesOf(build)
  const states = (wanted: string, of: (note: Record<string, { readonly is?: unknown } | undefined>) => unknown) =>
    new Set(fixtures.filter(({ note }) => note === wanted).map(({ text }) => of(JSON.parse(text)))).size
  expect(new Set(fixtures.map(({ note }) => note))).toEqual(new Set(Object.keys(notes)))
  expect(states('update', ({ state }) => state)).toBe(7)
  expect(states('runtime', ({ trial }) => trial?.is)).toBe(4)
  expect(states('process', ({ state }) => state?.is)).toBe(4)
  expect(states('self-update', ({ is }) => is)).toBe(3)
  expect(states('install', ({ is }) => is)).toBe(4)
})

const release = { version: '1.0.0', sha256: 'a' }
const swapped = { from: release, to: release }
describe('a note that is damaged, or from a future runtime', () => {
  test.each<[string, string, unknown, unknown]>([
    ['is ignored without its state', 'update', { running: release }, undefined],
    ['is ignored in an unknown state', 'update', { state: 'dreaming', running: release }, undefined],
    [
      'keeps the known parts',
      'update',
      {
        state: 'idle',
        running: release,
        window: { ran: 'x' },
        hold: {},
        retry: { version: '2' },
        rollbacks: [1],
        x: 1,
      },
      {
        state: 'idle',
        running: release,
        window: { baseline: 'ok', ran: 0, worse: 0, flips: 0, deaths: 0 },
        retry: { version: '2', at: 0 },
        rollbacks: [],
      },
    ],
    ['has no trial with only one file', 'runtime', { trial: { is: 'trying', from: release } }, {}],
    [
      'has a trial with nothing counted',
      'runtime',
      { trial: { is: 'kept', ...swapped, starts: null } },
      { trial: { is: 'kept', ...swapped, starts: 0, began: 0, processes: 0 } },
    ],
    ['names no process 0', 'process', { state: { is: 'running', pid: 0, start: 'x' } }, undefined],
    [
      'does not say that a process was killed: who takes it over ends it by itself',
      'process',
      { state: { is: 'stopping', pid: 1, start: 'x', killed: true }, starting: 1 },
      {
        state: {
          is: 'stopping',
          pid: 1,
          start: 'x',
          since: 0,
          crashes: 0,
          adopted: false,
          because: 'ended',
          killAt: 0,
        },
      },
    ],
    ['is no attempt without its wish', 'self-update', { is: 'trying' }, undefined],
    ['is no attempt in a state that nobody knows', 'self-update', { is: 'x', wish: '1' }, undefined],
    ['drops commands that are none', 'commands', { commands: [1, { id: 'a', type: 'pause' }] }, []],
  ])('%s: %s', (_name, kind, noted, value) => {
    const { file, read } = notes[kind] ?? expect.fail(`no reader of ${kind}`)
    writeFileSync(String(folder[file]), JSON.stringify(noted))
    expect(read(folder)).toEqual(value)
  })

  test('is not treated as missing where that matters', () => {
    for (const file of [folder.update, folder.install, folder.commands]) {
      rmSync(file, { force: true })
      mkdirSync(file)
    }
    expect(unreadableJournal(folder)).toBe('the journal of updates is not a regular file')
    expect(unreadableInstall(folder)).toBe('the note of the installation is not a regular file')
    expect(() => readJournal(folder)).toThrow(`${folder.commands} is not a regular file.`)
    for (const file of [folder.update, folder.install, folder.commands]) rmSync(file, { recursive: true })
    expect([unreadableJournal(folder), unreadableInstall(folder), readJournal(folder)]).toEqual([
      undefined,
      undefined,
      [],
    ])
    writeFileSync(folder.install, '{"is":"made",')
    expect(unreadableInstall(folder)).toBe(`the note of the installation (${folder.install}) is damaged`)
    expect(whyNoUpdates(folder)).toBe(`No version is changed, because ${unreadableInstall(folder)}.`)
    rmSync(folder.install)
    writeFileSync(folder.commands, '{"commands":')
    expect(() => readJournal(folder)).toThrow('is damaged')
  })

  test('is ignored if it is larger than allowed', () => {
    writeFileSync(folder.selfUpdate, JSON.stringify({ is: 'trying', wish: '1', more: 'x'.repeat(65_536) }))
    expect(readAttempt(folder)).toBeUndefined()
  })
})

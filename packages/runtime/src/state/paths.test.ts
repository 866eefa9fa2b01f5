import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { readManifest } from '@svc/blueprint'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Folder, folderAt } from '../machine/files/folder.ts'
import { createStatePaths, linkState } from './paths.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'svc-state-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

function manifestWith(state: string) {
  const read = readManifest(`name: a\nversion: 1.0.0\nstate: [${state}]\n`, { for: 'report' })
  if (!read.ok) throw new Error(read.findings.map(({ message }) => message).join())
  return read.value
}

function write(file: string, text: string) {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

/** Installs a version whose bundle contains these files, in the same way as installations and updates do. */
function install(name: string, state: string, shipped: Readonly<Record<string, string>> = {}): Folder {
  const { staging, versions, current } = folderAt(root)
  const staged = join(staging, name)
  mkdirSync(staged, { recursive: true })
  mkdirSync(versions, { recursive: true })
  for (const [path, text] of Object.entries(shipped)) write(join(staged, path), text)
  const final = join(versions, name)
  linkState(folderAt(root), manifestWith(state), staged, final)
  renameSync(staged, final)
  rmSync(current, { force: true })
  symlinkSync(final, current)
  return folderAt(root)
}
const start = (version: string, state: string) => createStatePaths(folderAt(root), manifestWith(state), version)
const at = (...parts: string[]) => join(root, ...parts)
const kind = (path: string) => {
  const stat = statSync(path, { throwIfNoEntry: false })
  return stat && (stat.isDirectory() ? 'folder' : 'file')
}

describe('a state path at which the bundle ships a file is a file (3.3)', () => {
  test.each(['notes', 'data/keep', '.token'])('%s: the agent starts, finds the seed and writes it', (path) => {
    install('v1', path, { [path]: 'seed' })
    start('v1', path)
    expect(readFileSync(at('current', path), 'utf8')).toBe('seed')
    writeFileSync(at('current', path), 'mine')
    start('v1', path)
    expect(readFileSync(at('state', path), 'utf8')).toBe('mine')
  })

  test('even after the agent has deleted it', () => {
    install('v1', 'notes', { notes: 'seed' })
    rmSync(at('state/notes'))
    start('v1', 'notes')
    expect(kind(at('state/notes'))).toBeUndefined()
    writeFileSync(at('current/notes'), 'mine')
    expect(readFileSync(at('state/notes'), 'utf8')).toBe('mine')
  })

  test('only in that version: in one that ships nothing there it is a folder', () => {
    install('v1', 'notes', { notes: 'seed' })
    rmSync(at('state/notes'))
    install('v2', 'notes')
    start('v2', 'notes')
    expect(kind(at('state/notes'))).toBe('folder')
  })
})

describe('anything that exists at a state path is left alone', () => {
  test('an agent that made a file of its own path is started again', () => {
    install('v1', 'cursor')
    start('v1', 'cursor')
    rmSync(at('state/cursor'), { recursive: true })
    writeFileSync(at('state/cursor'), '7')
    start('v1', 'cursor')
    expect(readFileSync(at('current/cursor'), 'utf8')).toBe('7')
  })

  test('an update that ships nothing leaves a file in the state', () => {
    install('v1', 'notes', { notes: 'seed' })
    install('v2', 'notes')
    start('v2', 'notes')
    expect(readFileSync(at('current/notes'), 'utf8')).toBe('seed')
  })

  test('a shipped folder leaves a file, and a shipped file in it leaves a folder', () => {
    write(at('state/notes'), 'mine')
    mkdirSync(at('state/data/a'), { recursive: true })
    write(at('state/data/b'), 'mine')
    install('v1', 'notes, data', { 'notes/one': 'x', 'data/a': 'x', 'data/b/c': 'x', 'data/d': 'seed' })
    start('v1', 'notes, data')
    expect(readFileSync(at('current/notes'), 'utf8')).toBe('mine')
    expect([kind(at('state/data/a')), kind(at('state/data/b')), kind(at('state/data/d'))]).toEqual([
      'folder',
      'file',
      'file',
    ])
  })

  test('a shipped file leaves a folder', () => {
    mkdirSync(at('state/notes'), { recursive: true })
    install('v1', 'notes', { notes: 'seed' })
    start('v1', 'notes')
    expect(kind(at('current/notes'))).toBe('folder')
  })

  test('a file instead of a parent folder stays, and so does a link that leads nowhere', () => {
    write(at('state/a'), 'mine')
    symlinkSync('/nowhere/at/all', at('state/link'))
    install('v1', 'a/b, link, link2/x', { 'link2/x/seed': 'x' })
    start('v1', 'a/b, link, link2/x')
    expect(readFileSync(at('state/a'), 'utf8')).toBe('mine')
    expect(readlinkSync(at('state/link'))).toBe('/nowhere/at/all')
    expect(readFileSync(at('current/link2/x/seed'), 'utf8')).toBe('x')
  })

  test('a state that is not a folder stays', () => {
    install('v1', 'state')
    rmSync(at('state'), { recursive: true })
    writeFileSync(at('state'), 'mine')
    start('v1', 'state')
    expect(readFileSync(at('state'), 'utf8')).toBe('mine')
  })
})

describe('if nothing exists and nothing is shipped, the manifest and the name decide', () => {
  test.each([
    ['cursor', 'folder'],
    ['.token', 'folder'],
    ['data/keep', 'folder'],
    ['data.d/', 'folder'],
    ['cursor.txt', undefined],
    ['.cursor.txt', undefined],
    ['data/deep/cursor.json', undefined],
  ] as const)('%s', (path, expected) => {
    install('v1', path)
    start('v1', path)
    const place = at('state', path.replace(/\/$/, ''))
    expect(kind(place)).toBe(expected)
    expect(kind(dirname(place))).toBe('folder')
    expect(lstatSync(at('current', path.replace(/\/$/, ''))).isSymbolicLink()).toBe(true)
  })

  test('a path written with a slash is a folder, even if the version before shipped a file', () => {
    install('v1', 'notes', { notes: 'seed' })
    rmSync(at('state/notes'))
    install('v2', 'notes/')
    start('v2', 'notes/')
    expect(kind(at('state/notes'))).toBe('folder')
  })
})

test('in a folder connected by hand, existing paths are left alone, and the rest is made by the same rule', () => {
  write(at('notes'), 'mine')
  createStatePaths(folderAt(root), manifestWith('notes, data.d/, cursor, log.txt, notes2/x'), undefined)
  expect(readFileSync(at('notes'), 'utf8')).toBe('mine')
  expect(['data.d', 'cursor', 'log.txt', 'notes2/x'].map((path) => kind(at(path)))).toEqual([
    'folder',
    'folder',
    undefined,
    'folder',
  ])
  expect(existsSync(at('.svc'))).toBe(false)
})

import {
  closeSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { folderAt } from '../machine/files/folder.ts'
import { openOutput, rotateOutput } from './output.ts'

let root: string
let fd: number
const output = () => folderAt(root).output
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'svc-output-'))
  fd = openOutput(folderAt(root)).fd
})
afterEach(() => {
  closeSync(fd)
  rmSync(root, { recursive: true, force: true })
})
const prints = (text: string) => writeSync(fd, text)
const read = (n?: number) => readFileSync(n === undefined ? output() : `${output()}.${n}`, 'utf8')

test('a file is rotated only above the limit: it is emptied, and its content is kept in another file', () => {
  prints('0123456789')
  expect(rotateOutput(output(), 10)).toBeUndefined()
  expect(read()).toBe('0123456789')
  prints('x')
  expect(rotateOutput(output(), 10)).toEqual({ copied: 11, of: 11 })
  expect(read()).toBe('')
  expect(read(1)).toBe('0123456789x')
})

test('a process that has the file open continues at its beginning, in the same file', () => {
  const before = statSync(output()).ino
  prints('before rotation\n')
  rotateOutput(output(), 10)
  prints('after\n')
  expect(read()).toBe('after\n')
  expect(statSync(output()).ino).toBe(before)
})

test('three older files are kept, the newest first; the oldest is dropped', () => {
  for (const text of ['first', 'second', 'third', 'fourth', 'fifth']) {
    prints(`${text} and more than ten`)
    expect(rotateOutput(output(), 10)).toMatchObject({ copied: text.length + 18 })
  }
  prints('now')
  expect(readdirSync(folderAt(root).log).sort()).toEqual(['agent.log', 'agent.log.1', 'agent.log.2', 'agent.log.3'])
  expect([read(), read(1), read(2), read(3)].map((text) => text.split(' ')[0])).toEqual([
    'now',
    'fifth',
    'fourth',
    'third',
  ])
})

test('a gap among the older files does no harm', () => {
  writeFileSync(`${output()}.2`, 'older')
  prints('more than ten bytes')
  expect(rotateOutput(output(), 10)).toEqual({ copied: 19, of: 19 })
  expect([read(1), read(3)]).toEqual(['more than ten bytes', 'older'])
  expect(existsSync(`${output()}.2`)).toBe(false)
})

test('without a file there is nothing to rotate', () => {
  rmSync(output())
  expect(rotateOutput(output(), 10)).toBeUndefined()
  expect(existsSync(`${output()}.1`)).toBe(false)
})

test("only the owner can read the agent's output, rotated or not", () => {
  prints('more than ten bytes')
  rotateOutput(output(), 10)
  expect([output(), `${output()}.1`].map((file) => statSync(file).mode & 0o777)).toEqual([0o600, 0o600])
})

test('the oldest file is overwritten in place, unless it has another name', () => {
  const full = () => {
    prints('more than ten bytes')
    rotateOutput(output(), 10)
  }
  for (const _ of [1, 2, 3]) full()
  const oldest = statSync(`${output()}.3`).ino
  full()
  expect(statSync(`${output()}.1`).ino).toBe(oldest)
  writeFileSync(`${output()}.3`, 'a file of somebody else that is longer')
  linkSync(`${output()}.3`, join(root, 'other'))
  full()
  expect(readFileSync(join(root, 'other'), 'utf8')).toBe('a file of somebody else that is longer')
  expect(read(1)).toBe('more than ten bytes')
})

test('a link at the place of the copy is removed and not followed', () => {
  writeFileSync(join(root, 'other'), 'kept')
  symlinkSync(join(root, 'other'), `${output()}.new`)
  prints('more than ten bytes')
  expect(rotateOutput(output(), 10)).toEqual({ copied: 19, of: 19 })
  expect([readFileSync(join(root, 'other'), 'utf8'), read(1)]).toEqual(['kept', 'more than ten bytes'])
})

test('the file is emptied, and no older one is lost, if the copy cannot be made', () => {
  for (const text of ['first', 'second']) {
    prints(`${text} and more than ten`)
    rotateOutput(output(), 10)
  }
  mkdirSync(`${output()}.new`)
  prints('third and more than ten')
  expect(rotateOutput(output(), 10)).toMatchObject({ copied: 0, of: 23, why: expect.any(String) })
  expect([read(), read(1), read(2)].map((text) => text.split(' ')[0])).toEqual(['', 'second', 'first'])
})

describe('an output that the manifest declares (3.6)', () => {
  const declared = () => join(root, 'state/logs/printed.log')
  const opens = () => {
    const { fd: opened, declared: file } = openOutput(folderAt(root), declared())
    writeSync(opened, 'printed\n')
    closeSync(opened)
    return file
  }

  test('goes to the declared file, readable only by its owner, and not to ours', () => {
    expect(opens()).toBe(declared())
    expect(opens()).toBe(declared())
    expect(readFileSync(declared(), 'utf8')).toBe('printed\nprinted\n')
    expect(statSync(declared()).mode & 0o777).toBe(0o600)
    expect(read()).toBe('')
  })

  const places: readonly (readonly [string, (outside: string) => void])[] = [
    ['a link out of the folder', (outside) => symlinkSync(join(outside, 'file'), declared())],
    ['another hard link of a file', (outside) => linkSync(join(outside, 'file'), declared())],
    ['a folder', () => mkdirSync(declared())],
    [
      'a file in a folder that leads out',
      (outside) => {
        rmSync(join(root, 'state/logs'), { recursive: true })
        symlinkSync(outside, join(root, 'state/logs'))
      },
    ],
    [
      'a file in a folder that leads into .svc',
      () => {
        rmSync(join(root, 'state/logs'), { recursive: true })
        symlinkSync('../.svc', join(root, 'state/logs'))
      },
    ],
  ]
  test.each(places)('goes to ours if the declared one is %s', (_place, make) => {
    const outside = mkdtempSync(join(tmpdir(), 'svc-outside-'))
    writeFileSync(join(outside, 'file'), 'kept\n')
    mkdirSync(join(root, 'state/logs'), { recursive: true })
    make(outside)
    expect(opens()).toBeUndefined()
    expect(read()).toBe('printed\n')
    expect(readFileSync(join(outside, 'file'), 'utf8')).toBe('kept\n')
    expect(readdirSync(outside)).toEqual(['file'])
    rmSync(outside, { recursive: true })
  })
})

/**
 * Tests `start.cjs`, the program that the service manager starts, as a separate process: if a new runtime file has a
 * broken launcher, the file is rolled back (D38).
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { minNodeHere } from '../../testing/releases.ts'
import { type Folder, folderAt } from '../machine/files/folder.ts'
import { readRuntimeNote, type Trial, writeRuntimeNote } from '../state/versions/runtime-note.ts'
import { writeStarter } from './starter.ts'

const old = 'console.log("old", process.argv.slice(2).join(" "))'
const hash = (text: string) => createHash('sha256').update(text).digest('hex')
let folder: Folder
afterEach(() => rmSync(folder.root, { recursive: true }))

/** Makes a folder in which the runtime file `fresh` is on trial, with `old` as the previous file. */
function place(fresh: string, trial: Partial<Trial> = {}): void {
  folder = folderAt(realpathSync(mkdtempSync(join(tmpdir(), 'svc-starter-'))))
  writeStarter(folder)
  writeFileSync(folder.runtime, fresh)
  writeFileSync(folder.runtimePrevious, old)
  const from = { version: '1.0.0', sha256: hash(old) }
  const to = { version: '2.0.0', sha256: hash(fresh) }
  const usual = { is: 'trying', from, to, starts: 0, began: Date.now(), processes: 1 } as const
  writeRuntimeNote(folder, { trial: { ...usual, ...trial } as Trial })
}
const start = (args: readonly string[] = ['run', '--dir', folder.root]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [folder.runtimeStarter, ...args], { encoding: 'utf8' })
  return { status, out: stdout.trim(), err: stderr }
}
const inPlace = () => readFileSync(folder.runtime, 'utf8')

test('a file that does not parse is rolled back in the same start', () => {
  place('this does not parse (')
  expect(start()).toMatchObject({ status: 0, out: `old run --dir ${folder.root}` })
  expect(inPlace()).toBe(old)
  expect(readRuntimeNote(folder).trial).toMatchObject({
    is: 'undoing',
    reason: expect.stringContaining('does not load'),
  })
})

test('a file that dies as soon as it runs is started three times, and the fourth start is of the previous one', () => {
  place('setTimeout(() => process.exit(9), 1)')
  for (const starts of [1, 2, 3]) {
    expect(start().status).toBe(9)
    expect(readRuntimeNote(folder).trial).toMatchObject({ is: 'trying', starts })
  }
  expect(start()).toMatchObject({ status: 0, out: `old run --dir ${folder.root}` })
  expect(inPlace()).toBe(old)
})

test('it tells the launcher that the start is already counted', () => {
  place('console.log(globalThis.svcStart?.counted)')
  expect(start().out).toBe('true')
})

test('a rollback that a kill interrupted is finished', () => {
  place('console.log("new")', { is: 'undoing', reason: 'it hung', at: 1 } as Partial<Trial>)
  expect(start().out).toBe(`old run --dir ${folder.root}`)
  expect(readRuntimeNote(folder).trial).toMatchObject({ is: 'undoing', reason: 'it hung' })
})

test('a previous file with another checksum is not put into place (I21)', () => {
  place('this does not parse (')
  writeFileSync(folder.runtimePrevious, 'console.log("somebody else’s")')
  expect(start().status).toBe(1)
  expect(inPlace()).toBe('this does not parse (')
})

test('with nothing on trial, or a command other than run, it only starts the file', () => {
  place('console.log("new")')
  expect(start(['status']).out).toBe('new')
  expect(readRuntimeNote(folder).trial).toMatchObject({ starts: 0 })
  writeFileSync(folder.runtimeNote, 'not JSON')
  expect(start().out).toBe('new')
  rmSync(folder.runtimeNote)
  expect(start().out).toBe('new')
})

test('it runs on the minimum version of Node, and under a package.json that says "module"', () => {
  place('console.log("new", process.argv[1])')
  writeFileSync(join(folder.root, 'package.json'), '{"type":"module"}')
  const out = execFileSync(minNodeHere ?? process.execPath, [folder.runtimeStarter, 'run'], { encoding: 'utf8' })
  expect(out.trim()).toBe(`new ${folder.runtime}`)
})

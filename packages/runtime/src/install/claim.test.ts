/**
 * Tests what a killed installation leaves in the folder of an agent, and how much of it the next installation may
 * remove (D44).
 */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Folder, folderAt } from '../machine/files/folder.ts'
import { readInstall, writeInstall } from '../state/install-note.ts'
import { claimFolder, whyFolderIsTaken } from './claim.ts'

let folder: Folder
beforeEach(() => {
  folder = folderAt(mkdtempSync(join(tmpdir(), 'svc-claim-')))
})
afterEach(() => rmSync(folder.root, { recursive: true }))

const known = { url: 'http://x', agent: 'mail', blueprint: 'mail', version: '1.0.0', at: 1 }
/** A process id that no process has: Linux and macOS give none above 4,194,304. */
const deadPid = 999_999_999

/** The folder `.svc` as an installation leaves it that was killed before it sent its code. */
function remnant(name = '.svc'): void {
  const { root } = folder
  const left = { install: join(root, name, 'journal/install.json') }
  mkdirSync(join(root, name, 'journal'), { recursive: true })
  writeInstall(left, { ...known, is: 'made', pid: deadPid, start: '', madeFolder: true })
}

test.each<[string, () => void]>([
  ['the installation was killed before it sent its code', () => remnant()],
  ['a second one was killed while it removed what the first one left', () => remnant(`.svc.${deadPid}.old`)],
  ['that second one was killed halfway through', () => mkdirSync(join(folder.root, `.svc.${deadPid}.old`))],
  ['a process that is gone had the id of this process', () => remnant(`.svc.${process.pid}.old`)],
])('the next installation works, and leaves nothing of the killed ones: %s', (_what, leave) => {
  leave()
  expect(whyFolderIsTaken(folder.root)).toBeUndefined()
  expect(claimFolder(folder.root, known)).toMatchObject({ ok: true })
  expect(readdirSync(folder.root)).toEqual(['.svc'])
  expect(readInstall(folder)).toMatchObject({ is: 'made', pid: process.pid })
})

test('while another process removes what was left, the folder is taken', () => {
  remnant(`.svc.${process.ppid}.old`)
  expect(whyFolderIsTaken(folder.root)).toBe(`Process ${process.ppid} is installing into ${folder.root}.`)
})

test.each([
  ['a file of somebody', 'notes.txt'],
  ['a folder that only has a similar name, with a file of somebody', `.svc.${deadPid}.old/notes.txt`],
])('a folder is taken if it has %s', (_what, file) => {
  remnant()
  mkdirSync(join(folder.root, file, '..'), { recursive: true })
  writeFileSync(join(folder.root, file), 'mine')
  expect(whyFolderIsTaken(folder.root)).toContain('is not empty')
  expect(claimFolder(folder.root, known)).toMatchObject({ ok: false })
  expect(readdirSync(folder.root, { recursive: true })).toContain(file)
})

test('a folder with a damaged note is taken, because a code may have been used there', () => {
  remnant()
  writeFileSync(folder.install, '{"is":"rede')
  const why = whyFolderIsTaken(folder.root)
  expect(why).toContain(`the note of the installation (${folder.install}) is damaged, so a code may have been used`)
  expect(claimFolder(folder.root, known)).toEqual({ ok: false, message: why })
  expect(readdirSync(folder.journal)).toEqual(['install.json'])
})

import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { createJobFolders, replaceJson } from './files.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-files-'))
afterAll(() => rmSync(folder, { recursive: true }))

test('folders are created one below the other, for their owner only, and may exist', () => {
  const deep = join(folder, 'a/b/c')
  createJobFolders(deep)
  createJobFolders(deep)
  for (const each of [deep, join(folder, 'a')]) expect(statSync(each).mode & 0o777).toBe(0o700)
})

test.each([
  ['below a file', 'file/x/y'],
  ['below /proc, where the system always answers ENOENT', '/proc/x/y'],
  ['below a name that is too long', `${'x'.repeat(300)}/y`],
])('a folder %s is an error and never a loop', (_where, path) => {
  writeFileSync(join(folder, 'file'), '')
  expect(() => createJobFolders(resolve(folder, path))).toThrow(/E[A-Z]+/)
})

test('a file is replaced in one step, and a failure leaves nothing beside it', () => {
  const file = join(folder, 'a/note.json')
  replaceJson(file, { a: 1 })
  chmodSync(file, 0o644)
  replaceJson(file, { a: 2 })
  expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o777]).toEqual(['{"a":2}\n', 0o600])
  expect(() => replaceJson(join(folder, 'a/b'), { a: 3 })).toThrow('EISDIR')
  expect(readdirSync(join(folder, 'a')).sort()).toEqual(['b', 'note.json'])
  expect(existsSync(join(folder, 'a/b/c'))).toBe(true)
})

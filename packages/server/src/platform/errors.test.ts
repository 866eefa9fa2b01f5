import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { systemReason } from './errors.ts'

const thrown = (work: () => unknown): unknown => {
  try {
    work()
  } catch (error) {
    return error
  }
  throw new Error('Nothing was thrown.')
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-errors-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

test('an error of the file system is said in words, with its code and path', () => {
  const folder = newFolder()
  const missing = join(folder, 'missing')
  expect(systemReason(thrown(() => readFileSync(missing)))).toBe(`there is no such file or folder (ENOENT): ${missing}`)
  expect(systemReason(thrown(() => readFileSync(folder)))).toBe('it is a folder (EISDIR)')
})

test('an error of SQLite is said in words', () => {
  const db = new DatabaseSync(':memory:')
  db.exec('pragma max_page_count = 2; create table t (a)')
  const full = thrown(() => db.exec('insert into t values (hex(zeroblob(100000)))'))
  expect(systemReason(full)).toBe('no space is left on the disk (SQLite 13)')
  const file = join(newFolder(), 'text')
  writeFileSync(file, 'This file is not a database, but it is long enough to be read as one by SQLite. '.repeat(20))
  expect(systemReason(thrown(() => new DatabaseSync(file).exec('select * from sqlite_master')))).toBe(
    'the file is not a database (SQLite 26)',
  )
})

test('the cause of an error is searched, and a bug has no reason', () => {
  const cause = Object.assign(new Error('write'), { code: 'ENOSPC' })
  expect(systemReason(new Error('failed', { cause }))).toBe('no space is left on the disk (ENOSPC)')
  expect(systemReason(new TypeError('x is undefined'))).toBeUndefined()
  expect(systemReason('a text')).toBeUndefined()
})

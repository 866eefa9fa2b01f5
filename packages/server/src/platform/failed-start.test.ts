import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { DataFolderError } from './data-folder.ts'
import { StoreError } from './db/error.ts'
import { ConfigError } from './errors.ts'
import { explainFolderError, explainStartError } from './failed-start.ts'

const error = (code: string, message: string, more: object = {}) => Object.assign(new Error(message), { code }, more)
const refused = (code: string, message: string) => error(code, message, { severity: 'ERROR' })
const sqlite = (errcode: number) => error('ERR_SQLITE_ERROR', 'raw words', { errcode })
test.each([
  [
    'postgres',
    refused('42501', 'permission denied for table agreed'),
    'PostgreSQL cannot be used: the role … has too few',
  ],
  ['postgres', refused('57P01', 'terminating connection'), 'PostgreSQL cannot be used: it ended the connection'],
  ['postgres', refused('XX000', 'odd'), 'PostgreSQL cannot be used: it says "odd" (XX000).'],
  ['postgres', new Error('wrapped', { cause: refused('53100', 'full') }), 'no space is left on its disk'],
  ['postgres', error('ECONNRESET', 'read ECONNRESET', { syscall: 'read' }), 'the connection was ended'],
  ['sqlite', sqlite(8), 'The database cannot be used: the database is read-only (SQLite 8).'],
  ['sqlite', sqlite(11), 'the database is damaged (SQLite 11)'],
  ['sqlite', new Error('wrapped', { cause: sqlite(13) }), 'no space is left on the disk (SQLite 13)'],
] as const)('a start on %s that fails with %s says why, with the cause', (engine, thrown, says) => {
  const shown = explainStartError(thrown, { engine })
  expect(shown).toBeInstanceOf(StoreError)
  expect((shown as Error).message).toContain(says)
  expect((shown as Error).cause).toBe(thrown)
})

test.each([
  ['postgres', new ConfigError('Port 1 is in use.')],
  ['postgres', error('ENOENT', 'no such file', { syscall: 'open' })],
  ['postgres', error('EACCES', 'listen', { syscall: 'listen' })],
  ['postgres', new TypeError('a bug')],
  ['postgres', new StoreError('said already')],
  ['sqlite', error('ENOSPC', 'write', { syscall: 'write' })],
  ['sqlite', sqlite(1)],
] as const)('a start on %s that fails with %s is not blamed on the database, or not again', (engine, thrown) => {
  expect(explainStartError(thrown, { engine })).toBe(thrown)
})

test('an error of a file names the data folder, and one that says what to do or is a bug stays as it is', () => {
  const dir = mkdtempSync(join(tmpdir(), 'svc-start-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  for (const thrown of [error('ENOSPC', 'write', { syscall: 'write' }), sqlite(4874)]) {
    const shown = explainFolderError(thrown, dir) as Error
    expect(shown).toBeInstanceOf(DataFolderError)
    expect(shown.message).toMatch(
      /^The data folder \S+ cannot be used: no space is left on the disk \(\S+( 4874)?\)\.$/,
    )
    expect(shown.cause).toBe(thrown)
  }
  for (const thrown of [new DataFolderError('said'), new StoreError('said'), new ConfigError('said'), new TypeError()])
    expect(explainFolderError(thrown, dir)).toBe(thrown)
})

import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { afterThisTest } from '../../../../../testing/cleaning.ts'
import { changeEnv, envFaults, readConnection, readEnv } from './env.ts'
import type { Folder } from './folder.ts'

function fileOf(bytes: string | Buffer): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-env-'))
  afterThisTest(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'a.env'), bytes, { mode: 0o644 })
  return join(folder, 'a.env')
}

test('lines that are not understood stay byte for byte, and the file is only for its owner', () => {
  const before = Buffer.concat([
    Buffer.from('\ufeff# note\r\nexport B=1\r\nlower=x\nA=1\n\n'),
    Buffer.from([0x43, 0x3d, 0xfc, 0x00, 0x0a]),
  ])
  const file = fileOf(before)
  changeEnv(file, { A: 'grün', NEW: '2' })
  const after = readFileSync(file)
  expect(after.toString('latin1')).toBe(
    `${before.toString('latin1').replace('A=1', `A=${Buffer.from('grün').toString('latin1')}`)}NEW=2\n`,
  )
  expect(statSync(file).mode & 0o777).toBe(0o600)
  changeEnv(file, { A: undefined, NEW: undefined })
  expect(readFileSync(file, 'latin1')).toBe(before.toString('latin1').replace('A=1\n', ''))
})

test.each([
  ['UTF-16', Buffer.from('\ufeffA=1\n', 'utf16le'), 'is UTF-16; save it as UTF-8. Nothing was changed.'],
  ['too large', Buffer.alloc(1024 * 1024 + 1, 'x'), 'is larger than 1 MB. Nothing was changed.'],
  ['nearly too large', Buffer.alloc(1024 * 1024 - 3, 'x'), 'would be larger than 1 MB. Nothing was changed.'],
])('a file that is %s is refused and stays as it is', (_what, bytes, says) => {
  const file = fileOf(bytes)
  expect(() => changeEnv(file, { NEW: '2' })).toThrow(says)
  expect(readFileSync(file).equals(bytes)).toBe(true)
})

test('if the address is in a line that is not understood, the message names the line', () => {
  const env = fileOf('export SVC_URL=https://svc.example.com\n')
  const read = readConnection({ env } as Folder)
  expect(read).toMatchObject({
    ok: false,
    message: expect.stringContaining('It has a line 1 that begins with "export"'),
  })
})

test('a file that an earlier version accepted still works at the next start; its faults are named', () => {
  const file = fileOf('A=1\nexport B=2\nA=3\r\nlower=x\nC="q"\n')
  expect([...readEnv(file)]).toEqual([
    ['A', '3'],
    ['C', '"q"'],
  ])
  expect(envFaults(file)).toEqual([
    'has a line 2 that begins with "export"; write only NAME=value',
    'has a line 4 that has a name with other characters than A to Z, 0 to 9 and _, or that does not begin with a letter',
  ])
})

import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { folderInUse, foreignFolderText, holderOf } from './data-folder.ts'

test('a process that is gone is not named as the one that uses the data folder', () => {
  const dir = mkdtempSync(join(tmpdir(), 'svc-holder-'))
  const says = (text: string) => {
    writeFileSync(join(dir, 'svc.pid'), text)
    return holderOf(dir)
  }
  expect(holderOf(dir)).toBe('another process')
  expect(says(`${process.pid}\n`)).toBe(`process ${process.pid}`)
  expect(says(`${spawnSync('true').pid}\n`)).toBe('another process')
  expect(says('cut')).toBe('another process')
  expect(folderInUse(dir).message).toContain('its file system has no locks')
  says(String(process.pid))
  expect(folderInUse(dir).message).not.toContain('locks')
  rmSync(dir, { recursive: true })
})

test.each([
  [8787, 1000, expect.stringMatching(/^it belongs to user id 8787, and this is user id 1000\. .*chown -R 1000/)],
  [0, 1000, expect.stringContaining('user id 0')],
  [1000, 1000, undefined],
  [1000, 0, undefined],
  [undefined, 1000, undefined],
  [1000, undefined, undefined],
])('the refusal of a folder says whose it is, if that is why (owner %s, user %s)', (owner, user, sentence) => {
  expect(foreignFolderText(owner, user)).toEqual(sentence)
})

import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { holderOf } from './data-folder.ts'

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
  rmSync(dir, { recursive: true })
})

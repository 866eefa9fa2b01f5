import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { folderAt } from '../../machine/files/folder.ts'
import { diskHealth } from './disk.ts'

test('what the runtime could not store is reported, although no figure of the disk shows why', () => {
  const root = mkdtempSync(join(tmpdir(), 'svc-disk-'))
  const refused = diskHealth(folderAt(root), "this user's quota is used up on the file system at /srv")
  expect(refused).toMatchObject([{ name: 'Space on disk', level: 'bad' }])
  rmSync(root, { recursive: true })
})

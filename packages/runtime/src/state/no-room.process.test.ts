/**
 * Tests the pause of an agent on a real file system that is full, in a folder without spare files that could make room.
 */
import { mkdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { mountMissing, smallDisk } from '../../testing/small-disk.ts'
import { createFolders, folderAt } from '../machine/files/folder.ts'
import { pause, readPause, resume } from './controls.ts'

const missing = mountMissing('a pause on a full disk')

test.skipIf(missing !== undefined)('without a byte and without a reserve, an empty file pauses the agent', () => {
  const disk = smallDisk('bytes')
  onTestFinished(() => disk.unmount())
  mkdirSync(join(disk.root, 'agent'))
  const folder = folderAt(join(disk.root, 'agent'))
  createFolders(folder)
  rmSync(join(folder.svc, 'reserve'), { recursive: true, force: true })
  disk.fill()
  expect(pause(folder, { by: 'machine', at: 1 })).toBe(true)
  expect(statSync(folder.paused).size).toBe(0)
  expect(readPause(folder)?.author).toBeUndefined()
  expect(resume(folder, { by: 'machine', at: 2 })).toBe(true)
  expect(readPause(folder)).toBeUndefined()
})

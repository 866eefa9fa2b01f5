/** Writes the log of `svc run` on a real file system that is full. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { afterThisTest } from '../../../../../testing/cleaning.ts'
import { mountMissing, smallDisk } from '../../../testing/small-disk.ts'
import { folderAt } from '../../machine/files/folder.ts'
import { openRuntimeLog } from './run-agent.ts'

const missing = mountMissing('the log of the runtime on a full disk')

test.skipIf(missing !== undefined)('the log of the runtime takes the room of its older file', () => {
  const disk = smallDisk('bytes')
  afterThisTest(() => disk.unmount())
  const folder = folderAt(join(disk.root, 'agent'))
  mkdirSync(folder.log, { recursive: true })
  writeFileSync(`${folder.runtimeLog}.1`, Buffer.alloc(1024 * 1024))
  const log = openRuntimeLog(folder)
  log('first\n')
  disk.fill()
  const long = `${'x'.repeat(8191)}\n`
  log(long)
  expect(readFileSync(folder.runtimeLog, 'utf8')).toContain(long)
  expect(existsSync(`${folder.runtimeLog}.1`)).toBe(false)
})

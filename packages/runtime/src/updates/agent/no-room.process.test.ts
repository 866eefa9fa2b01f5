/** Rolls an agent back, and installs one, on a real file system that is full. */
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { afterThisTest } from '../../../../../testing/cleaning.ts'
import { mountMissing, type Scarce, type SmallDisk, smallDisk } from '../../../testing/small-disk.ts'
import { claimFolder } from '../../install/claim.ts'
import { type Folder, folderAt } from '../../machine/files/folder.ts'
import { fillReserve } from '../../machine/files/reserve.ts'
import { currentVersionFolder, versionFolderName } from '../../state/versions/folders.ts'
import { rollbackAlone } from './alone.ts'
import { readUpdate, type Update, writeUpdate } from './journal.ts'

const missing = mountMissing('a rollback on a full disk')

const release = (version: string, digit: string) => ({ version, sha256: digit.repeat(64) })
const older = release('1.0.0', 'a')
const newer = release('2.0.0', 'b')
const updated: Update = { state: 'idle', running: newer, previous: older, rollbacks: [] }
const asked = { id: '1', running: '2.0.0', by: 'on this machine' }

/** An agent that was updated from one version to another, on a file system that is full. */
function fullAgent(scarce: Scarce, reserve: boolean): { folder: Folder; disk: SmallDisk } {
  const disk = smallDisk(scarce)
  afterThisTest(() => disk.unmount())
  const root = join(disk.root, 'agent')
  for (const { sha256, version } of [older, newer]) {
    const folder = join(root, 'versions', versionFolderName(sha256))
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'svc.agent.yaml'), `version: ${version}\n`)
  }
  symlinkSync(join('versions', versionFolderName(newer.sha256)), join(root, 'current'))
  const folder = folderAt(root)
  writeUpdate(folder, updated)
  if (reserve) fillReserve(folder.svc)
  disk.fill()
  return { folder, disk }
}

describe.skipIf(missing !== undefined).each<Scarce>(['bytes', 'inodes'])('on a file system without %s', (scarce) => {
  test('a rollback without a runtime works by means of the reserve', () => {
    const { folder } = fullAgent(scarce, true)
    expect(rollbackAlone(folder, '2.0.0', asked)).toMatchObject({ ok: true, update: { state: 'idle', running: older } })
    expect(currentVersionFolder(folder)).toBe(versionFolderName(older.sha256))
    expect(readUpdate(folder)).toMatchObject({ state: 'idle', hold: { version: '2.0.0' } })
  })

  test('a rollback without a runtime and without a reserve is refused, and has changed nothing', () => {
    const { folder, disk } = fullAgent(scarce, false)
    const before = readFileSync(folder.update, 'utf8')
    expect(() => rollbackAlone(folder, '2.0.0', asked)).toThrow(disk.root)
    expect([currentVersionFolder(folder), readFileSync(folder.update, 'utf8')]).toEqual([
      versionFolderName(newer.sha256),
      before,
    ])
    expect(readdirSync(folder.root)).not.toContain('.current.new')
    disk.free()
    expect(rollbackAlone(folder, '2.0.0', asked)).toMatchObject({ ok: true })
  })

  test('nothing is installed, and the code is not used', () => {
    const { folder, disk } = fullAgent(scarce, true)
    const known = { url: 'http://127.0.0.1:9', agent: 'a', blueprint: 'a', version: '1.0.0', at: 0 }
    const claimed = claimFolder(join(disk.root, 'other'), known)
    expect(claimed).toMatchObject({
      ok: false,
      message: expect.stringMatching(/^Nothing was installed, and the code was not used\. .* is full/),
    })
    expect(readdirSync(disk.root).sort()).toEqual(['agent', 'filler'])
    expect(folder.installed).toBe(true)
  })
})

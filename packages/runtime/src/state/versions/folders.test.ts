import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { kinds, onFaultyDisk } from '../../../testing/faulty-disk.ts'
import { type Folder, folderAt } from '../../machine/files/folder.ts'
import { currentVersionFolder, linkCurrentTo, sweepVersions, versionFolder, versionFolderName } from './folders.ts'

const [old, next] = ['a'.repeat(64), 'b'.repeat(64)]
let folder: Folder
beforeEach(() => {
  folder = folderAt(realpathSync(mkdtempSync(join(tmpdir(), 'svc-versions-'))))
  for (const sha256 of [old, next]) {
    mkdirSync(versionFolder(folder, sha256), { recursive: true })
    writeFileSync(join(versionFolder(folder, sha256), 'svc.agent.yaml'), sha256)
  }
  linkCurrentTo(folder, old)
})
afterEach(() => rmSync(folder.root, { recursive: true }))

/**
 * Calls `work` on a simulated disk that fails: once for each kind of fault at each change of the disk. Calls `check`
 * after each fault, and returns the number of faults.
 */
function struckEverywhere(work: () => void, check: (where: string) => void): number {
  let points = 0
  for (const kind of kinds)
    for (let at = 1, more = true; more; at++) {
      let struck = false
      try {
        struck = onFaultyDisk(at, kind, work).struck
      } catch {
        struck = true // The simulated disk made `work` throw.
      }
      check(`${kind} at change ${at}`)
      linkCurrentTo(folder, old)
      more = struck
      if (struck) points++
    }
  return points
}

test('whatever fails while the version is swapped, current leads to a complete one (I17)', () => {
  const points = struckEverywhere(
    () => linkCurrentTo(folder, next),
    (where) => {
      expect([versionFolderName(old), versionFolderName(next)], where).toContain(currentVersionFolder(folder))
      expect([old, next], where).toContain(readFileSync(join(folder.current, 'svc.agent.yaml'), 'utf8'))
    },
  )
  expect(points).toBeGreaterThan(5)
})

test('current is never pointed at a missing version', () => {
  expect(() => linkCurrentTo(folder, 'c'.repeat(64))).toThrow('is not there')
  expect(currentVersionFolder(folder)).toBe(versionFolderName(old))
})

test('versions that are neither named nor in use are removed, and nothing else', () => {
  sweepVersions(folder, [next])
  expect(readdirSync(folder.versions).sort()).toEqual([versionFolderName(old), versionFolderName(next)])
  sweepVersions(folder, [])
  expect(readdirSync(folder.versions)).toEqual([versionFolderName(old)])
})

/** Keeps the newest record and the newest output of a job on a real file system without space. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { afterThisTest } from '../../../../../testing/cleaning.ts'
import { mountMissing, type Scarce, type SmallDisk, smallDisk } from '../../../testing/small-disk.ts'
import { openLastLog } from './last-log.ts'
import { recorderIn } from './recorder.ts'

const missing = mountMissing('records and logs of jobs on a full disk')

const mb = 1024 * 1024
const call = { name: 'backup', command: ['true'], noOverlap: false, log: false }

/** The folder of a job on a small file system, with records of this many older runs, the last of which still lives. */
function job(scarce: Scarce, runs: number): { disk: SmallDisk; folder: string; names: () => string[] } {
  const disk = smallDisk(scarce)
  afterThisTest(() => disk.unmount())
  const folder = join(disk.root, 'backup')
  mkdirSync(folder)
  for (let n = 1; n <= runs; n++) {
    const id = `${n}-aaaaaaaa`
    const run = { id, started: n, ...(n === 1 ? { status: 'running' } : { status: 'ok', ended: n }) }
    writeFileSync(join(folder, `${id}.json`), `${JSON.stringify(run)}\n`)
  }
  return { disk, folder, names: () => readdirSync(folder) }
}

const statuses = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.json') && !/^\d{1,2}-|^job/.test(name))
    .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')).status)

describe.skipIf(missing !== undefined)('on a full file system', () => {
  test.each<Scarce>(['bytes', 'inodes'])(
    'without %s, the record of a run takes the room of an old one',
    async (scarce) => {
      const { disk, folder, names } = job(scarce, 40)
      disk.fill()
      const lost: unknown[] = []
      const recorder = recorderIn(folder, call, { hasLog: false, fails: (error) => lost.push(error) })
      recorder.started(undefined)
      disk.fill()
      await recorder.ended({ code: 1 })
      expect(lost).toEqual([])
      expect(statuses(folder)).toEqual(['failed'])
      expect(names(), 'a run that lives keeps its record').toContain('1-aaaaaaaa.json')
      expect(names(), 'the oldest that has ended').not.toContain('2-aaaaaaaa.json')
      expect(
        names().filter((name) => /^(2[1-9]|3\d|40)-/.test(name)),
        'the newest',
      ).toHaveLength(20)
    },
  )

  test('a log takes the room of earlier ones as far as it needs it', () => {
    const { disk, folder } = job('bytes', 0)
    const [log, before] = ['last.log', 'last.log.1'].map((name) => join(folder, name)) as [string, string]
    const earlier = () => {
      disk.free()
      writeFileSync(log, Buffer.alloc(2 * mb))
      writeFileSync(before, Buffer.alloc(2 * mb))
    }
    for (const [left, kept] of [
      [4, [2 * mb, 2 * mb]],
      [1, [2 * mb]],
      [0, []],
    ] as const) {
      earlier()
      disk.fill(left * mb)
      const opened = openLastLog(folder)
      expect(existsSync(before) ? [2 * mb] : [], `${left} MB left`).toEqual(kept.slice(0, 1))
      opened.close()
    }
    disk.free()
    for (const file of [log, before]) writeFileSync(file, Buffer.alloc(64 * 1024))
    disk.fill(mb)
    expect(() => openLastLog(folder), 'not even that is enough').toThrow('is full')
    expect([existsSync(log), existsSync(before)], 'nothing is removed then').toEqual([true, true])
  })

  test('a log that grows while the disk becomes full takes the room of the earlier one', () => {
    const { disk, folder } = job('bytes', 0)
    writeFileSync(join(folder, 'last.log'), Buffer.alloc(2 * mb))
    const log = openLastLog(folder)
    disk.fill()
    expect(() => writeSync(log.fd, 'lost\n')).toThrow('ENOSPC')
    log.trim()
    writeSync(log.fd, 'the reason\n')
    expect(readFileSync(join(folder, 'last.log'), 'utf8')).toBe('the reason\n')
  })
})

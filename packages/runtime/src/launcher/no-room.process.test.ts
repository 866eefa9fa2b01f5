/** Rotates output on a real file system that is full or nearly full. */
import { closeSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { afterThisTest } from '../../../../testing/cleaning.ts'
import { mountMissing, type Scarce, type SmallDisk, smallDisk } from '../../testing/small-disk.ts'
import { type Folder, folderAt } from '../machine/files/folder.ts'
import { maxOutputBytes, openOutput, rotateOutput } from './output.ts'

const missing = mountMissing('the rotation of output on a full disk')

interface Printer {
  readonly folder: Folder
  readonly disk: SmallDisk
  /** Prints about this many bytes in numbered lines of a kilobyte. Lines that the disk refuses are not printed. */
  print(bytes: number): void
  /** The number of lines that were printed. */
  printed(): number
  /** The numbers of the lines in a file: the output, or an older one. */
  lines(older?: number): number[]
  names(): string[]
}

function printer(scarce: Scarce): Printer {
  const disk = smallDisk(scarce)
  afterThisTest(() => disk.unmount())
  const root = join(disk.root, 'agent')
  mkdirSync(root)
  const folder = folderAt(root)
  const { fd } = openOutput(folder)
  afterThisTest(() => closeSync(fd))
  let count = 0
  const file = (older?: number) => (older === undefined ? folder.output : `${folder.output}.${older}`)
  return {
    folder,
    disk,
    print: (bytes) => {
      for (let printed = 0; printed < bytes; printed += 1024) {
        try {
          writeSync(fd, `${`line ${count} `.padEnd(1023, 'x')}\n`)
          count++
        } catch {
          return
        }
      }
    },
    printed: () => count,
    lines: (older) => {
      const whole = readFileSync(file(older), 'utf8')
        .split('\n')
        .filter((line) => line.length === 1023)
      return whole.map((line) => Number(line.split(' ')[1]))
    },
    names: () => readdirSync(folder.log).sort(),
  }
}
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i)
const perFile = maxOutputBytes / 1024 + 1

describe.skipIf(missing !== undefined)('on a file system of 24 MB', () => {
  test('with 3 MB left and two older files, the end of the output is kept and no older line is lost', () => {
    const agent = printer('bytes')
    for (const _ of [1, 2]) {
      agent.print(maxOutputBytes + 1024)
      expect(rotateOutput(agent.folder.output)).toMatchObject({ copied: perFile * 1024 })
    }
    const older = [agent.lines(2), agent.lines(1)]
    agent.disk.fill(8 * 1024 * 1024 + 64 * 1024)
    agent.print(maxOutputBytes + 1024)
    const all = agent.lines()
    const why = expect.stringContaining(`no space is left on the file system at ${agent.disk.root}`)
    expect(rotateOutput(agent.folder.output)).toMatchObject({ why })
    expect([agent.lines(3), agent.lines(2)], 'the older files').toEqual(older)
    const kept = agent.lines(1)
    expect(kept, 'the end of the output').toEqual(range(kept[0] ?? 0, all.at(-1) ?? 0))
    expect(kept.length).toBeGreaterThan(2.8 * 1024)
    expect(agent.lines(), 'the file is empty').toEqual([])
    expect(agent.names()).toEqual(['agent.log', 'agent.log.1', 'agent.log.2', 'agent.log.3'])
  })

  test('with 1 MB left and output that is not yet rotated, older files make room for the newest lines', () => {
    const agent = printer('bytes')
    for (const _ of [1, 2]) {
      agent.print(maxOutputBytes + 1024)
      rotateOutput(agent.folder.output)
    }
    agent.disk.fill(1024 * 1024)
    agent.print(2 * 1024 * 1024)
    expect(agent.lines().length, 'lines that the full disk took').toBeLessThan(1100)
    expect(rotateOutput(agent.folder.output)).toEqual({ removed: `${agent.folder.output}.2` })
    agent.print(1000 * 1024)
    expect(agent.lines().slice(-1000)).toEqual(range(agent.printed() - 1000, agent.printed() - 1))
    expect(rotateOutput(agent.folder.output), 'there is room now').toBeUndefined()
    expect(agent.names()).toEqual(['agent.log', 'agent.log.1'])
  })

  test.each<Scarce>(['bytes', 'inodes'])(
    'without %s and with three older files, the newest output is kept whole, again and again',
    (scarce) => {
      const agent = printer(scarce)
      for (const _ of [1, 2, 3]) {
        agent.print(maxOutputBytes + 1024)
        rotateOutput(agent.folder.output)
      }
      agent.print(maxOutputBytes + 1024)
      for (const _ of [1, 2, 3, 4]) {
        agent.disk.fill()
        const all = agent.lines()
        expect(rotateOutput(agent.folder.output)).toEqual({ copied: perFile * 1024, of: perFile * 1024 })
        expect(agent.lines(1)).toEqual(all)
        expect(agent.names()).toEqual(['agent.log', 'agent.log.1', 'agent.log.2', 'agent.log.3'])
        agent.print(maxOutputBytes + 1024)
      }
    },
  )

  test.each<Scarce>(['bytes', 'inodes'])(
    'without %s and without an older file to reuse, the file is emptied and older ones stay',
    (scarce) => {
      const agent = printer(scarce)
      agent.print(maxOutputBytes + 1024)
      rotateOutput(agent.folder.output)
      const older = agent.lines(1)
      agent.print(maxOutputBytes + 1024)
      agent.disk.fill()
      expect(rotateOutput(agent.folder.output)).toMatchObject({
        copied: 0,
        why: expect.stringContaining(agent.disk.root),
      })
      expect([agent.lines(), agent.lines(1)]).toEqual([[], older])
      expect(agent.names()).toEqual(['agent.log', 'agent.log.1'])
      agent.disk.free()
      agent.print(maxOutputBytes + 1024)
      const all = agent.lines()
      expect(rotateOutput(agent.folder.output)).toEqual({ copied: perFile * 1024, of: perFile * 1024 })
      expect([agent.lines(1), agent.lines(2)]).toEqual([all, older])
    },
  )

  test('the agent is started without an inode for its output, into a file of the reserve or into nothing', () => {
    const disk = smallDisk('inodes')
    afterThisTest(() => disk.unmount())
    const folder = folderAt(join(disk.root, 'agent'))
    for (const sub of [folder.log, join(folder.svc, 'reserve')]) mkdirSync(sub, { recursive: true })
    for (let n = 0; n < 9; n++) writeFileSync(join(folder.svc, 'reserve', String(n)), 'spare')
    disk.fill()
    const first = openOutput(folder)
    closeSync(first.fd)
    expect(first.lost).toBeUndefined()
    expect(readFileSync(folder.output, 'utf8')).toBe('')
    for (const name of readdirSync(join(folder.svc, 'reserve'))) writeFileSync(join(folder.svc, 'reserve', name), '')
    const elsewhere = folderAt(join(disk.root, 'other'))
    const second = openOutput(elsewhere)
    closeSync(second.fd)
    expect(second.lost).toContain('no inode is left')
    expect(existsSync(elsewhere.output)).toBe(false)
  })
})

/**
 * Runs programs that use svc_status.py and svc-status.mjs where something is wrong: a disk, a folder, a second program.
 * The program goes on, the status file is whole, and there is at most one line for each kind of fault.
 */
import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { smallDisk } from '../packages/runtime/testing/small-disk.ts'
import { afterThisTest } from '../testing/cleaning.ts'
import { eventually } from '../testing/eventually.ts'
import { comparable, newFolder, node, type Program, python, start, statusIn } from './testing/languages.ts'

const isRoot = process.getuid?.() === 0
const languages = [python, node]
const one = (text: string): RegExp => new RegExp(`^svc.status: .*${text}`)

describe.each(languages)('in $name', (language) => {
  /** The program of all tests that need no process of their own. */
  let program: Program
  beforeAll(() => {
    program = start(language)
  })
  afterAll(() => program.kill())

  /** Expects exactly these lines on standard error since the previous call. */
  let heard = 0
  async function expectSaid(...lines: RegExp[]) {
    await program.call('paused') // by its answer, almost all earlier lines have arrived
    await eventually('lines on standard error', () =>
      expect(program.said().slice(heard)).toEqual(lines.map((line) => expect.stringMatching(line))),
    )
    heard = program.said().length
  }

  test.skipIf(!isRoot)('on a full disk the old file stays, and the next call with room writes', async () => {
    const disk = smallDisk('bytes')
    afterThisTest(() => disk.unmount())
    await program.all([
      ['open', disk.root],
      ['ok', 'old'],
      ['run', 'read'],
    ])
    disk.fill()
    await program.all([
      ['ok', 'new', 'x'.repeat(300)],
      ['health', 'a', 'bad'],
      ['end', 0],
    ])
    expect(statusIn(disk.root).state).toEqual({ level: 'ok', label: 'old' })
    disk.free()
    expect(readdirSync(disk.root)).toEqual(['status.json'])
    await program.call('warn', 'newer')
    expect(comparable(statusIn(disk.root))).toEqual({
      state: { level: 'warn', label: 'newer' },
      health: [{ name: 'a', level: 'bad' }],
      runs: [{ id: '0', kind: 'read', status: 'ok', started: 0, ended: 0 }],
    })
    await expectSaid(one('No space left|ENOSPC'))
  })

  test('a folder that is a file, or that cannot be written, costs a line', async () => {
    const folder = newFolder()
    const file = join(folder, 'file')
    writeFileSync(file, 'mine')
    const all = [
      ['ok', 'a'],
      ['paused'],
      ['settings'],
      ['take_run_now'],
      ['wait', 0],
      ['run', 'b'],
      ['end', 0],
    ] as const
    const answers = [null, false, {}, false, 'time', null, null]
    expect(await program.all([['open', file], ...all])).toEqual([null, ...answers])
    expect(await program.all([['open', join(file, 'deeper')], ...all])).toEqual([null, ...answers])
    expect(readFileSync(file, 'utf8')).toBe('mine')
    await expectSaid(one('File exists|EEXIST|ENOTDIR'), one('Not a directory|ENOTDIR'))

    const [readOnly, makesReadOnly] = isRoot ? mountedReadOnly() : [join(folder, 'read-only'), () => {}]
    mkdirSync(readOnly, { recursive: true })
    writeFileSync(join(readOnly, 'status.json'), '{}')
    chmodSync(readOnly, 0o555)
    makesReadOnly()
    expect(await program.all([['open', readOnly], ...all])).toEqual([null, ...answers])
    expect(readFileSync(join(readOnly, 'status.json'), 'utf8')).toBe('{}')
    chmodSync(isRoot ? folder : readOnly, 0o755)
    await expectSaid(one('Read-only|EROFS|Permission|EACCES'))
  })

  test('a status file that is no JSON, and one of somebody else, are replaced; their valid runs stay', async () => {
    const folder = newFolder()
    writeFileSync(join(folder, 'status.json'), '{"runs": [')
    await program.all([
      ['open', folder],
      ['ok', 'a'],
    ])
    expect(statusIn(folder)).toEqual({ state: { level: 'ok', label: 'a' } })
    const other = newFolder()
    const runs = [
      { id: 'a', started: 1, status: 'odd', more: 1 },
      { id: '' },
      7,
      { id: 'b', ended: 'late', cost_usd: 2 },
    ]
    writeFileSync(join(other, 'status.json'), JSON.stringify({ state: { level: 'bad' }, runs, other: true }))
    await program.all([
      ['open', other],
      ['ok', 'b'],
    ])
    expect(statusIn(other)).toMatchObject({
      state: { level: 'ok', label: 'b' },
      runs: [
        { id: 'a', started: 1, status: 'interrupted' },
        { id: 'b', cost_usd: 2, status: 'interrupted' },
      ],
    })
    await expectSaid()
  })

  test('two threads: readers see whole files only', async () => {
    const folder = newFolder()
    expect(
      await program.all([
        ['open', folder],
        ['hammer', 10],
      ]),
    ).toEqual([null, []])
    const { runs = [], health = [] } = statusIn(folder)
    const whole = health.every(({ detail }) => /^(one|two) 9$/.test(detail ?? ''))
    expect([whole, runs.length > 0]).toEqual([true, true])
    // Each thread of Node has modules of its own, so each is another program, and says so.
    if (language === node) {
      await program.call('paused')
      expect(
        program
          .said()
          .slice(heard)
          .filter((line) => !one('another program').test(line)),
      ).toEqual([])
      heard = program.said().length
    } else {
      expect([runs.length, new Set(runs.map(({ id }) => id)).size]).toEqual([20, 20])
      await expectSaid()
    }
  })

  test('a process that forks: nobody waits, the file is whole, and the second one says so', async () => {
    const folder = newFolder()
    expect(await program.all([['open', folder], ['fork']])).toEqual([null, 7])
    statusIn(folder)
    await program.call('paused')
    await eventually('a line about the other program', () =>
      expect(program.said().slice(heard)).toEqual(
        expect.arrayContaining([expect.stringMatching(one('another program writes .*status.json too'))]),
      ),
    )
    expect(program.said().length - heard).toBeLessThanOrEqual(2)
    heard = program.said().length
  })

  test('an exception inside a run goes on to the caller, and a run that was left open is interrupted later', async () => {
    const folder = newFolder()
    const first = start(language)
    expect(await first.all([['open', folder], ['run', 'open', 'x'], ['fail']])).toEqual([
      null,
      null,
      expect.stringContaining('inside'),
    ])
    const failed = language === python ? 'failed' : 'running'
    expect(statusIn(folder).runs?.map(({ status }) => status)).toEqual(['running', failed])
    await first.kill()
    const before = statusIn(folder).runs?.map(({ id }) => id)
    await program.all([
      ['open', folder],
      ['run', 'again'],
      ['end', 0],
    ])
    const { runs = [], active } = statusIn(folder)
    expect(runs.map(({ status }) => status)).toEqual([
      'interrupted',
      language === python ? 'failed' : 'interrupted',
      'ok',
    ])
    expect([active, runs.slice(0, 2).map(({ id }) => id), runs.every(({ ended }) => ended)]).toEqual([
      undefined,
      before,
      true,
    ])
    await expectSaid()
  })

  test('two programs with one folder: the second one says so once', async () => {
    const folder = newFolder()
    const second = start(language === python ? node : python)
    await program.all([
      ['open', folder],
      ['ok', 'first'],
    ])
    await second.all([
      ['open', folder],
      ['ok', 'second'],
    ])
    for (let round = 0; round < 3; round++) {
      await program.call('ok', 'first')
      await second.call('ok', 'second')
      statusIn(folder)
    }
    await second.call('paused')
    const line = one('another program writes .*status.json too: each needs a folder of its own$')
    await eventually('the line', () => expect(second.said()).toEqual([expect.stringMatching(line)]))
    await expectSaid(line)
    expect(existsSync(join(folder, 'status.json'))).toBe(true)
  })
})

/** A folder of a file system of its own, and what makes that read-only, also for root. */
function mountedReadOnly(): [string, () => void] {
  const disk = smallDisk('bytes')
  afterThisTest(() => disk.unmount())
  return [join(disk.root, 'folder'), () => void execFileSync('mount', ['-o', 'remount,ro', disk.root])]
}

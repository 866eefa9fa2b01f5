/**
 * Interrupts the update of the runtime in each of its states, at every change of the disk, in four ways: killed before
 * the change, killed after it, EIO, ENOSPC. The next start must run a complete file that was there or was verified, and
 * report the outcome that docs/decisions/kills.md names. Once the update is settled, starts write nothing more (I21,
 * I22).
 */
import { createHash } from 'node:crypto'
import fs, { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { byLevel } from '../../../../testing/level.ts'
import { kinds, onFaultyDisk } from '../../testing/faulty-disk.ts'
import { type Folder, folderAt } from '../machine/files/folder.ts'
import { sha256OfFile } from '../machine/files/sha256.ts'
import { type RuntimeNote, readRuntimeNote } from '../state/versions/runtime-note.ts'
import { askForPrevious } from './back.ts'
import { type Keeper, keepRuntime } from './keeper.ts'

vi.setConfig({ testTimeout: 120_000 })
// No power failure happens in this test, so a sync need not reach the disk. There are tens of thousands of syncs.
const sync = fs.fsyncSync
const setSync = (to: typeof sync) => {
  fs.fsyncSync = to
  syncBuiltinESMExports()
}
beforeAll(() => setSync(() => {}))
afterAll(() => setSync(sync))

const hash = (text: string) => createHash('sha256').update(text).digest('hex')
const from = { version: '1.0.0', sha256: hash('old') }
const to = { version: '2.0.0', sha256: hash('new') }

/**
 * The parent folder of the test's folders. It is in memory if the machine has /dev/shm, since the test removes and
 * renames files thousands of times.
 */
const memory = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

function newFolder(): Folder {
  const folder = folderAt(realpathSync(mkdtempSync(join(memory, 'svc-keeper-'))))
  mkdirSync(folder.runtimeNew, { recursive: true })
  writeFileSync(folder.runtime, 'old')
  writeFileSync(join(folder.runtimeNew, 'svc.pyz'), 'new')
  return folder
}
/** Creates a keeper, as each new process of the runtime does. */
function keeperOf(folder: Folder): { keeper: Keeper; lines: string[] } {
  const lines: string[] = []
  const keeper = keepRuntime(folder, { program: folder.runtime, say: (line) => lines.push(line), changed: () => {} })
  return { keeper, lines }
}
const swap = (folder: Folder, keeper: Keeper) =>
  keeper.swap({ is: 'swap', staged: join(folder.runtimeNew, 'svc.pyz'), from: '1.0.0', to })
/**
 * Creates a keeper that has named the old file for a start, swapped in the new file, and named the new file for its
 * first start.
 */
function onTrial(folder: Folder): Keeper {
  const { keeper } = keeperOf(folder)
  keeper.next()
  expect(swap(folder, keeper)).toBeUndefined()
  keeper.next()
  return keeper
}
const ended = (keeper: Keeper, times: number) => {
  for (let i = 0; i < times; i++) {
    keeper.ended('it ended with code 1')
    keeper.next()
  }
}

/**
 * One case of the test. `before` prepares the folder on a disk without faults, and faults happen during `work`.
 * `outcomes` are the outcomes that may be reported in the end.
 */
interface Scene {
  readonly before: (folder: Folder) => Keeper
  readonly work: (folder: Folder, keeper: Keeper) => void
  readonly outcomes: readonly string[]
}
const first = (folder: Folder) => {
  const { keeper } = keeperOf(folder)
  keeper.next()
  return keeper
}
const scenes: Record<string, Scene> = {
  'the swap': { before: first, work: (f, k) => void swap(f, k), outcomes: ['none', 'failed', 'rolled_back'] },
  'a start': { before: onTrial, work: (_f, k) => ended(k, 1), outcomes: ['rolled_back'] },
  'the first report': { before: onTrial, work: (_f, k) => k.good(), outcomes: ['ok', 'rolled_back'] },
  'the fourth start': { before: onTrial, work: (_f, k) => ended(k, 3), outcomes: ['rolled_back'] },
  'a hang': { before: onTrial, work: (_f, k) => k.hung('it hung'), outcomes: ['rolled_back'] },
  'a person goes back': {
    before: (f) => {
      const keeper = onTrial(f)
      keeper.good()
      askForPrevious(f, { from, to, by: 'ann', at: Date.now() })
      return keeper
    },
    work: (_f, k) => void k.check(),
    outcomes: ['ok', 'rolled_back'],
  },
  'an orderly end': { before: onTrial, work: (_f, k) => k.stopped(), outcomes: ['rolled_back'] },
}

test('a staged file that differs from the verified one is not put in place (I21)', () => {
  const folder = newFolder()
  const keeper = first(folder)
  writeFileSync(join(folder.runtimeNew, 'svc.pyz'), 'another')
  expect(swap(folder, keeper)).toBe('the file is not the one that was verified')
  expect(readFileSync(folder.runtime, 'utf8')).toBe('old')
  expect(readRuntimeNote(folder).trial).toBeUndefined()
  rmSync(folder.root, { recursive: true })
})

test.each(Object.entries(scenes))('%s, struck at every change of the disk', (_name, { before, work, outcomes }) => {
  let points = 0
  for (const kind of kinds) {
    for (let at = 1; ; at++) {
      const folder = newFolder()
      try {
        const keeper = before(folder)
        const { struck } = onFaultyDisk(at, kind, () => work(folder, keeper))
        expectWhole(folder, `${kind} ${at}`)
        const last = settle(folder, `${kind} ${at}`)
        expect(outcomes, `${kind} ${at}`).toContain(last.applied?.outcome ?? 'none')
        if (!struck) break
        points++
      } finally {
        rmSync(folder.root, { recursive: true })
      }
    }
  }
  expect(points).toBeGreaterThan(10)
})

/**
 * Checks I21: the runtime's file is complete and either the old or the new one; if it is the new one, the old one is
 * kept as the previous file.
 */
function expectWhole(folder: Folder, where: string): void {
  expect(['old', 'new'], where).toContain(readFileSync(folder.runtime, 'utf8'))
  if (sha256OfFile(folder.runtime) === to.sha256) expect(sha256OfFile(folder.runtimePrevious), where).toBe(from.sha256)
}

/**
 * Starts the runtime again and again until the trial of the new file is over or that file has reported, as on a machine
 * where the new runtime never lasts. At most five starts are needed (I22).
 */
function settle(folder: Folder, where: string): RuntimeNote {
  for (let process = 0; process < 5; process++) {
    const { keeper } = keeperOf(folder)
    const file = keeper.next()
    expect([from.sha256, to.sha256], where).toContain(sha256OfFile(file))
    expectWhole(folder, where)
    const note = readRuntimeNote(folder)
    if (note.trial === undefined || note.trial.is === 'kept') return expectSettled(folder, note, where)
  }
  throw new Error(`${where}: still on trial after five starts: ${JSON.stringify(readRuntimeNote(folder))}`)
}

function expectSettled(folder: Folder, note: RuntimeNote, where: string): RuntimeNote {
  const works = note.applied?.outcome === 'ok' ? 'new' : 'old'
  expect(readFileSync(folder.runtime, 'utf8'), where).toBe(works)
  if (note.applied?.outcome === 'rolled_back') expect(note.hold?.version, where).toBe('2.0.0')
  const { changes } = onFaultyDisk(0, 'EIO', () => keeperOf(folder).keeper.next())
  if (!note.trial) expect(changes, `${where}: what is settled writes nothing`).toBe(0)
  return note
}

test('after two faults, wherever they strike, the third start recovers', () => {
  const pairs = Number(byLevel(30, 100, 2000))
  let seed = 4711
  const random = (n: number) => {
    seed = (seed * 1103515245 + 12345) % 2 ** 31
    return seed % n
  }
  const all = Object.values(scenes)
  for (let i = 0; i < pairs; i++) {
    const folder = newFolder()
    const kind = () => kinds[random(2)] ?? 'killed before'
    try {
      const { before, work } = all[random(all.length)] as Scene
      const keeper = before(folder)
      onFaultyDisk(1 + random(12), kind(), () => work(folder, keeper))
      expectWhole(folder, `pair ${i}`)
      onFaultyDisk(1 + random(12), kind(), () => void keeperOf(folder).keeper.next())
      expectWhole(folder, `pair ${i}`)
      settle(folder, `pair ${i}`)
    } finally {
      rmSync(folder.root, { recursive: true })
    }
  }
})

test('without the previous file there is no way back: the new one stays, and the outcome says so', () => {
  const folder = newFolder()
  try {
    const keeper = onTrial(folder)
    rmSync(folder.runtimePrevious)
    keeper.hung('it hung')
    expect(readRuntimeNote(folder)).toMatchObject({ applied: { version: '2.0.0', outcome: 'failed' } })
    expect(readFileSync(folder.runtime, 'utf8')).toBe('new')
  } finally {
    rmSync(folder.root, { recursive: true })
  }
})

test('a clock that jumps ends no trial (D20)', () => {
  const folder = newFolder()
  const now = Date.now()
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => now)
  try {
    const keeper = onTrial(folder)
    clock.mockImplementation(() => now + 3_600_000)
    ended(keeper, 1)
    expect(keeper.check()).toBe(false)
    expect(readRuntimeNote(folder).trial).toMatchObject({ is: 'trying', starts: 2 })
  } finally {
    clock.mockRestore()
    rmSync(folder.root, { recursive: true })
  }
})

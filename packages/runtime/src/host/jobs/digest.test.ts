import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { eventually } from '../../../../../testing/eventually.ts'
import { readCall } from './call.ts'
import { endedOf, unrepairedEnds } from './digest.ts'
import { createJobFolders } from './files.ts'
import { judgeJob } from './judge.ts'
import { jobsReader, type ShownRun } from './reader.ts'
import { readRuns } from './record.ts'
import { recorderIn } from './recorder.ts'

const now = 1_800_000_000

/** Makes a run from its name, its status, and the minutes at which it began and ended. */
const run = (name: string, status: ShownRun['status'], began: number, ended?: number, more = {}): ShownRun => ({
  ...{ id: `${(now + began * 60) * 1000}-${name}`, status, started: now + began * 60 },
  ...(ended !== undefined && { ended: now + ended * 60 }),
  ...more,
})
const place = (began: number): number => (now + began * 60) * 1000
const nameOf = ({ id }: ShownRun): string => id.split('-')[1] ?? ''

/** Each row: the runs, the newest first, those that are still bad, and the order in which all ended, the last first. */
test.each<[string, readonly ShownRun[], string, string]>([
  ['one after the other', [run('b', 'ok', 60, 61), run('a', 'failed', 0, 1)], '', 'b a'],
  ['a failure after a good run', [run('b', 'failed', 60, 61), run('a', 'ok', 0, 1)], 'b', 'b a'],
  ['the first of two copies fails last', [run('b', 'ok', 3, 4), run('a', 'failed', 0, 10)], 'a', 'a b'],
  ['the first of two copies fails first', [run('b', 'ok', 3, 10), run('a', 'failed', 0, 5)], 'a', 'b a'],
  [
    'the first of three copies fails',
    [run('c', 'ok', 6, 7), run('b', 'ok', 3, 9), run('a', 'failed', 0, 8)],
    'a',
    'b a c',
  ],
  [
    'a run after the copies is good',
    [run('c', 'ok', 9, 11), run('b', 'ok', 3, 10), run('a', 'failed', 0, 5)],
    '',
    'c b a',
  ],
  ['a run begins as the first one fails', [run('b', 'ok', 5, 6), run('a', 'failed', 0, 5)], '', 'b a'],
  [
    'the first of two copies is lost',
    [run('b', 'ok', 3, 4, { beside: [run('a', 'lost', 0).id] }), run('a', 'lost', 0)],
    'a',
    'b a',
  ],
  [
    'a run after the loss is good',
    [run('c', 'ok', 6, 7), run('b', 'ok', 3, 4, { beside: [run('a', 'lost', 0).id] }), run('a', 'lost', 0)],
    '',
    'c b a',
  ],
  ['a loss, by records of an earlier version', [run('b', 'ok', 3, 4), run('a', 'lost', 0)], '', 'b a'],
  [
    'the clock was set back before a failure',
    [run('b', 'failed', -175, -174), run('a', 'ok', 0, 1)].map((one, at) => ({
      ...one,
      id: `${place(0) + 1 - at}-${nameOf(one)}`,
      upTo: place(0) + 1 - at,
    })),
    'b',
    'b a',
  ],
  [
    'the clock was set back before a success',
    [run('b', 'ok', -175, -174), run('a', 'failed', 0, 1)].map((one, at) => ({
      ...one,
      id: `${place(0) + 1 - at}-${nameOf(one)}`,
      upTo: place(0) + 1 - at,
    })),
    '',
    'b a',
  ],
  [
    'the clock was set back while two copies ran',
    [run('b', 'ok', 3, 4, { upTo: place(3) }), run('a', 'failed', 0, -170, { upTo: place(3) })],
    'a',
    'b a',
  ],
])('%s', (_what, runs, bad, order) => {
  const ended = endedOf(runs)
  expect(ended.map(({ run }) => nameOf(run)).join(' ')).toBe(order)
  expect(unrepairedEnds(ended).map(nameOf).join(' ')).toBe(bad)
})

const folder = mkdtempSync(join(tmpdir(), 'svc-clear-'))
const children: ChildProcess[] = []
afterAll(() => {
  for (const child of children) child.kill('SIGKILL')
  rmSync(folder, { recursive: true })
})

test('a copy that was killed is lost until a run that began later ends well', async () => {
  const begin = (pid: number | undefined) => {
    const call = { ...readCall(['sync', '--', 'true']), name: 'sync' }
    const recorder = recorderIn(join(folder, 'sync'), call, { hasLog: false, fails: () => {} })
    recorder.started(pid)
    return recorder
  }
  createJobFolders(join(folder, 'sync'))
  const look = jobsReader(folder)
  const state = () => {
    look(Date.now())
    const { runs = [] } = look(Date.now()).jobs[0] ?? {}
    return judgeJob({ name: 'sync', plans: [], unrecorded: [], runs }, { now: Date.now() / 1000, zone: 'UTC' }).short
  }
  const first = spawn('sleep', ['1000'], { stdio: 'ignore' })
  children.push(first)
  begin(first.pid)
  const second = begin(process.pid)
  await eventually('the record names the run beside it', () =>
    expect(readRuns(join(folder, 'sync'), Date.now() / 1000).runs[0]?.beside).toHaveLength(1),
  )
  await new Promise((resolve) => first.once('exit', resolve).kill('SIGKILL'))
  expect(state()).toBe('lost')
  await second.ended({ code: 0 })
  expect(state()).toBe('lost')
  await begin(process.pid).ended({ code: 0 })
  expect(state()).toBe('ok')
})

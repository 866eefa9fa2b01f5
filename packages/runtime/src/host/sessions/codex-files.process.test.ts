/** Tests the sessions of Codex with locks that a process really holds. */
import { once } from 'node:events'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  asksPerson,
  type CodexHome,
  codexHome,
  codexId,
  hasFlock,
  personAnswered,
  rolloutHead,
  turnBegan,
  turnEnded,
} from '../../../testing/ai/codex.ts'
import { codexReader } from './codex-files.ts'
import { newBudget } from './growing.ts'
import { thisMachine } from './machine.ts'

if (!hasFlock) process.stderr.write('NOT TESTED: sessions of Codex whose lock is held, since there is no flock\n')

let home: CodexHome
beforeEach(() => {
  home = codexHome()
})
afterEach(() => home.remove())

const reader = () => {
  const read = codexReader(home.folder, thisMachine())
  return () => read({ now: Date.now(), budget: newBudget(), dayOf: (at) => Math.floor(at / 86_400) })
}

test.runIf(hasFlock)(
  'a thread is running, waits, and is idle while its lock is held; then it is over or died',
  async () => {
    const look = reader()
    const states = () => look()?.sessions.map(({ state }) => state)
    home.lines(1, rolloutHead(1), turnBegan)
    const child = await home.holds(1)
    expect(look()?.sessions).toMatchObject([{ id: codexId(1), state: 'running', lives: true, pid: child.pid }])
    home.lines(1, asksPerson)
    expect(states()).toEqual(['waiting'])
    home.lines(1, personAnswered)
    expect(states()).toEqual(['running'])
    home.lines(1, turnEnded)
    expect(states()).toEqual(['idle'])
    home.lines(1, turnBegan)
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
    expect(states()).toEqual(['died'])
    home.lines(1, turnEnded)
    expect(states()).toEqual(['over'])
  },
)

/** Lines after an answer, as a tool with much output writes them. */
const long = (bytes: number) => ['response_item', { type: 'message', content: 'x'.repeat(bytes) }] as const
const megabyte = 1024 * 1024

test.runIf(hasFlock).each([
  ['more than svc reads of a rollout', [personAnswered, ...Array.from({ length: 12 }, () => long(100_000))], 'running'],
  ['a line that is passed over', [personAnswered, long(9 * megabyte)], 'running'],
  ['an answer in a line that is passed over', [[...personAnswered, 9 * megabyte]], 'running'],
  [
    'more than svc reads of a rollout, and the end of the turn',
    [personAnswered, ...Array.from({ length: 12 }, () => long(100_000)), turnEnded],
    'idle',
  ],
] as const)('a question was answered if %s came after it', async (_what, lines, state) => {
  const look = reader()
  home.lines(1, rolloutHead(1), turnBegan, asksPerson)
  await home.holds(1)
  expect(look()?.sessions).toMatchObject([{ state: 'waiting' }])
  for (const [type, payload, more = 0] of lines) home.lines(1, [type, { ...payload, more: 'x'.repeat(more) }])
  for (let looks = 0; looks < 3; looks++) look()
  expect(look()?.sessions).toMatchObject([{ state }])
})

test.runIf(hasFlock)(
  'a turn runs if more than svc reads of a rollout came after the one before had ended',
  async () => {
    const look = reader()
    home.lines(1, rolloutHead(1), turnBegan, turnEnded)
    await home.holds(1)
    expect(look()?.sessions).toMatchObject([{ state: 'idle' }])
    home.lines(1, turnBegan, ...Array.from({ length: 12 }, () => long(100_000)))
    expect(look()?.sessions).toMatchObject([{ state: 'running' }])
  },
)

test('a lock file that nobody holds is no life', () => {
  mkdirSync(join(home.folder, 'thread-writer-locks'), { recursive: true })
  writeFileSync(join(home.folder, 'thread-writer-locks', `${codexId(1)}.lock`), '')
  home.lines(1, rolloutHead(1), turnBegan)
  expect(reader()()?.sessions).toMatchObject([{ state: 'died', lives: false }])
})

test('compressed rollouts and other files are passed over', () => {
  home.lines(1, rolloutHead(1), turnBegan, turnEnded)
  writeFileSync(join(home.day, `rollout-x-${codexId(2)}.jsonl.zst`), 'x')
  writeFileSync(join(home.day, 'notes.jsonl'), '{"type":"odd"}\n')
  expect(reader()()).toMatchObject({ sessions: [{ state: 'over' }], faults: [] })
  rmSync(home.folder, { recursive: true })
  expect(reader()()).toBeUndefined()
})

test('a folder of locks that cannot be read lets no session die', () => {
  home.lines(9, rolloutHead(9), turnBegan)
  rmSync(join(home.folder, 'thread-writer-locks'), { recursive: true, force: true })
  writeFileSync(join(home.folder, 'thread-writer-locks'), 'no folder')
  const found = reader()()
  expect(found?.faults).toEqual(['its locks cannot be read'])
  expect(found?.sessions.map(({ state }) => state)).toEqual(['running'])
  rmSync(join(home.folder, 'thread-writer-locks'))
})

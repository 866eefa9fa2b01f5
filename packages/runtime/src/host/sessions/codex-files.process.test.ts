/** Tests the sessions of Codex with locks that a process really holds. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { eventually } from '../../../../../testing/eventually.ts'
import { codexReader } from './codex-files.ts'
import { newBudget } from './growing.ts'
import { thisMachine } from './machine.ts'

const hasFlock = process.platform === 'linux' && spawnSync('flock', ['--version']).status === 0
if (!hasFlock) process.stderr.write('NOT TESTED: sessions of Codex whose lock is held, since there is no flock\n')

let root: string
const children: ChildProcess[] = []
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'svc-codex-'))
})
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  rmSync(root, { recursive: true, force: true })
})

const idOf = (number: number): string => `00000000-0000-7000-8000-${String(number).padStart(12, '0')}`
function lines(number: number, ...payloads: readonly (readonly [type: string, payload: object])[]): void {
  const folder = join(root, 'sessions/2026/11/27')
  mkdirSync(folder, { recursive: true })
  const timestamp = new Date().toISOString()
  for (const [type, payload] of payloads)
    appendFileSync(
      join(folder, `rollout-2026-11-27T20-00-00-${idOf(number)}.jsonl`),
      `${JSON.stringify({ type, timestamp, payload })}\n`,
    )
}
const meta = (number: number) =>
  ['session_meta', { id: idOf(number), cwd: '/srv/harbour', thread_source: 'user' }] as const
const begun = ['event_msg', { type: 'task_started' }] as const
const ended = ['event_msg', { type: 'task_complete' }] as const
const asked = [
  'response_item',
  { type: 'function_call', call_id: 'c', arguments: '{"sandbox_permissions":"require_escalated"}' },
] as const
const answered = ['response_item', { type: 'function_call_output', call_id: 'c' }] as const

/** Holds the lock of a thread, as Codex does, until it is killed. */
async function holds(number: number): Promise<ChildProcess & { readonly pid: number }> {
  const folder = join(root, 'thread-writer-locks')
  mkdirSync(folder, { recursive: true })
  const file = join(folder, `${idOf(number)}.lock`)
  writeFileSync(file, '')
  const child = spawn('flock', ['--no-fork', '-x', file, 'sleep', '1000'], { stdio: 'ignore' })
  children.push(child)
  const lock = statSync(file)
  await eventually('the lock is held by it', () =>
    expect(thisMachine().lockHolders()?.({ ...lock, hasOtherDevice: false })).toBe(child.pid),
  )
  return Object.assign(child, { pid: child.pid ?? 0 })
}

const reader = () => {
  const read = codexReader(root, thisMachine())
  return () => read({ now: Date.now(), budget: newBudget(), dayOf: (at) => Math.floor(at / 86_400) })
}

test.runIf(hasFlock)(
  'a thread is running, waits, and is idle while its lock is held; then it is over or died',
  async () => {
    const look = reader()
    const states = () => look()?.sessions.map(({ state }) => state)
    lines(1, meta(1), begun)
    const child = await holds(1)
    expect(look()?.sessions).toMatchObject([{ id: idOf(1), state: 'running', lives: true, pid: child.pid }])
    lines(1, asked)
    expect(states()).toEqual(['waiting'])
    lines(1, answered)
    expect(states()).toEqual(['running'])
    lines(1, ended)
    expect(states()).toEqual(['idle'])
    lines(1, begun)
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
    expect(states()).toEqual(['died'])
    lines(1, ended)
    expect(states()).toEqual(['over'])
  },
)

test('a lock file that nobody holds is no life', () => {
  mkdirSync(join(root, 'thread-writer-locks'), { recursive: true })
  writeFileSync(join(root, 'thread-writer-locks', `${idOf(1)}.lock`), '')
  lines(1, meta(1), begun)
  expect(reader()()?.sessions).toMatchObject([{ state: 'died', lives: false }])
})

test('compressed rollouts and other files are passed over', () => {
  lines(1, meta(1), begun, ended)
  writeFileSync(join(root, 'sessions/2026/11/27', `rollout-x-${idOf(2)}.jsonl.zst`), 'x')
  writeFileSync(join(root, 'sessions/2026/11/27/notes.jsonl'), '{"type":"odd"}\n')
  expect(reader()()).toMatchObject({ sessions: [{ state: 'over' }], faults: [] })
  rmSync(root, { recursive: true })
  expect(reader()()).toBeUndefined()
})

test('a folder of locks that cannot be read lets no session die', () => {
  lines(9, meta(9), begun)
  rmSync(join(root, 'thread-writer-locks'), { recursive: true, force: true })
  writeFileSync(join(root, 'thread-writer-locks'), 'no folder')
  const found = reader()()
  expect(found?.faults).toEqual(['its locks cannot be read'])
  expect(found?.sessions.map(({ state }) => state)).toEqual(['running'])
  rmSync(join(root, 'thread-writer-locks'))
})

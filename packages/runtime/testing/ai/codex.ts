/**
 * A home folder with files as Codex writes them: rollouts, in which Codex records a thread, and locks of threads that a
 * process really holds.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { appendFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '../../../../testing/eventually.ts'
import { thisMachine } from '../../src/host/sessions/machine.ts'

/** True if a lock can be held by another process here. */
export const hasFlock = process.platform === 'linux' && spawnSync('flock', ['--version']).status === 0

type CodexLine = readonly [type: string, payload: object]

export interface CodexHome {
  readonly root: string
  /** The folder `.codex`. */
  readonly folder: string
  /** The folder of a day with rollouts. */
  readonly day: string
  /** Adds lines to the rollout of a thread. */
  lines(number: number, ...payloads: readonly CodexLine[]): void
  /** Holds the lock of a thread, as Codex does, until it is killed. */
  holds(number: number): Promise<ChildProcess & { readonly pid: number }>
  remove(): void
}

export const codexId = (number: number): string => `00000000-0000-7000-8000-${String(number).padStart(12, '0')}`

export function codexHome(root = realpathSync(mkdtempSync(join(tmpdir(), 'svc-codex-')))): CodexHome {
  const folder = join(root, '.codex')
  const day = join(folder, 'sessions/2026/11/27')
  mkdirSync(day, { recursive: true })
  const children: ChildProcess[] = []
  return {
    ...{ root, folder, day },
    lines(number, ...payloads) {
      const timestamp = new Date().toISOString()
      const file = join(day, `rollout-2026-11-27T20-00-00-${codexId(number)}.jsonl`)
      for (const [type, payload] of payloads) appendFileSync(file, `${JSON.stringify({ type, timestamp, payload })}\n`)
    },
    async holds(number) {
      const locks = join(folder, 'thread-writer-locks')
      mkdirSync(locks, { recursive: true })
      const file = join(locks, `${codexId(number)}.lock`)
      writeFileSync(file, '')
      const child = spawn('flock', ['--no-fork', '-x', file, 'sleep', '1000'], { stdio: 'ignore' })
      children.push(child)
      const lock = statSync(file)
      await eventually('the lock is held by it', () => {
        const holder = thisMachine().lockHolders()?.({ ...lock, hasOtherDevice: false })
        if (holder !== child.pid) throw new Error(`It is held by ${holder}.`)
      })
      return Object.assign(child, { pid: child.pid ?? 0 })
    },
    remove() {
      for (const child of children) child.kill('SIGKILL')
      rmSync(root, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

export const rolloutHead = (number: number): CodexLine => [
  'session_meta',
  {
    ...{ id: codexId(number), cwd: '/srv/folder-mark/harbour', cli_version: '0.171.0', thread_source: 'user' },
    ...{ originator: 'codex-tui', instructions: 'prompt-mark' },
  },
]
export const turnBegan: CodexLine = ['event_msg', { type: 'task_started' }]
export const turnEnded: CodexLine = ['event_msg', { type: 'task_complete', last_agent_message: 'answer-mark' }]
/** The model asks to leave the sandbox. */
export const asksPerson: CodexLine = [
  'response_item',
  {
    ...{ type: 'function_call', call_id: 'c', name: 'shell' },
    arguments: '{"sandbox_permissions":"require_escalated","command":"argument-mark"}',
  },
]
export const personAnswered: CodexLine = [
  'response_item',
  { type: 'function_call_output', call_id: 'c', output: 'answer-mark' },
]

/** A home folder with files as Claude Code writes them, and sessions whose processes may really live. */
import { type ChildProcess, spawn } from 'node:child_process'
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** The id of a session in tests, for a short name. */
export const sessionId = (name: string): string =>
  `00000000-0000-4000-8000-${Buffer.from(name).toString('hex').slice(0, 12).padStart(12, '0')}`

export interface ClaudeHome {
  readonly root: string
  /** Starts a process that does nothing. */
  startProcess(): ChildProcess & { readonly pid: number }
  /** Writes the note about the process of a session. `status` is the last state that the process noted. */
  note(session: string, pid: number, status: string, more?: object): string
  /** Adds lines to the transcript of a session, or to a file in its folder. */
  lines(session: string, lines: readonly object[], file?: string): string
  remove(): void
}

export function claudeHome(root = realpathSync(mkdtempSync(join(tmpdir(), 'svc-claude-')))): ClaudeHome {
  const folder = join(root, '.claude')
  const project = join(folder, 'projects/-srv-folder-mark')
  const children: ChildProcess[] = []
  for (const path of [join(folder, 'sessions'), project]) mkdirSync(path, { recursive: true })
  return {
    root,
    startProcess() {
      const child = spawn('sleep', ['1000'], { stdio: 'ignore' })
      children.push(child)
      return Object.assign(child, { pid: child.pid ?? 0 })
    },
    note(name, pid, status, more = {}) {
      const session = sessionId(name)
      const file = join(folder, 'sessions', `${pid}.json`)
      const now = Date.now()
      const note = {
        ...{
          pid,
          sessionId: session,
          cwd: '/srv/folder-mark/harbour',
          startedAt: now - 60_000,
          procStart: startOf(pid),
        },
        ...{ version: '2.1.332', kind: 'interactive', entrypoint: 'cli', name: 'title-mark', nameSource: 'derived' },
        pidDomain: `linux:${readFileSync('/etc/machine-id', 'utf8').trim()}:${readlinkSync('/proc/self/ns/pid')}`,
        ...{ status, updatedAt: now, statusUpdatedAt: now, ...more },
      }
      writeFileSync(file, JSON.stringify(note))
      return file
    },
    lines(name, lines, file = '') {
      const session = sessionId(name)
      const path = join(project, file === '' ? `${session}.jsonl` : join(session, file))
      mkdirSync(dirname(path), { recursive: true })
      const usual = { sessionId: session, cwd: '/srv/folder-mark/harbour', version: '2.1.332', isSidechain: false }
      for (const line of lines)
        appendFileSync(path, `${JSON.stringify({ ...usual, timestamp: new Date().toISOString(), ...line })}\n`)
      return path
    },
    remove() {
      for (const child of children) child.kill('SIGKILL')
      rmSync(root, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/** The time at which a process started (field 22 of /proc/PID/stat); another time, `1`, if the process is gone. */
function startOf(pid: number): string {
  try {
    return (
      readFileSync(`/proc/${pid}/stat`, 'latin1')
        .replace(/^.*\) /s, '')
        .split(' ')[19] ?? ''
    )
  } catch {
    return '1'
  }
}

export const prompt = { type: 'user', message: { role: 'user', content: 'prompt-mark' } }
export const answerOf = (id: string, output = 34, model = 'claude-m'): object => ({
  type: 'assistant',
  message: {
    ...{ id, model, role: 'assistant' },
    content: [
      { type: 'text', text: 'answer-mark' },
      { type: 'tool_use', id: 't', name: 'Bash', input: { command: 'argument-mark' } },
    ],
    usage: {
      input_tokens: 1200,
      cache_creation_input_tokens: 100,
      cache_read_input_tokens: 800,
      output_tokens: output,
    },
  },
})
export const failure = {
  ...{ type: 'assistant', isApiErrorMessage: true },
  message: { id: 'e', model: '<synthetic>', content: [{ type: 'text', text: 'secret-mark' }] },
}

/**
 * A real terminal for the browser tests: a shell in tmux, on a separate tmux socket. A test types what a person would
 * type, and reads what a person would see. The control mode of tmux announces that something was printed.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { atExit } from '../../../testing/at-exit.ts'

const patienceMs = 60_000

/** The reason why this machine cannot run a terminal; undefined if it can. */
export const noTerminal: string | undefined =
  spawnSync('tmux', ['-V']).status === 0
    ? undefined
    : 'tmux is not installed (Debian: apt-get install tmux), so nothing was typed in a real terminal'

export class Terminal {
  readonly #socket = `svc-test-${process.pid}-${randomBytes(4).toString('hex')}`
  readonly #control: ChildProcess
  #ended = false

  constructor(folder: string, env: Record<string, string>) {
    const shell = ['-x', '130', '-y', '60', 'sh']
    this.#control = spawn(
      'tmux',
      ['-L', this.#socket, '-f', '/dev/null', '-C', 'new-session', '-c', folder, ...shell],
      {
        cwd: folder,
        env: { PATH: process.env.PATH ?? '', HOME: folder, TERM: 'xterm-256color', LANG: 'C.UTF-8', ...env },
        stdio: ['pipe', 'pipe', 'ignore'],
      },
    )
    this.#control.once('exit', () => {
      this.#ended = true
    })
    atExit(() => this.#kill())
  }

  #tmux = (...args: string[]): string =>
    execFileSync('tmux', ['-L', this.#socket, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  #kill(): void {
    spawnSync('tmux', ['-L', this.#socket, 'kill-server'], { stdio: 'ignore' })
    this.#control.kill('SIGKILL')
  }

  /**
   * Returns the text on the screen and in the scrollback above it. A line that the screen wraps is returned as one
   * line.
   */
  shown = (): string =>
    this.#tmux('capture-pane', '-p', '-J', '-S', '-')
      .replaceAll(/[ \t]+$/gm, '')
      .trimEnd()

  /** Resolves when the last line is the prompt of the shell, which then waits for input. */
  ready = (): Promise<string> => this.until(/(^|\n)[$#]$/)

  /** Types the lines into the terminal, and presses return after each. */
  type(lines: string): void {
    for (const line of lines.split('\n')) {
      this.#tmux('send-keys', '-l', '--', line)
      this.press('Enter')
    }
  }

  press(key: 'Enter' | 'C-c'): void {
    this.#tmux('send-keys', key)
  }

  /**
   * Resolves with everything that the terminal shows once this text is part of it. Rejects after a minute, or when the
   * terminal ends.
   */
  async until(text: string | RegExp): Promise<string> {
    const signal = AbortSignal.timeout(patienceMs)
    const { stdout } = this.#control
    if (!stdout) throw new Error('tmux says nothing')
    for (;;) {
      const printed = once(stdout, 'data', { signal })
      // This promise rejects if the terminal prints nothing in time. The `await` at the end of this loop reports that.
      // Without this line, a rejection before the `await` would be an unhandled error.
      printed.catch(() => {})
      const now = this.#ended ? '' : this.#read()
      if (typeof text === 'string' ? now.includes(text) : text.test(now)) return now
      if (this.#ended) throw new Error(`The terminal ended before it showed ${text}.`)
      await printed.catch(() => {
        throw new Error(`The terminal did not show ${text}. It shows:\n${this.#read()}`)
      })
    }
  }

  /** Reads the text that the terminal shows; an empty text if the tmux session does not exist. */
  #read(): string {
    try {
      return this.shown()
    } catch {
      return ''
    }
  }

  async close(): Promise<void> {
    const gone = this.#ended ? undefined : once(this.#control, 'exit')
    this.#kill()
    await gone
  }
}

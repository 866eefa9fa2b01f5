/** Scenes with the real command lines of AI tools: a run without a terminal, and a question in a terminal. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openTerminal, type RealTool, type Terminal, type ToolHome } from './tools.ts'

const commands: Readonly<Record<RealTool, { headless: readonly string[]; terminal: readonly string[] }>> = {
  claude: {
    headless: ['-p', '--permission-mode', 'acceptEdits', '--allowedTools', 'Bash'],
    terminal: ['--permission-mode', 'default'],
  },
  codex: { headless: ['exec', '--skip-git-repo-check', '-s', 'workspace-write', '-'], terminal: [] },
  opencode: { headless: ['run', '--format', 'json'], terminal: [] },
}

interface HeadlessOptions {
  /** The seconds after which the process and its group are killed. */
  readonly killAfter?: number
  readonly more?: readonly string[]
}

/** Runs a tool once without a terminal, by default for at most a minute. Returns its process id. */
export async function runHeadless(
  { env, work }: ToolHome,
  tool: RealTool,
  bin: string,
  prompt: string,
  { killAfter = 60, more = [] }: HeadlessOptions = {},
): Promise<number> {
  const [first = '', ...rest] = commands[tool].headless
  const args = tool === 'claude' ? [first, ...rest, ...more] : [first, ...rest]
  const child = spawn(join(bin, tool), args, { cwd: work, env, detached: true, stdio: ['pipe', 'ignore', 'ignore'] })
  child.stdin.on('error', () => {})
  child.stdin.end(prompt)
  const timer = setTimeout(() => {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
  }, killAfter * 1000)
  await once(child, 'exit')
  clearTimeout(timer)
  return child.pid ?? 0
}

const ready: Readonly<Record<RealTool, RegExp>> = { claude: /❯/, codex: /for shortcuts/, opencode: /Ask anything/ }
const question = /Do you want to proceed|Would you like to run/

/** Opens a terminal with a tool, types a prompt, and waits until the tool asks the person for agreement. */
export const untilItAsks = (home: ToolHome, tool: RealTool, bin: string, prompt: string): Promise<Terminal> =>
  untilItShows(question, home, tool, bin, prompt)

/** Opens a terminal with a tool, types a prompt, and waits until the screen shows `pattern`. */
export async function untilItShows(
  pattern: RegExp,
  home: ToolHome,
  tool: RealTool,
  bin: string,
  prompt: string,
): Promise<Terminal> {
  const terminal = openTerminal(home, [join(bin, tool), ...commands[tool].terminal])
  try {
    await terminal.shows(ready[tool], 120)
    await sleep(3000)
    terminal.type(prompt)
    // Text that arrives at once counts as pasted, and an Enter directly after it as a part of that text. So Enter is
    // pressed later, more than once if necessary.
    for (let left = 12; left > 0 && !pattern.test(terminal.screen()); left--) {
      await sleep(2500)
      if (terminal.screen().includes(prompt.slice(0, 20)) && left % 2 === 0) terminal.press('Enter')
    }
    await terminal.shows(pattern, 5)
    return terminal
  } catch (error) {
    terminal.close()
    throw error
  }
}

/** Ends all processes whose program is in the home folder of a tool, such as a daemon. */
export function endDaemons({ home }: ToolHome): void {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name)))
    try {
      if (readlinkSync(`/proc/${pid}/exe`).startsWith(home)) process.kill(Number(pid), 'SIGKILL')
    } catch {
      // the process has ended, or belongs to another user
    }
}

/**
 * The real command lines of AI tools, for tests and for the recording of their files. They are installed into a cache
 * outside of the checkout, and know only a model service on loopback. A tool that cannot be installed is not tested.
 */
import { execFile, execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { ModelService } from './model-service.ts'

export const realTools = ['claude', 'codex', 'opencode'] as const
export type RealTool = (typeof realTools)[number]

const packages: Readonly<Record<RealTool, string>> = {
  claude: '@anthropic-ai/claude-code',
  codex: '@openai/codex',
  opencode: 'opencode-ai',
}

/** The versions whose files were recorded, the newest last. */
export const versions: Readonly<Record<RealTool, readonly string[]>> = {
  claude: ['2.1.330', '2.1.332'],
  codex: ['0.169.0', '0.171.0'],
  opencode: ['1.15.13', '1.18.33'],
}

/** The cache of installed tools. Tests have another home folder, so scripts/ai.ts names the cache in a variable. */
export const cacheFolder =
  process.env.SVC_TEST_AI_TOOLS || join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'svc-ai-tools')
const installMs = 300_000

/** The folder with the programs of the newest recorded version, or why it cannot be driven. */
export const programOf = (tool: RealTool): Promise<{ readonly bin?: string; readonly why?: string }> =>
  installTool(tool, versions[tool].at(-1) ?? '')
    .then((bin) => (hasTmux() ? { bin } : { why: 'there is no tmux' }))
    .catch((error: unknown) => ({ why: error instanceof Error ? error.message : String(error) }))

/** The folder with the programs of a tool. Throws a sentence if it cannot be installed. */
export async function installTool(tool: RealTool, version: string): Promise<string> {
  const folder = join(cacheFolder, `${tool}-${version}`)
  const bin = join(folder, 'node_modules/.bin')
  if (existsSync(join(bin, tool))) return bin
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{"private":true}')
  const args = ['install', '--no-audit', '--no-fund', '--loglevel=error', `${packages[tool]}@${version}`]
  try {
    await promisify(execFile)('npm', args, { cwd: folder, timeout: installMs })
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    const [line = ''] = String((error as { stderr?: string }).stderr ?? error).split('\n')
    throw new Error(`npm cannot install ${packages[tool]} ${version}: ${line}`)
  }
  return bin
}

/** A home folder in which a tool knows nothing but the model service, and a folder in which it works. */
export interface ToolHome {
  readonly home: string
  readonly work: string
  readonly env: Readonly<Record<string, string>>
  remove(): void
}

const key = 'sk-ant-test-of-the-stand-in-0123456789abcdefghij'

export function toolHome(tool: RealTool, bin: string, { origin }: ModelService): ToolHome {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'svc-ai-')))
  const [home, work] = [join(root, 'home'), join(root, 'harbour')]
  for (const folder of [home, work, join(root, 'tmp')]) mkdirSync(folder)
  const env = {
    ...{ HOME: home, LANG: 'C.UTF-8', TERM: 'xterm-256color', PATH: `${bin}:/usr/local/bin:/usr/bin:/bin` },
    ...{ TMPDIR: join(root, 'tmp'), ...environments[tool](origin) },
  }
  const { file, text } = settings[tool](origin, work)
  mkdirSync(dirname(join(home, file)), { recursive: true })
  writeFileSync(join(home, file), text)
  return { home, work, env, remove: () => rmSync(root, { recursive: true, force: true, maxRetries: 5 }) }
}

/** The variables by which a tool knows the model service, and asks nobody else. */
const environments: Readonly<Record<RealTool, (origin: string) => Readonly<Record<string, string>>>> = {
  claude: (origin) => ({
    ...{ ANTHROPIC_BASE_URL: origin, ANTHROPIC_API_KEY: key, DISABLE_AUTOUPDATER: '1' },
    ...{ CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', CLAUDE_CODE_MAX_RETRIES: '1' },
  }),
  codex: () => ({ FAKE_KEY: key }),
  opencode: () => ({
    ...{ OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1', OPENCODE_DISABLE_LSP_DOWNLOAD: '1' },
    npm_config_offline: 'true',
  }),
}

/** The settings of a tool, as a file in the home folder. */
const settings: Readonly<Record<RealTool, (origin: string, work: string) => { file: string; text: string }>> = {
  claude: (_origin, work) => {
    const known = { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true }
    const note = {
      // Without this note the first start in a terminal asks for a host that is not there.
      hasCompletedOnboarding: true,
      customApiKeyResponses: { approved: [key.slice(-20)], rejected: [] },
      projects: { [work]: known },
    }
    return { file: '.claude.json', text: JSON.stringify(note) }
  },
  codex: (origin, work) => ({
    file: '.codex/config.toml',
    text: `model = "fake-1"
model_provider = "fake"
check_for_update_on_startup = false
[analytics]
enabled = false
[features]
plugins = false
[model_providers.fake]
name = "fake"
base_url = "${origin}/v1"
wire_api = "responses"
env_key = "FAKE_KEY"
request_max_retries = 1
stream_max_retries = 1
[projects."${work}"]
trust_level = "trusted"
`,
  }),
  opencode: (origin) => {
    const model = {
      ...{ name: 'Fake', tool_call: true, limit: { context: 128_000, output: 16_000 } },
      cost: { input: 1, output: 5, cache_read: 0.1, cache_write: 1.25 },
    }
    const provider = { npm: '@ai-sdk/openai-compatible', name: 'Fake', models: { 'fake-1': model } }
    const config = {
      ...{ autoupdate: false, share: 'disabled', model: 'fake/fake-1', small_model: 'fake/fake-1' },
      provider: { fake: { ...provider, options: { baseURL: `${origin}/v1`, apiKey: key } } },
    }
    return { file: '.config/opencode/opencode.json', text: JSON.stringify(config) }
  },
}

/** A terminal in which a tool runs. */
export interface Terminal {
  /** The process id of the tool. */
  readonly pid: number
  screen(): string
  /** Types a text. */
  type(text: string): void
  /** Presses a key, as tmux names it. */
  press(key: string): void
  /** Waits until the screen shows this. */
  shows(pattern: RegExp, seconds?: number): Promise<void>
  /** Presses Ctrl-C until the tool has ended. */
  quit(): Promise<void>
  close(): void
}

const hasTmux = (): boolean => {
  try {
    execFileSync('tmux', ['-V'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

let terminals = 0

export function openTerminal({ env, work }: ToolHome, command: readonly string[]): Terminal {
  const socket = `svc-ai-${process.pid}-${++terminals}`
  const tmux = (...args: readonly string[]): string =>
    execFileSync('tmux', ['-L', socket, '-f', '/dev/null', ...args], {
      ...{ env, encoding: 'utf8' as const, stdio: ['ignore', 'pipe', 'pipe'] },
    })
  tmux('new-session', '-d', '-s', 'ai', '-x', '140', '-y', '50', '-c', work, ...command)
  const screen = () => tmux('capture-pane', '-p', '-t', 'ai')
  return {
    pid: Number(tmux('display-message', '-p', '-t', 'ai', '#{pane_pid}')),
    screen,
    type: (text) => void tmux('send-keys', '-t', 'ai', '-l', text),
    press: (name) => void tmux('send-keys', '-t', 'ai', name),
    async shows(pattern, seconds = 30) {
      for (const end = Date.now() + seconds * 1000; !pattern.test(screen()); await sleep(250))
        if (Date.now() > end) throw new Error(`The screen does not show ${pattern}:\n${screen()}`)
    },
    async quit() {
      for (let left = 12; left > 0; left--) {
        try {
          tmux('send-keys', '-t', 'ai', 'C-c')
        } catch {
          return // it has ended
        }
        await sleep(400)
      }
    },
    close: () => {
      try {
        tmux('kill-server')
      } catch {
        // the tool has ended already
      }
    },
  }
}

/**
 * Installs the agents of the demo as a person would: packs a folder into a bundle, uploads it, issues an install code,
 * gives the code to `svc init`, and starts `svc run` for the folder that `svc init` has made.
 */
import { join } from 'node:path'
import type { Command, Processes } from './processes.ts'

export interface DemoSetup {
  /** The root folder of the checkout. */
  root: string
  /** The temporary folder of this demo. */
  folder: string
  url: string
  workspace: string
  env: NodeJS.ProcessEnv
}

export interface DemoAgent {
  name: string
  /** The folder of which the agent's bundle is made. */
  source: string
  /** The demo prints these two facts at the terminal: what the agent does, and the language in which it is written. */
  does: string
  language: string
  settings: Record<string, string>
}

export const demoAgents = ({ root, folder }: Pick<DemoSetup, 'root' | 'folder'>): DemoAgent[] => {
  const example = (name: string, does: string, language: string, settings: Record<string, string> = {}) => ({
    ...{ name, does, language, settings },
    source: join(root, 'examples', name),
  })
  const documents = join(folder, 'documents')
  return [
    example('machine-watch', 'watches this machine', 'Python'),
    example('git-reader', `watches the history of ${root}`, 'TypeScript', { folder: root }),
    example('link-checker', `watches the links in ${documents}`, 'Python', { folder: documents }),
    {
      name: 'coder-simulated',
      source: join(import.meta.dirname, 'coder-simulated'),
      does: 'only simulates its work, so that the page has costs to show',
      language: 'TypeScript',
      settings: {},
    },
  ]
}

/** Runs a command of `svc-server`, and returns the value that it prints with `--json`. */
export type Operator = <T>(setup: DemoSetup, args: string[], input?: string) => Promise<T>

const startSeconds = 30

/**
 * Installs an agent and starts it. Returns the process id of the agent's own program, not that of its
 * runtime.
 */
export async function installAgent(
  { name, source, settings }: DemoAgent,
  setup: DemoSetup,
  { processes, operator }: { processes: Processes; operator: Operator },
): Promise<{ pid: number }> {
  const { root, folder, url, workspace, env } = setup
  const dir = join(folder, 'agents', name)
  const svc = (...args: string[]): Command => ({ command: [...svcCommand(root), ...args], cwd: folder, env })
  const bundle = join(folder, 'bundles', `${name}.zip`)

  await processes.run(svc('pack', source, '--out', bundle))
  const { version } = await operator<{ version: string }>(setup, ['blueprint', 'upload', workspace, bundle])
  const wanted = [`${name}@${version}`, '--agent', name]
  const { code } = await operator<{ code: string }>(setup, ['code', 'issue', workspace, ...wanted])
  await processes.run(svc('init', '--url', url, '--dir', dir), `${code}\n`)
  const values = Object.entries(settings).map(([key, value]) => `${key}=${value}`)
  if (values.length > 0) await processes.run(svc('set', '--dir', dir, ...values))

  await processes.start(`${name} runtime`, svc('run', '--dir', dir))
  const [, pid] = await processes.hears(`${name} runtime`, /started the agent: process (\d+)$/m, startSeconds)
  return { pid: Number(pid) }
}

/** The command line that runs the built `svc.pyz` with the Node of this process. */
export const svcCommand = (root: string): [string, ...string[]] => [
  process.execPath,
  '-e',
  'require(process.argv[1])',
  join(root, 'dist/cli/svc.pyz'),
]

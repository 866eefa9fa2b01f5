/** The three agents of the demo: each a copy of its example, connected by the real `svc connect`, watched by a real `svc report`. */
import { cpSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Command, Processes } from './demo-processes.ts'

export interface Place {
  /** The checkout. */
  root: string
  /** The temporary folder of this demo. */
  folder: string
  url: string
  env: NodeJS.ProcessEnv
}

export interface DemoAgent {
  name: string
  /** For the person at the terminal: what it looks at, and what it is written in. */
  watches: string
  language: string
  settings: Record<string, string>
}

export const demoAgents = (root: string): DemoAgent[] => [
  { name: 'machine-watch', watches: 'this machine', language: 'Python', settings: {} },
  { name: 'git-reader', watches: `the history of ${root}`, language: 'TypeScript', settings: { folder: root } },
  {
    name: 'link-checker',
    watches: `the links in ${join(root, 'docs')}`,
    language: 'Python',
    settings: { folder: join(root, 'docs') },
  },
]

/** Puts the agent into a folder of its own, starts it, connects it, and starts its reporter as a second process. */
export async function startAgent(agent: DemoAgent, token: string, place: Place, processes: Processes): Promise<string> {
  const folder = join(place.folder, 'agents', agent.name)
  cpSync(join(place.root, 'examples', agent.name), folder, { recursive: true, filter: belongs })
  const svc = (...args: string[]): Command => ({
    command: [...svcCommand(place.root), ...args],
    cwd: folder,
    env: place.env,
  })
  const settings = Object.entries(agent.settings).map(([key, value]) => `${key}=${value}`)
  if (settings.length > 0) await processes.run(svc('set', ...settings))
  await processes.start(agent.name, { command: startCommand(folder), cwd: folder, env: place.env })
  await processes.run(svc('connect', '--url', place.url), `${token}\n`)
  await processes.start(`${agent.name} report`, svc('report'))
  return folder
}

/** `svc` as built into the one file, run by the Node that runs this. */
export const svcCommand = (root: string): [string, ...string[]] => [
  process.execPath,
  '-e',
  'require(process.argv[1])',
  join(root, 'dist/cli/svc.pyz'),
]

/** The command that the agent's own manifest names: what cron or systemd would start. */
function startCommand(folder: string): [string, ...string[]] {
  const line = /^ {2}command: \[(.+)\]$/m.exec(readFileSync(join(folder, 'svc.agent.yaml'), 'utf8'))?.[1]
  const [program, ...args] = line?.split(', ') ?? []
  if (!program) throw new Error(`The manifest in ${folder} names no command.`)
  return [program, ...args]
}

const belongs = (path: string) => !['state', '.svc', '__pycache__'].includes(basename(path))

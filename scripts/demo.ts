/**
 * `npm run demo`: the whole product in a temporary folder, with three real agents in processes of their own, until Ctrl-C.
 * Options: --port N (default 8787 where it is free), --keep (leave the folder), --json (one line for programs).
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { build } from './build.ts'
import { demoAgents, type Place, startAgent, svcCommand } from './demo-agents.ts'
import { Guard, Processes } from './demo-processes.ts'

const root = realpathSync(join(import.meta.dirname, '..'))
const workspace = 'demo'
const person = { email: 'you@example.org', name: 'Demo' }
const startSeconds = 60

const { values: options } = parseArgs({
  options: { port: { type: 'string' }, keep: { type: 'boolean' }, json: { type: 'boolean' } },
})
const tell = (text: string) => (options.json ? console.error(text) : console.log(text))

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'svc-demo-')))
for (const name of ['output', 'data', 'agents']) mkdirSync(join(folder, name))
const processes = new Processes(
  join(folder, 'output'),
  new Guard(options.keep ? undefined : folder),
  (name, how, lastWords) => {
    tell(`\n${name} ${how}. Its last words:\n${lastWords.replace(/^/gm, '  | ')}`)
  },
)

process.once('exit', () => options.keep || rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))

let ended: Promise<void> | undefined
const end = (code: number) => {
  ended ??= processes.end().then(() => process.exit(code))
  return ended
}
for (const [signal, number] of [
  ['SIGINT', 2],
  ['SIGTERM', 15],
  ['SIGHUP', 1],
] as const)
  process.on(signal, () => {
    if (!ended) tell('\nEnding …')
    void end(signal === 'SIGINT' ? 0 : 128 + number)
  })

try {
  await main()
} catch (error) {
  if (!processes.ending.aborted) {
    console.error(`The demo could not go on: ${error instanceof Error ? error.message : error}`)
    await end(1)
  }
}

async function main() {
  needs('python3', 'two of the three agents are written in Python')
  const place: Place = { root, folder, url: `http://localhost:${await freePort()}`, env: environment() }
  await build()
  tell(`Starting the service, with its data in ${folder} …`)
  await startService(place)
  tell('Connecting three agents …')
  const token = await fillWorkspace(place)
  for (const agent of demoAgents(root)) await startAgent(agent, await token(agent.name), place, processes)
  const { link } = await operator<{ link: string }>(place, ['link', person.email])
  if (options.json)
    console.log(
      JSON.stringify({ url: place.url, link, workspace, dir: folder, pids: { demo: process.pid, ...processes.pids } }),
    )
  else greet(place, link)
}

/** The service as `npm start` runs it, but for its data folder and its port. */
async function startService(place: Place) {
  const command = [process.execPath, join(root, 'packages/server/src/main.ts'), 'start'] as const
  await processes.start('service', { command: [...command], cwd: folder, env: serviceEnv(place) })
  const until = performance.now() + startSeconds * 1000
  while (!(await answers(place.url))) {
    if (!('service' in processes.pids)) throw new Error('the service ended')
    if (performance.now() > until) throw new Error(`the service did not answer:\n${processes.lastWords('service')}`)
    await sleep(100, undefined, { signal: processes.ending })
  }
}

function answers(url: string): Promise<boolean> {
  const asked = fetch(url, { signal: AbortSignal.timeout(2000), redirect: 'manual' })
  return asked.then(
    () => true,
    () => false,
  )
}

/** A person, a workspace that is activated, and a way to make an agent in it: each through `svc-server`. */
async function fillWorkspace(place: Place) {
  await operator(place, ['workspace', 'create', workspace, '--name', 'Demo'])
  await operator(place, ['workspace', 'activate', workspace, 'svc'])
  const password = `${crypto.randomUUID()}\n` // nobody needs it: the link signs in
  const { email, name } = person
  await operator(
    place,
    ['person', 'create', email, '--name', name, '--workspace', workspace, '--role', 'admin'],
    password,
  )
  return async (agent: string) =>
    (await operator<{ token: string }>(place, ['agent', 'create', `${workspace}/${agent}`])).token
}

async function operator<T>(place: Place, args: string[], input?: string): Promise<T> {
  const command = [process.execPath, join(root, 'packages/server/src/main.ts'), ...args, '--json'] as const
  return JSON.parse(await processes.run({ command: [...command], cwd: folder, env: serviceEnv(place) }, input)) as T
}

function serviceEnv({ url, env }: Place): NodeJS.ProcessEnv {
  return {
    ...env,
    SVC_BASE_URL: url,
    SVC_PORT: new URL(url).port,
    SVC_DATA_DIR: join(folder, 'data'),
    SVC_METRICS_PORT: '0',
    SVC_RELEASE_DIR: join(root, 'dist/cli'),
  }
}

/** The caller's environment without what could lead the demo to somebody's real service, database or repository. */
function environment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !/^(SVC_|npm_|NODE_|GIT_)/.test(name))
  const PATH = [dirname(process.execPath), process.env.PATH].join(delimiter)
  return { ...Object.fromEntries(kept), PATH }
}

async function freePort(): Promise<number> {
  if (options.port === undefined) return (await canListen(8787)) ?? (await canListen(0)) ?? 0
  const port = Number(options.port)
  if (!Number.isInteger(port) || port < 1 || port > 65535)
    throw new Error(`--port must be 1 to 65535: got ${options.port}`)
  const free = await canListen(port)
  if (free === undefined) throw new Error(`port ${port} is taken; leave --port out and the demo finds a free one`)
  return free
}

function canListen(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(undefined))
    server.listen(port, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' ? address?.port : undefined))
    })
  })
}

function needs(program: string, why: string) {
  if (spawnSync(program, ['--version']).status !== 0) throw new Error(`${program} is not there, and ${why}`)
}

function greet(place: Place, link: string) {
  const agents = demoAgents(root).map(({ name, watches, language }) => `  ${name.padEnd(15)}${watches} (${language})`)
  const isCheckout = spawnSync('git', ['-C', root, 'rev-parse', 'HEAD'], { env: place.env }).status === 0
  if (!isCheckout)
    agents.push('', `  ${root} is not a git checkout, so git-reader will say that it has nothing to read.`)
  const example = join(folder, 'agents/machine-watch')
  tell(`
The demo is running. Open this link, once, to be signed in:

  ${link}

Three real agents report to the workspace "${workspace}", each in a process of its own, each with a reporter beside it:

${agents.join('\n')}

On the page: open one, change a setting, press Pause or Run now. The same on the machine, without the service:

  cd ${example}
  python3 ${svcCommand(root).at(-1)} pause

The service is ${place.url}; all it stores lies in ${folder}.
Ctrl-C ends all of it and ${options.keep ? 'keeps that folder' : 'leaves nothing behind'}.
`)
}

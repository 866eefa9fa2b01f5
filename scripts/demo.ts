/**
 * `npm run demo` runs the service in a temporary folder until Ctrl-C, with four agents that are installed with real
 * codes, a product in which one of the agents works, and a simulated fleet. What takes longer is added while the page
 * can be used: rollouts, an action, and a machine with cron jobs. Its options are in demo/options.ts.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { build } from './build.ts'
import { type DemoSetup, demoAgents, installAgent, svcCommand } from './demo/agents.ts'
import { receiverNetwork, startAlerts } from './demo/alerts.ts'
import { namePrefix } from './demo/fleet/members.ts'
import { makeFleet, startFleet } from './demo/fleet/start.ts'
import { fleetBlueprint } from './demo/fleet/updates.ts'
import { machineName, startMachine } from './demo/machine.ts'
import { countInWords, type DemoOptions, readOptions, usage } from './demo/options.ts'
import { listenablePort, onFreePort } from './demo/ports.ts'
import { Guard, Processes } from './demo/processes.ts'
import { missingDocument, startProduct, writeDocuments } from './demo/product.ts'
import { tellStory } from './demo/story.ts'

const root = realpathSync(join(import.meta.dirname, '..'))
const workspace = 'demo'
const workspaceName = 'Demo'
const person = { email: 'you@example.org', name: 'Demo' }
const startSeconds = 60
/** From this number of simulated agents on, messages about alerts are grouped. */
const largeFleet = 100

const options = chosenOptions()
const tell = (text: string) => (options.json ? console.error(text) : console.log(text))

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'svc-demo-')))
for (const name of ['output', 'data', 'agents', 'bundles']) mkdirSync(join(folder, name))
const dataDir = join(folder, 'data')
const processes = new Processes(join(folder, 'output'), new Guard(folder, options.keep), (name, how, lastWords) => {
  tell(`\n${name} ${how}. Its last words:\n${lastWords.replace(/^/gm, '  | ')}`)
})

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

// Node stores compiled code in this folder, so that later starts are faster. svc-server uses a compile cache too.
enableCompileCache(join(root, '.cache/compiled'))
try {
  await begin()
} catch (error) {
  if (!processes.ending.aborted) {
    console.error(`The demo could not go on: ${error instanceof Error ? error.message : error}`)
    await end(1)
  }
}

function chosenOptions(): DemoOptions {
  const read = readOptions(process.argv.slice(2))
  if (read.is === 'run') return read.options
  if (read.is === 'help') console.log(usage)
  else console.error(`${read.message}\n\n${usage}`)
  process.exit(read.is === 'help' ? 0 : 2)
}

async function begin() {
  const place = { env: { SVC_DATA_DIR: dataDir }, cwd: folder, workspace: { slug: workspace, name: workspaceName } }
  requireProgram('python3', 'two of the agents are written in Python')
  const chosenPort = await readPort()
  await build()
  const tokens = options.agents > 0 ? await makeFleet(place, options.agents, { ending: processes.ending, tell }) : []
  const setup = chosenPort === undefined ? await onFreePort(8787, startService) : await startService(chosenPort)
  const { url } = setup
  await fillWorkspace(setup)
  await startAlerts(setup, operator, tell, options.agents >= largeFleet)
  const product = await startProduct(setup, { processes, operator })
  tell('Installing four agents …')
  writeDocuments(folder)
  const installed = demoAgents(setup).map(async (agent) => {
    const { pid } = await installAgent(agent, setup, { processes, operator })
    return [agent.name, pid] as const
  })
  const fleet = tokens.length > 0 ? startFleet(setup, tokens, { processes, tell }) : undefined
  const agents = Object.fromEntries(await Promise.all(installed))
  await fleet
  const { link } = await operator<{ link: string }>(setup, ['link', person.email])
  const pids = { demo: process.pid, ...processes.pids, ...agents }
  if (options.json) console.log(JSON.stringify({ url, link, workspace, product, dir: folder, pids }))
  else greet(setup, { link, product })
  const tools = { processes, operator }
  const more = [startMachine(setup, tools), tellStory(setup, options.agents, tools)]
  for (const { reason } of (await Promise.allSettled(more)).filter((one) => one.status === 'rejected'))
    if (!processes.ending.aborted)
      tell(`A part of the demo is missing: ${reason instanceof Error ? reason.message : reason}`)
}

/** Starts the service as `npm start` does, but with a data folder of its own, and waits until it is ready. */
async function startService(port: number): Promise<DemoSetup> {
  const setup: DemoSetup = { root, folder, url: `http://localhost:${port}`, workspace, env: setEnvironment() }
  tell(`Starting the service on port ${port}, with its data in ${folder} …`)
  const command = [process.execPath, join(root, 'packages/server/src/main.ts'), 'start'] as const
  await processes.start('service', { command: [...command], cwd: folder, env: serviceEnv(setup) })
  await processes.hears('service', /^svc is ready: /m, startSeconds)
  return setup
}

/** Creates the workspace unless `makeFleet` has created it, activates it, and adds one person, who is an admin. */
async function fillWorkspace(setup: DemoSetup): Promise<void> {
  if (options.agents === 0) await operator(setup, ['workspace', 'create', workspace, '--name', workspaceName])
  await operator(setup, ['workspace', 'activate', workspace, 'svc'])
  // nobody needs to know the password, since people sign in with the link that the demo prints
  const password = `${crypto.randomUUID()}\n`
  const { email, name } = person
  await operator(
    setup,
    ['person', 'create', email, '--name', name, '--workspace', workspace, '--role', 'admin'],
    password,
  )
}

/**
 * Runs a command of `svc-server`. This process parses its arguments and sends the command to the running service,
 * because starting a program for each command would cost more CPU time than the service needs.
 */
async function operator<T>(_place: DemoSetup, args: string[], input?: string): Promise<T> {
  const { askOperator } = await import('../packages/server/testing/operator.ts')
  processes.ending.throwIfAborted()
  const outcome = await askOperator({ dataDir, cwd: folder, args, ...(input && { input }) })
  processes.ending.throwIfAborted()
  if (outcome?.ok) return outcome.value as T
  throw new Error(`svc-server ${args.join(' ')}: ${outcome?.message ?? 'no service answers'}`)
}

function serviceEnv({ url, env }: DemoSetup): NodeJS.ProcessEnv {
  return {
    ...env,
    SVC_BASE_URL: url,
    SVC_PORT: new URL(url).port,
    SVC_DATA_DIR: dataDir,
    SVC_METRICS_PORT: '0',
    SVC_OUTBOUND_ALLOW: receiverNetwork,
    SVC_RELEASE_DIR: join(root, 'dist/cli'),
  }
}

/**
 * The environment of the demo's processes: the caller's variables, without those that could lead the demo to a real
 * service, database or repository.
 */
function setEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !/^(SVC_|TASKS_|npm_|NODE_|GIT_)/.test(name))
  const PATH = [dirname(process.execPath), process.env.PATH].join(delimiter)
  return { ...Object.fromEntries(kept), PATH }
}

/** The port that the person has chosen; undefined if the demo may choose one. */
async function readPort(): Promise<number | undefined> {
  const { port } = options
  if (port !== undefined && (await listenablePort(port)) === undefined)
    throw new Error(`port ${port} is taken; leave --port out and the demo finds a free one`)
  return port
}

function requireProgram(program: string, why: string) {
  if (spawnSync(program, ['--version']).status !== 0) throw new Error(`${program} is not there, and ${why}`)
}

function greet(setup: DemoSetup, { link, product }: { link: string; product: string }) {
  const agents = demoAgents(setup).map(({ name, does, language }) => `  ${name.padEnd(17)}${does} (${language})`)
  const isCheckout = spawnSync('git', ['-C', root, 'rev-parse', 'HEAD'], { env: setup.env }).status === 0
  if (!isCheckout)
    agents.push('', `  ${root} is not a git checkout, so git-reader will say that it has nothing to read.`)
  const example = join(folder, 'agents/machine-watch')
  const { agents: fleet } = options
  const isLarge = fleet >= largeFleet
  const simulated = `
  ${`${namePrefix}…`.padEnd(17)}${countInWords(fleet)} simulated agents of the blueprint ${fleetBlueprint}. They obey the page and take updates;
                   some are in trouble, offline or have never reported.`
  const grouped = `
They are grouped: the first message comes within two minutes, the next ones at most every five minutes.`
  tell(`
The demo is running. Open this link, once, to be signed in:

  ${link}

Four real agents report to the workspace "${workspace}". Each was packed, uploaded and installed with a code, and runs under "svc run":

${agents.join('\n')}${fleet > 0 ? simulated : ''}

The list shows the last 24 hours of each agent. Real ones have reported for less than a minute${fleet > 0 ? '; the day before of simulated ones is\ninvented' : ''}.

Within a minute or two, more appears. Worth a look:

  ${machineName.padEnd(17)}a machine with cron jobs: the last 30 runs of each, and what the failed one printed
  Updates          ${fleet > 0 ? 'a rollout in its second wave, one that halted, and' : ''} coder-simulated, whose new version does not start
  Alerts           open ones, and under History those that have ended
  Activity         everything that was done${fleet > 0 ? '; Actions has one for many agents at once' : ''}

link-checker works on a product, a small task list, with a token of its own: it has opened a task for a broken link.

  ${product}

Alerts of the workspace are printed here, below.${isLarge ? grouped : ''} The broken link opens one${isLarge ? '' : ' within a minute'}. Mend the link and press Run now on the
agent's page: the task is closed, and the alert ends:

  touch ${join(folder, 'documents', missingDocument)}

On the page: open an agent, change a setting, press Pause or Run now. The same on the machine, without the service:

  cd ${example}
  python3 ${svcCommand(root).at(-1)} pause

The service is ${setup.url}; all its data is in ${folder}.
Ctrl-C ends all of it and ${options.keep ? 'keeps that folder' : 'leaves nothing behind'}.
`)
}

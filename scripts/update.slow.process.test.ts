/**
 * Tests updates of the runtime: to a signed release, to the next release, and back. The service is real, `npm run
 * release` makes the files, and the PATH of the simulated machine has only node and ssh-keygen. `npm test` leaves this
 * out. packages/runtime/src/updates/runtime/attempt.process.test.ts proves the same rules.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { packFolder } from '@svc/blueprint'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { newServiceHome, type ServiceHome } from '../packages/server/testing/service-process.ts'
import { eventually } from '../testing/eventually.ts'

const dir = realpathSync(mkdtempSync(join(tmpdir(), 'svc-update-')))
const [key, keys, machine] = [join(dir, 'release-key'), join(dir, 'keys'), join(dir, 'machine')]
/**
 * The environment of programs on the simulated machine. All durations of the runtime are a tenth of the normal ones, so
 * reports come every 3 s; the service allows one report per second.
 */
const env = { PATH: join(machine, 'bin'), HOME: machine, SVC_TIME_SCALE: '0.1' }
/**
 * The Node that is installed on this machine, otherwise the one that runs the tests. The runtime must work on Node 20
 * and newer.
 */
const ownNode = ['/usr/bin/node', '/usr/local/bin/node'].find((file) => existsSync(file)) ?? process.execPath
const waits = { seconds: 60, everyMs: 300 }

/** The program of an agent that records each of its starts, and reports that it is healthy. */
const agent = `import { appendFileSync, writeFileSync } from 'node:fs'
appendFileSync('state/starts', process.pid + '\\n')
setInterval(() => writeFileSync('state/status.json', JSON.stringify({ state: { level: 'ok', label: 'Working' } })), 200)
`
const manifest = `name: worker
version: 1.0.0
runtime: {kind: process, command: [node, main.mjs]}
status: state/status.json
state: [state]
`

beforeAll(() => {
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key])
  mkdirSync(join(machine, 'bin'), { recursive: true })
  symlinkSync(ownNode, join(env.PATH, 'node'))
  symlinkSync(
    realpathSync(execFileSync('which', ['ssh-keygen'], { encoding: 'utf8' }).trim()),
    join(env.PATH, 'ssh-keygen'),
  )
})
afterAll(() => rmSync(dir, { recursive: true, force: true, maxRetries: 5 }))

/** Runs `npm run release` for a version, and returns the folder with the files of the release. */
function released(version: string): string {
  const out = join(dir, version)
  const args = ['--key', key, '--add-key', '--keys', keys, '--version', version, '--out', out]
  execFileSync(process.execPath, [join(import.meta.dirname, 'release.ts'), ...args], { stdio: 'pipe' })
  return out
}

const svcArgs = (file: string, args: string[]) => ['-e', 'require(process.argv[1])', file, ...args]

/** Runs the `svc` in this file on the simulated machine, and returns its output. */
function svc(file: string, args: string[], input = ''): string {
  const options = { cwd: machine, env, input, encoding: 'utf8' } as const
  const { status, stdout, stderr } = spawnSync(join(env.PATH, 'node'), svcArgs(file, args), options)
  if (status !== 0) throw new Error(`svc ${args.join(' ')} ended with ${status}: ${stdout}${stderr}`)
  return stdout
}

/** Creates an activated workspace, uploads the agent's blueprint, and returns an install code for it. */
async function codeFrom(home: ServiceHome): Promise<string> {
  await home.value(['workspace', 'create', 'north'])
  await home.value(['workspace', 'activate', 'north', 'svc'])
  const [source, bundle] = [join(dir, 'worker'), join(dir, 'worker.zip')]
  mkdirSync(source)
  writeFileSync(join(source, 'svc.agent.yaml'), manifest)
  writeFileSync(join(source, 'main.mjs'), agent)
  const packed = await packFolder(source)
  if (!packed.ok) throw new Error(packed.message)
  writeFileSync(bundle, packed.value.bytes)
  await home.value(['blueprint', 'upload', 'north', bundle])
  return (await home.value<{ code: string }>(['code', 'issue', 'north', 'worker@1.0.0'])).code
}

/** The part `runtime` of the agent's last report, as the service shows it. */
const runtimeOf = async (home: ServiceHome) =>
  (await home.value<{ report: { runtime?: Record<string, unknown> } | null }>(['agent', 'show', 'north/worker'])).report
    ?.runtime

test("a signed release, the next one after an admin's wish, and back without the service", async () => {
  const [before, after] = [released('1.0.0'), released('1.1.0')]
  const home = await newServiceHome({ SVC_RELEASE_DIR: before })
  const service = await home.start()
  const code = await codeFrom(home)

  const downloaded = join(machine, 'svc.pyz')
  writeFileSync(downloaded, Buffer.from(await (await fetch(`${home.url}/cli/svc.pyz`)).arrayBuffer()))
  svc(downloaded, ['init', '--url', home.url], `${code}\n`)
  const folder = join(machine, 'worker')
  const own = join(folder, '.svc/runtime/svc.pyz')
  const runtime = spawn(join(env.PATH, 'node'), svcArgs(own, ['run', '--dir', folder]), {
    cwd: folder,
    env,
    stdio: 'ignore',
  })
  const starts = () => readFileSync(join(folder, 'state/starts'), 'utf8').trim().split('\n').map(Number)
  onTestFinished(() => ended(runtime, starts))
  const reports = (what: string, runtime: object) =>
    eventually(what, async () => expect(await runtimeOf(home)).toMatchObject(runtime), waits)
  await reports('the first version runs', { version: '1.0.0' })
  const [pid] = await eventually('the agent starts', starts, waits)

  await home.value(['release', 'add', after])
  await home.value(['wish', 'runtime', 'north/worker'])
  const updated = { version: '1.1.0', previous: '1.0.0', applied: { outcome: 'ok', version: '1.1.0' } }
  await reports('the second version runs', updated)
  expect(readFileSync(own).equals(readFileSync(join(after, 'svc.pyz')))).toBe(true)
  expect([runtime.exitCode, starts()]).toEqual([null, [pid]])

  await service.kill()
  svc(own, ['rollback-runtime', '--dir', folder])
  expect(readFileSync(own).equals(readFileSync(join(before, 'svc.pyz')))).toBe(true)
  await home.start()
  const rolledBack = { version: '1.0.0', applied: { outcome: 'rolled_back', version: '1.0.0' } }
  await reports('the first version runs again', rolledBack)
  expect([runtime.exitCode, starts()]).toEqual([null, [pid]])
})

async function ended(runtime: ChildProcess, starts: () => number[]): Promise<void> {
  const gone = once(runtime, 'exit')
  runtime.kill('SIGKILL')
  await gone
  for (const pid of starts())
    try {
      process.kill(-pid, 'SIGKILL')
    } catch {} // the process has ended by itself
}

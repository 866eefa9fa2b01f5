/**
 * A real service for agents on test machines: it offers signed releases of the runtime and versions of one blueprint,
 * and tells what it shows of an agent.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { packFolder } from '@svc/blueprint'
import { ServiceHome } from '../../packages/server/testing/service-process.ts'
import { atFileEnd } from '../cleaning.ts'
import { freePort } from '../free-port.ts'
import { makeRelease } from './releases.ts'

/**
 * The agent of the blueprint. It records its starts in `state/starts`, writes its status twice a second, with a run for
 * each start, and takes memory without end once there is a file `state/eat`. Its helper has its own
 * process session (`setsid`).
 */
const program = (version: string, level: string) => `import { spawn } from 'node:child_process'
import { appendFileSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
const at = (name) => process.env.SVC_STATE_DIR + '/' + name
appendFileSync(at('starts'), JSON.stringify({ pid: process.pid, version: '${version}', at: Date.now() }) + '\\n')
const starts = readFileSync(at('starts'), 'utf8').trim().split('\\n').map((line) => JSON.parse(line).at)
const runs = starts.map((at, n) => ({ id: 'start-' + (n + 1), started: Math.floor(at / 1000) }))
spawn('sleep', ['1000000'], { detached: true, stdio: 'ignore' })
const eaten = []
let step = 0
setInterval(() => {
  const state = { level: '${level}', label: 'Working', detail: 'step ' + ++step }
  writeFileSync(at('status.json.new'), JSON.stringify({ state, runs }))
  renameSync(at('status.json.new'), at('status.json'))
  if (!existsSync(at('eat'))) return
  rmSync(at('eat'))
  for (;;) eaten.push(Buffer.alloc(8e6, 1))
}, 500)
`
const manifest = (version: string) => `name: worker
version: ${version}
runtime: {kind: process, command: [node, main.mjs], restart: always, stop_seconds: 5}
status: state/status.json
controls: [pause, resume, run_now]
state: [state]
health: {start_seconds: 60}
`

/** An agent as the service shows it to the operator. */
export interface Shown {
  readonly stopped: 'person' | 'signal' | null
  readonly offline: boolean
  readonly version: string | null
  readonly report: {
    readonly state?: { readonly level: string; readonly label: string; readonly detail: string }
    readonly runtime?: { readonly version: string; readonly applied?: { readonly outcome: string } }
    readonly health?: readonly { readonly name: string; readonly level: string; readonly detail?: string }[]
    readonly applied?: { readonly outcome: string; readonly version: string }
    readonly runs?: readonly { readonly id: string }[]
  } | null
}

export interface MachineService {
  readonly home: ServiceHome
  readonly url: string
  /** Builds and signs a release of the runtime with the key of this service, and returns its folder. */
  release(version: string): string
  /** Issues an install code for a new agent of the blueprint. */
  code(agent: string, version?: string): Promise<string>
  show(agent: string): Promise<Shown>
  stop(): Promise<void>
}

/**
 * Starts a service that serves release 1.0.0 of the runtime. Its blueprint has the versions 1.0.0 and 1.1.0, and 1.2.0,
 * which reports the level `bad`.
 */
export async function machineService(): Promise<MachineService> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-machines-'))
  const key = join(folder, 'release-key')
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key])
  const release = (version: string) => {
    const out = join(folder, version)
    makeRelease({ version, out, keys: join(folder, 'keys'), key })
    return out
  }
  const ports = { page: await freePort(), ops: await freePort() }
  const home = new ServiceHome(folder, ports, { SVC_RELEASE_DIR: release('1.0.0') })
  const service = home.begin()
  const stop = async () => {
    await service.kill()
    rmSync(folder, { recursive: true, force: true })
  }
  atFileEnd.push(stop)
  await service.ready()
  await home.value(['workspace', 'create', 'north'])
  await home.value(['workspace', 'activate', 'north', 'svc'])
  for (const [version, level] of [
    ['1.0.0', 'ok'],
    ['1.1.0', 'ok'],
    ['1.2.0', 'bad'],
  ] as const)
    await home.value(['blueprint', 'upload', 'north', await bundleIn(folder, version, level)])
  return {
    home,
    url: home.url,
    release,
    code: async (agent, version = '1.0.0') =>
      (await home.value<{ code: string }>(['code', 'issue', 'north', `worker@${version}`, '--agent', agent])).code,
    show: (agent) => home.value<Shown>(['agent', 'show', `north/${agent}`]),
    stop,
  }
}

/** Packs a version of the blueprint into a folder, and returns the path of the bundle. */
export async function bundleIn(folder: string, version: string, level = 'ok'): Promise<string> {
  const source = join(folder, `worker-${version}`)
  mkdirSync(source)
  writeFileSync(join(source, 'svc.agent.yaml'), manifest(version))
  writeFileSync(join(source, 'main.mjs'), program(version, level))
  const packed = await packFolder(source)
  if (!packed.ok) throw new Error(packed.message)
  writeFileSync(`${source}.zip`, packed.value.bytes)
  return `${source}.zip`
}

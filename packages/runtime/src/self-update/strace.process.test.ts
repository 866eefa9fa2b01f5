/**
 * The whole process killed at its system calls during a self-update, from outside, with the built files: strace ends it on entering the n-th
 * call of each kind that changes the disk's names or makes them last. What starts next is what a unit starts (I21, I22).
 */
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { becomes, starts, svc } from '../../testing/folder.ts'
import { type InstalledAgent, installedAgent } from '../../testing/installed.ts'
import { type Build, installRuntime, serves, type Workshop, workshop } from '../../testing/releases.ts'
import { json, type Service, startService } from '../../testing/service.ts'
import { straceMissing } from '../../testing/strace.ts'
import { sha256Of, writeStarter } from '../launcher/trial-files.ts'
import { readRuntimeNote } from '../launcher/trial-note.ts'
import { identityOf } from '../process/identity.ts'

const kinds = ['rename', 'unlink', 'link', 'mkdir', 'rmdir', 'fsync', 'fdatasync'] as const
const calls = '/^(rename|unlink|link|mkdir|rmdir|fsync|fdatasync)(at|at2)?$'
const missing = straceMissing(calls, 'kills at system calls of a self-update')

const scale = 0.1
let shop: Workshop
let one: Build
let two: Build
let service: Service
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'svc-strace-update-')))
beforeAll(async () => {
  shop = workshop()
  one = await shop.build('1.0.0')
  two = await shop.build('2.0.0')
  service = await startService()
})
afterAll(async () => {
  await service.close()
  shop.remove()
  rmSync(folder, { recursive: true, force: true })
})

async function installed(): Promise<InstalledAgent> {
  service.usual = json({ commands: [], interval: 5 })
  const agent = await installedAgent(service)
  installRuntime(agent, one)
  writeStarter(agent)
  return agent
}

/** Runs under strace from the first wish until the new version is kept, or until it is killed. */
async function traced(agent: InstalledAgent, out: string, inject?: string): Promise<'killed' | 'kept'> {
  const args = [
    '-f',
    '-qq',
    '-o',
    out,
    '-e',
    `trace=${calls}`,
    ...(inject === undefined ? [] : ['-e', `inject=${inject}`]),
  ]
  serves(service, { version: '2.0.0', bytes: two.bytes, sig: shop.sign(two.bytes) })
  const child = spawn('strace', [...args, process.execPath, agent.runtimeStarter, 'run', '--dir', agent.root], {
    cwd: agent.root,
    env: { ...process.env, UV_THREADPOOL_SIZE: '1', SVC_TIME_SCALE: String(scale) },
    stdio: 'ignore',
  })
  const gone = new Promise((resolve) => child.once('close', resolve))
  try {
    const runtime = await becomes('the runtime runs', () => childOf(child.pid ?? 0))
    const what = await becomes('kept or killed', () =>
      identityOf(runtime) === undefined ? 'killed' : readRuntimeNote(agent).applied?.outcome === 'ok' && 'kept',
    )
    if (what === 'kept') process.kill(runtime, 'SIGKILL')
    return what
  } finally {
    child.kill('SIGKILL') // what it follows goes on: the agent
    await gone
  }
}

/** Not one of those that strace starts for itself. */
function childOf(pid: number): number | undefined {
  const list = execFileSync('ps', ['--ppid', String(pid), '-o', 'pid=,args='], { encoding: 'utf8' })
  const line = list.split('\n').find((text) => /^\s*\d+ \S*node .*start\.cjs/.test(text))
  return line === undefined ? undefined : Number.parseInt(line, 10)
}

type Point = readonly [kind: string, n: number]
/** Each kind with as many points as the busiest thread makes calls of one name: strace counts them so. */
async function pointsOf(): Promise<Point[]> {
  const agent = await installed()
  const out = join(folder, 'calls')
  try {
    expect(await traced(agent, out)).toBe('kept')
  } finally {
    agent.remove()
  }
  const most = new Map<string, number>()
  const each = new Map<string, number>()
  for (const line of readFileSync(out, 'utf8').split('\n')) {
    const [, thread, kind, ending = ''] = /^(\d+)\s+([a-z]+?)(at2?)?\(/.exec(line) ?? []
    if (kind === undefined) continue
    const n = (each.get(`${thread} ${kind}${ending}`) ?? 0) + 1
    each.set(`${thread} ${kind}${ending}`, n)
    most.set(kind, Math.max(most.get(kind) ?? 0, n))
  }
  return kinds.flatMap((kind) => Array.from({ length: most.get(kind) ?? 0 }, (_, i) => [kind, i + 1] as const))
}
const chosen = (all: readonly Point[]): readonly Point[] =>
  process.env.SVC_TEST_LONG
    ? all
    : [0.3, 0.6, 0.9].map((at) => all[Math.floor(at * all.length)]).filter((point) => point !== undefined)

test.skipIf(missing !== undefined)(
  'killed at a system call: a whole file that was verified or was there is in place, and the next start runs one of the two',
  { timeout: 60 * 60_000 },
  async () => {
    const all = await pointsOf()
    expect(all.length).toBeGreaterThan(30)
    for (const [kind, n] of chosen(all)) {
      const where = `killed on entering ${kind} ${n}`
      const agent = await installed()
      try {
        await traced(agent, join(folder, 'killed'), `/^${kind}(at|at2)?$:signal=SIGKILL:when=${n}`)
        expectWhole(agent, where)
        await expectGoesOn(agent, where)
      } finally {
        agent.remove()
      }
    }
  },
)

function expectWhole(agent: InstalledAgent, where: string): void {
  const inPlace = sha256Of(agent.runtime)
  expect([one.sha256, two.sha256], where).toContain(inPlace)
  if (inPlace === two.sha256) expect(sha256Of(agent.runtimePrevious), where).toBe(one.sha256)
}

/** The next start reports, ends up with the new version, and goes back without the network. */
async function expectGoesOn(agent: InstalledAgent, where: string): Promise<void> {
  const count = service.reports.length
  const running = starts(agent, ['run'], { scale, file: [agent.runtimeStarter] })
  try {
    const last = await becomes(`${where}: the new version is kept`, () => {
      const { runtime } = service.reports.slice(count).at(-1)?.report ?? {}
      return runtime?.version === '2.0.0' && runtime.applied?.outcome === 'ok' ? runtime : undefined
    })
    expect(last.previous, where).toBe('1.0.0')
    expectWhole(agent, where)
    await running.end()
    service.usual = json({}, 503)
    const back = await svc(agent, ['rollback-runtime'])
    expect(back, `${where}: ${back.err}`).toMatchObject({ code: 0 })
    expect(sha256Of(agent.runtime), where).toBe(one.sha256)
    expect(existsSync(agent.runtimePrevious), where).toBe(false)
    expect(readRuntimeNote(agent), where).toMatchObject({
      applied: { outcome: 'rolled_back' },
      hold: { version: '2.0.0' },
    })
  } finally {
    await running.end('SIGKILL')
  }
}

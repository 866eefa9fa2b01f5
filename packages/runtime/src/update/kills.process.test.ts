/**
 * An update and the way back, with the runtime killed at its system calls and at random moments (rules for kills, I17 to I20): strace is on the worker's
 * thread alone, so that neither the agent nor the launcher is counted. After each kill a start has to do what the journal and `current` say.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Packed } from '@svc/blueprint'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { bundle } from '../../testing/blueprint.ts'
import { becomes, type Running, starts, svc } from '../../testing/folder.ts'
import { agentIn, type InstalledAgent, installedAgent } from '../../testing/installed.ts'
import { json, type Service, startService } from '../../testing/service.ts'
import { straceMissing } from '../../testing/strace.ts'
import { expectWhole, learn, offers, restOf, versionOf } from '../../testing/updates.ts'
import { readUpdate } from './journal.ts'
import { leadsTo } from './versions.ts'

const scale = 0.02
const long = process.env.SVC_TEST_LONG !== undefined && process.env.SVC_TEST_LONG !== ''
const kinds = ['rename', 'fsync', 'symlink', 'mkdir', 'unlink', 'openat', 'write', 'link'] as const
const pattern = (kind: string) => (kind === 'openat' || kind === 'write' ? kind : `/^${kind}(at|at2)?$`)
const calls = '/^(rename|unlink|link|symlink|mkdir|fsync|openat|write)(at|at2)?$'

const missing = straceMissing(calls, 'kills at system calls of an update')

let service: Service
let offered: ReturnType<typeof offers>
let old: Packed
let next: Packed
let template: InstalledAgent
const folder = mkdtempSync(join(tmpdir(), 'svc-kills-'))
beforeAll(async () => {
  old = await learn(await bundle())
  next = await learn(
    await versionOf('1.5.0', {
      'a/b/extra.txt': 'new\n',
      'state/new-seed.json': '{"new":1}\n',
      '.svcignore': '!state/*\n',
    }),
  )
  service = await startService()
  service.other = json({ id: 'ws-1' })
  offered = offers(service, { '1.4.0': old, '1.5.0': next })
  offered.wish(undefined)
  template = await installedAgent(service)
  writeFileSync(join(template.state, 'precious'), 'theirs\n')
})
afterAll(async () => {
  await service.close()
  template.remove()
  rmSync(folder, { recursive: true, force: true })
})
const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

function copy(): InstalledAgent {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'svc-updated-')))
  cpSync(template.root, root, { recursive: true, verbatimSymlinks: true })
  return agentIn(root)
}
const runs = (agent: InstalledAgent): Running => starts(agent, ['run'], { scale })
const gone = (running: Running) => running.child.exitCode !== null || running.child.signalCode !== null

/** The thread of the runtime proper. */
const workerOf = (pid: number): number | undefined =>
  readdirSync(`/proc/${pid}/task`)
    .map(Number)
    .find((task) => readFileSync(`/proc/${pid}/task/${task}/comm`, 'utf8').trim() === 'WorkerThread')

/** Attaches to it; `inject` as strace takes it. */
async function trace(running: Running, out: string, inject: readonly string[]): Promise<ChildProcess> {
  const task = await becomes('the worker', () => workerOf(running.child.pid ?? 0))
  const args = ['-o', out, '-e', `trace=${calls}`, ...inject.flatMap((e) => ['-e', `inject=${e}`]), '-p', String(task)]
  const strace = spawn('strace', args, { stdio: ['ignore', 'ignore', 'pipe'] })
  await new Promise<void>((resolve) => {
    strace.stderr?.once('data', () => resolve())
    strace.once('exit', () => resolve())
  })
  return strace
}

/** An update and the way back under strace, as far as it comes. Leaves nothing running but, after a kill, the agent. */
async function wholeWay(agent: InstalledAgent, out: string, inject: readonly string[] = []): Promise<boolean> {
  offered.wish(undefined)
  const running = runs(agent)
  const strace = await (async () => {
    await becomes('the agent', () => agent.starts().length > 0)
    return trace(running, out, inject)
  })()
  try {
    offered.wish('1.5.0')
    await becomes('kept, or killed', () => gone(running) || readUpdate(agent)?.state === 'watching')
    offered.wish(undefined)
    if (!gone(running)) await svc(agent, ['rollback'])
    return gone(running)
  } finally {
    await running.end()
    strace.kill('SIGINT')
    offered.wish(undefined)
  }
}

/** Starts again without harm: it comes to rest at a whole version, which is the one that runs; the state is as it was. */
async function expectRests(
  agent: InstalledAgent,
  where: string,
  wanted?: { version: string; outcome: string },
): Promise<string> {
  const { length } = service.reports
  const running = runs(agent)
  try {
    const version = await becomes(`${where}: rest`, () => {
      const state = readUpdate(agent)?.state ?? 'idle'
      const report = service.reports.at(-1)?.report
      const at = expectWhole(agent, [old, next])
      const runsIt = agent
        .starts()
        .at(-1)
        ?.cwd.includes(leadsTo(agent) ?? '?')
      const said = service.reports.length > length + 1 && report?.applied?.version === at
      return (state === 'idle' || state === 'watching') && runsIt && said && at
    }).catch((error: unknown) => {
      throw new Error(`${error}\n${JSON.stringify(readUpdate(agent))}\n${running.lines.join('\n')}`)
    })
    const { applied } = service.reports.at(-1)?.report ?? {}
    if (wanted) expect({ version, outcome: applied?.outcome }, `${where}: ${applied?.message}`).toEqual(wanted)
    expect(readFileSync(join(agent.state, 'precious'), 'utf8'), where).toBe('theirs\n')
    expect(readFileSync(join(agent.state, 'seed.json'), 'utf8'), where).toBe('{"seed":true}\n')
    expect(readdirSync(agent.staging), where).toEqual([])
    return version
  } finally {
    await running.end()
  }
}

type Point = readonly [kind: string, n: number]
let points: Point[] | undefined
/** Each kind with as many points as the worker makes calls of one name on the whole way. */
async function pointsOf(): Promise<Point[]> {
  if (points) return points
  const agent = copy()
  const out = join(folder, 'calls')
  try {
    expect(await wholeWay(agent, out)).toBe(false)
    expect(readUpdate(agent)).toMatchObject({
      state: 'idle',
      running: { version: '1.4.0' },
      hold: { version: '1.5.0' },
    })
  } finally {
    agent.remove()
  }
  const count = new Map<string, number>()
  for (const line of readFileSync(out, 'utf8').split('\n')) {
    const [, name = ''] = /^([a-z]+)(?:at2?)?\(/.exec(line) ?? []
    const kind = kinds.find((k) => k === name || k === `${name}at`)
    if (kind) count.set(kind, (count.get(kind) ?? 0) + 1)
  }
  points = kinds.flatMap((kind) => Array.from({ length: count.get(kind) ?? 0 }, (_, i) => [kind, i + 1] as const))
  return points
}
/** `SVC_TEST_POINTS`: so many at most of a long form. */
const most = (n: number) => Math.min(n, Number(process.env.SVC_TEST_POINTS ?? n))
const chosen = <T>(all: readonly T[], few: number): T[] => spread(all, long ? most(all.length) : few)
const spread = <T>(all: readonly T[], n: number): T[] =>
  Array.from({ length: Math.min(n, all.length) }, (_, i) => all[Math.floor(((i + 0.5) * all.length) / n)] as T)

test.skipIf(missing !== undefined)(
  'killed at a system call: the next start comes to what the journal and current say',
  { timeout: 4 * 3_600_000 },
  async () => {
    const all = await pointsOf()
    expect(all.length).toBeGreaterThan(60)
    const fell = new Map<string, number>()
    for (const [kind, n] of chosen(all, 4)) {
      const agent = copy()
      try {
        const killed = await wholeWay(agent, join(folder, 'killed'), [`${pattern(kind)}:signal=SIGKILL:when=${n}`])
        const state = killed ? (readUpdate(agent)?.state ?? 'none') : 'unharmed'
        fell.set(state, (fell.get(state) ?? 0) + 1)
        expectWhole(agent, [old, next])
        await expectRests(agent, `killed at ${kind} ${n} (${state})`, restOf(agent, next))
      } finally {
        agent.remove()
      }
    }
    if (long) {
      process.stderr.write(`kills fell into: ${JSON.stringify([...fell])}\n`)
      if (process.env.SVC_TEST_POINTS === undefined)
        expect([...fell.keys()]).toEqual(expect.arrayContaining(['none', 'fetching', 'staging', 'swapping', 'undoing']))
    }
  },
)

test.skipIf(missing !== undefined).each(['ENOSPC', 'EIO'])(
  'a disk that fails once with %s: it ends at a whole version, and so does the next start',
  { timeout: 4 * 3_600_000 },
  async (error) => {
    const all = (await pointsOf()).filter(([kind]) => kind !== 'write') // that is also how threads wake each other
    for (const [kind, n] of chosen(all, 1)) {
      const agent = copy()
      try {
        await wholeWay(agent, join(folder, 'failed'), [`${pattern(kind)}:error=${error}:when=${n}`])
        expectWhole(agent, [old, next])
        await expectRests(agent, `${error} at ${kind} ${n}`)
      } finally {
        agent.remove()
      }
    }
  },
)

test('cycles of updates forth and back with kills at random moments: always at a whole version, the state byte for byte', {
  timeout: 4 * 3_600_000,
}, async () => {
  const seed = Number(process.env.SVC_TEST_SEED ?? Date.now() % 1e6)
  const random = randomOf(seed)
  const agent = copy()
  cleanups.push(() => agent.remove())
  let running = runs(agent)
  cleanups.push(() => running.end('SIGKILL'))
  let kills = 0
  for (let i = 0; i < (long ? most(1000) : 4); i++) {
    const where = `seed ${seed}, cycle ${i}`
    const wish = i % 2 === 0 ? '1.5.0' : '1.4.0'
    offered.wish(wish)
    for (let pairs = Math.floor(random() * 3); pairs > 0; pairs--) {
      await new Promise((resolve) => setTimeout(resolve, random() * 900))
      await running.end('SIGKILL')
      kills++
      expectWhole(agent, [old, next])
      running = runs(agent)
    }
    await becomes(`${where}: ${wish}, or held`, () => {
      const now = readUpdate(agent)
      const rests = now?.state === 'watching' || now?.state === 'idle'
      return rests && (now.running.version === wish || now.hold?.version === wish || now.retry?.version === wish)
    }).catch((error: unknown) => {
      throw new Error(`${error}\n${JSON.stringify(readUpdate(agent))}\n${running.lines.join('\n')}`)
    })
    const now = readUpdate(agent)
    if (now?.hold || now?.retry) await svc(agent, ['unhold'])
    expect(expectWhole(agent, [old, next]), where).toBe(now?.running.version)
    expect(readFileSync(join(agent.state, 'precious'), 'utf8'), where).toBe('theirs\n')
    expect(readFileSync(join(agent.state, 'seed.json'), 'utf8'), where).toBe('{"seed":true}\n')
  }
  process.stderr.write(`${kills} kills, seed ${seed}\n`)
  await becomes('the version in place runs', () =>
    agent
      .starts()
      .at(-1)
      ?.cwd.includes(leadsTo(agent) ?? '?'),
  )
})

/** Mulberry32: the same numbers for the same seed. */
function randomOf(seed: number): () => number {
  let s = seed
  return () => {
    s = (s + 0x6d2b79f5) | 0
    let t = Math.imul(s ^ (s >>> 15), 1 | s)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

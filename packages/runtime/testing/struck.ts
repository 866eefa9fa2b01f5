/**
 * Agents whose runtime is killed or disturbed during an update, several in parallel. Each lane has a service and copies
 * of an installed agent, and runs the built `svc.pyz`, which starts four times as fast as the sources. strace follows a
 * single thread, so that the n-th system call of a name is the same call in each run.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { PackedBundle } from '@svc/blueprint'
import { expect } from 'vitest'
import { level } from '../../../testing/level.ts'
import { currentVersionFolder } from '../src/state/versions/folders.ts'
import { readUpdate } from '../src/updates/agent/journal.ts'
import { bundle } from './blueprint.ts'
import { becomes, type Ran, type Running, starts, svc } from './folder.ts'
import { agentIn, type InstalledAgent, installedAgent } from './installed.ts'
import { quickBuild } from './releases.ts'
import { json, type Service, startService } from './service.ts'
import { partOf, straceMissing } from './strace.ts'
import { expectWhole, learnFiles, offerBundles, restOf, versionOf } from './updates.ts'

/**
 * The usual factor for all durations: a second lasts 20 ms. A test in which many agents do much at once needs a larger
 * factor, since each of them gets only part of the machine.
 */
const usual = 0.02
export const long = level === 'long'
export const kinds = ['rename', 'fsync', 'symlink', 'mkdir', 'unlink', 'openat', 'write', 'link'] as const
export type Kind = (typeof kinds)[number]
const agentFile = fileURLToPath(new URL('./worker.cjs', import.meta.url))
/** The files of an agent that does its work only ten times a second, since many such agents run in parallel. */
const calm = { 'main.cjs': `process.env.SVC_SETTING_BEAT = '100'\nrequire(${JSON.stringify(agentFile)})\n` }
const calls = '/^(rename|unlink|link|symlink|mkdir|fsync|openat|write)(at|at2)?$'
const pattern = (kind: Kind) => (kind === 'openat' || kind === 'write' ? kind : `/^${kind}(at|at2)?$`)
export const missing: string | undefined = straceMissing(calls, 'updates struck at system calls')

/** A point of a run at which a test can interfere: the n-th system call of a kind. */
export type Point = readonly [kind: Kind, n: number]
export const killedAt = ([kind, n]: Point): string => `${pattern(kind)}:signal=SIGKILL:when=${n}`
export const failsAt = ([kind, n]: Point, error: string): string => `${pattern(kind)}:error=${error}:when=${n}`
/** The strace option that delays the call at this point. `seconds` must be so many that the test ends earlier. */
export const hangsAt = ([kind, n]: Point, seconds: number): string =>
  `${pattern(kind)}:delay_enter=${seconds}s:when=${n}`

export interface Lane {
  readonly service: Service
  readonly offered: ReturnType<typeof offerBundles>
  /** Makes a fresh agent at version 1.4.0. */
  copy(): InstalledAgent
  /**
   * Makes an agent that was updated to 1.5.0 and is still in the watching time after the trial. None of its processes
   * run.
   */
  updated(): Promise<InstalledAgent>
  runs(agent: InstalledAgent): Running
  starts(agent: InstalledAgent, command: readonly string[]): Running
  /** Runs a command of `svc` that ends without being stopped. */
  svc(agent: InstalledAgent, args: readonly string[]): Promise<Ran>
}
export interface UpdateSetup {
  readonly old: PackedBundle
  readonly next: PackedBundle
  readonly file: readonly string[]
  readonly scale: number
  /** The folder for the output of strace. */
  readonly folder: string
  readonly lanes: readonly Lane[]
  close(): Promise<void>
}

export const theirs: Readonly<Record<string, string>> = {
  precious: 'theirs\n',
  'mail/2026/11/a.eml': 'Subject: \u00e4\r\n\r\n'.repeat(500),
  'mail/index.bin': '\u0000\u0001\uffff'.repeat(2000),
}

export async function newUpdateSetup(atOnce: number, scale = usual): Promise<UpdateSetup> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'svc-struck-')))
  const [old, next, built] = await Promise.all([
    bundle(calm).then(learnFiles),
    versionOf('1.5.0', {
      ...calm,
      'a/b/extra.txt': 'new\n',
      'state/new-seed.json': '{"new":1}\n',
      '.svcignore': '!state/*\n',
    }).then(learnFiles),
    quickBuild({ outDir: join(folder, 'cli') }),
  ])
  const file = ['-e', 'require(process.argv[1])', built.file]
  const first = await startService()
  const installed = await installedAgent(first, calm)
  for (const [name, text] of Object.entries(theirs)) {
    mkdirSync(join(installed.state, name, '..'), { recursive: true })
    writeFileSync(join(installed.state, name), text)
  }
  const lanes = await Promise.all(
    Array.from({ length: atOnce }, () => makeLane({ old, next, file, scale }, installed, first.origin)),
  )
  return {
    old,
    next,
    file,
    scale,
    folder,
    lanes,
    close: async () => {
      await Promise.all(lanes.map((l) => l.close()))
      await first.close()
      installed.remove()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/**
 * Makes a lane: a service, and copies of the agent `installed` that are changed as if they had been installed from the
 * lane's service.
 */
async function makeLane(
  { old, next, file, scale }: Pick<UpdateSetup, 'old' | 'next' | 'file' | 'scale'>,
  installed: InstalledAgent,
  from: string,
) {
  const service = await startService()
  service.other = json({ id: 'ws-1' })
  const offered = offerBundles(service, { '1.4.0': old, '1.5.0': next })
  offered.wish(undefined)
  const copyOf = (agent: InstalledAgent): InstalledAgent => {
    const root = realpathSync(mkdtempSync(join(tmpdir(), 'svc-updated-')))
    cpSync(agent.root, root, { recursive: true, verbatimSymlinks: true })
    return agentIn(root)
  }
  const template = copyOf(installed)
  for (const name of [template.env, template.install])
    writeFileSync(name, readFileSync(name, 'utf8').replaceAll(from, service.origin))
  const begins = (agent: InstalledAgent, command: readonly string[]) => starts(agent, command, { scale, file })
  const runs = (agent: InstalledAgent) => begins(agent, ['run'])
  let watched: InstalledAgent | undefined
  return {
    service,
    offered,
    copy: () => copyOf(template),
    updated: async () => {
      if (!watched) {
        watched = copyOf(template)
        offered.wish('1.5.0')
        const running = runs(watched)
        await becomes('kept', () => watched && readUpdate(watched)?.state === 'watching')
        await running.end()
        offered.wish(undefined)
      }
      return copyOf(watched)
    },
    runs,
    starts: begins,
    svc: (agent: InstalledAgent, args: readonly string[]) =>
      svc(agent, args, { file, env: { SVC_TIME_SCALE: String(scale) } }),
    close: async () => {
      await service.close()
      template.remove()
      watched?.remove()
    },
  }
}

/** Runs each case in the next free lane. If a case fails, no other case is started, but the ones in progress finish. */
export async function runCases<T>(
  { lanes }: UpdateSetup,
  cases: readonly T[],
  check: (one: T, lane: Lane) => Promise<void>,
) {
  const left = [...cases]
  const through = async (lane: Lane) => {
    for (let one = left.shift(); one !== undefined; one = left.shift()) {
      try {
        await check(one, lane)
      } catch (error) {
        left.length = 0
        throw error
      }
    }
  }
  const over = await Promise.allSettled(lanes.map(through))
  for (const lane of over) if (lane.status === 'rejected') throw lane.reason
}

/** True if this test run covers all cases of the long form, so that a test can check the totals. */
export const isWholeForm: boolean = long && (process.env.SVC_TEST_PART ?? '1/1') === '1/1'

/**
 * Chooses cases. The short form of a test gets `few` of them, spread evenly; the long form gets the part that
 * SVC_TEST_PART selects.
 */
export const chooseCases = <T>(cases: readonly T[], few: number): readonly T[] =>
  long
    ? partOf(cases)
    : Array.from(
        { length: Math.min(few, cases.length) },
        (_, i) => cases[Math.floor(((i + 0.5) * cases.length) / few)] as T,
      )

export const hasEnded = ({ child }: Running): boolean => child.exitCode !== null || child.signalCode !== null

/** A thread of the runtime: that of the launcher, or that of its worker. */
export type Thread = 'launcher' | 'worker'
const workerOf = (pid: number): number | undefined =>
  readdirSync(`/proc/${pid}/task`)
    .map(Number)
    .find((task) => readFileSync(`/proc/${pid}/task/${task}/comm`, 'utf8').trim() === 'WorkerThread')

export interface Strace {
  readonly child: ChildProcess
  readonly out: string
  /** Ends strace. By default a system call that strace is delaying then continues. */
  end(signal?: NodeJS.Signals): Promise<void>
}
let outs = 0
/**
 * Attaches strace to one thread. `inject` is in strace's syntax. If `path` is given, strace counts only calls on that
 * path; for a rename that is the old name.
 */
export async function attach(
  { folder }: UpdateSetup,
  task: number,
  inject: readonly string[],
  path?: string,
): Promise<Strace> {
  const out = join(folder, `strace-${++outs}`)
  const on = path === undefined ? [] : ['-P', path]
  const args = ['-o', out, ...on, '-e', `trace=${calls}`, ...inject.flatMap((e) => ['-e', `inject=${e}`])]
  const child = spawn('strace', [...args, '-p', String(task)], { stdio: ['ignore', 'ignore', 'pipe'] })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  await Promise.race([new Promise((resolve) => child.stderr.once('data', resolve)), ended])
  return {
    child,
    out,
    end: (signal = 'SIGINT') => {
      child.kill(signal)
      return ended
    },
  }
}
export async function attachToThread(
  w: UpdateSetup,
  running: Running,
  thread: Thread,
  inject: readonly string[],
  path?: string,
): Promise<Strace> {
  const pid = running.child.pid ?? 0
  const task = await becomes('the thread', () => (thread === 'launcher' ? pid : workerOf(pid)))
  return attach(w, task, inject, path)
}

/**
 * Starts the agent's runtime. As soon as its worker exists, the runtime is suspended until strace follows the worker,
 * so that strace sees nearly all calls of the worker.
 */
export async function runsTraced(
  w: UpdateSetup,
  lane: Lane,
  agent: InstalledAgent,
  inject: readonly string[],
): Promise<{ running: Running; strace: Strace }> {
  const running = lane.runs(agent)
  return { running, strace: await heldUntil(w, running, () => true, inject) }
}

/** Suspends the runtime as soon as the condition is true, and lets it continue when strace follows its worker. */
export async function heldUntil(
  w: UpdateSetup,
  running: Running,
  holds: () => boolean,
  inject: readonly string[],
): Promise<Strace> {
  const pid = running.child.pid ?? 0
  const heldWorker = () => {
    try {
      return holds() ? workerOf(pid) : undefined
    } catch {
      return undefined // The worker does not exist yet.
    }
  }
  let task = heldWorker()
  for (const end = performance.now() + 30_000; task === undefined && performance.now() < end; task = heldWorker())
    await new Promise((resolve) => setTimeout(resolve, 1))
  if (task === undefined) throw new Error(`It never came to be held:\n${running.lines.join('\n')}`)
  process.kill(pid, 'SIGSTOP')
  try {
    return await attach(w, task, inject)
  } finally {
    process.kill(pid, 'SIGCONT')
  }
}

/**
 * Runs an update and its rollback while strace follows a thread, until both are done or the runtime is killed.
 * Afterwards no process runs except, after a kill, the agent's.
 */
export async function wholeWay(
  w: UpdateSetup,
  lane: Lane,
  agent: InstalledAgent,
  inject: readonly string[] = [],
  thread: Thread = 'worker',
): Promise<{ killed: boolean; out: string }> {
  const { offered } = lane
  offered.wish(undefined)
  const running = lane.runs(agent)
  await becomes('the agent', () => agent.starts().length > 0)
  const strace = await attachToThread(w, running, thread, inject)
  try {
    offered.wish('1.5.0')
    const ended = () => readUpdate(agent)?.state === 'watching' || readUpdate(agent)?.retry !== undefined
    await becomes('kept, failed or killed', () => hasEnded(running) || ended()).catch(withJournal(agent, running))
    if (thread === 'launcher') await watchesFor(launcherReports, running, lane)
    offered.wish(undefined)
    if (!hasEnded(running)) await lane.svc(agent, ['rollback'])
    return { killed: hasEnded(running), out: strace.out }
  } finally {
    await running.end()
    await strace.end()
    offered.wish(undefined)
  }
}
/**
 * The number of reports for which a new version is watched while strace follows the launcher. The launcher does so
 * little then that otherwise no kill might fall into that state.
 */
const launcherReports = 10
async function watchesFor(reports: number, running: Running, { service }: Lane): Promise<void> {
  const { length } = service.reports
  await becomes(`${reports} reports`, () => hasEnded(running) || service.reports.length >= length + reports)
}

/** Adds the agent's journal of updates and the runtime's output to the message of a failed test. */
export const withJournal = (agent: InstalledAgent, running: Running) => (error: unknown) => {
  throw new Error(`${error}\n${JSON.stringify(readUpdate(agent))}\n${running.lines.join('\n')}`)
}

/** Runs `svc rollback` under strace while no runtime runs. */
export async function rollbackAlone(
  { file, folder, scale }: UpdateSetup,
  agent: InstalledAgent,
  inject: readonly string[] = [],
): Promise<{ killed: boolean; out: string }> {
  const out = join(folder, `strace-${++outs}`)
  const args = ['-o', out, '-e', `trace=${calls}`, ...inject.flatMap((e) => ['-e', `inject=${e}`])]
  const env = { ...process.env, SVC_TIME_SCALE: String(scale) }
  const child = spawn('strace', [...args, process.execPath, ...file, 'rollback'], {
    cwd: agent.root,
    env,
    stdio: 'ignore',
  })
  const signal = await new Promise((resolve) => child.once('close', (_code, by) => resolve(by)))
  return { killed: signal === 'SIGKILL', out }
}

/**
 * The points of an update and its rollback in one thread, in their order. On a busy machine the first try may not
 * complete, so it is repeated.
 */
export async function pointsOf(w: UpdateSetup, thread: Thread): Promise<Point[]> {
  const [lane] = w.lanes
  if (!lane) throw new Error('There is no lane.')
  for (let left = 3; ; left--) {
    const agent = lane.copy()
    try {
      const { killed, out } = await wholeWay(w, lane, agent, [], thread)
      expect(killed).toBe(false)
      const { state, running, hold, retry } = readUpdate(agent) ?? {}
      if (retry && left > 0) continue
      const came = [state, running?.version, hold?.version]
      expect(came, JSON.stringify(readUpdate(agent))).toEqual(['idle', '1.4.0', '1.5.0'])
      return pointsIn(out)
    } finally {
      agent.remove()
    }
  }
}

/**
 * Reads the points from the output of strace. strace counts the calls of each name, while a kind covers several names
 * such as `unlink` and `unlinkat`. So the n-th calls of all names of a kind are one point.
 */
export function pointsIn(out: string): Point[] {
  const count = new Map<string, number>()
  const found = new Map<string, Point>()
  for (const line of readFileSync(out, 'utf8').split('\n')) {
    const [, name = '', ending = ''] = /^([a-z]+?)(at2?)?\(/.exec(line) ?? []
    const kind = kinds.find((k) => k === name || k === `${name}${ending}`)
    if (!kind) continue
    const n = (count.get(name + ending) ?? 0) + 1
    count.set(name + ending, n)
    if (!found.has(`${kind} ${n}`)) found.set(`${kind} ${n}`, [kind, n])
  }
  return [...found.values()]
}

/** Checks that the files in the agent's state folder are unchanged, byte for byte. */
export function expectTheirs(agent: InstalledAgent, where: string): void {
  for (const [name, text] of Object.entries(theirs))
    if (readFileSync(join(agent.state, name), 'utf8') !== text) throw new Error(`${where}: ${name} is another`)
  expect(readFileSync(join(agent.state, 'seed.json'), 'utf8'), where).toBe('{"seed":true}\n')
}

/**
 * Returns the name of a version if the agent has come to rest at it: the version is complete, its process was started,
 * and the last report names it. Otherwise returns false.
 */
export function restingVersion(
  { old, next }: UpdateSetup,
  { service }: Lane,
  agent: InstalledAgent,
  since: number,
): string | false {
  const state = readUpdate(agent)?.state ?? 'idle'
  if (state !== 'idle' && state !== 'watching') return false
  if (service.reports.length < since + 2) return false
  const running = agent.starts().at(-1)?.cwd ?? ''
  if (!running.includes(currentVersionFolder(agent) ?? '?')) return false
  const at = expectWhole(agent, [old, next])
  return service.reports.at(-1)?.report?.applied?.version === at && at
}

/**
 * Starts the runtime again after a disturbance, and checks that it leaves a complete version running and the agent's
 * files unchanged. By default the version and outcome must be those of docs/decisions/kills.md.
 */
export async function expectRests(
  w: UpdateSetup,
  lane: Lane,
  agent: InstalledAgent,
  where: string,
  wanted: { version: string; outcome: string } | 'anywhere' = restOf(agent, w.next),
): Promise<string> {
  expectWhole(agent, [w.old, w.next])
  const since = lane.service.reports.length
  const running = lane.runs(agent)
  try {
    const version = await becomes(`${where}: rest`, () => restingVersion(w, lane, agent, since)).catch(
      withJournal(agent, running),
    )
    const { applied } = lane.service.reports.at(-1)?.report ?? {}
    if (wanted !== 'anywhere')
      expect(
        { version, outcome: applied?.outcome },
        `${where}: ${applied?.message}\n${running.lines.join('\n')}`,
      ).toEqual(wanted)
    expectTheirs(agent, where)
    expect(readdirSync(agent.staging), where).toEqual([])
    return version
  } finally {
    await running.end()
  }
}

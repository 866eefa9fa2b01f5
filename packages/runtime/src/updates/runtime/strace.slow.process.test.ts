/**
 * Kills the runtime at its system calls during a self-update and its rollback, from outside and with the built files:
 * strace kills it when it enters the n-th call of a kind, and the next start is the one that a service manager makes
 * (I21, I22). The tests kill the whole process, then single threads, then a person's commands, and last at random
 * moments. The long form covers every call, or a part with `SVC_TEST_PART=2/5`; `SVC_TEST_POINTS` sets the number of
 * pairs of kills. `npm test` leaves this out. packages/runtime/src/launcher/keeper.test.ts proves the same rules.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { level } from '../../../../../testing/level.ts'
import { becomes, type Running, starts } from '../../../testing/folder.ts'
import { agentIn, type InstalledAgent, installedAgent } from '../../../testing/installed.ts'
import { randomOf, seed } from '../../../testing/random.ts'
import { type Build, installRuntime, openWorkshop, serveRelease, type Workshop } from '../../../testing/releases.ts'
import { json, type Service, startService } from '../../../testing/service.ts'
import { partOf, straceMissing } from '../../../testing/strace.ts'
import { writeStarter } from '../../launcher/starter.ts'
import { sha256OfFile } from '../../machine/files/sha256.ts'
import { identityOf } from '../../machine/process/identity.ts'
import { readRuntimeNote } from '../../state/versions/runtime-note.ts'
import { readPin } from './pin.ts'

const naming = ['rename', 'unlink', 'link', 'mkdir', 'rmdir', 'fsync', 'fdatasync'] as const
const everything = [...naming, 'open', 'write'] as const
type Kinds = readonly (typeof everything)[number][]
const callsOf = (kinds: Kinds) => `/^(${kinds.join('|')})(at|at2)?$`
const missing = straceMissing(callsOf(everything), 'kills at system calls of a self-update')
const long = level === 'long'
const hours = { timeout: 2 * 3_600_000 }

const scale = 0.1
let shop: Workshop
let one: Build
let two: Build
let service: Service
/** Two installed agents: one with svc 1.0.0, and one that was updated from it to 2.0.0 and has kept that. */
let before: InstalledAgent
let after: InstalledAgent
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'svc-strace-update-')))
beforeAll(async () => {
  shop = openWorkshop()
  one = await shop.build('1.0.0')
  two = await shop.build('2.0.0')
  service = await startService()
  service.usual = quiet
  before = await installedAgent(service)
  installRuntime(before, one)
  writeStarter(before)
  after = copy(before)
  wishes()
  const running = runs(after, 0.02)
  try {
    await becomes('the new version is kept', () => readRuntimeNote(after).applied?.outcome === 'ok')
    await becomes('its trial is over', () => readRuntimeNote(after).trial === undefined)
  } finally {
    await running.end()
  }
})
afterAll(async () => {
  await service.close()
  before.remove()
  after.remove()
  shop.remove()
  rmSync(folder, { recursive: true, force: true })
})

const quiet = json({ commands: [], interval: 5 })
const wishes = () => serveRelease(service, { version: '2.0.0', bytes: two.bytes, sig: shop.sign(two.bytes) })
const runs = (agent: InstalledAgent, by = scale): Running =>
  starts(agent, ['run'], { scale: by, file: [agent.runtimeStarter] })
/** A command that a person runs with the folder's own copy of svc. */
const calls = (agent: InstalledAgent, command: readonly string[]) => [
  process.execPath,
  '-e',
  'require(process.argv[1])',
  existsSync(agent.runtime) ? agent.runtime : two.file,
  ...command,
  '--dir',
  agent.root,
]
function copy(of: InstalledAgent): InstalledAgent {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'svc-strace-')))
  cpSync(of.root, root, { recursive: true, verbatimSymlinks: true })
  return agentIn(root)
}

type Point = readonly [kind: string, n: number]
const injection = ([kind, n]: Point) => [`inject=/^${kind}(at|at2)?$:signal=SIGKILL:when=${n}`]
const traceArgs = (out: string, kinds: Kinds, inject: readonly string[] = []) =>
  ['-qq', '-y', '-o', out, ...[`trace=${callsOf(kinds)}`, ...inject].flatMap((e) => ['-e', e])] as const

/**
 * The calls of these kinds on files in the folder `root`, except opening for reading, each with its number. strace
 * numbers the calls of a thread by name, whatever file they are on.
 */
function pointsIn(out: string, kinds: Kinds, root: string): Point[] {
  const counts = new Map<string, number>()
  const found = new Set<string>()
  for (const line of readFileSync(out, 'utf8').split('\n')) {
    const [, thread = '', name = '', rest = ''] = /^(?:(\d+)\s+)?([a-z]+?)(?:at2?)?(\(.*)/.exec(line) ?? []
    if (!(kinds as readonly string[]).includes(name)) continue
    const key = `${thread} ${line.slice(0, line.indexOf('('))}`
    const n = (counts.get(key) ?? 0) + 1
    counts.set(key, n)
    const changes = name !== 'open' || /O_WRONLY|O_RDWR|O_CREAT/.test(rest)
    if (changes && rest.includes(root)) found.add(`${name} ${n}`)
  }
  return kinds.flatMap((kind) =>
    [...found]
      .map((point) => point.split(' '))
      .filter(([name]) => name === kind)
      .map(([, n]) => [kind, Number(n)] as const)
      .sort(([, a], [, b]) => a - b),
  )
}
/**
 * Chooses the system calls at which the runtime is killed. The short form takes `few` of them, spread over all; the
 * long form takes all, or the part that SVC_TEST_PART selects.
 */
const chosen = (all: readonly Point[], few: number): readonly Point[] =>
  long
    ? partOf(all)
    : Array.from({ length: few }, (_, i) => all[Math.floor(((i + 0.6) * all.length) / few)] ?? all[0]).filter(
        (point) => point !== undefined,
      )

/**
 * Checks I21: either the old or the new file is in place and complete; while it is the new one, the old one is kept as
 * the previous file.
 */
function expectWhole(agent: InstalledAgent, where: string): void {
  const inPlace = sha256OfFile(agent.runtime)
  expect([one.sha256, two.sha256], where).toContain(inPlace)
  if (inPlace === two.sha256) expect(sha256OfFile(agent.runtimePrevious), where).toBe(one.sha256)
}
function expectBack(agent: InstalledAgent, where: string): void {
  expect(sha256OfFile(agent.runtime), where).toBe(one.sha256)
  expect(existsSync(agent.runtimePrevious), where).toBe(false)
  const note = readRuntimeNote(agent)
  expect(note, where).toMatchObject({ applied: { outcome: 'rolled_back' }, hold: { version: '2.0.0' } })
  expect(note.trial, where).toBeUndefined()
}

/** Runs a command of the folder's own svc until it ends. */
const called = (agent: InstalledAgent, command: readonly string[], under: readonly string[] = []) =>
  ended(spawnIn(agent, [...under, ...calls(agent, command)]))
function spawnIn(agent: InstalledAgent, [program = '', ...args]: readonly string[]): ChildProcess {
  const env = { ...process.env, UV_THREADPOOL_SIZE: '1', SVC_TIME_SCALE: String(scale) }
  return spawn(program, args, { cwd: agent.root, env, stdio: ['ignore', 'pipe', 'pipe'] })
}
function ended(child: ChildProcess): Promise<{ code: number | null; signal: string | null; said: string }> {
  let said = ''
  for (const each of [child.stdout, child.stderr]) each?.on('data', (part) => (said += part))
  return new Promise((resolve) => child.once('close', (code, signal) => resolve({ code, signal, said })))
}

/**
 * Checks that the next start reports and ends up with the new version, and that "svc rollback-runtime" then works while
 * the service refuses every report.
 */
async function expectGoesOn(agent: InstalledAgent, where: string): Promise<void> {
  wishes()
  const count = service.reports.length
  const running = runs(agent)
  try {
    const last = await becomes(`${where}: the new version is kept`, () => {
      const { runtime } = service.reports.slice(count).at(-1)?.report ?? {}
      return runtime?.version === '2.0.0' && runtime.applied?.outcome === 'ok' ? runtime : undefined
    }).catch((error: unknown) => {
      throw new Error(`${error}\n${JSON.stringify(readRuntimeNote(agent))}\n${running.lines.join('\n')}`)
    })
    expect(last.previous, where).toBe('1.0.0')
    expectWhole(agent, where)
    await running.end()
    service.usual = json({}, 503)
    const back = await called(agent, ['rollback-runtime'])
    expect(back, `${where}: ${back.said}`).toMatchObject({ code: 0 })
    expectBack(agent, where)
  } finally {
    await running.end('SIGKILL')
  }
}

/** Runs the whole process under strace, from the first wish until the new version is kept or the process is killed. */
async function wholeProcess(agent: InstalledAgent, out: string, inject?: readonly string[]) {
  wishes()
  const run = [process.execPath, agent.runtimeStarter, 'run', '--dir', agent.root]
  const child = spawnIn(agent, ['strace', '-f', ...traceArgs(out, naming, inject), ...run])
  const gone = ended(child)
  try {
    const runtime = await becomes('the runtime runs', () => childOf(child.pid ?? 0))
    const what = await becomes('kept or killed', () =>
      identityOf(runtime) === undefined ? 'killed' : readRuntimeNote(agent).applied?.outcome === 'ok' && 'kept',
    )
    if (what === 'kept') process.kill(runtime, 'SIGKILL')
    return what
  } finally {
    child.kill('SIGKILL') // this ends strace; the agent, which strace also traced, keeps running
    await gone
  }
}
/**
 * The id of the runtime's process: the child of strace that runs `start.cjs`. strace also has a child for its own
 * purposes.
 */
function childOf(pid: number): number | undefined {
  const list = execFileSync('ps', ['--ppid', String(pid), '-o', 'pid=,args='], { encoding: 'utf8' })
  const line = list.split('\n').find((text) => /^\s*\d+ \S*node .*start\.cjs/.test(text))
  return line === undefined ? undefined : Number.parseInt(line, 10)
}

test.skipIf(missing !== undefined)(
  'killed at a system call: a complete file that was verified or was there is in place, and the next start runs one of the two',
  hours,
  async () => {
    const out = join(folder, 'calls')
    const whole = copy(before)
    expect(await wholeProcess(whole, out)).toBe('kept')
    whole.remove()
    const all = pointsIn(out, naming, whole.svc)
    expect(all.length).toBeGreaterThan(30)
    let killed = 0
    for (const point of chosen(all, 1)) {
      const where = `killed on entering ${point.join(' ')}`
      const agent = copy(before)
      try {
        if ((await wholeProcess(agent, join(folder, 'killed'), injection(point))) === 'killed') killed++
        expectWhole(agent, where)
        await expectGoesOn(agent, where)
      } finally {
        agent.remove()
      }
    }
    printKilled('the whole process', killed, all)
  },
)

/**
 * The two threads that are traced. The launcher is the main thread. The worker has a thread of its own, and
 * another one after the swap.
 */
type Thread = 'launcher' | 'worker'
function threadOf(pid: number, thread: Thread): number | undefined {
  if (thread === 'launcher') return pid
  return readdirSync(`/proc/${pid}/task`)
    .map(Number)
    .find((task) => readFileSync(`/proc/${pid}/task/${task}/comm`, 'utf8').trim() === 'WorkerThread')
}
/**
 * Runs the runtime, attaches strace to one of its threads, and then calls `act`. Ends when `until` holds (`unharmed`)
 * or when the runtime was killed (`killed`).
 */
async function oneThread(
  agent: InstalledAgent,
  thread: Thread,
  out: string,
  { act, until }: { act: () => ChildProcess | undefined; until: () => boolean },
  inject?: readonly string[],
): Promise<'killed' | 'unharmed'> {
  service.usual = quiet
  const count = service.reports.length
  const running = runs(agent)
  let strace: ChildProcess | undefined
  let acting: ChildProcess | undefined
  try {
    await becomes('it reports', () => service.reports.length > count)
    const task = await becomes('the thread', () => threadOf(running.child.pid ?? 0, thread))
    strace = spawnIn(agent, [
      'strace',
      ...traceArgs(out, everything, inject).filter((a) => a !== '-qq'),
      '-p',
      String(task),
    ])
    // strace prints a line when it has attached to the thread
    await new Promise((resolve) => strace?.stderr?.once('data', resolve))
    acting = act()
    const gone = () => running.child.exitCode !== null || running.child.signalCode !== null
    await becomes('done or killed', () => gone() || until())
    return gone() ? 'killed' : 'unharmed'
  } finally {
    acting?.kill('SIGKILL')
    await running.end('SIGKILL')
    strace?.kill('SIGKILL')
  }
}
const update = (agent: InstalledAgent) => ({
  act: () => void wishes(),
  until: () => readRuntimeNote(agent).applied?.outcome === 'ok',
})
const back = (agent: InstalledAgent) => {
  let came = Number.POSITIVE_INFINITY
  return {
    act: () => {
      const child = spawnIn(agent, calls(agent, ['rollback-runtime']))
      void ended(child).then(() => {
        came = service.reports.length
      })
      return child
    },
    until: () => service.reports.length > came + 1,
  }
}

test.skipIf(missing !== undefined).each([
  ['launcher', 15],
  ['worker', 15],
] as const)(
  'an update with the %s killed at any file that it names, opens, writes or syncs: the next start continues',
  hours,
  async (thread, min) => {
    const out = join(folder, `calls-${thread}`)
    const whole = copy(before)
    expect(await oneThread(whole, thread, out, update(whole))).toBe('unharmed')
    whole.remove()
    const all = pointsIn(out, everything, whole.svc)
    expect(all.length).toBeGreaterThan(min)
    let killed = 0
    for (const point of chosen(all, 1)) {
      const where = `${thread} killed on entering ${point.join(' ')}`
      const agent = copy(before)
      try {
        if ((await oneThread(agent, thread, join(folder, 'killed'), update(agent), injection(point))) === 'killed')
          killed++
        expectWhole(agent, where)
        await expectGoesOn(agent, where)
      } finally {
        agent.remove()
      }
    }
    printKilled(`an update, ${thread}`, killed, all)
  },
)

test.skipIf(missing !== undefined)(
  '"svc rollback-runtime" with a running runtime, the launcher killed anywhere: one of the two is in place, and asking again is enough',
  hours,
  async () => {
    const out = join(folder, 'calls-back')
    const whole = copy(after)
    expect(await oneThread(whole, 'launcher', out, back(whole))).toBe('unharmed')
    expectBack(whole, 'unharmed')
    whole.remove()
    const all = pointsIn(out, everything, whole.svc)
    expect(all.length).toBeGreaterThan(10)
    let killed = 0
    for (const point of chosen(all, 1)) {
      const where = `launcher killed on the way back, on entering ${point.join(' ')}`
      const agent = copy(after)
      try {
        if ((await oneThread(agent, 'launcher', join(folder, 'killed'), back(agent), injection(point))) === 'killed')
          killed++
        expectWhole(agent, where)
        await expectIsBack(agent, where)
      } finally {
        agent.remove()
      }
    }
    printKilled('the way back, launcher', killed, all)
  },
)

/**
 * Checks that the previous version is in place, runs and is reported. If the rollback has not happened yet, "svc
 * rollback-runtime" is called once more first.
 */
async function expectIsBack(agent: InstalledAgent, where: string): Promise<void> {
  service.usual = quiet
  const isBack = () => readRuntimeNote(agent).applied?.outcome === 'rolled_back'
  if (!isBack()) {
    const again = await called(agent, ['rollback-runtime'])
    expect(again, `${where}: ${again.said}`).toMatchObject({ code: 0 })
  }
  const count = service.reports.length
  const running = runs(agent)
  try {
    const { report } = await becomes(`${where}: it reports`, () => service.reports.slice(count + 1).at(-1))
    expect(report.runtime, where).toMatchObject({ version: '1.0.0', applied: { outcome: 'rolled_back' } })
    expectBack(agent, where)
  } finally {
    await running.end('SIGKILL')
  }
}

test.skipIf(missing !== undefined)(
  '"svc rollback-runtime" without one, itself killed anywhere: one of the two is in place, and asking again is enough',
  hours,
  async () => {
    const out = join(folder, 'calls-alone')
    const whole = copy(after)
    const ran = await called(whole, ['rollback-runtime'], ['strace', '-f', ...traceArgs(out, everything)])
    expect(ran, ran.said).toMatchObject({ code: 0 })
    whole.remove()
    const all = pointsIn(out, everything, whole.svc)
    expect(all.length).toBeGreaterThan(10)
    for (const point of chosen(all, 1)) {
      const where = `killed on entering ${point.join(' ')}`
      const agent = copy(after)
      try {
        const under = ['strace', '-f', ...traceArgs(join(folder, 'killed'), everything, injection(point))]
        expect((await called(agent, ['rollback-runtime'], under)).signal, where).toBe('SIGKILL')
        expectWhole(agent, where)
        await expectIsBack(agent, where)
      } finally {
        agent.remove()
      }
    }
    printKilled('"svc rollback-runtime"', chosen(all, 1).length, all)
  },
)

test.skipIf(missing !== undefined)(
  '"svc pin-runtime" killed anywhere: the pin is the old or the new one, and the next call counts',
  hours,
  async () => {
    const changes = [
      ['1.0.0', '2.0.0'],
      ['off', '1.0.0'],
      ['2.0.0', 'off'],
    ] as const
    for (const [was, wanted] of long ? changes : changes.slice(0, 1)) {
      const out = join(folder, 'calls-pin')
      const agent = copy(after)
      try {
        const pinned = (version: string) => (version === 'off' ? undefined : version)
        await called(agent, ['pin-runtime', was])
        await called(agent, ['pin-runtime', wanted], ['strace', '-f', ...traceArgs(out, everything)])
        expect(readPin(agent)).toBe(pinned(wanted))
        const all = pointsIn(out, everything, agent.svc)
        expect(all.length).toBeGreaterThan(1)
        for (const point of chosen(all, 1)) {
          const where = `${was} -> ${wanted} killed on entering ${point.join(' ')}`
          await called(agent, ['pin-runtime', was])
          const under = ['strace', '-f', ...traceArgs(join(folder, 'killed'), everything, injection(point))]
          expect((await called(agent, ['pin-runtime', wanted], under)).signal, where).toBe('SIGKILL')
          expect([pinned(was), pinned(wanted)], where).toContain(readPin(agent))
          expect(await called(agent, ['pin-runtime', wanted]), where).toMatchObject({ code: 0 })
          expect(readPin(agent), where).toBe(pinned(wanted))
        }
        printKilled(`"svc pin-runtime", ${was} -> ${wanted}`, chosen(all, 1).length, all)
      } finally {
        agent.remove()
      }
    }
  },
)

const pairs = long ? Number(process.env.SVC_TEST_POINTS ?? 100) : 1
test(
  'pairs of kills at random moments, of an update and of the rollback: the third start recovers',
  hours,
  async () => {
    const random = randomOf(seed)
    for (let i = 0; i < pairs; i++) {
      const going = random() < 0.7 ? 'update' : 'back'
      const agent = copy(going === 'update' ? before : after)
      const where = `seed ${seed}, pair ${i}, ${going}`
      try {
        for (const maxMs of [3000, 2000]) {
          if (going === 'update') wishes()
          else service.usual = quiet
          const running = runs(agent)
          const asking = going === 'back' ? spawnIn(agent, calls(agent, ['rollback-runtime'])) : undefined
          await new Promise((resolve) => setTimeout(resolve, random() * maxMs))
          asking?.kill('SIGKILL')
          await running.end('SIGKILL')
          expectWhole(agent, where)
        }
        await (going === 'update' ? expectGoesOn(agent, where) : expectIsBack(agent, where))
      } finally {
        agent.remove()
      }
    }
    if (long) process.stderr.write(`${pairs} pairs of kills, seed ${seed}\n`)
  },
)

function printKilled(what: string, killed: number, all: readonly Point[]): void {
  if (long)
    process.stderr.write(`${what}: ${killed} of ${chosen(all, 0).length} points were kills, of ${all.length} in all\n`)
}

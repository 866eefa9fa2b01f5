/**
 * Tests every fault of the disk, and kills, in each state of an update. The real steps run in this process on real
 * folders, on a disk whose calls can fail, with a simulated launcher that says which version's process runs. The
 * required result of the next start is in docs/decisions/kills.md. `npm test` leaves this out.
 * packages/runtime/src/updates/agent/table.test.ts proves the same rules.
 */
import fs, {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { PackedBundle } from '@svc/blueprint'
import type { AppliedUpdate } from '@svc/protocol'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { level } from '../../../../../testing/level.ts'
import { bundle } from '../../../testing/blueprint.ts'
import {
  addFaultyDisk,
  breakDisks,
  type Disk,
  type Fault,
  faults,
  mendDisks,
  removeFaultyDisk,
} from '../../../testing/faulty-folders.ts'
import { becomes } from '../../../testing/folder.ts'
import { agentIn, type InstalledAgent, installedAgent } from '../../../testing/installed.ts'
import { json, type Reply, type Service, startService } from '../../../testing/service.ts'
import { expectWhole, learnFiles, offerBundles, restOf, serves, versionOf } from '../../../testing/updates.ts'
import { agentAt } from '../../cli/kit/folder.ts'
import { readAgentFacts } from '../../cli/look/facts.ts'
import { statusLines } from '../../cli/look/status.ts'
import { explainState } from '../../cli/look/why.ts'
import { manifestNow } from '../../reporter/known.ts'
import type { ProcessState } from '../../state/process-note.ts'
import { currentVersionFolder, folderOfCurrent, versionFolderName } from '../../state/versions/folders.ts'
import { askForUpdate, readAskedUpdate } from './ask.ts'
import { readUpdate, type Update } from './journal.ts'
import { startUpdater } from './update.ts'

/** The factor for all durations: a second lasts 50 ms. */
const scale = '0.05'
const long = level === 'long'
const atOnce = 24
/** The maximum number of times the journal is written: by an update with its rollback, and by a start after a fault. */
const maxWrites = { first: 14, next: 5 }
const writeReally = fs.writeFileSync
const roots: InstalledAgent[] = []
const launchers = new Set<NodeJS.Timeout>()
let service: Service
let template: InstalledAgent
let old: PackedBundle
let next: PackedBundle
/** A version whose agent never reports a state. */
let mute: PackedBundle
const never: Reply = () => {}
/** Called just before the service sends the bundle of version 1.9.0. */
let before = () => {}
let other: PackedBundle
const meanwhile: Reply = (...asked) => {
  before()
  serves(other)(...asked)
}

beforeAll(async () => {
  vi.stubEnv('SVC_TIME_SCALE', scale)
  old = await learnFiles(await bundle())
  next = await learnFiles(
    await versionOf('1.5.0', { 'a/extra.txt': 'new\n', 'state/new.json': '{}\n', '.svcignore': '!state/*\n' }),
  )
  other = await learnFiles(await versionOf('1.9.0'))
  mute = await learnFiles(await versionOf('1.6.0', {}, undefined, 10))
  service = await startService()
  offerBundles(service, {
    '1.4.0': old,
    '1.5.0': next,
    '1.6.0': mute,
    '1.7.0': never,
    '1.8.0': json({}, 429),
    '1.9.0': meanwhile,
  })
  template = await installedAgent(service)
  writeFileSync(join(template.state, 'precious'), 'theirs\n')
  breakDisks()
})
afterAll(async () => {
  mendDisks()
  for (const launcher of launchers) clearInterval(launcher)
  for (const agent of roots) agent.remove()
  template.remove()
  vi.unstubAllEnvs()
  await service.close()
})

function copy(): InstalledAgent {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'svc-faults-')))
  cpSync(template.root, root, { recursive: true, verbatimSymlinks: true })
  const agent = agentIn(root)
  roots.push(agent)
  return agent
}

/** The expected report on versions while the journal cannot be read: nothing is reported. */
const unknown: Partial<AppliedUpdate> = {}

/** Runs a runtime in a folder, with a simulated launcher that starts the version to which `current` leads. */
function runs(agent: InstalledAgent) {
  const stop = new AbortController()
  const lines: string[] = []
  let pid = 0
  const startProcess = (): ProcessState => {
    const version = currentVersionFolder(agent) ?? ''
    const started = Date.now() - 20
    if (version !== versionFolderName(mute.sha256))
      writeReally(join(agent.state, 'status.json'), '{"state":{"level":"ok","label":"Works"}}')
    const alive = { pid: ++pid, start: 's', since: started, crashes: 0, adopted: false }
    return { is: 'running', ...alive, version, started: String(started / 1000) }
  }
  let process = startProcess()
  const running = currentVersionFolder(agent) === versionFolderName(next.sha256) ? '1.5.0' : '1.4.0'
  const updating = startUpdater(agent, running, stop.signal, {
    say: (line) => lines.push(line),
    look: () => {},
    process: () => process,
    manifest: async () => {
      const now = await manifestNow(folderOfCurrent(agent))
      return now.ok ? now.value : undefined
    },
  })
  if (!updating) throw new Error('there are no updates here')
  const it = { ...updating, applied: () => updating.applied() ?? unknown }
  const launcher = setInterval(() => {
    if (currentVersionFolder(agent) !== process.version) process = startProcess()
  }, 10)
  launchers.add(launcher)
  return {
    it,
    lines,
    process: () => process,
    wish: (version: string) => it.heard({ desired: { blueprint: 'mail-triage', version } }),
    dies: () => {
      const exit = { code: 9, at: Date.now() }
      it.changed({ is: 'waiting', crashes: 1, startAt: 0, exit, version: process.version ?? '' })
      process = startProcess()
      it.changed(process)
    },
    end: async () => {
      stop.abort()
      await it.over
      clearInterval(launcher)
    },
  }
}
type Runs = ReturnType<typeof runs>

const isJournal = (call: string, file: string) => call === 'openSync' && /\/\.update\.json\.[0-9a-f]+\.tmp$/.test(file)

const phases = ['idle', 'fetching', 'staging', 'swapping', 'proving', 'watching', 'undoing', 'idle again'] as const

/**
 * The phases of an update and its rollback, in order. Each is a state of the journal; `idle` comes twice, so its second
 * occurrence has another name.
 */
type Phase = (typeof phases)[number]
type Point = readonly [phase: Phase, n: number]
interface Watched {
  readonly disk: Disk
  readonly points: Point[]
  writes: number
}

/**
 * Counts the changes of the disk in each phase, and lets `fault` hit the change that `at` names. At each change I17 is
 * checked.
 */
function watched(agent: InstalledAgent, at?: Point, fault?: Fault): Watched {
  const seen = new Map<string, number>()
  let phase: Phase = 'idle'
  const points: Point[] = []
  const disk = addFaultyDisk(agent.root, {
    fault,
    picks: (call, file) => {
      const state = readUpdate(agent)?.state ?? 'idle'
      if (state !== 'idle') phase = state
      else if (phase === 'undoing') phase = 'idle again'
      const n = (seen.get(phase) ?? 0) + 1
      seen.set(phase, n)
      points.push([phase, n])
      if (isJournal(call, file)) w.writes++
      if (!existsSync(join(agent.current, 'svc.agent.yaml'))) throw new Error('I17: current leads nowhere')
      if (at === undefined) return false
      // If the disk is full, a call that needs no space cannot fail, so the fault hits the next call that needs some.
      // If the phase has fewer calls than when they were counted, the fault hits the first call of the next phase.
      const late = phases.indexOf(phase) - phases.indexOf(at[0])
      return late > 0 || (late === 0 && n >= at[1])
    },
  })
  const w: Watched = { disk, points, writes: 0 }
  return w
}

/** Runs an update, a crash while the new version is watched, and a rollback by a person, as far as each is possible. */
async function wholeWay(agent: InstalledAgent, running: Runs, { disk }: Watched): Promise<void> {
  const { it } = running
  running.wish('1.5.0')
  const ended = await becomes('kept, or not', () => {
    const { version, outcome } = it.applied()
    return disk.dead || version === '1.5.0' || outcome === 'failed'
  }).catch((error: unknown) => {
    throw new Error(`${error} ${running.lines.join('\n')}`)
  })
  if (!ended || disk.dead || it.applied().outcome === 'failed') return
  running.dies()
  await becomes('the death is noted', () => disk.dead || disk.struck || readUpdate(agent)?.window?.deaths === 1)
  if (disk.dead) return
  const { picks, struck, fault } = disk
  Object.assign(disk, { picks: () => false, struck: false })
  askForUpdate(agent, { id: 'a', what: 'rollback', running: '1.5.0', by: 'on this machine', at: Date.now() })
  Object.assign(disk, { picks, struck, fault })
  const isRefused = () => running.lines.some((line) => line.startsWith('nothing was rolled back'))
  await becomes(
    'back, or refused for lack of room',
    () => disk.dead || it.applied().outcome === 'rolled_back' || isRefused(),
  )
  await becomes(
    'at rest',
    () =>
      disk.dead ||
      isRefused() ||
      (disk.struck && running.lines.some((l) => l.includes('could not'))) ||
      readUpdate(agent)?.state === 'idle',
  )
}

/**
 * Checks that the next start comes to rest where docs/decisions/kills.md says, and writes the journal only a few times.
 * The start after that must write nothing, or the journal once if a version is being watched.
 */
async function expectRests(agent: InstalledAgent, where: string, packs: PackedBundle[] = [old, next]): Promise<void> {
  const wanted = restOf(agent, next)
  expectWhole(agent, packs)
  const w = watched(agent)
  const running = runs(agent)
  /**
   * True if a person's request waits for its answer. A request that was answered may still be on the disk, if the disk
   * refused to delete it; it is not obeyed twice.
   */
  const asks = () => {
    const asked = readAskedUpdate(agent)
    return asked !== undefined && asked.id !== readUpdate(agent)?.asked?.id
  }
  await becomes(`${where}: rest`, () => {
    const state = readUpdate(agent)?.state ?? 'idle'
    const rests = state === 'idle' || (state === 'watching' && running.it.applied().version === wanted.version)
    return rests && running.process().version === currentVersionFolder(agent) && !asks()
  }).catch((error: unknown) => {
    throw new Error(`${error}\n${JSON.stringify(readUpdate(agent))}\n${running.lines.join('\n')}`)
  })
  const { outcome, message } = running.it.applied()
  await running.end()
  const why = `${where}: ${message}`
  expect({ version: expectWhole(agent, packs), outcome }, why).toEqual(wanted)
  expect(w.writes, why).toBeLessThanOrEqual(maxWrites.next)
  const now = readUpdate(agent)
  expect(now?.running.version ?? '1.4.0', why).toBe(wanted.version)
  expect(now?.hold?.version, why).toBe(outcome === 'rolled_back' ? '1.5.0' : undefined)
  expect(readdirSync(agent.staging), why).toEqual([])
  expect(readdirSync(agent.versions).length, why).toBeLessThanOrEqual(2)
  expect(readFileSync(join(agent.state, 'precious'), 'utf8'), why).toBe('theirs\n')
  expect(readFileSync(join(agent.state, 'seed.json'), 'utf8'), why).toBe('{"seed":true}\n')
  const again = watched(agent)
  const third = runs(agent)
  // this time is long enough to look twice for wishes, of which there must be none
  await new Promise((resolve) => setTimeout(resolve, 120))
  await third.end()
  expect(settled(readUpdate(agent)), `${where}, the start after`).toEqual(settled(now))
  expect(again.writes, `${where}, the start after`).toBeLessThanOrEqual(now?.state === 'watching' ? 1 : 0)
}

/** Sets the watched time to 0 in a copy, since that time goes on between two readings. */
const settled = (now: Update | undefined) => now && { ...now, window: now.window && { ...now.window, ran: 0 } }

/** Runs the check for all cases, a fixed number of them at once. */
async function all<T>(cases: readonly T[], check: (one: T) => Promise<void>): Promise<void> {
  const left = [...cases]
  const worker = async () => {
    for (let one = left.shift(); one !== undefined; one = left.shift()) await check(one)
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}

describe('a whole update and the rollback', () => {
  let counts: Map<string, number>
  const came = new Map<string, number>()
  beforeAll(async () => {
    const agent = copy()
    const w = watched(agent)
    const running = runs(agent)
    await wholeWay(agent, running, w)
    await running.end()
    expect(readUpdate(agent)).toMatchObject({
      state: 'idle',
      running: { version: '1.4.0' },
      hold: { version: '1.5.0' },
    })
    expect(w.writes).toBeLessThanOrEqual(maxWrites.first)
    counts = new Map(phases.map((phase) => [phase, w.points.filter(([p]) => p === phase).length]))
  })

  /**
   * Runs an update with a fault. On a busy machine the download can fail for lack of time, which says nothing about the
   * disk, so the run is then repeated.
   */
  async function struck(at: Point, fault: Fault, left = 5): Promise<{ agent: InstalledAgent; w: Watched }> {
    const agent = copy()
    const w = watched(agent, at, fault)
    const running = runs(agent)
    await wholeWay(agent, running, w)
    await running.end()
    const { outcome, message = '' } = running.it.applied()
    if (w.disk.struck || outcome !== 'failed') return { agent, w }
    if (left === 0 || !message.includes('could not be fetched'))
      throw new Error(`${fault}, ${at.join(' ')}: it failed, and not of the disk: ${message}`)
    came.set('fetched again', (came.get('fetched again') ?? 0) + 1)
    removeFaultyDisk(agent.root)
    return struck(at, fault, left - 1)
  }

  test.each(faults)(
    '%s, in every state: the next start reaches what docs/decisions/kills.md says, and nothing loops',
    {
      timeout: 600_000,
    },
    async (fault) => {
      const cases = phases.flatMap((phase) => pick(counts.get(phase) ?? 0).map((n): Point => [phase, n]))
      expect(new Set(cases.map(([phase]) => phase)).size).toBe(phases.length)
      await all(cases, async ([phase, n]) => {
        const where = `${fault}, ${phase} ${n}`
        const { agent, w } = await struck([phase, n], fault)
        expect(w.disk.dead, where).toBe(fault.startsWith('killed'))
        expect(w.writes, where).toBeLessThanOrEqual(maxWrites.first)
        removeFaultyDisk(agent.root)
        const { outcome } = restOf(agent, next)
        came.set(`${fault}: ${outcome}`, (came.get(`${fault}: ${outcome}`) ?? 0) + 1)
        await expectRests(agent, where)
        agent.remove()
      })
    },
  )

  test('each kind of fault was seen to end in each possible way', () => {
    if (long) process.stderr.write(`${JSON.stringify([...came])}\n`)
    for (const fault of faults)
      for (const outcome of ['failed', 'rolled_back'])
        expect(came.get(`${fault}: ${outcome}`), fault).toBeGreaterThan(0)
  })

  test('a version killed twice while it is proved is rolled back (docs/decisions/kills.md)', async () => {
    const agent = copy()
    for (const proofs of [1, 2]) {
      const w = watched(agent, undefined, 'killed before')
      w.disk.picks = () => {
        const now = readUpdate(agent)
        return now?.state === 'proving' && now.proofs === proofs
      }
      const running = runs(agent)
      running.wish('1.5.0')
      await becomes('killed', () => w.disk.dead)
      await running.end()
      removeFaultyDisk(agent.root)
      expect(readUpdate(agent)?.state).toBe('proving')
    }
    expect(restOf(agent, next)).toEqual({ version: '1.4.0', outcome: 'rolled_back' })
    await expectRests(agent, 'killed twice')
  })
})

/**
 * A disk call that hangs is not tested here, since it would block this whole process; hangs.slow.process.test.ts tests
 * such calls.
 */
describe('what hangs', () => {
  const until = async (version: string, holds: (now: Update | undefined, running: Runs) => unknown) => {
    const agent = copy()
    const w = watched(agent)
    const running = runs(agent)
    running.wish(version)
    await becomes(`${version} ended`, () => holds(readUpdate(agent), running)).catch((error: unknown) => {
      throw new Error(`${error} ${running.lines.join('\n')}`)
    })
    return { agent, running, w, now: readUpdate(agent) }
  }

  const rows = [
    ['a bundle that never comes', '1.7.0', 'failed'],
    ['a service that limits calls', '1.8.0', 'failed'],
    ['a new version that never reports its state', '1.6.0', 'rolled_back'],
  ] as const
  test(`${rows.map(([what]) => what).join(', ')}: 1.4.0 stays or comes back`, () =>
    all(rows, async ([what, version, outcome]) => {
      const { agent, running, w, now } = await until(version, (u) => u?.state === 'idle' && u.applied)
      await running.end()
      expect(now, what).toMatchObject({ running: { version: '1.4.0' }, applied: { outcome } })
      expect(now?.hold?.version, what).toBe(outcome === 'failed' ? undefined : version)
      expect(now?.retry?.version, what).toBe(outcome === 'failed' ? version : undefined)
      expect(expectWhole(agent, [old]), what).toBe('1.4.0')
      expect(w.writes, what).toBeLessThanOrEqual(maxWrites.first)
    }))

  test('an agent that stops reporting in its window is not worse than when it was kept, and the window ends', async () => {
    const { agent, running, w } = await until('1.5.0', (u) => u?.state === 'watching')
    vi.stubEnv('SVC_TIME_SCALE', '0.0005')
    await becomes('the end of the window', () => readUpdate(agent)?.state === 'idle')
    vi.stubEnv('SVC_TIME_SCALE', scale)
    await running.end()
    expect(readUpdate(agent)).toMatchObject({ running: { version: '1.5.0' }, applied: { outcome: 'ok' } })
    expect(expectWhole(agent, [old, next])).toBe('1.5.0')
    expect(w.writes, 'one a minute').toBeLessThanOrEqual(maxWrites.first + 30)
  })
})

test('an unreadable note of the installation while a bundle is judged says nothing about the bundle', async () => {
  const agent = copy()
  const running = runs(agent)
  before = () => renameSync(agent.install, `${agent.install}.away`)
  running.wish('1.9.0')
  await becomes('1.9.0 ended', () => running.it.applied().message !== 'installed')
  await running.end()
  expect(running.it.applied()).toMatchObject({ version: '1.9.0', outcome: 'ok' })
})

test.each([
  ['the journal of updates', 'update'],
  ['the note of the installation', 'install'],
] as const)(
  '%s that cannot be read at a start is not treated as missing: nothing is swept or started, the reports say so, and it continues once it can be read',
  async (what, name) => {
    const agent = copy()
    const first = runs(agent)
    first.wish('1.5.0')
    await becomes('kept', () => readUpdate(agent)?.state === 'watching')
    await first.end()
    let broken = true
    const unreadable = (file: string) => broken && file === agent[name]
    addFaultyDisk(agent.root, { fault: undefined, picks: () => false, unreadable })
    const running = runs(agent)
    running.wish('1.9.0')
    const why = `No version is changed, because ${what} cannot be opened (EIO).`
    expect(running.lines).toEqual([why])
    expect(running.it.health()).toEqual([{ name: 'Update', level: 'warn', detail: why }])
    const facts = readAgentFacts(await agentAt(agent.root))
    expect([statusLines(facts).join('\n'), explainState(facts, 0)]).toEqual([
      expect.stringContaining(why),
      expect.arrayContaining([why]),
    ])
    await new Promise((resolve) => setTimeout(resolve, 150)) // time enough to check for wishes several times
    expect(readdirSync(agent.versions)).toHaveLength(2)
    expect(running.it.applied()).toBe(unknown)
    broken = false
    await becomes('it goes on', () => running.it.applied().version === '1.5.0')
    await running.end()
    expect(running.it.health()).toEqual([])
    expect(readUpdate(agent)).toMatchObject({ state: 'watching', previous: { version: '1.4.0' } })
    expect(running.lines.filter((line) => line.includes('EIO'))).toHaveLength(1)
  },
)

/** The first number, the last, and one in between; all in the long form. */
function pick(count: number): number[] {
  const numbers = Array.from({ length: count }, (_, i) => i + 1)
  return long ? numbers : [...new Set([1, Math.ceil(count / 2), count].filter((n) => n > 0))]
}

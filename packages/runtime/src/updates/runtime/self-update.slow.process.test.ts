/**
 * Tests the runtime's update of itself with real files: built, signed by a real key, served over HTTP, and judged by a
 * real launcher with a real agent. Whatever the new file does, the old one runs in the end, and the agent is never
 * affected (I21 to I23). `npm test` leaves this out. packages/runtime/src/updates/runtime/attempt.process.test.ts
 * proves the same rules.
 */
import { existsSync } from 'node:fs'
import type { RuntimeInfo } from '@svc/protocol'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { level } from '../../../../../testing/level.ts'
import { becomes, type Running, starts, svc, token } from '../../../testing/folder.ts'
import { type InstalledAgent, installedAgent } from '../../../testing/installed.ts'
import {
  type Build,
  installRuntime,
  minNodeHere,
  openWorkshop,
  serveRelease,
  type Workshop,
  wishes,
} from '../../../testing/releases.ts'
import { command, json, type Service, startService } from '../../../testing/service.ts'
import { offerBundles, versionOf } from '../../../testing/updates.ts'
import { sha256OfFile } from '../../machine/files/sha256.ts'
import { identityOf } from '../../machine/process/identity.ts'
import { readNote } from '../../state/process-note.ts'
import { readRuntimeNote } from '../../state/versions/runtime-note.ts'
import { readUpdate } from '../agent/journal.ts'
import { writeAttempt } from './journal.ts'

// The tests that mostly wait are `concurrent`, so that they run in parallel.

/** The factors for all durations: five minutes take fifteen seconds, or nine in tests that wait for their end. */
const scale = 0.05
const quick = 0.03
let shop: Workshop
beforeAll(() => {
  shop = openWorkshop()
})
afterAll(() => shop.remove())

interface SelfUpdateSetup {
  readonly service: Service
  readonly agent: InstalledAgent
  readonly first: Build
  run(): Running
  /** Waits for a report that meets the condition, and returns its `runtime`. */
  reports(what: string, holds: (runtime: RuntimeInfo) => unknown): Promise<RuntimeInfo>
  close(): Promise<void>
}

async function newSelfUpdateSetup({ node = process.execPath, scale: by = quick } = {}): Promise<SelfUpdateSetup> {
  const service = await startService()
  service.usual = json({ commands: [], interval: 5 })
  const agent = await installedAgent(service)
  const first = await shop.build('1.0.0')
  installRuntime(agent, first)
  const all: Running[] = []
  return {
    service,
    agent,
    first,
    run: () => {
      const running = starts(agent, ['run'], {
        scale: by,
        file: ['-e', 'require(process.argv[1])', agent.runtime],
        node,
      })
      all.push(running)
      return running
    },
    reports: (what, holds) =>
      becomes(what, () => {
        const { runtime } = service.reports.at(-1)?.report ?? {}
        return runtime && holds(runtime) ? runtime : undefined
      }),
    close: async () => {
      for (const running of all) await running.end('SIGKILL')
      await service.close()
      agent.remove()
    },
  }
}

/**
 * The pid and the start time of the agent's process. A test compares them to see that the agent was not restarted
 * (I23).
 */
const agentOf = ({ agent }: SelfUpdateSetup): string => {
  const state = readNote(agent)?.state
  if (!state || !('pid' in state)) throw new Error('the agent does not run')
  expect(identityOf(state.pid)?.start, 'the agent lives').toBe(state.start)
  return `${state.pid} ${state.start}`
}
const begin = async (w: SelfUpdateSetup): Promise<{ running: Running; agent: string }> => {
  const running = w.run()
  await w.reports('a report', () => true)
  return { running, agent: await becomes('the agent runs', () => agentOf(w)) }
}
const good = async (version: string, first = '') => {
  const build = await shop.build(version, { first })
  return { version, bytes: build.bytes, sig: shop.sign(build.bytes), build }
}

const nodes = [
  ['the Node of the tests', process.execPath],
  ['the minimum version of Node', minNodeHere],
] as const
describe.each(nodes)('with %s', (_name, node) => {
  test.skipIf(node === undefined)(
    'a signed release is installed, kept after its first report, and rolled back: same process, same agent',
    async () => {
      const w = await newSelfUpdateSetup({ scale, ...(node !== undefined && { node }) })
      try {
        const { running, agent } = await begin(w)
        const build = await shop.build('2.0.0')
        // a signature by the second of the built-in keys is accepted, too
        const two = { ...(await good('2.0.0')), sig: shop.sign(build.bytes, { key: 'second' }) }
        const asked = serveRelease(w.service, two)
        const now = await w.reports('2.0.0 is kept', (r) => r.applied?.outcome === 'ok')
        expect(now).toMatchObject({ version: '2.0.0', previous: '1.0.0', applied: { version: '2.0.0' } })
        expect(now.applied?.message).toMatch(/^1\.0\.0 -> 2\.0\.0, \d{4}-\d\d-\d\dT[\d:.]+Z: /)
        expect(asked.map((c) => [c.path, c.token])).toEqual([
          ['/cli/svc.pyz', undefined],
          ['/cli/svc.pyz.sig', undefined],
        ])
        const trial = w.service.reports.find((r) => r.report.runtime?.version === '2.0.0')?.report.runtime
        expect(trial?.applied, 'on trial the old outcome is reported').toBeUndefined()
        expect(sha256OfFile(w.agent.runtime)).toBe(two.build.sha256)
        expect(sha256OfFile(w.agent.runtimePrevious)).toBe(w.first.sha256)

        const back = await svc(w.agent, ['rollback-runtime', '--json'])
        expect(back, back.err).toMatchObject({ code: 0 })
        expect(JSON.parse(back.out)).toMatchObject({ version: '1.0.0', outcome: 'rolled_back', hold: '2.0.0' })
        const left = await w.reports('1.0.0 runs', (r) => r.version === '1.0.0')
        expect(left).toMatchObject({ applied: { version: '1.0.0', outcome: 'rolled_back' } })
        expect(left.previous).toBeUndefined()
        const count = asked.length
        // the service still wishes the version, which is on hold (I26)
        await w.service.reported(w.service.reports.length + 3)
        expect(asked.length).toBe(count)
        expect(agentOf(w)).toBe(agent)
        expect(identityOf(running.child.pid ?? 0)).toBeDefined()
        expect(w.agent.starts()).toHaveLength(1)
        expect(w.service.reports.every((r) => r.token === token)).toBe(true)
      } finally {
        await w.close()
      }
    },
  )
})

const inWorker = (code: string) => `if(!require('node:worker_threads').isMainThread){${code}}`
type Faulty = readonly [what: string, first: string, why: RegExp]
/** Faults that end in the same way as others. The short form of the test leaves them out. */
const alike: readonly Faulty[] = [
  ['throws', 'throw new Error("broken")', /does not start: Error: broken/],
  ['exits', inWorker('process.exit(7)'), /3 starts did not last: it ended with code 7/],
  [
    'never reports',
    inWorker('require("node:http").request=()=>{throw new Error("no")}'),
    /no report of it was answered/,
  ],
]
/** Faults in the new file, each with the reason that is given for the rollback. */
const faults: readonly Faulty[] = [
  ...(level === 'long' ? alike : []),
  ['does not parse', 'this does not parse (', /does not start: SyntaxError/],
  ['ends silently', 'process.exit(0)', /does not start: it does not say/],
  ['throws in its thread', inWorker('throw new Error("broken")'), /3 starts did not last: broken/],
  ['hangs in a loop', inWorker('setTimeout(()=>{for(;;);},300)'), /it hung|no report/],
  [
    'hangs in a system call',
    inWorker('require("node:child_process").spawnSync("sleep",["40"])'),
    /no report of it was answered|it never said a word/,
  ],
  [
    'leaks until it dies',
    // The memory is filled with large objects: small ones keep the garbage collector busy for half a minute before the
    // limit is reached.
    inWorker('const a=[];setInterval(()=>a.push(new Array(1e6).fill(1)),1)'),
    /3 starts did not last: .*memory/,
  ],
  [
    'reports once and dies',
    inWorker(
      'const p=require("node:worker_threads").parentPort,f=p.postMessage.bind(p);p.postMessage=m=>{f(m);if(m.is==="reported")setTimeout(()=>process.exit(1),20)}',
    ),
    /3 starts did not last: it ended with code 1/,
  ],
]
test.concurrent('a bad new file ends with the old one running and the agent unaffected: all faults in the life of one process', {
  timeout: 300_000,
}, async () => {
  const w = await newSelfUpdateSetup()
  try {
    const { agent } = await begin(w)
    for (const [i, [what, first, why]] of faults.entries()) {
      const version = `2.0.${i}`
      serveRelease(w.service, await good(version, first))
      const now = await w.reports(
        `${what}: back`,
        (r) => r.applied?.outcome === 'rolled_back' && r.applied.message?.includes(version),
      )
      expect(now, what).toMatchObject({ version: '1.0.0', applied: { version: '1.0.0' } })
      expect(now.applied?.message, what).toMatch(why)
      expect(sha256OfFile(w.agent.runtime), what).toBe(w.first.sha256)
      expect(readRuntimeNote(w.agent), what).toMatchObject({ hold: { version } })
      expect(agentOf(w), what).toBe(agent)
    }
    expect(w.agent.starts()).toHaveLength(1)
    expect(existsSync(w.agent.runtimeNew)).toBe(false)
  } finally {
    await w.close()
  }
})

test.concurrent('with a service that is dead, slow or lying at any time, nothing is swapped without a good file, and nothing stays without a report', {
  timeout: 300_000,
}, async () => {
  const w = await newSelfUpdateSetup()
  try {
    const { agent } = await begin(w)
    const two = await good('2.0.0')
    w.service.other = (response, _came, socket) => void response.write('x', () => socket.destroy())
    w.service.usual = wishes('2.0.0', two.build.sha256)
    const broken = await w.reports('a download that breaks off', ({ applied }) => applied)
    expect(broken).toMatchObject({ version: '1.0.0', applied: { outcome: 'failed' } })
    expect(broken.applied?.message).toMatch(/broke off|reset/)
    w.service.usual = json({ commands: [], interval: 5 })
    await w.service.reported(w.service.reports.length + 2)
    expect(sha256OfFile(w.agent.runtime)).toBe(w.first.sha256)

    serveRelease(w.service, two)
    const wish = w.service.usual
    w.service.usual = (response, came, socket) => {
      if (came.report.runtime?.version === '1.0.0') wish(response, came, socket)
      else socket.destroy() // the service does not answer the new runtime
    }
    await becomes('it is tried', () => w.service.reports.at(-1)?.report.runtime?.version === '2.0.0')
    w.service.usual = (_response, _came, socket) => void socket.destroy() // from here on the service answers nobody
    await becomes('1.0.0 is back without any service', () => readRuntimeNote(w.agent).hold?.version === '2.0.0')
    expect(sha256OfFile(w.agent.runtime)).toBe(w.first.sha256)
    w.service.usual = json({ commands: [], interval: 5 })
    const now = await w.reports('the outcome arrives when the service is back', (r) => r.version === '1.0.0')
    expect(now.applied).toMatchObject({ version: '1.0.0', outcome: 'rolled_back' })
    expect(agentOf(w)).toBe(agent)
  } finally {
    await w.close()
  }
})

test.concurrent('an attempt that is killed while it only waits for an update of the agent does not count as one that crashed the runtime (D31)', {
  timeout: 120_000,
}, async () => {
  // Two attempts have crashed the runtime (see the note below), so only one more is allowed. Its download waits until
  // the new version of the agent is on trial.
  const w = await newSelfUpdateSetup({ scale })
  try {
    // the note after two attempts that crashed the runtime
    writeAttempt(w.agent, { is: 'trying', wish: '2.0.0', at: Date.now(), begun: 2 })
    await svc(w.agent, ['pause']) // while the agent is paused, the trial of its new version does not end
    const two = await good('2.0.0')
    const version = await versionOf('1.5.0')
    serveRelease(w.service, two)
    const release = w.service.other
    w.service.other = (response, came, socket) => {
      const answer = () => release(response, came, socket)
      if (came.path === '/cli/svc.pyz')
        void becomes('on proof, or kept', () => /proving|watching/.test(readUpdate(w.agent)?.state ?? '')).then(answer)
      else answer()
    }
    offerBundles(w.service, { '1.5.0': version })
    w.service.usual = json({
      commands: [],
      interval: 5,
      desired: { blueprint: 'mail-triage', version: '1.5.0' },
      runtime: { version: '2.0.0', sha256: two.build.sha256 },
      runtime_desired: '2.0.0',
    })
    const first = w.run()
    await first.said('runtime 2.0.0 waits')
    expect(readUpdate(w.agent)?.state).toBe('proving')
    await first.end('SIGKILL')
    w.run()
    await w.reports('a report', () => true)
    await svc(w.agent, ['resume'])
    const now = await w.reports('an outcome', (r) => r.applied?.message?.includes('2.0.0'))
    expect(now.applied, now.applied?.message).toMatchObject({ version: '2.0.0', outcome: 'ok' })
    expect(readUpdate(w.agent)).toMatchObject({ running: { version: '1.5.0' }, applied: { outcome: 'ok' } })
  } finally {
    await w.close()
  }
})

/**
 * Checks that worker and launcher work together: the agent is started again after a kill, and commands from the service
 * pause and resume it.
 */
async function expectWorks(w: SelfUpdateSetup, what: string): Promise<void> {
  const count = w.agent.starts().length
  process.kill(w.agent.starts().at(-1)?.pid ?? 0, 'SIGKILL')
  await becomes(`${what}: the agent starts again`, () => w.agent.starts().length === count + 1)
  for (const [type, is] of [
    ['pause', 'stopped'],
    ['resume', 'running'],
  ] as const) {
    const wish = json({ commands: [command(`${what} ${type}`, type)], interval: 5 })
    await becomes(`${what}: ${type}`, () => {
      // the answer with the command may be lost on a busy machine, so it is queued again; the runtime recognises a
      // command that arrives twice by its id
      if (w.service.next.length === 0) w.service.next.push(wish)
      return readNote(w.agent)?.state.is === is
    })
    w.service.next.length = 0
  }
  const acks = () => w.service.reports.flatMap((r) => r.report.acks ?? []).filter((a) => a.id.startsWith(what))
  await becomes(`${what}: both are answered`, () => acks().length >= 2 && acks().every((a) => a.ok))
}

test.concurrent('launcher and worker of two releases, in either order: the agent is supervised, commands are obeyed, and both can update and roll back', {
  timeout: 120_000,
}, async () => {
  const w = await newSelfUpdateSetup()
  try {
    const { running } = await begin(w)
    const two = await good('2.0.0')
    serveRelease(w.service, two)
    await w.reports('2.0.0 is kept', (r) => r.version === '2.0.0' && r.applied?.outcome === 'ok')
    await expectWorks(w, 'the newer worker under the launcher before')
    expect(await running.end(), 'the launcher of 1.0.0 ends in order').toEqual({ code: 0, signal: null })

    expect(sha256OfFile(w.agent.runtime)).toBe(two.build.sha256)
    const count = w.service.reports.length
    const newer = w.run()
    await becomes('2.0.0 runs whole', () => w.service.reports.slice(count).at(-1)?.report.runtime?.version === '2.0.0')
    expect(await svc(w.agent, ['rollback-runtime'])).toMatchObject({ code: 0 })
    await w.reports('1.0.0 is back', (r) => r.version === '1.0.0' && r.applied?.outcome === 'rolled_back')
    await expectWorks(w, 'the worker before under the newer launcher')

    serveRelease(w.service, await good('3.0.0'))
    const three = await w.reports('it asks for the next', (r) => r.version === '3.0.0' && r.applied?.outcome === 'ok')
    expect(three.previous).toBe('1.0.0')
    await becomes('its trial is over', () => readRuntimeNote(w.agent).trial === undefined)
    serveRelease(w.service, await good('4.0.0', inWorker('process.exit(7)')))
    await w.reports(
      'which proves the one after it',
      (r) => r.applied?.outcome === 'rolled_back' && r.version === '3.0.0',
    )
    expect(newer.child.exitCode).toBeNull()
    expect(await newer.end()).toEqual({ code: 0, signal: null })
  } finally {
    await w.close()
  }
})

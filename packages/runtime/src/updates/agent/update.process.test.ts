/** Tests updates of a real agent by a running runtime, from a scripted service, with real bundles (3.3, D24 to D32). */
import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PackedBundle } from '@svc/blueprint'
import { beforeAll, describe, expect, test } from 'vitest'
import { afterThisTest } from '../../../../../testing/cleaning.ts'
import { level } from '../../../../../testing/level.ts'
import { bundle, bundleManifest } from '../../../testing/blueprint.ts'
import { becomes, type Running, type StartOptions, starts, svc, token } from '../../../testing/folder.ts'
import { type InstalledAgent, installedAgent } from '../../../testing/installed.ts'
import { json, type Reply, type Service, startService } from '../../../testing/service.ts'
import { expectWhole, learnFiles, offerBundles, serves, versionOf } from '../../../testing/updates.ts'
import { readNote } from '../../state/process-note.ts'
import { readUpdate } from './journal.ts'

/**
 * The factor for all durations: a second lasts 20 ms, so 30 minutes of watching take 36 s, and ten minutes take 12 s.
 */
const scale = 0.02
let old: PackedBundle
let next: PackedBundle
beforeAll(async () => {
  old = await learnFiles(await bundle())
  next = await learnFiles(await versionOf('1.5.0', { 'extra.txt': 'new\n' }))
})

async function newSetup(bundles: Readonly<Record<string, PackedBundle | Reply>> = { '1.4.0': old, '1.5.0': next }) {
  const service = await startService()
  service.usual = json({ commands: [], interval: 5 })
  service.other = json({ id: 'ws-1' })
  afterThisTest(() => service.close())
  const agent = await installedAgent(service)
  afterThisTest(() => agent.remove())
  return { service, agent, offered: offerBundles(service, bundles) }
}
const runs = (agent: InstalledAgent, options: StartOptions = {}): Running => {
  const running = starts(agent, ['run'], { scale, ...options })
  afterThisTest(() => running.end('SIGKILL'))
  return running
}
const reportWhere = (
  service: Service,
  what: string,
  holds: (report: Service['reports'][number]['report']) => unknown,
) => becomes(what, () => service.reports.find((r) => holds(r.report))?.report)
const lastReport = (service: Service) => service.reports.at(-1)?.report
const sumOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
/**
 * The names in the agent's folder, in its folder of versions and in its staging folder, without what is in their
 * subfolders.
 */
const everything = (agent: InstalledAgent) =>
  [agent.root, agent.versions, agent.staging].map((root) => (existsSync(root) ? readdirSync(root).sort() : []))

test('the wished version is fetched with the token, put in place, proved and kept; the previous one stays complete', async () => {
  const { service, agent, offered } = await newSetup()
  const running = runs(agent)
  await becomes('the old version', () => agent.starts().length === 1)
  offered.wish('1.5.0')
  const report = await reportWhere(service, 'the new version', (r) => r.applied?.version === '1.5.0').catch(
    (e: unknown) => {
      throw new Error(`${e}\n${running.lines.join('\n')}`)
    },
  )
  expect(report.agent?.version).toBe('1.5.0')
  expect(report.applied).toMatchObject({ version: '1.5.0', outcome: 'ok' })
  expect(report.applied?.message).toMatch(/^1\.4\.0 -> 1\.5\.0, .*: kept/)
  expect(expectWhole(agent, [old, next])).toBe('1.5.0')
  expect(offered.asked).toEqual(['1.5.0'])
  expect(service.others.find((c) => c.path.includes('/bundle/'))?.token).toBe(token)
  expect(agent.starts().map((s) => s.cwd.slice(-32))).toEqual([old.sha256.slice(0, 32), next.sha256.slice(0, 32)])
  expect(agent.trace().filter((line) => line === 'ends')).toHaveLength(1)
  expect(readNote(agent)?.version).toBe(next.sha256.slice(0, 32))
  expect(readUpdate(agent)).toMatchObject({ state: 'watching', previous: { version: '1.4.0' } })
  await running.end()
})

test('a new version that reports bad, reports nothing or does not stay up is rolled back, put on hold, and not tried again (I18, I26)', async () => {
  const bad = 'const fs=require("node:fs");fs.writeFileSync(process.env.SVC_STATE_DIR+"/status.json",'
  // A busy machine may need seconds to start a process. So the trial has much time, except where it is to run out.
  const wrong = {
    '2.0.0': [
      { 'main.cjs': `${bad}'{"state":{"level":"bad","label":"No mailbox"}}');setInterval(()=>{},1e6)\n` },
      250,
      /bad.*No mailbox/,
    ],
    '2.1.0': [{ 'main.cjs': 'setInterval(()=>{},1e6)\n' }, 60, /no status/],
    // Node takes longer to start on a busy machine than shortened time allows, and a start that lasts is no crash.
    '2.2.0': [{}, 1500, /code 7|died/, "command: [sh, -c, 'exit 7']"],
    '2.3.0': [{}, 1500, /could not be started/, 'command: [no-such-program-anywhere]'],
  } as const
  const bundles: Record<string, PackedBundle> = {}
  for (const [version, [files, seconds, , command]] of Object.entries(wrong)) {
    const manifest = command === undefined ? bundleManifest : bundleManifest.replace(/command: .*/, command)
    bundles[version] = await learnFiles(await versionOf(version, files, manifest, seconds))
  }
  const { service, agent, offered } = await newSetup(bundles)
  const running = runs(agent)
  await becomes('the old version', () => agent.starts().length === 1)
  let starts = 1
  for (const [version, [, , reason]] of Object.entries(wrong)) {
    offered.wish(version)
    const report = await reportWhere(
      service,
      `${version} rolled back`,
      (r) =>
        r.applied?.message?.includes(`1.4.0 -> ${version}`) || r.applied?.message?.startsWith(`${version} -> 1.4.0`),
    )
    expect(report.applied, running.lines.join('\n')).toMatchObject({ version: '1.4.0', outcome: 'rolled_back' })
    expect(report.applied?.message).toMatch(reason)
    expect(report.agent?.version).toBe('1.4.0')
    starts++
    await becomes('the old version again', () => agent.starts().length >= starts)
    starts = agent.starts().length
    expect(expectWhole(agent, [old])).toBe('1.4.0')
    expect(readUpdate(agent)).toMatchObject({ state: 'idle', hold: { version } })
  }
  const { length } = service.reports
  await service.reported(length + 10)
  expect(offered.asked).toEqual(Object.keys(wrong))
})

const verdicts: readonly (readonly [what: string, version: string, reply: Reply | undefined, reason: RegExp])[] = [
  ['there is no such version', '1.5.0', undefined, /no 1\.5\.0/],
  [
    'the checksum does not match',
    '1.5.1',
    (r, c, s) => serves({ bytes: next.bytes, sha256: old.sha256 })(r, c, s),
    /checksum/,
  ],
  ['it is another version', '1.5.2', (r, c, s) => serves(next)(r, c, s), /refused/],
  [
    'it is no zip',
    '1.5.3',
    (r, c, s) => serves({ bytes: Buffer.from('no'), sha256: sumOf(Buffer.from('no')) })(r, c, s),
    /refused/,
  ],
  ['it is too large', '1.5.4', (r) => r.writeHead(200).end(Buffer.alloc(21 * 1024 * 1024)), /20 MB/],
]

test('a bundle that is at fault is reported as failed and put on hold, none of its files stay, and the agent continues (D26, I19)', async () => {
  const bundles = Object.fromEntries(verdicts.flatMap(([, version, reply]) => (reply ? [[version, reply]] : [])))
  const { service, agent, offered } = await newSetup(bundles)
  runs(agent)
  await becomes('the old version', () => agent.starts().length === 1)
  const before = everything(agent)
  for (const [what, version, , reason] of verdicts) {
    offered.wish(version)
    const report = await reportWhere(service, what, (r) => r.applied?.message?.startsWith(`1.4.0 -> ${version}`))
    expect(report.applied, what).toMatchObject({ version: '1.4.0', outcome: 'failed' })
    expect(report.applied?.message, what).toMatch(reason)
    expect(everything(agent), what).toEqual(before)
    expect(readUpdate(agent), what).toMatchObject({ state: 'idle', hold: { version } })
    await service.reported(service.reports.length + 3)
  }
  expect(offered.asked).toEqual(verdicts.map(([, version]) => version))
  expect(agent.starts()).toHaveLength(1)
})

const faults: readonly (readonly [what: string, reply: Reply, reason: RegExp])[] = [
  [
    'it is truncated',
    (r, _c, socket) => {
      r.writeHead(200, { 'content-length': 9999, 'x-svc-sha256': old.sha256 }).write('PK', () =>
        setTimeout(() => socket.destroy(), 10),
      )
    },
    /broke off|reset|closed/,
  ],
  ['nothing comes', () => {}, /30 s/],
  ['calls are limited', json({}, 429), /429/],
  ['the service fails', json({}, 500), /500/],
  ['the token is not known', json({}, 401), /401/],
  ['it redirects', (r) => r.writeHead(302, { location: 'http://127.0.0.1:9/' }).end(), /redirect/],
  ['the connection is reset', (_r, _c, socket) => socket.resetAndDestroy(), /reset/],
  [
    'it is a page of the network',
    (r) => r.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Sign in</h1>'),
    /checksum/,
  ],
]

test.skipIf(level === 'short')(
  'a fetch that fails changes nothing, is reported as failed, and is tried again after ten minutes (D26)',
  async () => {
    await Promise.all(
      faults.slice(0, level === 'long' ? undefined : 1).map(async ([what, reply, reason]) => {
        const bundles: Record<string, PackedBundle | Reply> = { '1.5.0': reply }
        const { service, agent, offered } = await newSetup(bundles)
        runs(agent)
        await becomes('the old version', () => agent.starts().length === 1)
        const before = everything(agent)
        offered.wish('1.5.0')
        const { applied } = await reportWhere(service, what, (r) => r.applied?.outcome === 'failed')
        expect(applied?.version, what).toBe('1.4.0')
        expect(applied?.message, what).toMatch(reason)
        expect(everything(agent), what).toEqual(before)
        expect(readUpdate(agent), what).toMatchObject({ state: 'idle', retry: { version: '1.5.0' } })
        expect(agent.starts(), what).toHaveLength(1)
        bundles['1.5.0'] = next
        await reportWhere(service, `${what}: kept after the retry`, (r) => r.applied?.version === '1.5.0')
        expect(offered.asked, what).toEqual(['1.5.0', '1.5.0'])
      }),
    )
  },
)

describe('a rollback', () => {
  test('by svc rollback with a running runtime, offline: the version is held; the service names another, then it again', async () => {
    const { service, agent, offered } = await newSetup()
    const running = runs(agent)
    await becomes('the old version runs', () => agent.starts().length === 1)
    offered.wish('1.5.0')
    await reportWhere(service, 'kept', (r) => r.applied?.version === '1.5.0')
    await becomes('the new version runs', () => agent.starts().length === 2)
    service.usual = (_r, _c, socket) => socket.destroy()
    service.other = (_r, _c, socket) => socket.destroy()
    const before = JSON.parse((await svc(agent, ['why', '--json'])).out)
    expect(before.update).toMatchObject({ state: 'watching' })
    const back = await svc(agent, ['rollback', '--json'])
    expect(back, back.err).toMatchObject({ code: 0 })
    expect(JSON.parse(back.out)).toMatchObject({
      version: '1.4.0',
      applied: { outcome: 'rolled_back' },
      hold: { version: '1.5.0' },
    })
    await becomes('the old one runs', () => agent.starts().length === 3)
    expect(agent.starts()[2]?.cwd).toContain(old.sha256.slice(0, 32))
    const again = await svc(agent, ['rollback'])
    expect(again).toMatchObject({ code: 1 })
    expect(again.err).toContain('no previous version before')
    const seen = service.reports.length
    offerBundles(service, { '1.5.0': next }).wish('1.5.0')
    await service.reported(seen + 6)
    expect(lastReport(service)?.applied).toMatchObject({ version: '1.4.0', outcome: 'rolled_back' })
    expect((await svc(agent, ['status'])).out).toContain('1.5.0 is on hold')
    expect((await svc(agent, ['unhold'])).out).toContain('1.5.0')
    await becomes('kept again', () => lastReport(service)?.applied?.version === '1.5.0')
    await running.end()
  })

  test.skipIf(level === 'short')(
    'by svc rollback without a runtime, its agent left behind: the next start runs the previous version',
    async () => {
      const { service, agent, offered } = await newSetup()
      const running = runs(agent)
      offered.wish('1.5.0')
      await reportWhere(service, 'kept', (r) => r.applied?.version === '1.5.0')
      await running.end('SIGKILL')
      await service.close()
      const back = await svc(agent, ['rollback'])
      expect(back, back.err).toMatchObject({ code: 0 })
      expect(back.out).toContain('1.4.0 is in place')
      expect(back.out).toContain('svc start')
      expect(expectWhole(agent, [old, next])).toBe('1.4.0')
      runs(agent)
      await becomes('the old one runs', () => agent.starts().at(-1)?.cwd.includes(old.sha256.slice(0, 32)))
      expect(readUpdate(agent)).toMatchObject({ state: 'idle', hold: { version: '1.5.0' } })
    },
  )

  test.skipIf(level === 'short')(
    'by the service naming the previous version: at once, from the disk, as an update (D30)',
    async () => {
      const { service, agent, offered } = await newSetup()
      runs(agent)
      offered.wish('1.5.0')
      await reportWhere(service, 'kept', (r) => r.applied?.version === '1.5.0')
      offered.wish('1.4.0')
      const report = await reportWhere(service, 'back', (r) => r.applied?.message?.startsWith('1.5.0 -> 1.4.0'))
      expect(report.applied).toMatchObject({ version: '1.4.0', outcome: 'ok' })
      expect(report.applied?.message).toContain('the version before')
      expect(offered.asked).toEqual(['1.5.0'])
    },
  )
})

describe('the window', () => {
  /** The files of an agent that reports the level in its file `level`, and crashes while its file `die` exists. */
  const obedient = {
    'main.cjs': `const fs=require('node:fs'),at=(n)=>process.env.SVC_STATE_DIR+'/'+n
setInterval(()=>{if(fs.existsSync(at('die')))process.exit(9)
const level=fs.existsSync(at('level'))?fs.readFileSync(at('level'),'utf8'):'ok'
fs.writeFileSync(at('status.json.new'),JSON.stringify({state:{level,label:'Obeys'}}));fs.renameSync(at('status.json.new'),at('status.json'))},20)
`,
  }
  const kept = async () => {
    const obeys = await learnFiles(await versionOf('1.6.0', obedient))
    const w = await newSetup({ '1.6.0': obeys })
    const running = runs(w.agent)
    w.offered.wish('1.6.0')
    await reportWhere(w.service, 'kept', (r) => r.applied?.version === '1.6.0')
    return { ...w, running, obeys }
  }

  test('an agent that gets worse and stays so is rolled back, its new version is on hold, and its state stays', async () => {
    const { agent, service, obeys } = await kept()
    writeFileSync(join(agent.state, 'level'), 'warn')
    const report = await reportWhere(service, 'back', (r) => r.applied?.outcome === 'rolled_back')
    expect(report.applied?.message).toMatch(/^1\.6\.0 -> 1\.4\.0, .*worse.*warn/)
    expect(expectWhole(agent, [old, obeys])).toBe('1.4.0')
    expect(readFileSync(join(agent.state, 'level'), 'utf8')).toBe('warn')
  })

  test.runIf(level === 'long')('an agent whose process dies three times is rolled back', async () => {
    const { agent, service } = await kept()
    writeFileSync(join(agent.state, 'die'), '')
    const report = await reportWhere(service, 'back', (r) => r.applied?.outcome === 'rolled_back')
    expect(report.applied?.message).toMatch(/died|worse/)
  })

  test.skipIf(level === 'short')(
    'a broken binding does not count; minutes are saved, a restart continues with them, and in the end nothing is watched',
    async () => {
      const { agent, service, running } = await kept()
      service.other = json({}, 401)
      await becomes('minutes', () => (readUpdate(agent)?.window?.ran ?? 0) >= 300)
      await running.end()
      const ran = readUpdate(agent)?.window?.ran ?? 0
      expect(ran).toBeGreaterThanOrEqual(300)
      expect(ran).toBeLessThan(1800)
      runs(agent, { scale: 0.002 }) // the time is shortened even more, so that the rest of the 30 minutes takes no time
      await becomes('the end of the window', () => readUpdate(agent)?.state === 'idle')
      expect(readUpdate(agent)).toMatchObject({
        running: { version: '1.6.0' },
        previous: { version: '1.4.0' },
        applied: { outcome: 'ok' },
      })
    },
  )
})

describe('an update that does not wait for the end of a watch', () => {
  const watched = async (more: Readonly<Record<string, PackedBundle | Reply>>) => {
    const w = await newSetup({ '1.5.0': next, ...more })
    const running = runs(w.agent)
    w.offered.wish('1.5.0')
    await reportWhere(w.service, 'kept', (r) => r.applied?.version === '1.5.0')
    expect(readUpdate(w.agent)).toMatchObject({ state: 'watching' })
    return { ...w, running }
  }
  /** Waits for reports that take longer than the minute between the starts of two updates. */
  const aWhile = async (service: Service) => service.reported(service.reports.length + 25)

  test('by the wish of the service: at once, and the new version is watched in turn', async () => {
    const third = await learnFiles(await versionOf('1.6.0'))
    const { service, agent, offered } = await watched({ '1.6.0': third })
    offered.wish('1.6.0')
    await aWhile(service)
    expect(readUpdate(agent), 'without "now" it waits').toMatchObject({ state: 'watching' })
    expect(offered.asked).toEqual(['1.5.0'])
    offered.wish('1.6.0', { now: true })
    const report = await reportWhere(service, 'kept', (r) => r.applied?.version === '1.6.0')
    expect(report.applied?.message).toMatch(/^1\.5\.0 -> 1\.6\.0, .*: kept/)
    expect(readUpdate(agent)).toMatchObject({ state: 'watching', previous: { version: '1.5.0' } })
    expect(expectWhole(agent, [next, third])).toBe('1.6.0')
  })

  test.skipIf(level === 'short')(
    'a new version that fails: the version that was watched runs again, and the failed one is held',
    async () => {
      const broken = await learnFiles(
        await versionOf('1.6.0', {}, bundleManifest.replace(/command: .*/, 'command: [no-such-program-anywhere]'), 60),
      )
      const { service, agent, offered } = await watched({ '1.6.0': broken })
      offered.wish('1.6.0', { now: true })
      const report = await reportWhere(service, 'rolled back', (r) => r.applied?.outcome === 'rolled_back')
      expect(report.applied).toMatchObject({ version: '1.5.0' })
      expect(report.applied?.message).toMatch(/^1\.6\.0 -> 1\.5\.0, .*could not be started/)
      expect(expectWhole(agent, [old, next])).toBe('1.5.0')
      await becomes('it is back', () => readUpdate(agent)?.state === 'idle')
      await aWhile(service)
      expect(offered.asked, 'the hold stands although the wish still says "now"').toEqual(['1.5.0', '1.6.0'])
      expect(readUpdate(agent)).toMatchObject({ hold: { version: '1.6.0' } })
    },
  )

  test.skipIf(level === 'short')(
    'a download that fails, and a kill while it lasts: the watch goes on, and the update is tried again later',
    async () => {
      const third = await learnFiles(await versionOf('1.6.0'))
      let hangs = true
      const { service, agent, offered, running } = await watched({
        '1.6.0': (r, c, s) => (hangs ? undefined : serves(third)(r, c, s)),
      })
      await becomes('minutes of the watch', () => (readUpdate(agent)?.window?.ran ?? 0) >= 60)
      offered.wish('1.6.0', { now: true })
      await becomes('the fetch', () => readUpdate(agent)?.state === 'fetching')
      await running.end('SIGKILL')
      hangs = false
      runs(agent)
      await becomes('it is watched again', () => readUpdate(agent)?.state === 'watching')
      expect(readUpdate(agent)).toMatchObject({
        running: { version: '1.5.0' },
        previous: { version: '1.4.0' },
        retry: { version: '1.6.0' },
      })
      expect(readUpdate(agent)?.window?.ran).toBeGreaterThanOrEqual(60)
      await reportWhere(service, 'kept after ten minutes', (r) => r.applied?.version === '1.6.0')
    },
  )

  test.skipIf(level === 'short')('by "svc unwatch", with a runtime and without one', async () => {
    const third = await learnFiles(await versionOf('1.6.0'))
    const { service, agent, offered, running } = await watched({ '1.6.0': third })
    offered.wish('1.6.0')
    await aWhile(service)
    expect((await svc(agent, ['why'])).out).toContain('"svc unwatch" ends the watch now.')
    const ended = await svc(agent, ['unwatch', '--json'])
    expect(ended, ended.err).toMatchObject({ code: 0, out: expect.stringContaining('1.5.0') })
    await reportWhere(service, 'kept', (r) => r.applied?.version === '1.6.0')
    await running.end()
    expect(readUpdate(agent)).toMatchObject({ state: 'watching', running: { version: '1.6.0' } })
    expect((await svc(agent, ['unwatch'])).out).toBe('1.6.0 is no longer watched.\n')
    expect(readUpdate(agent)).toMatchObject({ state: 'idle', previous: { version: '1.5.0' } })
    expect(await svc(agent, ['unwatch'])).toMatchObject({ code: 1, err: '1.6.0 is not being watched.\n' })
  })

  test.skipIf(level === 'short')('a runtime of 0.1.0 ignores it and waits', async () => {
    const third = await learnFiles(await versionOf('1.6.0'))
    const { service, agent, offered } = await newSetup({ '1.5.0': next, '1.6.0': third })
    copyFileSync(join(import.meta.dirname, '../../../../blueprint/testing/old/svc-0.1.0.pyz'), agent.runtime)
    runs(agent, { node: 'python3', file: [agent.runtime] })
    offered.wish('1.5.0')
    await reportWhere(service, 'kept', (r) => r.applied?.version === '1.5.0')
    expect(lastReport(service)?.runtime?.version).toBe('0.1.0')
    offered.wish('1.6.0', { now: true })
    await aWhile(service)
    expect(offered.asked).toEqual(['1.5.0'])
    expect(readUpdate(agent)).toMatchObject({ state: 'watching', running: { version: '1.5.0' } })
  })
})

test.skipIf(level === 'short')(
  'a paused agent gets the version put in place, and it is proved when the agent runs again',
  async () => {
    const { service, agent, offered } = await newSetup()
    runs(agent)
    await becomes('the old version', () => agent.starts().length === 1)
    await svc(agent, ['pause'])
    await becomes('it rests', () => readNote(agent)?.state.is === 'stopped')
    offered.wish('1.5.0')
    await becomes('it is in place', () => readUpdate(agent)?.state === 'proving')
    const { length } = service.reports
    await service.reported(length + 30) // 30 reports take longer than the time limit of a trial
    expect(readUpdate(agent)).toMatchObject({ state: 'proving' })
    expect(agent.starts()).toHaveLength(1)
    await svc(agent, ['resume'])
    await reportWhere(service, 'kept', (r) => r.applied?.version === '1.5.0')
    expect(agent.starts()).toHaveLength(2)
  },
)

test.skipIf(level === 'short')(
  'a wish that is withdrawn while the bundle is fetched is dropped, and nothing is reported about it (D31)',
  async () => {
    let hangs = true
    const { service, agent, offered } = await newSetup({
      '1.5.0': (r, c, s) => (hangs ? undefined : serves(next)(r, c, s)),
    })
    runs(agent)
    offered.wish('1.5.0')
    await becomes('the fetch', () => offered.asked.length === 1)
    offered.wish(undefined)
    await becomes('it is dropped', () => readUpdate(agent)?.state === 'idle')
    expect(lastReport(service)?.applied).toMatchObject({ message: 'installed' })
    hangs = false
    offered.wish('1.5.0')
    await reportWhere(service, 'kept', (r) => r.applied?.version === '1.5.0')
  },
)

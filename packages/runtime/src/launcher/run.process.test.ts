/**
 * Tests `svc run` with a real agent, a real bundle, and a scripted service: the agent's environment, the life of its
 * process, and the commands that it obeys.
 */
import { spawn } from 'node:child_process'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { afterThisTest } from '../../../../testing/cleaning.ts'
import { eventually } from '../../../../testing/eventually.ts'
import { level } from '../../../../testing/level.ts'
import { comesAfter } from '../../../../testing/order.ts'
import { programs } from '../../../../testing/program.ts'
import { botToken, bundleManifest } from '../../testing/blueprint.ts'
import { agentFolder, becomes, type Running, type StartOptions, starts, svc, token } from '../../testing/folder.ts'
import { type InstalledAgent, installedAgent, password } from '../../testing/installed.ts'
import { command, json, type Service, startService } from '../../testing/service.ts'
import { groupLives } from '../machine/process/group.ts'
import { identityOf, isAlive } from '../machine/process/identity.ts'
import { readNote } from '../state/process-note.ts'

/** The factor for all durations: a second lasts 50 ms. */
const scale = 0.05
const service = async (): Promise<Service> => {
  const started = await startService()
  started.usual = json({ commands: [], interval: 5 })
  started.other = json({ id: 'ws-1' })
  afterThisTest(() => started.close())
  return started
}
async function newSetup(files: Readonly<Record<string, string>> = {}) {
  const good = await service()
  const agent = await installedAgent(good, files)
  afterThisTest(() => agent.remove())
  return { good, agent }
}
const runs = (agent: InstalledAgent, options: StartOptions = {}): Running => {
  const running = starts(agent, ['run'], { scale, ...options })
  afterThisTest(() => running.end('SIGKILL'))
  return running
}
const changed = (from: string | RegExp, to: string) => ({ 'svc.agent.yaml': bundleManifest.replace(from, to) })
const reportWhere = (good: Service, what: string, holds: (report: Service['reports'][number]['report']) => unknown) =>
  becomes(what, () => good.reports.find((r) => holds(r.report))?.report)
const stateOf = (agent: InstalledAgent) => readNote(agent)?.state

test('the agent gets exactly the environment of the contract, and never the token of the runtime (2.12); its report has version, applied, Process, Binding, runtime (2.5, 2.11, 3.7)', async () => {
  const { good, agent } = await newSetup()
  const before = Date.now() / 1000
  runs(agent, { env: { SVC_TOKEN: token, SVC_CODE: 'x', LD_PRELOAD: '', AWS_SECRET_ACCESS_KEY: 'k', LANG: 'C.UTF-8' } })
  const [first] = await becomes('a start', () => agent.starts()[0] && agent.starts())
  const machine =
    /^(?:PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_\w+|TZ|TMPDIR|XDG_RUNTIME_DIR|\w+_proxy|\w+_PROXY|SSL_CERT_\w+|NODE_EXTRA_CA_CERTS|REQUESTS_CA_BUNDLE)$/
  const env = Object.fromEntries(Object.entries(first?.env ?? {}).filter(([name]) => !machine.test(name)))
  const { SVC_AGENT_STARTED: started, ...rest } = env
  expect(rest).toEqual({
    SVC_URL: good.origin,
    SVC_BINDING_TASKS_URL: good.origin,
    SVC_BINDING_TASKS_WORKSPACE: 'ws-1',
    SVC_BINDING_TASKS_TOKEN: botToken,
    MAIL_PASSWORD: password,
    SVC_SETTING_EVERY: '10',
    SVC_SETTING_DRY: 'false',
    SVC_SETTING_NOTE: '',
    SVC_SETTINGS_FILE: agent.settings,
    SVC_PAUSE_FILE: agent.paused,
    SVC_RUN_NOW_FILE: agent.runNow,
    SVC_STATE_DIR: agent.state,
    SVC_AGENT_DIR: agent.root,
  })
  expect(started).toMatch(/^\d+\.\d{3}$/)
  expect(Number(started)).toBeGreaterThanOrEqual(before)
  expect(first?.cwd).toBe(realpathSync(agent.current))
  expect(JSON.stringify(first)).not.toContain(token)
  expect(JSON.parse(readFileSync(agent.settings, 'utf8'))).toEqual({ every: 10, dry: false, note: null })

  const report = await reportWhere(
    good,
    'a report of the working agent',
    (r) => r.state?.label === 'Working' && (r.health?.length ?? 0) > 1,
  )
  expect(report).toMatchObject({
    agent: { version: '1.4.0' },
    applied: { version: '1.4.0', outcome: 'ok', message: 'installed' },
    runtime: { version: 'dev' },
    controls: ['pause', 'resume', 'run_now'],
    settings: { values: { every: 10, dry: false, note: null } },
    health: [
      { name: 'Process', level: 'ok' },
      { name: 'Binding tasks', level: 'ok' },
    ],
  })
  const probes = good.others.filter((c) => c.path === '/api/v1/workspaces/ws-1')
  expect(probes).toHaveLength(1)
  expect(probes[0]?.token).toBe(botToken)
  expect(good.reports.every((r) => r.token === token)).toBe(true)
})

test.skipIf(level === 'short')(
  'the first report waits for the agent, since it would be shown for an interval and say that nothing runs',
  async () => {
    const { good, agent } = await newSetup({
      // This agent writes its status file late. If the runtime did not wait for the agent, the first report would be
      // sent before.
      'late.sh':
        'sleep 1.6; echo \'{"state": {"level": "ok", "label": "Awake"}}\' > $SVC_STATE_DIR/status.json; exec sleep 1000',
      ...changed(/command: .*/, 'command: [sh, late.sh]'),
    })
    runs(agent, { scale: 0.3 })
    const { report } = await good.reported(1)
    expect(report.state).toEqual({ level: 'ok', label: 'Awake' })
    expect(report.health?.[0]).toMatchObject({ name: 'Process', level: 'ok' })
  },
)

test.skipIf(level === 'short')(
  'a binding is asked at most once in five minutes, even if the runtime restarts',
  async () => {
    const { good, agent } = await newSetup()
    const first = runs(agent)
    await reportWhere(good, 'the binding', (r) => r.health?.some((h) => h.name === 'Binding tasks'))
    await first.end()
    const count = good.reports.length
    const asked = good.others.length
    runs(agent)
    const { report } = await good.reported(count + 5)
    expect(report.health).toContainEqual(expect.objectContaining({ name: 'Binding tasks', level: 'ok' }))
    expect(good.others.length).toBe(asked)
  },
)

describe('the process of the agent', () => {
  test('waits longer after each crash; the reports say that it does not run, and why', async () => {
    const { good, agent } = await newSetup(changed(/command: .*/, 'command: [sh, -c, exit 3]'))
    runs(agent)
    const waits = new Map<number, number>()
    await becomes('the wait after a fourth crash in a row', () => {
      const state = stateOf(agent)
      if (state?.is === 'waiting') waits.set(state.crashes, state.startAt - (state.exit?.at ?? 0))
      return waits.has(4)
    })
    for (const [crashes, wait] of waits)
      expect(wait, `${crashes} crashes`).toBeGreaterThanOrEqual(50 * 2 ** (crashes - 1))
    const report = await reportWhere(
      good,
      'Not running',
      (r) => r.state?.label === 'Not running' && r.health?.[0]?.level === 'bad',
    )
    expect(report.state).toMatchObject({
      level: 'bad',
      detail: expect.stringMatching(/^It ended with code 3 at .* it starts again at/),
    })
    await eventually('“svc why” explains the wait', async () =>
      expect((await svc(agent, ['why'])).out).toContain('The wait doubles'),
    )
  })

  test.skipIf(level === 'short')('is reported with the reason if it cannot be started', async () => {
    const { good, agent } = await newSetup(
      changed(`[${JSON.stringify(process.execPath)}, main.cjs]`, '[./nothing-here]'),
    )
    runs(agent)
    const report = await reportWhere(good, 'its reason', (r) => r.state?.detail?.includes('./nothing-here'))
    expect(report.state).toMatchObject({ level: 'bad', label: 'Not running' })
    expect((await svc(agent, ['doctor', '--offline'])).out).toContain(
      'nothing-here, which starts mail-triage, is not there',
    )
  })

  test('starts as soon as somebody says how, and a slow runtime does not count against it', async () => {
    const { good, agent } = await newSetup()
    const slow = join(agent.root, 'slow.cjs')
    const sleeps = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 6000)'
    writeFileSync(slow, `if (!require('node:worker_threads').isMainThread) ${sleeps}\n`)
    // the worker sleeps at its start, but for less time than the launcher waits for a worker's first message
    const { lines } = runs(agent, { env: { NODE_OPTIONS: `--require ${slow}` }, scale: 0.4 })
    const { health } = await reportWhere(good, 'the agent runs', ({ state }) => state?.label === 'Working')
    const process = health?.find(({ name }) => name === 'Process')
    expect(process).toMatchObject({ level: 'ok', detail: expect.stringMatching(/^Running since .*, process \d+\.$/) })
    expect(lines.filter((line) => line.includes('has not said yet'))).toEqual([expect.stringContaining('asking again')])
  })

  test.skipIf(level === 'short')(
    'stays ended after code 0 under the policy on-failure, until somebody asks for a run',
    async () => {
      const { good, agent } = await newSetup({ ...changed('restart: always', 'restart: on-failure') })
      mkdirSync(agent.state, { recursive: true })
      writeFileSync(join(agent.state, 'exit'), '0 2')
      runs(agent)
      const report = await reportWhere(
        good,
        'its end',
        (r) => r.state?.label === 'Not running' && r.state.detail?.includes('code 0'),
      )
      expect(report.state).toMatchObject({ level: 'info' })
      expect(agent.starts()).toHaveLength(1)
      await svc(agent, ['run-now'])
      await becomes('a second start', () => agent.starts().length === 2)
    },
  )

  test.skipIf(level === 'short')(
    'is ended softly by Ctrl-C; if it refuses, it and its children are killed after its time',
    async () => {
      const { agent } = await newSetup()
      const soft = runs(agent)
      await becomes('work', () => agent.trace().length > 3)
      expect(await soft.end('SIGINT')).toEqual({ code: 0, signal: null })
      expect(agent.trace().at(-1)).toBe('ends')
      writeFileSync(join(agent.state, 'stubborn'), '')
      const hard = runs(agent)
      await becomes('a second start', () => agent.starts().length === 2)
      const pid = agent.starts()[1]?.pid ?? 0
      await becomes('work', () => agent.trace().filter((l) => l === 'starts').length === 2)
      const ended = hard.end()
      expect(await comesAfter(400, ended)).toBe(true)
      expect(await ended).toEqual({ code: 0, signal: null })
      expect(groupLives(pid)).toBe(false)
      expect(hard.lines.join('\n')).toContain('did not end in time')
    },
  )

  test.skipIf(level === 'short')(
    'prints into its own file, and "svc logs -f" follows it; a second runtime is told who runs there (D58)',
    async () => {
      const { agent } = await newSetup()
      const running = runs(agent)
      const [first] = await becomes('a start', () => agent.starts()[0] && agent.starts())
      await becomes('output', () => readFileSync(agent.output, 'utf8').includes(`started ${first?.pid}`))
      const following = starts(agent, ['logs', '-f'])
      afterThisTest(() => following.end('SIGKILL'))
      await following.said(`started ${first?.pid}`)
      appendFileSync(agent.output, `it said ${password}\n`)
      expect(await following.said('it said')).toBe('it said [masked]')
      expect((await svc(agent, ['logs', 'output'])).out).not.toContain(password)
      expect(await svc(agent, ['run'])).toMatchObject({
        code: 1,
        err: `svc run (process ${running.child.pid}) is already running this agent; stop it first.\n`,
      })
      expect((await svc(agent, ['report'])).code).toBe(1)
    },
  )
})

describe('after kill -9 of the runtime', () => {
  test('the agent continues, and the next start takes it over: same pid, same start', async () => {
    const { good, agent } = await newSetup()
    const first = runs(agent)
    const pid = await becomes('a noted process', () => {
      const state = stateOf(agent)
      return state?.is === 'running' && agent.starts().length === 1 && state.pid
    })
    const who = identityOf(pid)
    await first.end('SIGKILL')
    const steps = agent.trace().length
    await becomes('more work without a runtime', () => agent.trace().length > steps + 3)
    expect((await svc(agent, ['why'])).out).toContain('"svc start" takes the process over')
    const second = runs(agent)
    await second.said(`took over the agent: process ${pid}`)
    expect(identityOf(pid)).toEqual(who)
    expect(agent.starts()).toHaveLength(1)
    const report = await reportWhere(good, 'taken over', (r) => r.health?.[0]?.detail?.includes('taken over'))
    expect(report.state?.label).toBe('Working')
    process.kill(pid, 'SIGKILL')
    await second.said('ended, its exit code is not known')
    await becomes('a new start', () => agent.starts().length === 2)
    expect(await second.end()).toEqual({ code: 0, signal: null })
  })

  test('a process that was started and not yet noted is found by its mark', async () => {
    const { agent } = await newSetup()
    const first = runs(agent)
    await becomes('a start', () => agent.starts().length === 1)
    await becomes('its note', () => stateOf(agent)?.is === 'running')
    await first.end('SIGKILL')
    const note = readNote(agent)
    writeFileSync(
      agent.process,
      JSON.stringify({ state: { is: 'waiting', crashes: 0, startAt: 0 }, started: note?.started, starting: true }),
    )
    const second = runs(agent)
    await second.said(`took over the agent: process ${agent.starts()[0]?.pid}`)
    // the runtime writes the note only after it has logged that line, so the test waits for the note
    await becomes('it is noted', () => readNote(agent)?.state.is === 'running')
    expect(readNote(agent)?.starting).toBeUndefined()
    expect(agent.starts()).toHaveLength(1)
  })

  test('another process that has its pid meanwhile is left alone', async () => {
    const { agent } = await newSetup()
    // the stranger leads its own process group, as an agent does
    const stranger = spawn('sleep', ['1000'], { detached: true, stdio: 'ignore' })
    writeFileSync(
      agent.process,
      JSON.stringify({
        state: { is: 'running', pid: stranger.pid, start: 'another-boot:1', since: 1, crashes: 0, adopted: false },
        started: '1.000',
      }),
    )
    try {
      const running = runs(agent)
      await running.said('started the agent')
      await running.end()
      expect(isAlive({ pid: stranger.pid ?? 0, start: '' })).toBe(true)
    } finally {
      stranger.kill('SIGKILL')
    }
  })

  test.skipIf(level === 'short')(
    '"svc stop" ends an agent whose runtime was killed before the agent was noted',
    async () => {
      const { agent } = await newSetup()
      const first = runs(agent)
      const pid = await becomes('a noted process', () => {
        const state = stateOf(agent)
        return state?.is === 'running' && state.pid
      })
      await first.end('SIGKILL')
      const waiting = { is: 'waiting', crashes: 0, startAt: 0 }
      writeFileSync(agent.process, JSON.stringify({ ...readNote(agent), state: waiting, starting: true }))
      expect(await svc(agent, ['stop'])).toMatchObject({ code: 0, out: 'Stopped.\n' })
      expect(groupLives(pid)).toBe(false)
      expect((await svc(agent, ['why'])).out).toMatch(/It has been stopped since .* on this machine by/)
    },
  )
})

describe('commands from the service (3.6)', () => {
  test('pause ends the process, resume starts it, and both are the files of the machine', async () => {
    const { good, agent } = await newSetup()
    runs(agent)
    await becomes('work', () => agent.trace().length > 3)
    good.next.push(json({ commands: [command('1', 'pause')], interval: 5 }))
    const report = await reportWhere(
      good,
      'Paused',
      (r) => r.state?.label === 'Paused' && r.health?.[0]?.detail?.startsWith('Ended'),
    )
    expect(report.acks ?? []).toEqual(expect.arrayContaining([]))
    expect(agent.trace().at(-1)).toBe('ends')
    expect(existsSync(agent.paused)).toBe(true)
    expect((await svc(agent, ['status'])).out).toContain('Ended because the agent is paused')
    good.next.push(json({ commands: [command('2', 'run_now')], interval: 5 }))
    const refused = await reportWhere(good, 'the refusal', (r) => r.acks?.some((a) => a.id === '2'))
    expect(refused.acks).toContainEqual({ id: '2', ok: false, message: 'Paused. Resume first.' })
    good.next.push(json({ commands: [command('3', 'resume')], interval: 5 }))
    await becomes('a second start', () => agent.starts().length === 2)
    expect(good.reports.flatMap((r) => r.report.acks ?? [])).toContainEqual({ id: '1', ok: true, message: 'Paused.' })
  })

  test.skipIf(level === 'short')(
    'settings, run now and logs reach a running agent, and restart nothing; undeclared logs are not sent',
    async () => {
      const { good, agent } = await newSetup()
      runs(agent)
      await becomes('work', () => agent.trace().some((l) => l.endsWith('every 10')))
      good.next.push(json({ commands: [command('1', 'set', { every: 45 })], interval: 5 }))
      await becomes('work at the new pace', () => agent.trace().some((l) => l.endsWith('every 45')))

      good.next.push(json({ commands: [command('2', 'run_now')], interval: 5 }))
      await becomes('a run as asked', () => agent.trace().some((l) => l.endsWith('as asked')))
      expect(existsSync(agent.runNow), 'the agent removes it when it acts').toBe(false)

      await becomes('a log', () => existsSync(join(agent.state, 'work.log')))
      appendFileSync(join(agent.state, 'work.log'), `${password} ${botToken}\n`)
      good.next.push(
        json({
          commands: [command('3', 'log', { name: 'work' }), command('4', 'log', { name: 'output' })],
          interval: 5,
        }),
      )
      await good.logged(2)
      const [first, second] = good.logs.map((l) => JSON.parse(l.text))
      expect(first.text).toContain('worked 0\n')
      expect(first.text).toContain('[masked] [masked]\n')
      expect(second.text).toBe('There is no such log.')
      expect(agent.starts()).toHaveLength(1)
    },
  )
})

test('an agent in a folder connected by hand is run in place, also without a service', async () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'svc-hand-')))
  afterThisTest(() => rmSync(root, { recursive: true, force: true }))
  writeFileSync(
    join(root, 'svc.agent.yaml'),
    `name: by-hand\nversion: 0.1.0\nruntime: {kind: process, command: [sh, -c, 'echo hello $SVC_SETTING_EVERY; exec sleep 1000']}\nsettings: [{key: every, type: number, default: 7}]\n`,
  )
  const running = starts({ root }, ['run'], { scale })
  afterThisTest(() => running.end('SIGKILL'))
  await running.said('started the agent')
  await running.said('names no service to report to')
  await becomes('output', () => readFileSync(join(root, '.svc/log/agent.log'), 'utf8') === 'hello 7\n')
  expect(await running.end()).toEqual({ code: 0, signal: null })
})

test('a worker that finds an invalid manifest does not end the launcher, even if the agent is paused', async () => {
  const manifest = `name: by-hand\nversion: 0.1.0\nruntime: {kind: process, command: [sleep, "1000"]}\ncontrols: [pause, resume]\n`
  const agent = agentFolder({ 'svc.agent.yaml': manifest })
  afterThisTest(agent.remove)
  const crash = join(agent.root, 'crash')
  // The runtime in the folder is the real one, whose worker ends as long as the file `crash` exists.
  mkdirSync(dirname(agent.runtime), { recursive: true })
  writeFileSync(
    agent.runtime,
    `const { existsSync } = require('node:fs')
setInterval(() => existsSync(${JSON.stringify(crash)}) && process.exit(1), 10).unref()
require(${JSON.stringify(programs.svc)})`,
  )
  const running = starts(agent, ['run'], { scale })
  afterThisTest(() => running.end('SIGKILL'))
  await running.said('started the agent')
  expect(await svc(agent, ['pause'])).toMatchObject({ code: 0, err: '' })
  writeFileSync(agent.manifest, 'name: By Hand\n')
  writeFileSync(crash, '')
  await running.said('the runtime ended and restarts')
  rmSync(crash)
  await running.said('must name "version"')
  writeFileSync(agent.manifest, manifest)
  await svc(agent, ['resume'])
  await becomes('a second start', () => running.lines.filter((line) => line.includes('started the agent')).length === 2)
  expect(await running.end()).toEqual({ code: 0, signal: null })
})

test.skipIf(level === 'short')(
  'compose: docker is called with the named files in the foreground, and it also ends containers that had to be killed',
  async () => {
    const bin = realpathSync(mkdtempSync(join(tmpdir(), 'svc-docker-')))
    afterThisTest(() => rmSync(bin, { recursive: true, force: true }))
    const calls = join(bin, 'calls')
    writeFileSync(
      join(bin, 'docker'),
      `#!/bin/sh\necho "$@" >> ${calls}\ncase "$*" in *" up "*) trap '' TERM; echo "pw $MAIL_PASSWORD"; while :; do sleep 0.1; done;; esac\n`,
      { mode: 0o755 },
    )
    const { agent } = await newSetup({
      'svc.agent.yaml': bundleManifest.replace(
        / {2}kind: process\n {2}command: .*\n/,
        '  kind: compose\n  files: [compose.yaml, more/extra.yaml]\n',
      ),
      'compose.yaml': 'services: {}\n',
      'more/extra.yaml': 'services: {}\n',
    })
    const running = runs(agent, { env: { PATH: `${bin}:${process.env.PATH}` } })
    await becomes('up', () => readFileSync(agent.output, 'utf8') === `pw ${password}\n`)
    await running.end()
    const [up, kill] = await becomes('two calls', () => {
      const all = readFileSync(calls, 'utf8').trim().split('\n')
      return all.length === 2 && all
    })
    const { current } = agent
    const base = new RegExp(
      `^compose --project-name svc-mail-triage-[0-9a-f]{8} --project-directory ${current} --file ${current}/compose.yaml --file ${current}/more/extra.yaml `,
    )
    expect(up).toMatch(base)
    expect(up?.replace(base, '')).toBe('up --no-color --remove-orphans --timeout 10')
    expect(kill?.replace(base, '')).toBe('kill --remove-orphans')
  },
)

/**
 * Tests that people can start and stop an agent in the background, and what is left if the start or the stop is killed.
 */
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { afterThisTest } from '../../../../../testing/cleaning.ts'
import { byLevel, level } from '../../../../../testing/level.ts'
import { programs } from '../../../../../testing/program.ts'
import { becomes, starts, svc } from '../../../testing/folder.ts'
import { type InstalledAgent, installedAgent } from '../../../testing/installed.ts'
import { startService } from '../../../testing/service.ts'
import { whoHolds } from '../../machine/files/lock.ts'
import { identityOf } from '../../machine/process/identity.ts'
import { readNote } from '../../state/process-note.ts'

async function agentOf(): Promise<InstalledAgent> {
  const service = await startService()
  const agent = await installedAgent(service)
  afterThisTest(() => service.close())
  afterThisTest(() => agent.remove())
  afterThisTest(() => {
    const holder = whoHolds(agent, 'runtime')
    if (holder) process.kill(holder.pid, 'SIGKILL')
  })
  return agent
}

test('an agent can be started, started again, restarted, stopped and stopped again', async () => {
  const agent = await agentOf()
  const first = await svc(agent, ['start'])
  expect(first).toMatchObject({ code: 0, err: '' })
  expect(first.out).toMatch(/^Started\. Running since /)
  await becomes('a first start', () => agent.starts().length === 1)
  const pid = whoHolds(agent, 'runtime')?.pid
  expect((await svc(agent, ['start'])).out).toBe(`It is already running: svc run (process ${pid}).\n`)
  expect(JSON.parse((await svc(agent, ['status', '--json'])).out)).toMatchObject({ running: 'running', managed: true })
  expect((await svc(agent, ['restart'])).code).toBe(0)
  expect(whoHolds(agent, 'runtime')?.pid).not.toBe(pid)
  await becomes('a second start', () => agent.starts().length === 2)
  expect((await svc(agent, ['doctor', '--offline', '--json'])).code).toBe(0)
  expect((await svc(agent, ['stop'])).out).toBe('Stopped.\n')
  expect((await svc(agent, ['stop'])).out).toBe('It was not running.\n')
  expect(agent.starts().every((s) => identityOf(s.pid) === undefined)).toBe(true)
})

test.skipIf(level === 'short')(
  'after everything was killed, doctor and start name no process that is gone',
  async () => {
    const agent = await agentOf()
    await svc(agent, ['start'])
    const pid = (): number => {
      const state = readNote(agent)?.state
      return state && 'pid' in state ? state.pid : 0
    }
    const runtime = whoHolds(agent, 'runtime')?.pid ?? 0
    const dead = pid()
    for (const each of [runtime, dead]) process.kill(each, 'SIGKILL')
    await becomes('both are gone', () => [runtime, dead].every((each) => identityOf(each) === undefined))
    const { out } = await svc(agent, ['doctor', '--offline'])
    expect(out).toMatch(/BAD {2}Process: Neither its process nor its runtime is there/)
    expect(out).not.toContain(String(dead))
    const started = JSON.parse((await svc(agent, ['start', '--json'])).out)
    expect(started.process).toMatchObject({ is: 'running', pid: pid() })
    expect(identityOf(started.process.pid), 'it lives').toBeDefined()
    process.kill(whoHolds(agent, 'runtime')?.pid ?? 0, 'SIGKILL')
    await becomes('the runtime is gone', () => whoHolds(agent, 'runtime') === undefined)
    expect((await svc(agent, ['doctor', '--offline'])).out).toContain('Its process runs, but its runtime does not')
    const taken = pid()
    expect((await svc(agent, ['start'])).out).toContain(`process ${taken}`)
    await svc(agent, ['pause'])
    process.kill(whoHolds(agent, 'runtime')?.pid ?? 0, 'SIGKILL')
    await becomes('the runtime is gone again', () => whoHolds(agent, 'runtime') === undefined)
    await svc(agent, ['stop'])
  },
)

test.skipIf(level === 'short')('a paused agent is not started, and start says so', async () => {
  const agent = await agentOf()
  await svc(agent, ['pause'])
  expect((await svc(agent, ['start'])).out).toContain('the agent is paused; "svc resume" starts it')
  expect(agent.starts()).toEqual([])
  await svc(agent, ['resume'])
  await becomes('a start', () => agent.starts().length === 1)
  await svc(agent, ['stop'])
})

test.skipIf(level === 'short')(
  'a secret is listed without its value, set unseen, and counts from the next start',
  async () => {
    const agent = await agentOf()
    expect(JSON.parse((await svc(agent, ['secrets', 'list', '--json'])).out)).toMatchObject([
      { name: 'MAIL_PASSWORD', set: true },
      { name: 'EXTRA_KEY', set: false, optional: true },
    ])
    expect((await svc(agent, ['secrets', 'list'])).out).not.toContain('battery')
    const set = await svc(agent, ['secrets', 'set', 'EXTRA_KEY'], { input: 'not-shown words\n', inputLate: true })
    expect(set).toMatchObject({ code: 0, err: '' })
    expect(set.out).not.toContain('not-shown')
    expect(readFileSync(agent.secrets, 'utf8')).toContain('EXTRA_KEY=not-shown words\n')
    expect(statSync(agent.secrets).mode & 0o777).toBe(0o600)
    expect((await svc(agent, ['secrets', 'set', 'EXTRA_KEY', 'value'])).code, 'never an argument').toBe(2)
    expect((await svc(agent, ['secrets', 'set', 'LD_PRELOAD'], { input: 'x' })).code).toBe(2)
    await svc(agent, ['start'])
    const [first] = await becomes('a start', () => agent.starts()[0] && agent.starts())
    expect(first?.env.EXTRA_KEY).toBe('not-shown words')
    await svc(agent, ['stop'])
    expect((await svc(agent, ['secrets', 'unset', 'EXTRA_KEY'])).out).toBe('Removed EXTRA_KEY.\n')
    await svc(agent, ['secrets', 'unset', 'MAIL_PASSWORD'])
    for (const command of ['status', 'why', 'doctor'])
      expect((await svc(agent, [command])).out).toMatch(/Secrets.*MAIL_PASSWORD not set; run "svc secrets set/)
  },
)

test('killed at any change of the disk while it starts and stops, the next start finds one agent, never two', {
  timeout: 600_000,
}, async () => {
  const agent = await agentOf()
  const life = async (at: number) => {
    const count = join(agent.root, 'count')
    const running = starts(agent, ['run'], {
      scale: 0.05,
      file: ['--require', programs.killAt, programs.svc],
      env: { SVC_TEST_KILL_AT: String(at), SVC_TEST_KILL_COUNT: count },
    })
    const ended = new Promise<string | null>((resolve) =>
      running.child.once('close', (_code, signal) => resolve(signal)),
    )
    const began = agent.starts().length
    const signal = await Promise.race([
      ended,
      becomes('a start', () => agent.starts().length > began && 'started').catch(() => 'no start'),
    ])
    if (signal === 'started') running.child.kill('SIGTERM')
    return { signal: await ended, count: existsSync(count) ? Number(readFileSync(count, 'utf8')) : 0 }
  }
  const { signal, count } = await life(0)
  expect(signal).toBe(null)
  expect(count).toBeGreaterThan(30)
  for (let at = 1; at <= count; at += byLevel(24, 8, 1)) {
    await life(at)
    const next = starts(agent, ['run'], { scale: 0.05 })
    await Promise.race([next.said('took over the agent'), next.said('started the agent')])
    await becomes('an agent', () => agent.starts().length > 0)
    const alive = agent.starts().filter((s) => identityOf(s.pid) !== undefined)
    expect(alive.length, `killed at change ${at} of ${count}`).toBeLessThanOrEqual(1)
    expect(await next.end(), `killed at change ${at} of ${count}`).toEqual({ code: 0, signal: null })
    expect(agent.starts().filter((s) => identityOf(s.pid) !== undefined)).toEqual([])
  }
})

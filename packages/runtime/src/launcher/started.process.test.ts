/**
 * Tests with real processes that ending an agent ends all processes that the agent started, and no others. The tests
 * cover each way to end an agent, each kind of helper process, and processes that only look as if they were the
 * agent's.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { afterThisTest } from '../../../../testing/cleaning.ts'
import { level, rowsOfLevel } from '../../../../testing/level.ts'
import { programs } from '../../../../testing/program.ts'
import { becomes, type Running, starts, svc } from '../../testing/folder.ts'
import { type HelperKind, type HelpingAgent, helpingAgent, scriptWith } from '../../testing/helpers.ts'
import { whoHolds } from '../machine/files/lock.ts'
import { signalGroup } from '../machine/process/group.ts'
import { identityOf, isAlive } from '../machine/process/identity.ts'
import { agentProcesses } from '../machine/process/mark.ts'
import { readNote } from '../state/process-note.ts'

/** The factor for all durations: a stubborn process has 1.5 s. */
const scale = 0.15
function agentOf(script: string, more: Readonly<Record<string, string>> = {}): HelpingAgent {
  const agent = helpingAgent(script, more)
  afterThisTest(() => agent.remove())
  return agent
}
const runs = (agent: HelpingAgent): Running => {
  const running = starts(agent, ['run'], { scale })
  afterThisTest(() => running.end('SIGKILL'))
  return running
}
const env = { SVC_TIME_SCALE: String(scale) }
const kindsOf = (all: readonly { kind: string }[]) => all.map(({ kind }) => kind).sort()
const every: HelperKind[] = ['session', 'daemon', 'stubborn', 'nested', 'unmarked', 'group']
/** Waits until the note names the running process of the agent. */
const running = (agent: HelpingAgent, before?: number) =>
  becomes('a running agent', () => {
    const now = agent.main()
    return readNote(agent)?.state.is === 'running' && now?.pid !== before && now
  })
/** Starts a process of somebody else, which must never be ended. */
function stranger(command: readonly string[], options: Parameters<typeof spawn>[2] = {}): ChildProcess {
  const [program = '', ...args] = command
  const child = spawn(program, args, { stdio: 'ignore', detached: true, ...options })
  afterThisTest(() => signalGroup(child.pid ?? 0, 'SIGKILL'))
  return child
}
const isRunning = ({ pid }: ChildProcess): boolean => isAlive({ pid: pid ?? 0, start: '' })

describe('of all helpers only the one without the mark outlives', () => {
  test.each(
    rowsOfLevel(
      [
        ['svc pause', ['pause'], 'Paused.\n'],
        ['svc stop', ['stop'], 'Stopped.\n'],
        ['svc remove', ['remove', '--yes'], /^Removed helped/],
      ] as const,
      1,
    ),
  )('%s', async (_name, command, says) => {
    const agent = agentOf(scriptWith(every))
    runs(agent)
    const main = await running(agent)
    expect(kindsOf(await agent.helpers(every))).toEqual([...every].sort())
    const ran = await svc(agent, command, { env })
    expect(ran).toMatchObject({ code: 0, err: '' })
    if (typeof says === 'string') expect(ran.out).toBe(says)
    else expect(ran.out).toMatch(says)
    expect(isAlive(main)).toBe(false)
    expect(kindsOf(agent.living())).toEqual(['unmarked'])
  })

  test('svc restart, and there are not two of any other', async () => {
    const agent = agentOf(scriptWith(every))
    await svc(agent, ['start'], { env })
    const first = await agent.helpers(every)
    expect((await svc(agent, ['restart'], { env })).code).toBe(0)
    await agent.helpers(every)
    expect(first.filter(isAlive).map(({ kind }) => kind)).toEqual(['unmarked'])
    expect(kindsOf(agent.living())).toEqual([...every, 'unmarked'].sort())
    await svc(agent, ['stop'], { env })
    expect(kindsOf(agent.living())).toEqual(['unmarked', 'unmarked'])
  })

  test.skipIf(level === 'short')(
    'a crash of the agent: the next start begins when the helpers have ended',
    async () => {
      const agent = agentOf(scriptWith(every))
      runs(agent)
      const main = await running(agent)
      const first = await agent.helpers(every)
      process.kill(main.pid, 'SIGKILL')
      await running(agent, main.pid)
      await agent.helpers(every)
      expect(first.filter(isAlive).map(({ kind }) => kind)).toEqual(['unmarked'])
    },
  )

  test.each(rowsOfLevel([['stop'], ['pause']], 1))('svc %s after the runtime was killed', async (command) => {
    const agent = agentOf(scriptWith(every))
    const runtime = runs(agent)
    const main = await running(agent)
    await agent.helpers(every)
    await runtime.end('SIGKILL')
    expect((await svc(agent, [command], { env })).code).toBe(0)
    expect(isAlive(main)).toBe(false)
    expect(kindsOf(agent.living())).toEqual(['unmarked'])
  })

  test.skipIf(level === 'short')('the next start after the runtime and the agent were killed', async () => {
    const agent = agentOf(scriptWith(every))
    const runtime = runs(agent)
    const main = await running(agent)
    const first = await agent.helpers(every)
    await runtime.end('SIGKILL')
    process.kill(main.pid, 'SIGKILL')
    runs(agent)
    await running(agent, main.pid)
    await agent.helpers(every)
    expect(first.filter(isAlive).map(({ kind }) => kind)).toEqual(['unmarked'])
  })

  test.skipIf(level === 'short')('svc stop of an agent whose note says that it is stopped', async () => {
    const agent = agentOf(scriptWith(['session', 'stubborn']))
    const runtime = runs(agent)
    const main = await running(agent)
    await agent.helpers(['session', 'stubborn'])
    await runtime.end('SIGKILL')
    process.kill(main.pid, 'SIGKILL')
    const note = { state: { is: 'stopped', because: 'asked' }, started: readNote(agent)?.started }
    writeFileSync(agent.process, JSON.stringify(note))
    expect((await svc(agent, ['stop'], { env })).out).toBe('Stopped.\n')
    expect(agent.living()).toEqual([])
    expect((await svc(agent, ['stop'], { env })).out).toBe('It was not running.\n')
  })
})

describe('a program that puts itself into the background', () => {
  const script = scriptWith(['daemon'], 'exit 0')

  test('is not started a second time while it lives; status, why and doctor say what to do; svc stop ends it', async () => {
    const agent = agentOf(script)
    const runtime = runs(agent)
    await runtime.said('in the background')
    const daemon = await becomes('the daemon as the process', () =>
      agent.living().find(({ pid }) => pid === agent.main()?.pid),
    )
    for (const command of ['status', 'why', 'doctor']) {
      const { out } = await svc(agent, [command])
      expect(out, command).toContain(
        `process ${daemon.pid} runs, but the process that svc started has ended with code 0`,
      )
      expect(out, command).toContain('Run it in the foreground, for example with --no-daemon')
    }
    expect(readFileSync(`${agent.state}/helpers`, 'utf8').match(/^start/gm)).toHaveLength(1)
    expect((await svc(agent, ['stop'], { env })).code).toBe(0)
    expect(agent.living()).toEqual([])
  })

  test.skipIf(level === 'short')('is started again when it ends, also after its runtime was killed', async () => {
    const agent = agentOf(script)
    const runtime = runs(agent)
    await runtime.said('in the background')
    const first = await becomes('the daemon', () => agent.living()[0])
    process.kill(first.pid, 'SIGKILL')
    const second = await becomes('another daemon', () => agent.living().find(({ pid }) => pid !== first.pid))
    await becomes('its note', () => agent.main()?.pid === second.pid)
    await runtime.end('SIGKILL')
    const next = runs(agent)
    await next.said(`took over the agent: process ${second.pid}`)
    expect((await svc(agent, ['why'])).out).toContain('It put itself into the background')
    process.kill(second.pid, 'SIGKILL')
    await becomes('a third daemon', () => agent.living().length === 1)
  })
})

describe('what the agent did not start lives on', () => {
  test('a shell that a person opened in the folder, and what it runs with the mark of the agent', async () => {
    const agent = agentOf(scriptWith(['session']))
    runs(agent)
    await running(agent)
    await agent.helpers(['session'])
    const mark = { SVC_AGENT_DIR: agent.root, SVC_AGENT_STARTED: readNote(agent)?.started }
    const shell = stranger(['sh', '-c', 'sleep 1000; true'], { cwd: agent.root })
    const exporting = stranger(
      [
        'sh',
        '-c',
        'export SVC_AGENT_DIR=$0 SVC_AGENT_STARTED=$1; sleep 1001; true',
        agent.root,
        mark.SVC_AGENT_STARTED ?? '',
      ],
      { cwd: agent.root },
    )
    const debugged = await becomes('a program that the person runs', () => childOf(exporting))
    expect((await svc(agent, ['stop'], { env })).code).toBe(0)
    expect(agent.living()).toEqual([])
    expect([isRunning(shell), isRunning(exporting), identityOf(debugged) !== undefined]).toEqual([true, true, true])
  })

  test.skipIf(level === 'short')(
    'another agent beside it, whose folder has a longer name, and its helpers',
    async () => {
      const one = agentOf(scriptWith(every))
      const two = agentOf(scriptWith(every))
      runs(one)
      runs(two)
      await Promise.all([one.helpers(every), two.helpers(every)])
      const longer = { SVC_AGENT_DIR: `${one.root}/nested`, SVC_AGENT_STARTED: readNote(one)?.started }
      mkdirSync(longer.SVC_AGENT_DIR)
      const other = stranger(['sleep', '1000'], { env: { ...process.env, ...longer } })
      expect((await svc(one, ['stop'], { env })).code).toBe(0)
      expect(kindsOf(one.living())).toEqual(['unmarked'])
      expect(kindsOf(two.living())).toEqual([...every].sort())
      expect([two.main() !== undefined, isRunning(other)]).toEqual([true, true])
      await svc(two, ['stop'], { env })
    },
  )

  test('an agent that this agent has started with svc start, and its runtime; neither has the mark of this one', async () => {
    const kinds: HelperKind[] = ['daemon', 'nested', 'session']
    const other = agentOf(scriptWith(kinds))
    const line = `setsid ${process.execPath} ${programs.svc} start --dir ${other.root}`
    const agent = agentOf(scriptWith(['session'], `${line}; exec sleep 1000`))
    runs(agent)
    await other.helpers(kinds)
    const runtime = await becomes('its runtime', () => whoHolds(other, 'runtime'))
    expect(readFileSync(`/proc/${runtime.pid}/environ`, 'utf8')).not.toContain('SVC_AGENT_')
    expect((await svc(agent, ['stop'], { env })).code).toBe(0)
    expect(agent.living()).toEqual([])
    expect(isAlive(runtime)).toBe(true)
    expect(kindsOf(other.living())).toEqual(kinds)
    await svc(other, ['stop'], { env })
  })

  test.skipIf(level === 'short')(
    'a runtime that inherited the mark, as svc of 0.1.0 hands it on, and the shell that started it',
    async () => {
      const agent = agentOf(scriptWith(['session']))
      const other = agentOf(scriptWith(['session']))
      runs(agent)
      await running(agent)
      await agent.helpers(['session'])
      const mark = { SVC_AGENT_DIR: agent.root, SVC_AGENT_STARTED: readNote(agent)?.started }
      const line = `${process.execPath} ${programs.svc} run --dir ${other.root}; true`
      const shell = stranger(['sh', '-c', line], { env: { ...process.env, ...mark, SVC_TIME_SCALE: String(scale) } })
      const runtime = await becomes('its runtime', () => whoHolds(other, 'runtime'))
      await other.helpers(['session'])
      expect((await svc(agent, ['stop'], { env })).code).toBe(0)
      expect(agent.living()).toEqual([])
      expect([isRunning(shell), isAlive(runtime), other.living().length]).toEqual([true, true, 1])
      await svc(other, ['stop'], { env })
    },
  )

  test('a process group that has the id of the agent’s dead group by now', async () => {
    const agent = agentOf(scriptWith([]))
    const other = stranger(['sleep', '1000'])
    const mark = { SVC_AGENT_DIR: agent.root, SVC_AGENT_STARTED: '1763000000.000' }
    const left = stranger(['sleep', '1000'], { env: { ...process.env, ...mark } })
    const state = { is: 'running', pid: other.pid, start: 'another-boot:1', since: 1, crashes: 0, adopted: false }
    mkdirSync(agent.journal, { recursive: true })
    writeFileSync(agent.process, JSON.stringify({ state, started: mark.SVC_AGENT_STARTED }))
    expect((await svc(agent, ['stop'], { env })).out).toBe('Stopped.\n')
    await becomes('the end of what was left', () => !isRunning(left))
    expect(isRunning(other)).toBe(true)
  })

  test.skipIf(level === 'short')('svc restart that the agent itself calls, from a session of its own', async () => {
    const again = `[ -e "$SVC_STATE_DIR/once" ] || { touch "$SVC_STATE_DIR/once"; setsid sh -c '${process.execPath} ${programs.svc} restart --dir "$SVC_AGENT_DIR" > "$SVC_STATE_DIR/said" 2>&1; true' & }`
    const agent = agentOf(scriptWith(['session'], `${again}\nexec sleep 1000`))
    await svc(agent, ['start'], { env })
    await becomes('the second start', () => readFileSync(`${agent.state}/said`, 'utf8').startsWith('Started.'))
    await running(agent)
    await agent.helpers(['session'])
    expect(agent.living()).toHaveLength(1)
    await svc(agent, ['stop'], { env })
    expect(agent.living()).toEqual([])
  })
})

test('a process of 0.1.0 is found by its environment, of any start, and ended', async () => {
  const agent = agentOf(scriptWith([]))
  const marks = ['1763000000.000', '1763000001.500'].map((started) => ({
    SVC_AGENT_DIR: agent.root,
    SVC_AGENT_STARTED: started,
  }))
  const left = marks.map((mark) => stranger(['sleep', '1000'], { env: { ...process.env, ...mark } }))
  expect(agentProcesses(agent.root).map(({ started }) => started)).toEqual(marks.map((mark) => mark.SVC_AGENT_STARTED))
  expect(agentProcesses(agent.root, '1763000000.000').map(({ pid }) => pid)).toEqual([left[1]?.pid])
  expect((await svc(agent, ['stop'], { env })).out).toBe('Stopped.\n')
  await becomes('their end', () => !left.some(isRunning))
})

/** The first child of a process. */
function childOf({ pid }: ChildProcess): number | undefined {
  const [first] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')
  return first ? Number(first) : undefined
}

import { describe, expect, test } from 'vitest'
import type { AgentProcess } from '../machine/process/listed.ts'
import { processHealth } from '../state/process-health.ts'
import type { RunningProcess } from '../state/process-note.ts'
import {
  initialSupervision,
  type ProcessSnapshot,
  type StartOrder,
  type Supervision,
  type SupervisionAct,
  type SupervisionEvent,
  type SupervisionRules,
  step,
} from './supervision.ts'
import type { FoundState } from './take-over.ts'

const rules: SupervisionRules = {
  output: '/a/.svc/log/agent.log',
  minWait: 1000,
  maxWait: 300_000,
  counts: 5000,
  stop: (seconds) => seconds * 1000,
  again: 5000,
  gone: 2000,
  rotate: 5000,
  interval: 1000,
  hurry: 50,
}
const order: StartOrder = { argv: ['agent'], cwd: '/a', env: {}, restart: 'always', stopSeconds: 10, version: 'one' }
const alive: RunningProcess = { pid: 7, start: 'b:1', since: 1000, crashes: 0, adopted: false }
const run: ProcessSnapshot = { lives: true, group: true, paused: false, leadsTo: 'one' }
const gone: ProcessSnapshot = { ...run, lives: false, group: false }
const check = (seen: ProcessSnapshot = run): SupervisionEvent => ({ is: 'check', seen })
const answered = (answer: StartOrder | 'silent' | undefined = order): SupervisionEvent => ({
  is: 'answered',
  answer,
  wall: 50_000,
})

const found = (state: FoundState['state'], more: Partial<FoundState> = {}): Supervision => ({
  ...initialSupervision({ state, started: '1.000', version: 'one', ...more }),
  order,
})
const waiting = initialSupervision({ state: { is: 'waiting', crashes: 0, startAt: 0 } })
const running: Supervision = { ...found({ is: 'running', ...alive }), child: true }
const ending = (now: Supervision): Supervision => ({ ...now, life: 'ending' })

/** Names each act of the supervisor in a word or two, so that tests can compare the acts. */
const words = (acts: readonly SupervisionAct[]): string[] =>
  acts.map((act) => {
    if (act.do === 'signal') return act.signal
    if (act.do === 'signal left') return `${act.signal} left`
    if (act.do === 'note') return act.starting ? 'note the start' : 'note'
    return act.do === 'wait' ? `wait ${act.ms}` : act.do
  })
/** Applies events one after the other, a second apart. Returns the state after them and the acts of the last one. */
function after(
  now: Supervision,
  ...events: SupervisionEvent[]
): { state: Supervision; acts: string[]; lines: string[] } {
  let [state, at]: [Supervision, number] = [now, 10_000]
  let acts: readonly SupervisionAct[] = []
  for (const event of events) {
    ;({ state, acts } = step(state, event, rules, at))
    at += 1000
  }
  return { state, acts: words(acts), lines: acts.flatMap((act) => (act.do === 'say' ? [act.line] : [])) }
}
const started: SupervisionEvent = { is: 'started', pid: 8, start: 'b:2' }
const exited = (pid = 7, remains = false): SupervisionEvent => ({ is: 'exit', pid, how: { code: 1 }, remains })

describe('a start', () => {
  test('is requested, noted before it is made, and noted again with its process', () => {
    expect(after(waiting, check()).acts).toEqual(['ask', 'rotate', 'wait 1000'])
    expect(after(waiting, check(), answered()).acts).toEqual(['note the start', 'start'])
    const { state, acts } = after(waiting, check(), answered(), started)
    expect(acts).toEqual(['note', 'say', 'tell'])
    expect(state).toMatchObject({ state: { is: 'running', pid: 8 }, child: true, version: 'one', started: '50.000' })
  })

  test('has its own mark, later than the one before, whatever the clock says', () => {
    const before = { ...waiting, started: '60.000' }
    expect(after(before, check(), answered()).state.started).toBe('60.001')
  })

  test('is requested once while the answer is pending, and made once', () => {
    expect(after(waiting, check(), check()).acts).toEqual(['wait 1000'])
    expect(after(waiting, check(), answered(), check()).acts).toEqual(['wait 1000'])
  })

  test('is not made if the agent was paused while the answer was pending', () => {
    const { state, acts } = after(waiting, check(), check({ ...run, paused: true }), answered())
    expect([state.state.is, state.start, acts]).toEqual(['stopped', 'none', []])
  })

  test('waits for a runtime that does not answer, and logs that once', () => {
    const silent = answered('silent')
    expect(after(waiting, check(), silent).lines).toEqual([
      'the runtime has not said yet how to start the agent; asking again',
    ])
    const again = after(waiting, check(), silent, check(), silent)
    expect([again.lines, again.state.state]).toEqual([[], waiting.state])
    expect(after(waiting, check(), silent, check()).acts).toContain('ask')
  })

  test('is made by the last answer if nobody answers now', () => {
    const crashed = { ...running, state: { is: 'waiting', crashes: 1, startAt: 0 } } as const
    expect(after(crashed, check(), answered('silent')).acts).toEqual(['note the start', 'start'])
  })

  test('counts as one that did not last if nobody can describe it, or if it fails', () => {
    expect(after(waiting, check(), { is: 'answered', answer: undefined, wall: 0 }).state.state).toMatchObject({
      is: 'waiting',
      crashes: 1,
      exit: { error: 'the runtime could not say how to start it' },
    })
    const fails: SupervisionEvent = { is: 'unstartable', error: 'python3 is not there' }
    const { state, lines } = after(waiting, check(), answered(), fails)
    expect(state).toMatchObject({ start: 'none', state: { is: 'waiting', crashes: 1 } })
    expect(lines).toEqual(['the agent could not be started: python3 is not there; it starts again in 1 s'])
  })

  test('logs where the output goes if it cannot go where the manifest wants', () => {
    const declared = { ...order, output: '/a/out.log' }
    expect(after(waiting, check(), answered(declared), started).lines[0]).toBe(
      "the agent's output cannot go to /a/out.log, so it goes to /a/.svc/log/agent.log",
    )
    const given = after(waiting, check(), answered(declared), { ...started, output: '/a/out.log' } as SupervisionEvent)
    expect([given.lines.length, given.state.output]).toEqual([1, '/a/out.log'])
  })
})

describe('an end', () => {
  test('of a child is logged, and it starts again later', () => {
    const { state, acts } = after(running, exited())
    expect(acts).toEqual(['note', 'say', 'tell', 'wait 1000'])
    expect(state).toMatchObject({ child: false, state: { is: 'waiting', crashes: 1, exit: { code: 1 } } })
  })
  test('of another process than the current one changes nothing', () => {
    expect(after(running, exited(6))).toMatchObject({ state: running, acts: [] })
  })
  test('of a child is not searched for, since it is notified', () => {
    expect(after(running, check(gone)).state.state.is).toBe('running')
  })
  test('of a process that was taken over is detected on the machine', () => {
    const { state } = after({ ...running, child: false }, check(gone))
    expect(state.state).toMatchObject({ is: 'waiting', crashes: 0 + 1, exit: { at: 10_000 } })
  })
  test('of a leader whose group still lives leads to the end of the group', () => {
    expect(after(running, exited(7, true)).acts).toEqual(['note', 'say', 'tell', 'SIGTERM', 'wait 50'])
    expect(after({ ...running, child: false }, check({ ...gone, group: true })).acts).toContain('SIGTERM')
  })
  test('of a process without a start time is not followed by a signal: its pid may be anybody’s', () => {
    const nameless = { ...running, child: false, state: { is: 'running', ...alive, start: '' } } as const
    expect(after(nameless, check({ ...gone, group: true })).acts).not.toContain('SIGTERM')
  })
})

describe('a process that has to stop', () => {
  const stopping = after(running, check({ ...run, paused: true })).state
  test('is asked to end, and killed when its time is over', () => {
    expect(stopping.state).toMatchObject({ is: 'stopping', because: 'paused', killAt: 20_000 })
    expect(words(step(stopping, check(), rules, 14_999).acts)).toEqual(['wait 50'])
    expect(words(step(stopping, check(), rules, 20_000).acts)).toContain('SIGKILL')
  })
  test('is cleaned up after if it had to be killed and the manifest has containers', () => {
    const containers = { ...stopping, order: { ...order, cleanup: ['docker', 'kill'] } }
    expect(words(step(containers, check(), rules, 20_000).acts)).toContain('clean up')
    expect(words(step(stopping, check(), rules, 20_000).acts)).not.toContain('clean up')
  })
  test('counts as gone two seconds after the kill, even if a zombie remains', () => {
    const killed = { ...step(stopping, check(), rules, 20_000).state, child: false }
    const left = check({ ...gone, group: true, paused: true })
    expect(step(killed, left, rules, 22_000).state.state.is).toBe('stopping')
    expect(step(killed, left, rules, 22_001).state.state.is).toBe('stopped')
  })
  test('stays stopped if that was asked for, and nothing is checked after that', () => {
    const asked = after(ending(running), check(), exited())
    expect([asked.state.life, asked.acts]).toEqual(['over', ['note', 'say', 'tell', 'end']])
    expect(after(asked.state, check()).acts).toEqual([])
  })
  test('stays stopped if its end is detected on the machine', () => {
    const { state } = after(ending({ ...running, child: false }), check(), check(gone))
    expect([state.life, state.state]).toMatchObject(['over', { is: 'stopped', because: 'asked' }])
  })
  test('is done at once if nothing runs', () => {
    expect(after(found({ is: 'stopped', because: 'paused' }), { is: 'stop' }).acts).toEqual(['check'])
    expect(after(ending(found({ is: 'stopped', because: 'paused' })), check()).acts).toContain('end')
  })
  test('is ended even if its start was in progress', () => {
    const starting = after(waiting, check(), answered()).state
    const late = after(ending(starting), started)
    expect(late.acts.at(-1)).toBe('check')
    expect(after(late.state, check()).acts).toContain('SIGTERM')
  })
})

describe('another version that should run', () => {
  const two = check({ ...run, leadsTo: 'two' })
  test('ends the agent and starts it at once, without counting a failure', () => {
    const { state, acts } = after(running, two)
    expect(acts).toContain('SIGTERM')
    expect(state.state).toMatchObject({ is: 'stopping', because: 'replaced' })
    expect(after(state, exited()).state.state).toMatchObject({ is: 'waiting', crashes: 0 })
  })
  test('is tried again after five seconds if it does not come to run, not continuously', () => {
    const back = { ...after(running, two).state, state: running.state }
    expect(step(back, two, rules, 14_999).state.state.is).toBe('running')
    expect(step(back, two, rules, 15_000).state.state.is).toBe('stopping')
  })
  test('does not run while the agent is paused', () => {
    const paused = after(running, check({ ...run, leadsTo: 'two', paused: true }))
    expect(paused.state.state).toMatchObject({ because: 'paused' })
    expect(paused.state.turned).toBeUndefined()
  })
})

describe('a request for a run', () => {
  const ended = found({ is: 'stopped', because: 'ended', exit: { at: 1, code: 0 } }, { started: '5.000' })
  test.each([
    ['after the last start starts an agent that has ended', 5001, true],
    ['before the last start was answered by it', 5000, false],
    ['that nobody made starts nothing', undefined, false],
  ])('%s', (_name, runAsked, starts) =>
    expect(after(ended, check({ ...run, runAsked })).acts.includes('ask')).toBe(starts),
  )
})

describe('the beginning', () => {
  const beginning = (unnoted: boolean): SupervisionEvent => ({ is: 'begun', unnoted })
  test('logs what was taken over, notes it if the note does not say so, and asks how the agent is started', () => {
    const taken = found({ is: 'running', ...alive, adopted: true })
    expect(after(taken, beginning(false)).acts).toEqual(['say', 'tell', 'ask'])
    expect(after(taken, beginning(true)).acts).toEqual(['note', 'say', 'tell', 'ask'])
    expect(after(taken, beginning(false)).lines).toEqual(['took over the agent: process 7'])
  })
  test('ends what a dead agent left behind', () => {
    const left = found({ is: 'stopping', ...alive, because: 'ended', killAt: 20_000 })
    expect(after(left, beginning(false)).acts[0]).toBe('SIGTERM')
  })
  test('checks the files when the first answer arrives; what was asked meanwhile counts', () => {
    const first = { ...answered({ ...order, restart: 'never' }), first: true } as SupervisionEvent
    expect(after(waiting, first)).toMatchObject({ state: { order: { restart: 'never' } }, acts: ['check'] })
    expect(after(running, first).state.order?.restart).toBe('always')
  })
})

describe('processes outside of the group', () => {
  const helper: AgentProcess = { pid: 30, start: 'b:9', started: '1.000', group: 30, command: 'helper' }
  const alone: ProcessSnapshot = { ...gone, left: [helper] }
  const end = (code: number, remains: boolean, left: readonly AgentProcess[]): SupervisionEvent => ({
    is: 'exit',
    pid: 7,
    how: { code },
    remains,
    left,
  })

  test('are asked to end once the group is gone, or when half of its time is over', () => {
    const stopping = after(running, check({ ...run, paused: true }), exited(7, true)).state
    expect(words(step(stopping, check({ ...alone, paused: true }), rules, 12_000).acts)).toContain('SIGTERM left')
    expect(words(step(stopping, check({ ...alone, group: true }), rules, 14_999).acts)).not.toContain('SIGTERM left')
    const asked = step(stopping, check({ ...alone, group: true }), rules, 15_000)
    expect(words(asked.acts)).toContain('SIGTERM left')
    expect(words(step(asked.state, check(alone), rules, 15_050).acts), 'once').not.toContain('SIGTERM left')
    expect(words(step(asked.state, check(alone), rules, 20_000).acts)).toEqual(
      expect.arrayContaining(['SIGKILL', 'SIGKILL left']),
    )
  })

  test('are waited for: the agent is stopped when none is left', () => {
    const stopping = after(running, check({ ...run, paused: true }), exited(7, true)).state
    const later = after(stopping, check({ ...alone, paused: true })).state
    expect(later.state.is).toBe('stopping')
    expect(after(later, check({ ...gone, paused: true })).state.state).toMatchObject({
      is: 'stopped',
      because: 'paused',
    })
  })

  test('delay the next start after a crash, whatever the start is that they are from', () => {
    const older = { ...helper, started: '0.500' }
    const { state } = after(running, end(1, false, [older]))
    expect(state.state).toMatchObject({ is: 'stopping', because: 'ended' })
    expect(after(state, check(gone)).state.state).toMatchObject({ is: 'waiting', crashes: 1 })
  })

  test('that an earlier start left are ended before a start and before the supervisor is done', () => {
    const first = after(waiting, check(alone))
    expect(first.acts).toEqual(['say', 'SIGTERM left', 'wait 50'])
    expect(first.lines).toEqual(['ending what an earlier start left running: process 30 (helper)'])
    expect(after(first.state, check(alone)).acts).toEqual(['wait 50'])
    expect(words(step(first.state, check(alone), rules, 20_000).acts)).toEqual(['SIGKILL left', 'wait 50'])
    expect(after(first.state, check(gone)).acts).toContain('ask')
    expect(after(ending(waiting), check(alone)).state.life).toBe('ending')
    expect(after(ending(waiting), check(alone), check(gone)).state.life).toBe('over')
  })

  test('that even a kill does not end are named, and hold up neither a start nor an end', () => {
    const first = step(waiting, check(alone), rules, 10_000).state
    const killed = step(first, check(alone), rules, 20_000).state
    const given = step(killed, check(alone), rules, 22_001)
    expect(given.acts).toContainEqual({
      do: 'say',
      line: 'the agent left something that could not be ended: process 30 (helper)',
    })
    expect(words(step(given.state, check(alone), rules, 22_100).acts)).toContain('ask')
    const stopping = { ...after(ending(running), check(), exited(7, true)).state }
    const late = step(step(stopping, check(alone), rules, 20_000).state, check(alone), rules, 22_100)
    expect(late.state.life).toBe('over')
    expect(late.acts).toContainEqual(expect.objectContaining({ line: expect.stringContaining('process 30 (helper)') }))
  })

  test('are killed again if one of them started another one just before its end', () => {
    const another: ProcessSnapshot = { ...gone, left: [{ ...helper, pid: 31, start: 'b:10' }] }
    const stopping = after(ending(running), check(), exited(7, true)).state
    const killed = step(stopping, check(alone), rules, 20_000).state
    const late = step(killed, check(another), rules, 22_100)
    expect(late.state.life).toBe('ending')
    expect(words(late.acts)).toContain('SIGKILL left')
    expect(step(late.state, check(gone), rules, 22_150).state.life).toBe('over')
    expect(step(late.state, check(another), rules, 24_100).state.life, 'it may need a moment').toBe('ending')
    expect(step(late.state, check(another), rules, 24_101).state.life, 'the kill did not end it').toBe('over')
    const clearing = step(step(waiting, check(alone), rules, 10_000).state, check(alone), rules, 20_000).state
    expect(words(step(clearing, check(another), rules, 22_100).acts)).toContain('SIGKILL left')
    expect(words(step(clearing, check(another), rules, 40_100).acts), 'not without an end').toContain('say')
  })

  test('are the agent, if its first process has ended with code 0 and nothing of its group is left', () => {
    const { state, lines } = after(running, end(0, false, [helper]))
    expect(state).toMatchObject({ child: false, state: { is: 'running', pid: 30, start: 'b:9', background: true } })
    expect(lines).toEqual([
      'the agent ended with code 0 and left process 30 in the background; run it in the foreground',
    ])
    expect(processHealth(state.state)).toMatchObject({
      level: 'warn',
      detail: expect.stringContaining('Run it in the foreground, for example with --no-daemon.'),
    })
    const another = after(state, check({ ...gone, left: [{ ...helper, pid: 31, start: 'b:10' }] })).state
    expect(another.state, 'another process of the same start').toMatchObject({ is: 'running', pid: 31 })
    expect(after(another, check(gone)).state.state, 'nothing is left').toMatchObject({ is: 'waiting', crashes: 1 })
    const paused = after(state, check({ ...run, paused: true }))
    expect(paused.acts).toEqual(expect.arrayContaining(['SIGTERM', 'SIGTERM left']))
  })

  test.each([
    ['it ended with another code', end(1, false, [helper])],
    ['something of its group is left', end(0, true, [helper])],
    ['they are from another start', end(0, false, [{ ...helper, started: '0.500' }])],
  ])('are ended if %s', (_why, event) => {
    expect(after(running, event).state.state).toMatchObject({ is: 'stopping', because: 'ended' })
  })
})

test('the command that ends containers is waited for before the agent starts again', () => {
  const containers = { ...running, order: { ...order, cleanup: ['docker', 'kill'] } }
  const killed = step(after(containers, check({ ...run, paused: true })).state, check(), rules, 20_000).state
  const dead = { ...killed, child: false }
  expect(step(dead, check({ ...gone, cleaning: true, paused: true }), rules, 30_000).state.state.is).toBe('stopping')
  expect(step(dead, check({ ...gone, paused: true }), rules, 30_000).state.state.is).toBe('stopped')
})

test('the output is checked for rotation every five seconds', () => {
  const first = step(running, check(), rules, 10_000)
  expect(words(first.acts)).toContain('rotate')
  expect(words(step(first.state, check(), rules, 14_999).acts)).not.toContain('rotate')
  expect(words(step(first.state, check(), rules, 15_000).acts)).toContain('rotate')
})

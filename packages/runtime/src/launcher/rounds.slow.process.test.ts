/**
 * Tests the end of an agent in rounds. In each round, an agent with random helper processes is ended or restarted in a
 * random way (command, crash or kill), beside another agent and shells of a person. Afterwards only the right processes
 * may be alive. `npm run test:long` runs 200 rounds. `npm test` leaves this out.
 * packages/runtime/src/launcher/started.process.test.ts proves the same rules.
 */
import { spawn } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { byLevel, level } from '../../../../testing/level.ts'
import { becomes, svc } from '../../testing/folder.ts'
import { type HelperKind, helperKinds, helpingAgent, scriptWith } from '../../testing/helpers.ts'
import { randomOf, seed } from '../../testing/random.ts'
import { whoHolds } from '../machine/files/lock.ts'
import { signalGroup } from '../machine/process/group.ts'
import { identityOf, isAlive, type ProcessIdentity } from '../machine/process/identity.ts'
import { agentProcesses } from '../machine/process/mark.ts'
import { readNote } from '../state/process-note.ts'

const rounds = Number(process.env.SVC_TEST_ROUNDS ?? byLevel(4, 4, 200))
/** The factor for all durations: a stubborn process has half a second. */
const env = { SVC_TIME_SCALE: '0.05' }
const kinds = Object.keys(helperKinds) as HelperKind[]
const random = randomOf(seed)
const oneOf = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T
const some = (): HelperKind[] => kinds.filter(() => random() < 0.5)

const agent = helpingAgent('exec sleep 1000\n')
const other = helpingAgent(scriptWith(kinds))
const strangers: number[] = []
afterAll(async () => {
  for (const pid of strangers) signalGroup(pid, 'SIGKILL')
  for (const each of [agent, other]) {
    for (const holder of [whoHolds(each, 'runtime')]) if (holder) process.kill(holder.pid, 'SIGKILL')
    each.remove()
  }
})
/**
 * The last line of a program that goes into the background: the program ends once this many helpers have noted
 * themselves. A helper that is still about to remove its mark would otherwise be found by it and end with the agent.
 */
const onceNoted = (count: number): string =>
  `until awk '/^start/ {n = 0} !/^(start|none)/ {n++} END {exit n < ${count}}' "$SVC_STATE_DIR/helpers"; do sleep 0.05; done; exit 0`

function stranger(line: string): ProcessIdentity {
  const { pid = 0 } = spawn('sh', ['-c', line, agent.root], { cwd: agent.root, detached: true, stdio: 'ignore' })
  strangers.push(pid)
  return identityOf(pid) as ProcessIdentity
}

const done = async (...command: string[]): Promise<void> => {
  const ran = await svc(agent, command, { env })
  expect(ran, command.join(' ')).toMatchObject({ code: 0, err: '' })
}
const killRuntime = (): Promise<unknown> => {
  const holder = whoHolds(agent, 'runtime')
  if (holder) process.kill(holder.pid, 'SIGKILL')
  return becomes('the end of the runtime', () => !whoHolds(agent, 'runtime'))
}
const killAgent = (): void => {
  const main = agent.main()
  if (main) process.kill(main.pid, 'SIGKILL')
}

/** Each verb, and whether the agent runs again after it. */
const verbs: Readonly<Record<string, { act: () => Promise<unknown>; runs: boolean }>> = {
  pause: { act: () => done('pause'), runs: false },
  stop: { act: () => done('stop'), runs: false },
  restart: { act: () => done('restart'), runs: true },
  'a crash': { act: async () => killAgent(), runs: true },
  'a killed runtime, stop': { act: () => killRuntime().then(() => done('stop')), runs: false },
  'a killed runtime, pause': { act: () => killRuntime().then(() => done('pause')), runs: false },
  'a killed runtime and agent, start': {
    act: () =>
      killRuntime()
        .then(killAgent)
        .then(() => done('start')),
    runs: true,
  },
  'a killed runtime and agent, stop': {
    act: () =>
      killRuntime()
        .then(killAgent)
        .then(() => done('stop')),
    runs: false,
  },
}

test(`${rounds} rounds with seed ${seed}: no process of the agent stays, and none of anybody else ends`, {
  timeout: 120_000 + rounds * 60_000,
}, async () => {
  const shells = [
    stranger('sleep 1000; true'),
    stranger('export SVC_AGENT_DIR=$0 SVC_AGENT_STARTED=1.000; sleep 1000; true'),
  ]
  await svc(other, ['start'], { env })
  const others = await other.helpers(kinds)
  const counts = new Map<string, number>()
  for (let round = 0; round < rounds; round++) {
    const wanted = some()
    const background = random() < 0.15
    // A program in the background goes on as long as any process of its start does, so it gets at most one helper.
    const has = background ? (['daemon', ...wanted.filter((kind) => kind === 'unmarked')] as const) : wanted
    const name = oneOf(Object.keys(verbs))
    const verb = verbs[name]
    const where = `round ${round} with seed ${seed}: ${name}, ${background ? 'in the background, ' : ''}helpers ${has.join(', ')}`
    writeFileSync(join(agent.root, 'main.sh'), scriptWith(has, background ? onceNoted(has.length) : 'exec sleep 1000'))
    rmSync(join(agent.state, 'helpers'), { force: true }) // It names helpers of the round before.
    await done('start')
    await done('resume')
    const before = await agent.helpers(has)
    const main = await becomes(`${where}: a running agent`, () => {
      const state = readNote(agent)?.state
      return state?.is === 'running' && (state.background === true) === background && agent.main()
    })
    await verb?.act()
    if (verb?.runs) {
      await becomes(
        `${where}: another start`,
        () => readNote(agent)?.state.is === 'running' && agent.main()?.pid !== main.pid && agent.main(),
      )
      await agent.helpers(has)
    } else expect(agentProcesses(agent.root), where).toEqual([])
    const left = [...before, { kind: 'main', ...main }].filter(isAlive).map(({ kind }) => kind)
    expect(left, where).toEqual(has.includes('unmarked') ? ['unmarked'] : [])
    expect(
      [...shells, ...others].filter((each) => !isAlive(each)),
      where,
    ).toEqual([])
    if (verb?.runs) await done('stop')
    expect(
      agent.living().filter(({ kind }) => kind !== 'unmarked'),
      where,
    ).toEqual([])
    for (const each of agent.living()) process.kill(each.pid, 'SIGKILL')
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  expect([...counts.values()].reduce((sum, count) => sum + count, 0)).toBe(rounds)
  if (level === 'long') console.info([...counts].map(([name, count]) => `${count} x ${name}`).join('; '))
})

/**
 * Tests I24: if the service is dead, slow or lying, the agent starts, runs and stops as it does without a service. In
 * each round an agent goes through the same story, three starts and two crashes, while the service gives wrong
 * answers. The agent's trace must equal its trace without a service. `npm test` leaves this out.
 * packages/runtime/src/launcher/supervision.test.ts proves the same rules.
 */
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { byLevel } from '../../../../testing/level.ts'
import { badAnswers, nonsense } from '../../testing/bad.ts'
import { becomes, starts } from '../../testing/folder.ts'
import { type InstalledAgent, installedAgent } from '../../testing/installed.ts'
import { answer, json, type Reply, type Service, startService } from '../../testing/service.ts'

/** The factor for all durations: a second lasts 20 ms, so a report comes every 600 ms and a request may take 300 ms. */
const scale = 0.02
const rounds = Number(process.env.SVC_TEST_ROUNDS ?? byLevel(5, 5, 1000))
/** The number of the first round. With it a person repeats a part of a long run, or only the round that failed. */
const firstRound = Number(process.env.SVC_TEST_FIRST_ROUND ?? 0)
const lives = 3
const steps = 10

let service: Service
let agent: InstalledAgent
beforeAll(async () => {
  service = await startService()
  agent = await installedAgent(service)
})
afterAll(async () => {
  agent.remove()
  await service.close()
})

/**
 * Runs one agent through the story: three starts, each followed by ten steps and a crash. Returns the lines that the
 * agent traced and the environment of each start, without times.
 */
async function story(): Promise<string[]> {
  for (const name of ['trace', 'starts', 'status.json', 'work.log']) rmSync(join(agent.state, name), { force: true })
  for (const file of [agent.paused, agent.runNow, agent.process, agent.commands]) rmSync(file, { force: true })
  writeFileSync(join(agent.state, 'exit'), `3 ${steps}`)
  const running = starts(agent, ['run'], { scale })
  try {
    await becomes('three lives', () => agent.trace().filter((l) => l === `step ${steps - 1} every 10`).length >= lives)
    const all = agent.trace().slice(0, lives * (steps + 1))
    const env = agent
      .starts()
      .slice(0, lives)
      .map(({ env }) => JSON.stringify({ ...env, SVC_AGENT_STARTED: '' }))
    return [...all, ...env]
  } finally {
    await running.end()
  }
}

test(`over ${rounds} rounds of a bad service the trace is the same as without one`, {
  timeout: rounds * 20_000,
}, async () => {
  const bad: Reply[] = [
    ...badAnswers(`${service.origin}/elsewhere`).map(([, reply]) => reply),
    json({ commands: nonsense, interval: 'soon' }),
    json({
      commands: [],
      interval: -1,
      desired: { blueprint: '../x', version: '../../etc' },
      runtime: [],
      runtime_desired: '../x',
    }),
    (response, came, socket) => setTimeout(() => answer()(response, came, socket), 200),
  ]
  const met = new Set<Reply | undefined>()
  // the product to which the agent is bound does not answer either
  service.other = (response) => response.on('close', () => {})
  await service.close()
  const without = await story()
  expect(without.filter((l) => l === 'starts')).toHaveLength(lives)
  const port = Number(new URL(service.origin).port)
  service = await startService(port)
  service.other = () => {}
  for (let round = firstRound; round < firstRound + rounds; round++) {
    // `bad` lists the wrong answers that the service gives to the agent's reports. Each round begins at the next answer
    // of the list. Once every answer has been first, the service goes through the list in steps of two, then of three,
    // so that other sequences are tried.
    const stride = 1 + Math.floor(round / bad.length)
    // With fewer rounds than answers, each round begins with the first answer that no earlier round has used.
    let turn = rounds < bad.length ? bad.findIndex((reply) => !met.has(reply)) : round
    service.usual = (response, came, socket) => {
      const reply = bad[Math.max(0, turn) % bad.length]
      met.add(reply)
      reply?.(response, came, socket)
      turn += stride
    }
    // In every second round the first answer is a good one that asks for a report every 100 ms. The agent then sends
    // many reports during its life and gets many wrong answers.
    service.next.splice(0, 1, ...(round % 2 === 1 ? [json({ commands: [], interval: 5 })] : []))
    expect(await story(), `round ${round}`).toEqual(without)
  }
  expect(service.reports.length).toBeGreaterThan(rounds)
  if (firstRound === 0 && rounds >= 5) expect(met.size, 'every answer was met').toBe(bad.length)
})

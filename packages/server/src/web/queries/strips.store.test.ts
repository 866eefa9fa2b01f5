/** Compares the strips of many agents with the states of each, which states.store.test.ts compares with a model. */
import type { StateSpan } from '@svc/api'
import { maxStripSpans, readStrip, type StripSpan, stripMs } from '@svc/api/words'
import { type Level, levels } from '@svc/protocol'
import { expect, test } from 'vitest'
import { randomOf } from '../../../../protocol/testing/mutate.ts'
import { onEveryEngine } from '../../../testing/stores.ts'
import { newTestWorkspace, type TestAgent, type TestWorkspace } from '../../../testing/test-workspace.ts'
import { agentStates } from './states.ts'
import { readStrips } from './strips.ts'

const hour = 3_600_000

/** The spans as a strip has them: without labels, in whole seconds. */
function asStrip(spans: readonly StateSpan[]): StripSpan[] {
  const from = spans[0]?.from ?? 0
  const second = (at: number) => Math.round((at - from) / 1000)
  const all: StripSpan[] = []
  for (const { is, level, from: start, until } of spans) {
    const state = is === 'reporting' ? (level ?? 'none') : is
    const last = all.at(-1)
    const seconds = second(until) - second(start)
    if (last?.state === state) last.seconds += seconds
    else all.push({ state, seconds })
  }
  return all.filter(({ seconds }) => seconds > 0)
}

/** Writes a random past of some agents: changes of level, pauses, times offline, and an outage of the service. */
async function past(w: TestWorkspace, agents: readonly TestAgent[], changes: number, seed = 1): Promise<void> {
  const random = randomOf(seed)
  const now = w.clock.now()
  const { db } = w.store
  for (const { id } of agents) {
    const times = Array.from({ length: changes }, () => now - Math.floor(random() * 30 * hour)).sort((a, b) => a - b)
    if (times.length > 0)
      await db
        .insertInto('level_change')
        .values(
          times.map((at, i) => ({
            agent_id: id,
            at,
            level: levels[(i + Math.floor(random() * 3)) % levels.length] as Level,
            label: null,
            paused: random() < 0.2 ? 1 : 0,
          })),
        )
        .execute()
    for (let i = 0; i < changes / 8; i++) {
      const from = now - Math.floor(random() * 30 * hour)
      const stopped = random() < 0.3 ? 'person' : null
      await db
        .insertInto('agent_offline')
        .values({ agent_id: id, from_at: from, until_at: from + Math.floor(random() * hour), stopped })
        .execute()
    }
    if (random() < 0.9)
      await db
        .updateTable('agent')
        .set({ first_report_at: now - Math.floor(random() * 40 * hour) })
        .where('id', '=', id)
        .execute()
  }
  await db
    .insertInto('service_away')
    .values({ from_at: now - 9 * hour, until_at: now - 8 * hour })
    .execute()
}

const made = (w: TestWorkspace, count: number) =>
  Promise.all(Array.from({ length: count }, (_, i) => w.addAgent(`agent-${i}`)))

onEveryEngine('the strips of agents', (open) => {
  test('have the states of each agent, and leave out names of no agent', async () => {
    const w = await newTestWorkspace(await open(), { people: false })
    const agents = await made(w, 120)
    await past(w, agents, 5)
    const now = w.clock.now()
    const { db } = w.store
    const names = agents.map(({ name }) => name).reverse()
    const { from, until, strips } = await readStrips(db, w.workspace, ['nobody', ...names], now)
    expect([until, until - from]).toEqual([now, stripMs])
    expect(Object.keys(strips).sort()).toEqual([...names].sort())
    const seen = new Set<string>()
    for (const agent of agents) {
      const spans = readStrip(strips[agent.name] ?? '')
      expect(spans, agent.name).toEqual(asStrip(await agentStates(db, agent, { since: from, until: now, now })))
      expect(spans.reduce((sum, { seconds }) => sum + seconds, 0)).toBe(stripMs / 1000)
      for (const { state } of spans) seen.add(state)
    }
    expect([...seen].sort()).toEqual([...levels, 'none', 'offline', 'paused', 'stopped', 'unknown'].sort())
  })

  test('of agents that change all the time have the newest spans, and say so about the time before', async () => {
    const w = await newTestWorkspace(await open(), { people: false })
    const agents = await made(w, 25)
    await past(w, agents.slice(0, 12), 150)
    await past(w, agents.slice(12), 3, 2)
    const now = w.clock.now()
    const { from, strips } = await readStrips(
      w.store.db,
      w.workspace,
      agents.map(({ name }) => name),
      now,
    )
    let cut = 0
    for (const agent of agents) {
      const spans = readStrip(strips[agent.name] ?? '')
      const whole = asStrip(await agentStates(w.store.db, agent, { since: from, until: now, now }))
      expect(spans.length).toBeLessThanOrEqual(maxStripSpans)
      expect(spans.reduce((sum, { seconds }) => sum + seconds, 0)).toBe(stripMs / 1000)
      if (spans[0]?.state === 'often') {
        cut++
        expect(spans.slice(2), agent.name).toEqual(whole.slice(whole.length - spans.length + 2))
      } else expect(spans, agent.name).toEqual(whole)
    }
    expect(cut).toBe(12)
  })

  test('of an agent whose changes were all read fold only those between the first span and the newest', async () => {
    const w = await newTestWorkspace(await open(), { people: false })
    await past(w, [w.agent], 150)
    const now = w.clock.now()
    const { from, strips } = await readStrips(w.store.db, w.workspace, [w.agent.name], now)
    const spans = readStrip(strips[w.agent.name] ?? '')
    const whole = asStrip(await agentStates(w.store.db, w.agent, { since: from, until: now, now }))
    expect(whole.length).toBeGreaterThan(maxStripSpans)
    expect([spans[0], spans[1]?.state]).toEqual([whole[0], 'often'])
    expect(spans.slice(2)).toEqual(whole.slice(whole.length - spans.length + 2))
    expect(spans.reduce((sum, { seconds }) => sum + seconds, 0)).toBe(stripMs / 1000)
  })
})

import type { RuleName } from '@svc/api'
import { expect, test } from 'vitest'
import { onEveryEngine } from '../../../testing/stores.ts'
import { newTestWorkspace, type TestWorkspace } from '../../../testing/test-workspace.ts'
import { dayNumber } from '../../platform/limits/units.ts'
import { agentRules, defaultRule, judgeForAgent } from '../rules/rules.ts'
import { readAgents } from './fact-rows.ts'
import { agentFacts } from './facts.ts'

/**
 * The test agents: the name of each, columns of its last report, and columns of its row in `agent`. Most of them make a
 * rule hold, or almost hold.
 */
const reports: readonly [says: string, report: object, agent?: object][] = [
  ['well', {}],
  ['silent', { received_at: -600 }],
  ['nearly silent', { received_at: -89 }],
  ['silent for its interval', { received_at: -899, interval_s: 300 }],
  ['silent after its interval', { received_at: -900, interval_s: 300 }],
  ['bad', { level: 'bad' }],
  ['warn', { level: 'warn' }],
  ['stale status', { warnings: 'secrets status' }],
  ['full disk', { warnings: 'status disk' }],
  ['no secrets', { warnings: 'secrets' }],
  ['process', { signs: '{"process":"bad"}' }],
  ['binding', { signs: '{"bindings":["mail"]}' }],
  ['gauge', { signs: '{"gauges":["disk"]}' }],
  ['bad item', { signs: '{"items":["Job backup"]}' }],
  ['long run', { signs: '{"started":1}' }],
  ['unknown signs', { signs: null, body: '{"health":[{"name":"Process","level":"bad"}]}' }],
  ['young run', { doing: 'x', body: '{"active":[{"started":1}]}' }],
  ['two reporters', { reporters: 'aaaaaaaabbbbbbbb'.repeat(5) }],
  ['another reporter', { reporters: `${'aaaaaaaa'.repeat(9)}bbbbbbbb` }],
  ['held', {}, { wishes: '{"blueprintHold":{"version":"2","outcome":"failed","message":"x","at":1}}' }],
  ['cost that waits', { usage: 'today 2000000' }],
  ['low cost that waits', { usage: 'today 900000' }],
  ['runs that wait', { usage: 'today 0 51' }],
  ['fewer runs that wait', { usage: 'today 0 50' }],
  ['hundreds of runs that wait', { usage: 'today 0 200' }],
]

onEveryEngine('the facts about a fleet', (open) => {
  async function fleet() {
    const w = await newTestWorkspace(await open())
    const today = dayNumber(w.clock.now())
    for (const [says, report, columns = {}] of reports) {
      const { id } = await w.addAgent(says.replaceAll(' ', '-'))
      await reported(w, id, report, columns)
      for (const day of [today - 1, today - 2, today - 3]) await cost(w, id, day, 100_000)
    }
    const failing = (await w.addAgent('failed-runs')).id
    await reported(w, failing, {}, {})
    await failed(w, failing, 3, { status: 'failed' })
    await cost(w, (await w.addAgent('never-reported')).id, today, 5_000_000)
    const written = await w.addAgent('cost-that-is-written')
    await reported(w, written.id, { usage: 'today 600000' }, {})
    for (const [day, micro] of [600_000, 50_000, 50_000, 50_000].entries())
      await cost(w, written.id, today - day, micro)
    const late = await w.addAgent('cost-of-yesterday-that-waits')
    await reported(w, late.id, { usage: 'yesterday 700000' }, {})
    for (const [day, micro] of [2_000_000, 50_000, 50_000, 50_000].entries()) await cost(w, late.id, today - day, micro)
    return w
  }

  test('every agent for which a rule holds is read, whatever rule is on, and few others', async () => {
    const w = await fleet()
    const now = w.clock.now()
    const all = [...agentRules, 'none'] as const
    for (const name of all) {
      const rules = (rule: RuleName) => {
        const limit = rule === 'cost_day' ? 500_000 : null
        return { ...defaultRule(rule), on: rule === name, after: 0, limit }
      }
      const moment = { now, backSince: null }
      const holding = async (asked: ReadonlySet<string>) => {
        const names: string[] = []
        for await (const { agents } of agentFacts(w.store, { workspaceId: w.workspace.id, rules, now, asked }))
          for (const { about, facts } of agents)
            if (name !== 'none' && judgeForAgent(rules(name), facts, moment).is === 'holds') names.push(about.name)
        return names.sort()
      }
      const ids = (await w.store.db.selectFrom('agent').select('id').execute()).map(({ id }) => id)
      const [found, expected] = [await holding(new Set()), await holding(new Set(ids))]
      expect(found, name).toEqual(expected)
      if (name !== 'none') expect(found.length, name).toBeGreaterThan(0)
    }
  })

  test('an agent is not read for the sake of a rule that is off', async () => {
    const w = await fleet()
    const read = async (on: readonly RuleName[]) => {
      const rules = (name: RuleName) => ({ ...defaultRule(name), on: on.includes(name), after: 0, limit: null })
      const wanted = { workspaceId: w.workspace.id, rules, now: w.clock.now(), asked: new Set<string>() }
      const names: string[] = []
      for await (const { agents } of agentFacts(w.store, wanted)) names.push(...agents.map(({ about }) => about.name))
      return names
    }
    expect(await read([])).toEqual([])
    const found: Partial<Record<RuleName, string[]>> = {
      bad: ['bad'],
      warning: ['warn'],
      process: ['process', 'unknown-signs'],
      item: ['bad-item', 'unknown-signs'],
      status_stale: ['full-disk', 'stale-status'],
      disk: ['full-disk'],
      binding: ['binding', 'unknown-signs'],
      gauge: ['gauge', 'unknown-signs'],
      update: ['held'],
      two_reporters: ['another-reporter', 'two-reporters'],
    }
    for (const [name, names] of Object.entries(found)) expect(await read([name as RuleName]), name).toEqual(names)
  })

  test('runs that were lost count as ended, and runs in progress do not', async () => {
    const w = await newTestWorkspace(await open())
    const rules = (rule: RuleName) => ({ ...defaultRule(rule), on: rule === 'run_failed' })
    for (const status of ['lost', 'running']) {
      const { id } = await w.addAgent(status)
      await reported(w, id, {}, {})
      await failed(w, id, 3, { status, ended: null })
    }
    const now = w.clock.now()
    const found: Record<string, string> = {}
    for await (const { agents } of agentFacts(w.store, { workspaceId: w.workspace.id, rules, now, asked: new Set() }))
      for (const { about, facts } of agents)
        found[about.name] = judgeForAgent(rules('run_failed'), facts, { now, backSince: null }).is
    expect(found).toEqual({ lost: 'holds', running: 'clear' })
  })

  test('a cost is the sum of what is written and what still waits in the last report', async () => {
    const w = await fleet()
    const rules = (rule: RuleName) => defaultRule(rule)
    const costs = new Map<string, object>()
    const wanted = { workspaceId: w.workspace.id, rules, now: w.clock.now(), asked: new Set<string>() }
    for await (const { agents } of agentFacts(w.store, wanted))
      for (const { about, facts } of agents) costs.set(about.name, facts.cost)
    expect(costs.get('cost-that-is-written')).toEqual({ today: 1_200_000, before: [50_000, 50_000, 50_000] })
    expect(costs.get('cost-that-waits')).toEqual({ today: 2_000_000, before: [100_000, 100_000, 100_000] })
  })

  test('runs are counted where they are written and where they wait, and the fifteenth day before does not count', async () => {
    const w = await newTestWorkspace(await open())
    const today = dayNumber(w.clock.now())
    const agent = async (name: string, usage: string, written: number, before: Record<number, number>) => {
      const { id } = await w.addAgent(name)
      await reported(w, id, { usage }, {})
      if (written > 0) await cost(w, id, today, 0, written)
      for (const [back, runs] of Object.entries(before)) await cost(w, id, today - Number(back), 0, runs)
    }
    await agent('both', 'today 0 26', 25, { 1: 16, 2: 1, 14: 1 })
    await agent('busy-before', 'today 0 26', 25, { 1: 16, 2: 1, 14: 17 })
    await agent('busy-long-ago', 'today 0 26', 25, { 1: 16, 2: 1, 3: 1, 15: 900 })
    await agent('busy-yesterday', 'yesterday 0 17', 51, { 2: 1, 3: 1 })
    await agent('new', 'today 0 26', 25, { 1: 1, 15: 1 })
    await agent('written', 'yesterday 0 1', 51, { 2: 1, 3: 1 })
    await agent('few', 'today 0 25', 25, { 1: 1, 2: 1, 3: 1 })
    const rules = (rule: RuleName) => ({ ...defaultRule(rule), on: rule === 'runaway' })
    const now = w.clock.now()
    const found: string[] = []
    const compared: string[] = []
    for await (const { agents } of agentFacts(w.store, { workspaceId: w.workspace.id, rules, now, asked: new Set() }))
      for (const { about, facts } of agents) {
        if (facts.starts.before.length > 0) compared.push(about.name)
        if (judgeForAgent(rules('runaway'), facts, { now, backSince: null }).is === 'holds') found.push(about.name)
      }
    expect(found).toEqual(['both', 'busy-long-ago', 'written'])
    // The days before are read only for agents that have more than 50 runs today.
    expect(compared.toSorted()).toEqual(['both', 'busy-before', 'busy-long-ago', 'busy-yesterday', 'new', 'written'])
  })

  test('a cost of yesterday that still waits is counted, even if no cost of today waits', async () => {
    const w = await fleet()
    const rules = (rule: RuleName) => defaultRule(rule)
    const wanted = { workspaceId: w.workspace.id, rules, now: w.clock.now(), asked: new Set<string>() }
    const costs: unknown[] = []
    for await (const { agents } of agentFacts(w.store, wanted))
      for (const { about, facts } of agents)
        if (about.name === 'cost-of-yesterday-that-waits')
          costs.push([facts.cost.today, facts.cost.before.toSorted((a, b) => a - b)])
    expect(costs).toEqual([[2_000_000, [50_000, 50_000, 750_000]]])
  })

  test('an agent that never reported is not counted, and slices count each agent once', async () => {
    const w = await fleet()
    for (let i = 0; i < 230; i++) await reported(w, (await w.addAgent(`more-${i}`)).id, {}, {})
    const rules = (rule: RuleName) => defaultRule(rule)
    const wanted = { workspaceId: w.workspace.id, rules, now: w.clock.now(), asked: new Set([w.agent.id]) }
    const counts: number[] = []
    for await (const { counted } of agentFacts(w.store, wanted)) counts.push(counted)
    expect(counts.slice(0, 2).reduce((sum, n) => sum + n, 0)).toBe(reports.length + 3 + 230)
    expect(counts.slice(2)).toEqual([0])
    expect(await readAgents(w.store.db, [w.agent.id])).toMatchObject([{ name: 'mail-triage', received_at: null }])
  })
})

async function reported(w: TestWorkspace, agentId: string, report: object, columns: object): Promise<void> {
  const now = w.clock.now()
  const { received_at = 0, usage, ...more } = report as { received_at?: number; usage?: string }
  const today = dayNumber(now)
  await w.store.db
    .insertInto('agent_report')
    .values({
      ...{ agent_id: agentId, received_at: now + received_at * 1000, level: 'ok', label: null, detail: null },
      ...{ version: null, doing: null, controls: '[]', interval_s: 30, boot: null, seq: null, stopped: null },
      ...{ reporters: 'aaaaaaaa'.repeat(10), runs_kept: 0, body: '{}', status_at: null, warnings: null },
      ...{ usage: usage === undefined ? null : waiting(usage, today), signs: '' },
      ...more,
    })
    .execute()
  if (Object.keys(columns).length === 0) return
  await w.store.db.updateTable('agent').set(columns).where('id', '=', agentId).execute()
}

/** The column `usage` with one sum of one run or more: "today 2000000", "yesterday 2000000" or "today 0 51". */
function waiting(usage: string, today: number): string {
  const [day, micro, runs = '1'] = usage.split(' ')
  return JSON.stringify([[day === 'today' ? today : today - 1, '', Number(runs), Number(micro), 5]])
}

const failed = (w: TestWorkspace, agent_id: string, runs: number, how: { status: string; ended?: null }) =>
  w.store.db
    .insertInto('run')
    .values(
      Array.from({ length: runs }, (_, i) => ({
        ...{ agent_id, id: `run-${i}`, place: i, first_seen: i, started: i, ended: i, kind: null },
        ...{ cost_micro: null, output_tokens: null, log: null, body: '{}' },
        ...how,
      })),
    )
    .execute()

const cost = (w: TestWorkspace, agent_id: string, day: number, cost_micro: number, runs = 1) =>
  w.store.db.insertInto('usage_day').values({ agent_id, day, model: '', runs, cost_micro, output_tokens: 0 }).execute()

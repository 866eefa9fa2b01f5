import { isAgentName, type Report, readReport } from '@svc/protocol'
import { expect, test } from 'vitest'
import { type Member, membersOf, namePrefix } from './members.ts'
import { type AgentHistory, historyDays, historyOf, obey, reportOf } from './report.ts'

const seed = 7
const now = Date.parse('2026-11-18T14:00:00Z') / 1000
const day = 86_400
const conditionOf = ({ condition }: Member) => condition.state?.label ?? condition.reports ?? 'well'
const counted = (count: number, of: (member: Member) => string) =>
  Object.fromEntries(
    Object.entries(Object.groupBy(membersOf(count, seed), of)).map(([key, all]) => [key, all?.length ?? 0]),
  )
const first = (member: Member) => reportOf(member, historyOf(member, now), now, true)
const text = (report: Report) => Buffer.from(JSON.stringify(report))

test('the fleet is the same for the same number and seed, and another for another seed', () => {
  expect(membersOf(200, seed)).toEqual(membersOf(200, seed))
  expect(membersOf(200, seed)).not.toEqual(membersOf(200, seed + 1))
})

test.each([1, 2, 3, 200, 5000, 10_000])('%i agents have valid names that differ, and begin alike', (count) => {
  const names = membersOf(count, seed).map(({ name }) => name)
  expect(new Set(names).size).toBe(count)
  expect(names.filter((name) => !isAgentName(name) || !name.startsWith(namePrefix))).toEqual([])
  const tags = membersOf(count, seed).flatMap((member) => member.tags)
  expect(tags.filter((tag) => !/^[a-z0-9][a-z0-9:]{0,39}$/.test(tag))).toEqual([])
})

test('5,000 agents have trouble in groups, some are away, and most are well', () => {
  expect(counted(5000, conditionOf)).toMatchObject({
    'HTTP 401 from the mailbox': 100,
    'Queue timeout': 50,
    'Slow answers': 150,
    never: 50,
    once: 50,
    stops: 50,
  })
  expect(counted(5000, conditionOf).well).toBeGreaterThan(3500)
  expect(counted(200, conditionOf)).toMatchObject({ 'HTTP 401 from the mailbox': 4, never: 2, once: 2 })
  expect(Object.keys(counted(5000, ({ version }) => version)).sort()).toEqual([
    ...['1.2.0', '1.3.9', '1.4.0', '1.5.0-rc.1', 'nightly'],
  ])
  expect(Object.keys(counted(5000, ({ host }) => host)).length).toBeGreaterThan(200)
  expect(Object.keys(counted(5000, ({ tags }) => tags[0] ?? 'none')).sort()).toEqual(['asia', 'eu', 'none', 'us'])
  expect(counted(200, ({ tags }) => tags.join(' '))).toMatchObject({ 'eu prod team:support': expect.any(Number) })
  expect(counted(5000, ({ condition, work }) => `${condition.work}, ${work.name}`)['mail, mail']).toBe(100)
})

test('the service keeps every report unchanged, and each detail says that it is simulated', () => {
  for (const member of membersOf(300, seed)) {
    for (const at of [now, now + 30, now + day]) {
      const bytes = text(reportOf(member, historyOf(member, now), at, at === now))
      expect(bytes.length).toBeLessThan(16 * 1024)
      const read = readReport(bytes, at * 1000)
      expect(read.ok && read.json).toBe(bytes.toString())
    }
    const { state, health = [], active = [], gauges = [], panels } = first(member)
    const details = [state, ...health, ...active, ...gauges].map((part) => part?.detail)
    expect(details.filter((detail) => !detail?.startsWith('Simulated: '))).toEqual([])
    expect(panels?.[0]).toMatchObject({ title: 'Simulated' })
  }
})

test('the first reports give most agents with a model costs on several days, and some a run in progress', () => {
  const reports = membersOf(300, seed).map(first)
  const costly = reports.filter(({ runs = [] }) => runs.some(({ cost_usd }) => cost_usd !== undefined))
  expect(costly.length).toBeGreaterThan(150)
  for (const { runs = [] } of costly)
    expect(new Set(runs.map(({ started = 0 }) => Math.floor(started / day))).size).toBeGreaterThanOrEqual(historyDays)
  const active = reports.filter((report) => report.active?.length === 1)
  expect(active.length).toBeGreaterThan(5)
  expect(active.length).toBeLessThan(60)
})

test('a run keeps its id and start, its cost grows, and when it has ended nothing of it changes', () => {
  const member = membersOf(300, seed).find((one) => first(one).active?.length === 1 && one.work.dollars > 0) as Member
  const history = historyOf(member, now)
  const at = (time: number) => {
    const { runs = [] } = reportOf(member, history, time, true)
    return runs.find(({ started }) => started === first(member).runs?.[0]?.started)
  }
  const costs = [0, 60, 120, 180].map((later) => at(now + later)?.cost_usd ?? 0)
  expect(costs).toEqual(costs.toSorted((a, b) => a - b))
  expect(at(now)?.status).toBe('running')
  expect(at(now + 3600)?.status).not.toBe('running')
  expect(at(now + 3600)).toEqual(at(now + day))
})

const wellOne = membersOf(300, seed).find(
  (one) => one.condition.state === undefined && !one.condition.isPaused && first(one).active?.length === 0,
) as Member
const command = (type: string) => ({ id: `id of ${type}`, type, payload: {} })
/** Sends commands one after the other, a minute apart, and returns the last history with all acks. */
function sent(types: string[], member = wellOne) {
  let history: AgentHistory = historyOf(member, now)
  const acks = types.map((type, i) => {
    const done = obey(member, history, command(type), now + i * 60)
    history = done.history
    return `${done.ack.id}: ${done.ack.ok} ${done.ack.message}`
  })
  return { history, acks }
}

test.each([
  [['pause'], ['id of pause: true Paused.'], 'Paused'],
  [
    ['pause', 'pause', 'resume'],
    ['id of pause: true Paused.', 'id of pause: true Paused.', 'id of resume: true Resumed.'],
    'Waiting',
  ],
  [['resume'], ['id of resume: true Resumed.'], 'Waiting'],
  [['pause', 'run_now'], ['id of pause: true Paused.', 'id of run_now: false The agent is paused.'], 'Paused'],
  [['run_now'], ['id of run_now: true Started a run.'], wellOne.work.label],
  [
    ['run_now', 'run_now'],
    ['id of run_now: true Started a run.', 'id of run_now: true A run is already in progress.'],
    wellOne.work.label,
  ],
  [['dance'], ['id of dance: false This agent does not know "dance".'], 'Waiting'],
])('after %j the agent answers and shows it', (types, answers, label) => {
  const { history, acks } = sent(types)
  expect(acks).toEqual(answers)
  expect(reportOf(wellOne, history, now + types.length * 60, false).state?.label).toBe(label)
})

test('a pause interrupts the run in progress, and no scheduled run starts until somebody resumes', () => {
  const { history } = sent(['run_now', 'pause'])
  const runs = (at: number) => reportOf(wellOne, history, at, true).runs ?? []
  expect(runs(now + 120)[0]).toMatchObject({ started: now, ended: now + 60, status: 'interrupted' })
  expect(runs(now + 2 * day)[0]?.started).toBe(now)
  const resumed = obey(wellOne, history, command('resume'), now + 2 * day).history
  expect(reportOf(wellOne, resumed, now + 4 * day, true).runs?.[0]?.started).toBeGreaterThan(now + 2 * day)
})

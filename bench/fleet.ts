/**
 * Measures how many agents one process of the service can serve, which report every 30 s, with a restart in the middle,
 * and the limit server T. `--alone` lists fleet sizes (or `none`) that are also measured with a new connection for each
 * report, without T; with `--cost` agents have 30 days of costs, and the page Cost is open in a second measurement.
 *
 *   npm run bench -- fleet [--agents 10000,50000] [--seconds 80 | --minutes 5] [--connections 15000] [--alone 50000]
 *     [--no-limit] [--cost]
 */
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { watchDisk } from './common/disk.ts'
import { startLimit } from './common/limit.ts'
import type { BenchResult } from './common/result.ts'
import { type Service, startService } from './common/service.ts'
import { signIn } from './common/sign-in.ts'
import { count, fixed, table } from './common/table.ts'
import { memory } from './common/usage.ts'
import { type Counts, quantile, sum } from './fleet/counts.ts'
import { type Load, startLoad, type Window, window } from './fleet/load.ts'
import { type OpenCostPage, openCostPage } from './page/cost.ts'

/** The seconds between two reports of an agent (8). */
const interval = 30
/**
 * The length of the warm-up in seconds. After it every agent has reported once and has its row in the database. The
 * warm-up lasts longer if the service was overloaded and asked agents to report less often.
 */
const warm = interval * 1.15 + 2
const maxWarm = 240
/**
 * The measurement starts when at most this share of the agents has had no answer yet or was asked in its last answer
 * for a longer interval. It starts after `maxWarm` seconds in any case.
 */
const fewUnsettled = 0.01
/**
 * The memory in KB that Node uses for an open connection: ten thousand connections took 147 MB in a server that does
 * nothing.
 */
const connectionKb = 15
const person = 'person-0@example.org'
const goal = { cores: 1, p99: 100, memory: 1024 } as const

interface Run {
  agents: number
  connections: number
  joining: WarmUp
  steady: WatchedWindow
  /** The measurement while the page Cost was open, and the answers that the page got; only with `--cost`. */
  cost: { window: WatchedWindow; page: Awaited<ReturnType<OpenCostPage['close']>> } | undefined
  memory: { now: number; highest: number }
  limit: Window | undefined
  restart: { seconds: number; after: WatchedWindow }
}

/**
 * `disk` is the 99th percentile, in milliseconds, of the time that syncing one page of a separate file took during the
 * measurement.
 */
type WatchedWindow = Window & { disk: number }

/**
 * The result of the warm-up: the seconds that it took, and the counts of all reports in that time, including refused
 * and lost reports.
 */
interface WarmUp {
  seconds: number
  counts: Counts
}

export async function benchFleet(args: string[]): Promise<BenchResult> {
  const { agents, connections, alone, ...how } = optionsOf(args)
  const runs: Run[] = []
  for (const n of agents) runs.push(await run(n, Math.min(n, connections), how))
  for (const n of alone) runs.push(await run(n, 0, how))
  return { tables: tables(runs, how.seconds), sizing: sizing(runs) }
}

async function run(
  agents: number,
  connections: number,
  { seconds, limited, cost: opensCost }: Pick<ReturnType<typeof optionsOf>, 'seconds' | 'limited' | 'cost'>,
): Promise<Run> {
  console.error(
    `fleet: ${count(agents)} agents, ${connections === 0 ? 'a new connection each time' : 'kept connections'}`,
  )
  const limit = limited && connections > 0 ? await measureLimit(agents, connections, Math.min(seconds, 30)) : undefined
  const service = await startService(agents, opensCost ? { people: [person], history: true } : {})
  const load = await startLoad({ port: service.port, agents, connections, interval })
  try {
    const joining = await join(load, agents)
    const steady = await watchFleet(load, service, seconds)
    const cost = opensCost ? await withCostPage(service, () => watchFleet(load, service, seconds)) : undefined
    const used = memory(service.pid)
    const restart = await measureRestart(service, load)
    return { agents, connections, joining, steady, cost, memory: used, limit, restart }
  } finally {
    await load.stop()
    await service.stop()
  }
}

async function withCostPage(
  service: Service,
  measure: () => Promise<WatchedWindow>,
): Promise<NonNullable<Run['cost']>> {
  const opened = openCostPage(service, await signIn(service, person))
  const window = await measure()
  return { window, page: await opened.close() }
}

async function measureLimit(agents: number, connections: number, seconds: number): Promise<Window> {
  const limit = await startLimit(agents)
  const load = await startLoad({ port: limit.port, agents, connections, interval })
  try {
    await join(load, agents)
    return await window(load, limit.pid, seconds)
  } finally {
    await load.stop()
    await limit.stop()
  }
}

async function join(load: Load, agents: number): Promise<WarmUp> {
  await sleep(warm * 1000)
  const all = [await load.take()]
  let seconds = warm
  for (; (all.at(-1)?.unsettled ?? 0) > agents * fewUnsettled && seconds < maxWarm; seconds += 5) {
    await sleep(5_000)
    all.push(await load.take())
  }
  return { seconds, counts: sum(all) }
}

async function watchFleet(load: Load, { pid, file }: Service, seconds: number): Promise<WatchedWindow> {
  const disk = await watchDisk(file)
  const measured = await window(load, pid, seconds)
  return { ...measured, disk: await disk.stop() }
}

/** Restarts the service, and measures until shortly after all agents have come back. */
async function measureRestart(service: Service, load: Load): Promise<Run['restart']> {
  await load.take()
  const seconds = await service.restart()
  const while_ = await load.take()
  nameStored(while_, service.file)
  const after = await watchFleet(load, service, warm + 5)
  for (const [name, n] of Object.entries(while_.errors))
    after.counts.errors[name] = (after.counts.errors[name] ?? 0) + n
  return { seconds, after }
}

/**
 * Corrects the errors named `crossed`: reports that were sent while the server closed an idle connection, and that the
 * server seemed never to have read. If such a report is in the database, the server did read it and only the answer was
 * lost, so the error is renamed `cut`.
 */
function nameStored({ crossed, errors }: Counts, file: string): void {
  const database = new DatabaseSync(file, { readOnly: true })
  const last = database.prepare(
    'select detail from agent join agent_report on agent_id = agent.id where name = ? and instr(detail, ?) > 0',
  )
  const stored = crossed.filter(({ agent, n }) => last.get(`agent-${agent}`, `, ${n} of `)).length
  database.close()
  if (stored === 0) return
  errors.crossed = (errors.crossed ?? 0) - stored
  errors.cut = (errors.cut ?? 0) + stored
}

function tables(runs: Run[], seconds: number): string {
  const joined = runs
    .filter(({ joining }) => joining.seconds > warm || Object.keys(joining.counts.errors).length > 0)
    .map(
      ({ agents, connections, joining: { seconds: s, counts } }) =>
        `${count(agents)} ${connections === 0 ? 'with a new connection each time' : 'on kept connections'}: after ${fixed(s, 0)} s, ${count(counts.answered)} reports answered, and ${errors(counts)}`,
    )
  const measured = runs.flatMap((run) => [
    { ...run, what: '' },
    ...(run.cost ? [{ ...run, steady: run.cost.window, limit: undefined, what: ', page Cost open' }] : []),
  ])
  const steady = measured.map(({ agents, connections, what, steady: s, memory: m, limit }) => [
    count(agents),
    (connections === 0 ? 'new each time' : `${count(connections)} kept`) + what,
    count(s.counts.answered / s.seconds),
    `${fixed((s.cpu / s.seconds) * 100)} %`,
    fixed(perReport(s)),
    limit && fixed(perReport(limit)),
    limit && `${fixed(perReport(s) / perReport(limit), 2)} ×`,
    ...times(s.counts),
    fixed(s.disk),
    limit && fixed(quantile(limit.counts, 0.99)),
    errors(s.counts),
    count(m.highest),
    `${fixed((s.load / s.seconds) * 100, 0)} %`,
  ])
  const restarts = runs.map(({ agents, connections, restart: { seconds: away, after } }) => [
    count(agents),
    connections === 0 ? 'new each time' : `${count(connections)} kept`,
    fixed(away, 2),
    errors(after.counts),
    count(after.counts.answered / after.seconds),
    `${fixed((after.cpu / after.seconds) * 100)} %`,
    ...times(after.counts),
    fixed(after.disk),
  ])
  return [
    `${seconds} s each, after every agent had reported once${joined.length === 0 ? '' : `. All begin within ${interval} s; where that was too much at once, they were all there later (${joined.join('; ')})`}.`,
    table(
      [
        'agents',
        'connections',
        'reports/s',
        'CPU of a core',
        'µs/report',
        'T µs',
        '÷ T',
        'p50 ms',
        'p95',
        'p99',
        'slowest',
        'disk p99',
        'T p99',
        'errors',
        'MB at most',
        'generator',
      ],
      steady,
    ),
    ...runs.flatMap(({ agents, cost }) =>
      cost
        ? `The page Cost of ${count(agents)} agents asked every 5 s for another split: ${cost.page.answers} answers, with the most expensive runs after ${fixed(cost.page.median, 0)} ms (median), ${fixed(cost.page.slowest, 0)} ms at most.`
        : [],
    ),
    `The service stopped and started in the middle; the ${Math.round(warm + 5)} s after it listened again:`,
    table(
      [
        ...['agents', 'connections', 'away s', 'errors', 'reports/s', 'CPU of a core'],
        ...['p50 ms', 'p95', 'p99', 'slowest', 'disk p99'],
      ],
      restarts,
    ),
    `${verdict(runs)} _Generator_ is what the load used of a core; it was late by ${Math.max(...runs.map(({ steady: s }) => s.counts.late))} ms at most.`,
  ].join('\n\n')
}

const perReport = ({ cpu, counts }: Window) => (cpu / counts.answered) * 1e6
const times = (counts: Counts) =>
  [0.5, 0.95, 0.99].map((share) => fixed(quantile(counts, share))).concat(fixed(counts.slowest, 0))
const errors = ({ errors: all }: Counts) =>
  Object.entries(all)
    .filter(([, n]) => n > 0)
    .map(([name, n]) => `${count(n)} ${name}`)
    .join(', ') || '0'

/**
 * The table for operators in docs/operate.md. By the rule given there, it recommends twice the measured CPU, and one
 * and a half times the measured memory with one connection for each agent. Fleets that this machine did not serve
 * without errors are left out.
 */
function sizing(runs: Run[]): string {
  const rows = runs
    .filter(({ connections, steady }) => connections > 0 && Object.keys(steady.counts.errors).length === 0)
    .map(({ agents, connections, steady: { cpu, seconds }, memory: { highest } }) => [
      count(agents),
      count(agents / interval),
      fixed(cpu / seconds, 2),
      count(highest),
      count(connections),
      Math.ceil((2 * cpu) / seconds),
      `${fixed(Math.ceil((3 * (highest + ((agents - connections) * connectionKb) / 1024)) / 1024) / 2)} GB`,
    ])
  const headings = ['agents', 'reports/s', 'cores measured', 'MB measured', 'on connections', 'cores', 'memory']
  return table(headings, rows)
}

/**
 * Says whether the fleet of 50,000 agents, or the largest measured fleet below that, met the goal for CPU time,
 * response time, memory and errors.
 */
function verdict(runs: Run[]): string {
  const run = runs.filter(({ connections, agents }) => connections > 0 && agents <= 50_000).at(-1)
  if (!run) return ''
  const inRestart = run.restart.after.counts.errors
  const missed = [
    run.steady.cpu / run.steady.seconds > goal.cores && 'more than a core',
    quantile(run.steady.counts, 0.99) > goal.p99 &&
      `a p99 above ${goal.p99} ms (the sync of a page by another process meanwhile: ${fixed(run.steady.disk)} ms)`,
    run.memory.highest > goal.memory && 'more than 1 GB',
    Object.keys(run.steady.counts.errors).length > 0 && 'errors',
    Object.keys(inRestart).some((name) => name !== 'refused' && name !== 'crossed') &&
      'other errors in the restart than refused connections',
  ].filter((one) => one !== false)
  const size = `${count(run.agents)} agents on kept connections`
  if (missed.length > 0) return `The goal is MISSED with ${size}: ${missed.join(', ')}.`
  const crossed = inRestart.crossed
    ? `, but for ${count(inRestart.crossed)} reports that crossed the closing of their connection`
    : ''
  return `The goal is met with ${size}${crossed}.`
}

function optionsOf(args: string[]) {
  const { values } = parseArgs({
    args,
    options: {
      agents: { type: 'string', default: '10000,50000,100000' },
      seconds: { type: 'string', default: '80' },
      minutes: { type: 'string' },
      connections: { type: 'string', default: '15000' },
      alone: { type: 'string', default: '50000' },
      'no-limit': { type: 'boolean', default: false },
      cost: { type: 'boolean', default: false },
    },
  })
  const list = (text: string) => (text === 'none' ? [] : text.split(',').map(Number))
  return {
    agents: list(values.agents),
    seconds: values.minutes === undefined ? Number(values.seconds) : Number(values.minutes) * 60,
    connections: Number(values.connections),
    alone: list(values.alone),
    limited: !values['no-limit'],
    cost: values.cost,
  }
}

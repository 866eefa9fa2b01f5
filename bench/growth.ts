/**
 * Measures how the cost of a report grows with the fleet, for the service and for the limit server T: the same number
 * of reports per second from 1,000 agents, 2,000 and so on. A cost that does not depend on the number of agents has the
 * exponent 0. Then agents without old runs are compared with agents that have a hundred each.
 *
 *   npm run bench -- growth [--from 1000] [--to 64000] [--rate 800] [--seconds 10] [--history 10000]
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { startLimit } from './common/limit.ts'
import { startService } from './common/service.ts'
import { count, fixed, table } from './common/table.ts'
import { startLoad, type Window, window } from './fleet/load.ts'

/**
 * The number of connections. It stays the same for every fleet, and all agents share them, so that only the number of
 * agents grows.
 */
const connections = 256
/**
 * The maximum number of reports per second in the warm-up, which lasts until every agent has a row in the database. No
 * agent may report more than 60 times a minute (8).
 */
const warmRate = 5000
const minWarm = 2
/** The minimum length of the warm-up in seconds. After it V8 has compiled the code that runs often. */
const warmTime = 8
const oldRuns = 100

interface Size {
  agents: number
  service: Window
  limit: Window
}

export async function benchGrowth(args: string[]): Promise<string> {
  const { from, to, rate, seconds, history } = optionsOf(args)
  const sizes: Size[] = []
  for (let agents = from; agents <= to; agents *= 2) {
    console.error(`growth: ${count(agents)} agents`)
    const limit = await measure(await startLimit(agents), agents, rate, seconds)
    sizes.push({ agents, limit, service: await measure(await startService(agents), agents, rate, seconds) })
  }
  return `${tables(sizes, rate, seconds)}\n\n${await measureHistory(history, rate, seconds)}`
}

async function measureHistory(agents: number, rate: number, seconds: number): Promise<string> {
  if (agents === 0) return ''
  console.error(`growth: ${count(agents)} agents with old runs`)
  const [without, beside] = [
    await measure(await startService(agents), agents, rate, seconds),
    await measure(await startService(agents, { oldRuns }), agents, rate, seconds),
  ]
  const rowOf = (runs: number, measured: Window) => [
    count(agents),
    count(runs),
    count(runs * agents),
    count(measured.counts.answered / measured.seconds),
    fixed(cost(measured)),
    errorsOf(measured),
  ]
  return [
    table(
      ['agents', 'old runs each', 'rows', 'reports/s', 'µs/report', 'errors'],
      [rowOf(0, without), rowOf(oldRuns, beside)],
    ),
    `A report of an agent that has ${oldRuns} old runs costs **${fixed(cost(beside) / cost(without), 2)}** × that of one without.`,
  ].join('\n\n')
}

interface Server {
  port: number
  pid: number
  stop(): Promise<void>
}

async function measure(server: Server, agents: number, rate: number, seconds: number): Promise<Window> {
  const interval = Math.max(agents / warmRate, minWarm)
  const load = await startLoad({ port: server.port, agents, connections, interval })
  try {
    await sleep(Math.max(interval + 1, warmTime) * 1000)
    load.every(agents / rate)
    await sleep(interval * 1.15 * 1000)
    return await window(load, server.pid, seconds)
  } finally {
    await load.stop()
    await server.stop()
  }
}

function tables(sizes: Size[], rate: number, seconds: number): string {
  const rows = sizes.map(({ agents, service, limit }) => [
    count(agents),
    count(service.counts.answered / service.seconds),
    fixed(cost(service)),
    fixed(cost(limit)),
    `${fixed(cost(service) / cost(limit), 2)} ×`,
    errorsOf(service),
  ])
  const [ours, theirs] = [exponent(sizes, (s) => cost(s.service)), exponent(sizes, (s) => cost(s.limit))]
  return [
    `About ${rate} reports a second on ${connections} kept connections, ${seconds} s each, after every agent had reported once.`,
    table(['agents', 'reports/s', 'µs/report', 'T µs', '÷ T', 'errors'], rows),
    `The cost of a report grows with the number of agents to the power of **${fixed(ours, 3)}** (T: ${fixed(theirs, 3)}); a doubling costs ${fixed((2 ** ours - 1) * 100)} % (T: ${fixed((2 ** theirs - 1) * 100)} %).`,
  ].join('\n\n')
}

const errorsOf = ({ counts }: Window) => Object.values(counts.errors).reduce((sum, n) => sum + n, 0)
/** The cost of a report in microseconds of CPU time. */
const cost = ({ cpu, counts }: Window) => (cpu / counts.answered) * 1e6

/**
 * The exponent with which the cost of a report grows with the number of agents: the slope of the line through the
 * measured points when both axes are logarithmic.
 */
function exponent(sizes: Size[], costOf: (size: Size) => number): number {
  const points = sizes.map((size) => [Math.log(size.agents), Math.log(costOf(size))] as const)
  const mean = (at: 0 | 1) => points.reduce((sum, point) => sum + point[at], 0) / points.length
  const [x, y] = [mean(0), mean(1)]
  const above = points.reduce((sum, [px, py]) => sum + (px - x) * (py - y), 0)
  return above / points.reduce((sum, [px]) => sum + (px - x) ** 2, 0)
}

function optionsOf(args: string[]) {
  const { values } = parseArgs({
    args,
    options: {
      from: { type: 'string', default: '1000' },
      to: { type: 'string', default: '64000' },
      rate: { type: 'string', default: '800' },
      seconds: { type: 'string', default: '10' },
      history: { type: 'string', default: '10000' },
    },
  })
  return {
    from: Number(values.from),
    to: Number(values.to),
    rate: Number(values.rate),
    seconds: Number(values.seconds),
    history: Number(values.history),
  }
}

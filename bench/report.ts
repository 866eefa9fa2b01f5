/**
 * Measures CPU time per report and reports per second, of the service and of the limit servers T and L
 * (report/limit.ts) in turn; medians of the rounds. PART is keep-alive or close (what happens to connections; reports
 * of 3 KB), 30kb, 250kb, slow-disk (each sync a ms slower), scraped, postgres, postgres-1ms or postgres-5ms.
 * `--beside FOLDER` (repeatable) compares the service with another checkout's in 15 rounds (report/beside.ts).
 *
 *   npm run bench -- report [PART …] [--rounds 5] [--seconds 3] [--beside FOLDER]
 */
import { parseArgs } from 'node:util'
import { startLimit } from './common/limit.ts'
import { count, fixed, table } from './common/table.ts'
import { median, middleHalf } from './common/times.ts'
import { checkoutIn, compare, warmSeconds } from './report/beside.ts'
import {
  type Measurement,
  measure,
  measureInTurns,
  type Server,
  type Setting,
  startOn,
  withDisk,
} from './report/measure.ts'

interface Part extends Setting {
  says: string
  /** The CPU time of the service as a multiple of T's: the goal, and the maximum that is accepted. */
  goal?: readonly [goal: number, max: number]
}

const parts: Readonly<Record<string, Part>> = {
  'keep-alive': {
    says: '3 KB, connections kept',
    kilobytes: 3,
    agents: 10_000,
    mode: 'keep-alive',
    goal: [1.3, 1.5],
  },
  close: { says: '3 KB, a connection each', kilobytes: 3, agents: 10_000, mode: 'close', goal: [1.5, 1.5] },
  '30kb': { says: '30 KB, connections kept', kilobytes: 30, agents: 4_000, mode: 'keep-alive', goal: [1.4, 1.6] },
  '250kb': { says: '250 KB, connections kept', kilobytes: 249, agents: 1_000, mode: 'keep-alive', goal: [1.2, 1.4] },
  'slow-disk': {
    says: '3 KB, connections kept, each sync 1 ms later',
    kilobytes: 3,
    agents: 10_000,
    mode: 'keep-alive',
    syncDelayMs: 1,
  },
  scraped: {
    says: '3 KB, connections kept, /metrics/fleet read every 15 s',
    kilobytes: 3,
    agents: 5_000,
    mode: 'keep-alive',
    scrapeSeconds: 15,
  },
  postgres: {
    says: '3 KB, connections kept, PostgreSQL',
    kilobytes: 3,
    agents: 10_000,
    mode: 'keep-alive',
    goal: [1.5, 2.5],
    postgres: true,
  },
  'postgres-1ms': {
    says: '3 KB, connections kept, PostgreSQL, each sync 1 ms later',
    kilobytes: 3,
    agents: 10_000,
    mode: 'keep-alive',
    syncDelayMs: 1,
    postgres: true,
  },
  'postgres-5ms': {
    says: '3 KB, connections kept, PostgreSQL, each sync 5 ms later',
    kilobytes: 3,
    agents: 10_000,
    mode: 'keep-alive',
    syncDelayMs: 5,
    postgres: true,
  },
}

export async function benchReport(args: string[]): Promise<string> {
  const { positionals, values } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      rounds: { type: 'string' },
      seconds: { type: 'string', default: '3' },
      beside: { type: 'string', multiple: true },
    },
  })
  const checkouts = values.beside?.map(checkoutIn)
  const rounds = Number(values.rounds ?? (checkouts ? 15 : 5))
  const seconds = Number(values.seconds)
  const texts: string[] = []
  for (const name of chosenOf(positionals, checkouts === undefined)) {
    console.error(`report: ${name}`)
    const part = parts[name] as Part
    texts.push(await (checkouts ? compare(part, checkouts, rounds, seconds) : measurePart(part, rounds, seconds)))
  }
  return texts.join('\n\n')
}

function chosenOf(names: string[], everyByDefault: boolean): string[] {
  const unknown = names.find((name) => !Object.hasOwn(parts, name))
  if (unknown) throw new Error(`There is no part "${unknown}" of this measurement: ${Object.keys(parts).join(', ')}.`)
  if (names.length > 0) return names
  return everyByDefault ? Object.keys(parts) : ['keep-alive', 'close', 'postgres']
}

const measurePart = (part: Part, rounds: number, seconds: number): Promise<string> =>
  withDisk(part, async (slow) => {
    if (!slow) return `**${part.says}**: not measured, since there is no C compiler here (\`cc\`).`
    const servers: Server[] = []
    try {
      servers.push({ name: 'L', ...(await startLimit(part.agents, 'L', slow)) })
      servers.push({ name: 'T', ...(await startLimit(part.agents, 'T', slow)) })
      servers.push(await startOn(part, slow))
      const results = await inTurns(servers, part, rounds, seconds)
      return textOf(part, servers, results, rounds, seconds)
    } finally {
      for (const server of servers) await server.stop()
    }
  })

/**
 * The milliseconds for which a server has the load before the next one gets it. With longer times the servers rest
 * longer: after eight seconds of rest, the threads of V8 add up to a quarter to the cost of a report. Shorter times
 * would count more of the moments in which the last clients wait for their answers.
 */
const sliceMs = 1000

/**
 * Measures every server in each round, so that the servers are compared under the same conditions of the machine. T and
 * the service always follow each other, since their costs are compared.
 */
async function inTurns(servers: Server[], part: Part, rounds: number, seconds: number): Promise<Measurement[][]> {
  const results: Measurement[][] = servers.map(() => [])
  for (const server of servers) {
    await measure(server, part, 'all')
    await measure(server, part, warmSeconds)
  }
  for (let round = 0; round < rounds; round++) {
    const order = round % 2 === 0 ? servers : [...servers].reverse()
    const measured = await measureInTurns(order, part, seconds, sliceMs)
    for (const [i, server] of servers.entries()) results[i]?.push(measured[order.indexOf(server)] as Measurement)
  }
  return results
}

function textOf(part: Part, servers: Server[], results: Measurement[][], rounds: number, seconds: number): string {
  const rows = servers.map(({ name, database }, i) => {
    const all = results[i] ?? []
    const cpus = all.map((m) => m.cpu)
    return [
      name,
      fixed(median(cpus)),
      `${fixed(Math.min(...cpus))} to ${fixed(Math.max(...cpus))}`,
      ...(part.postgres ? [database === undefined ? '-' : fixed(median(all.map((m) => m.database)))] : []),
      count(median(all.map((m) => m.rate))),
      fixed(median(all.map((m) => m.p50)), 2),
      fixed(median(all.map((m) => m.p99))),
      all.reduce((sum, m) => sum + m.errors, 0),
    ]
  })
  const database = part.postgres ? ['database µs'] : []
  const headings = ['server', 'µs/report', 'from, to', ...database, 'reports/s', 'p50 ms', 'p99 ms', 'errors']
  const [, limits = [], ours = []] = results
  const ratios = ours.map(({ cpu }, round) => cpu / (limits[round]?.cpu ?? Number.NaN))
  const share = median(ours.map(({ rate }, round) => rate / (limits[round]?.rate ?? Number.NaN)))
  const half = middleHalf(ratios)
    .map((ratio) => fixed(ratio, 2))
    .join(' to ')
  return [
    `**${part.says}**: 32 clients, ${count(part.agents)} agents, ${rounds} rounds of ${seconds} s each.`,
    table(headings, rows),
    `Service ÷ T, median of the rounds: CPU **${fixed(median(ratios), 2)}**${verdictOf(median(ratios), part.goal)}, ` +
      `middle half ${half}; reports a second ${fixed(share, 2)}.`,
  ].join('\n\n')
}

function verdictOf(ratio: number, goal: Part['goal']): string {
  if (!goal) return ''
  const [wanted, max] = goal
  if (ratio <= wanted) return ` (goal: ${wanted})`
  return ratio <= max ? ` (acceptable up to ${max}, above the goal of ${wanted})` : ` (ABOVE ${max})`
}

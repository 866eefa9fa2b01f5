/**
 * Compares the service of this checkout with those of other checkouts: how much more CPU time a report costs. Two
 * processes of the same service differ by up to 10% for as long as they run, so new ones are started every few rounds.
 * The speed of a machine changes from second to second, so a round alternates between the services every fraction of a
 * second. Each round gives a ratio, and the median of all ratios is the result. The load generator is always that of
 * this checkout.
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join, resolve } from 'node:path'
import { count, fixed, table } from '../common/table.ts'
import { median, middleHalf } from '../common/times.ts'
import { longestTurn } from '../common/turns.ts'
import { type Measurement, measureInTurns, type Server, type Setting, startOn, withDisk } from './measure.ts'

export interface ComparedService extends Setting {
  says: string
}

/** The results of one round: of this checkout's service, then of each other one's in the given order. */
type Round = readonly [ours: Measurement, ...others: Measurement[]]

export function checkoutIn(folder: string): string {
  const checkout = resolve(folder)
  if (!existsSync(join(checkout, 'packages/server/src/main.ts')))
    throw new Error(`${checkout} is no checkout of this project: it has no packages/server/src/main.ts.`)
  return checkout
}

export async function compare(
  part: ComparedService,
  checkouts: readonly string[],
  rounds: number,
  seconds: number,
): Promise<string> {
  pin(process.pid, 1)
  return withDisk(part, async (slow) => {
    if (!slow) return `**${part.says}**: not measured, since there is no C compiler here (\`cc\`).`
    const all: Round[] = []
    for (let from = 0; from < rounds; from += roundsOfProcesses) {
      console.error(`  ${from} of ${rounds} rounds done`)
      const next = { from, rounds: Math.min(roundsOfProcesses, rounds - from), seconds }
      all.push(...(await measureNew(part, slow, checkouts, next)))
    }
    return checkouts.map((checkout, i) => textOf(part, checkout, all, i + 1, seconds)).join('\n\n')
  })
}

/** The number of cores, read before this process is kept on one of them. */
const cores = availableParallelism()

/** The number of rounds for which the same processes are measured. */
const roundsOfProcesses = 3
/** The seconds of load before the first round of new processes, in which their code is compiled. */
export const warmSeconds = 10

/** Starts all services, in an order that depends on `from`, and measures them in several rounds. */
async function measureNew(
  part: ComparedService,
  slow: Readonly<Record<string, string>>,
  checkouts: readonly string[],
  { from, rounds, seconds }: { from: number; rounds: number; seconds: number },
) {
  const all = [{}, ...checkouts.map((checkout) => ({ checkout }))]
  const servers: Server[] = []
  try {
    for (const i of turnList(all.keys(), from / roundsOfProcesses)) servers[i] = await startOn(part, slow, all[i])
    for (const { pid } of servers) pin(pid, 0)
    for (const time of ['all', warmSeconds] as const) await measureInTurns(servers, part, time)
    const measured: Round[] = []
    for (let round = from; round < from + rounds; round++) {
      const order = turnList(servers.keys(), round)
      const began = Date.now()
      const of = await measureInTurns(
        order.map((i) => servers[i] as Server),
        part,
        seconds,
      )
      const results = servers.map(({ turns }, i) => ({
        ...of[order.indexOf(i)],
        ...(turns !== undefined && { turn: longestTurn(turns, began) }),
      }))
      measured.push(results as unknown as Round)
    }
    return measured
  } finally {
    for (const server of servers) await server?.stop()
  }
}

/** The list in the same order, but from another entry on, with the entries before it at the end. */
function turnList(list: Iterable<number>, by: number): number[] {
  const all = [...list]
  return all.map((_, i) => all[(i + by) % all.length] as number)
}

/**
 * Keeps a process and its threads on one core: the services on the first, this process on the second, together with the
 * load and the databases that it starts. Otherwise chance decides which service shares a core with the load, and the
 * ratio of two equal services can be 20% off. Does nothing without the program `taskset`.
 */
function pin(pid: number, core: 0 | 1): void {
  if (cores < 2) return
  spawnSync('taskset', ['--all-tasks', '--cpu-list', '--pid', `${core}`, `${pid}`])
}

const costs = {
  service: ({ cpu }: Measurement) => cpu,
  database: ({ database }: Measurement) => database,
  both: ({ cpu, database }: Measurement) => cpu + database,
}

const range = (ends: readonly number[]): string => ends.map((end) => fixed(end, 3)).join(' to ')

function textOf(
  part: ComparedService,
  checkout: string,
  all: readonly Round[],
  other: number,
  seconds: number,
): string {
  const pairs = all.map((round) => ({ ours: round[0], theirs: round[other] as Measurement }))
  const rows = Object.entries(costs).flatMap(([name, cost]) => {
    if (!part.postgres && name !== 'service') return []
    const ratios = pairs.map(({ ours, theirs }) => cost(ours) / cost(theirs))
    return [
      [
        name,
        fixed(median(pairs.map(({ ours }) => cost(ours)))),
        fixed(median(pairs.map(({ theirs }) => cost(theirs)))),
        fixed(median(ratios), 3),
        range(middleHalf(ratios)),
        range([Math.min(...ratios), Math.max(...ratios)]),
      ],
    ]
  })
  const rates = pairs.map(({ ours, theirs }) => ours.rate / theirs.rate)
  const each = (key: 'rate' | 'p50' | 'p99', digits: number) =>
    (['ours', 'theirs'] as const).map((whose) => fixed(median(pairs.map((pair) => pair[whose][key])), digits))
  const [rate, p50, p99] = [each('rate', 0), each('p50', 1), each('p99', 1)]
  const errors = pairs.reduce((sum, { ours, theirs }) => sum + ours.errors + theirs.errors, 0)
  return [
    `**${part.says}**: this checkout beside ${checkout}, 32 clients, ${count(part.agents)} agents, ${all.length} rounds of ${seconds} s for each service, new processes every ${roundsOfProcesses} rounds, ${errors} errors.`,
    table(['CPU of', 'µs/report here', 'there', 'ratio (median)', 'middle half', 'from, to'], rows),
    ...turnsOf(pairs),
    `Reports a second: ${rate.join(' here, ')} there, ratio ${fixed(median(rates), 3)}; p50 ${p50.join(' and ')} ms, p99 ${p99.join(' and ')} ms.`,
  ].join('\n\n')
}

/** A line about the longest turns, if they were recorded. */
function turnsOf(pairs: readonly { ours: Measurement; theirs: Measurement }[]): string[] {
  const words = (['ours', 'theirs'] as const).map((whose) => {
    const turns = pairs.flatMap((pair) => pair[whose].turn ?? [])
    const [times, works] = [turns.map(({ time }) => time), turns.map(({ work }) => work)]
    return `${fixed(median(times))} ms, at most ${fixed(Math.max(...times))} (CPU ${fixed(median(works))}, at most ${fixed(Math.max(...works))})`
  })
  return pairs.some(({ ours }) => ours.turn) ? [`Longest turn of a round: ${words.join(' here, ')} there.`] : []
}

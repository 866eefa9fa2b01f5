/**
 * Compares the service of this checkout with that of another checkout: how much more CPU time a report costs. The speed
 * of a machine changes from second to second, so a round alternates between the two services every fraction of a
 * second. Each round gives a ratio, and the median of all ratios is the result. The load generator is always that of
 * this checkout.
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join, resolve } from 'node:path'
import { count, fixed, table } from '../common/table.ts'
import { embedded, type Load, type Measured, measureInTurns, median, onPostgres, type Server } from './measure.ts'

export interface Compared extends Load {
  says: string
  postgres?: boolean
}

/** The results of one round: `ours` for the service of this checkout, `theirs` for that of the other checkout. */
interface Round {
  ours: Measured
  theirs: Measured
}

export function checkoutIn(folder: string): string {
  const checkout = resolve(folder)
  if (!existsSync(join(checkout, 'packages/server/src/main.ts')))
    throw new Error(`${checkout} is no checkout of this project: it has no packages/server/src/main.ts.`)
  return checkout
}

export async function compare(part: Compared, checkout: string, rounds: number, seconds: number): Promise<string> {
  const start = part.postgres ? onPostgres : embedded
  const servers: Server[] = []
  try {
    const ours = await start(part.agents)
    servers.push(ours)
    const theirs = await start(part.agents, { checkout })
    servers.push(theirs)
    pinToCores(servers)
    for (const time of ['all', 2 * seconds] as const) await measureInTurns(servers, part, time)
    const all: Round[] = []
    for (let round = 0; round < rounds; round++)
      all.push(await inTurns({ ours, theirs }, part, seconds, round % 2 === 1))
    return textOf(part, checkout, all, seconds)
  } finally {
    for (const server of servers) await server.stop()
  }
}

/**
 * Keeps the services on one core and this process, whose children send the load, on another. Otherwise chance decides
 * which service shares a core with the load, and the ratio of two equal services can be 20% off. Does nothing without
 * the program `taskset`.
 */
function pinToCores(servers: readonly Server[]): void {
  if (availableParallelism() < 2) return
  const pin = (pid: number, core: number) =>
    spawnSync('taskset', ['--all-tasks', '--cpu-list', '--pid', `${core}`, `${pid}`])
  for (const { pid } of servers) pin(pid, 0)
  pin(process.pid, 1)
}

async function inTurns({ ours, theirs }: Record<keyof Round, Server>, load: Load, seconds: number, reversed: boolean) {
  const measured = await measureInTurns(reversed ? [theirs, ours] : [ours, theirs], load, seconds)
  const [first, second] = measured as [Measured, Measured]
  return reversed ? { ours: second, theirs: first } : { ours: first, theirs: second }
}

const costs = {
  service: ({ cpu }: Measured) => cpu,
  database: ({ database }: Measured) => database,
  both: ({ cpu, database }: Measured) => cpu + database,
}

function textOf(part: Compared, checkout: string, all: readonly Round[], seconds: number): string {
  const rows = Object.entries(costs).flatMap(([name, cost]) => {
    if (!part.postgres && name !== 'service') return []
    const ratios = all.map(({ ours, theirs }) => cost(ours) / cost(theirs)).sort((a, b) => a - b)
    const quarter = Math.floor(ratios.length / 4)
    return [
      [
        name,
        fixed(median(all.map(({ ours }) => cost(ours)))),
        fixed(median(all.map(({ theirs }) => cost(theirs)))),
        fixed(median(ratios), 3),
        `${fixed(ratios[quarter] ?? Number.NaN, 3)} to ${fixed(ratios.at(-1 - quarter) ?? Number.NaN, 3)}`,
        `${fixed(ratios[0] ?? Number.NaN, 3)} to ${fixed(ratios.at(-1) ?? Number.NaN, 3)}`,
      ],
    ]
  })
  const errors = all.reduce((sum, { ours, theirs }) => sum + ours.errors + theirs.errors, 0)
  return [
    `**${part.says}**: this checkout beside ${checkout}, 32 clients, ${count(part.agents)} agents, ${all.length} rounds of ${seconds} s each in rotating order, ${errors} errors.`,
    table(['CPU of', 'µs/report here', 'there', 'ratio (median)', 'middle half', 'from, to'], rows),
  ].join('\n\n')
}

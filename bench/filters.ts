/**
 * Measures the list of agents and its filters with many agents that report meanwhile: requests over HTTP, and in this
 * process the reading of all rows and costs into an empty cache, and the filters over cached rows. On both databases.
 *
 *   npm run bench -- filters [--agents 10000] [--rounds 5]
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { Fleet } from '@svc/api'
import { parseFilter } from '@svc/api/filter'
import type { Store } from '../packages/server/src/platform/db/open.ts'
import { runWithoutPauses } from '../packages/server/src/platform/http/slices.ts'
import { fleetCache } from '../packages/server/src/web/live/fleet.ts'
import { fleetPage } from '../packages/server/src/web/queries/fleet.ts'
import { startDatabase } from './common/postgres.ts'
import { type Service, startService, workspace } from './common/service.ts'
import { signIn } from './common/sign-in.ts'
import { count, fixed, table } from './common/table.ts'
import { measureWork, median } from './common/times.ts'
import { type Load, startLoad, window } from './fleet/load.ts'
import { openPages } from './page/open.ts'

/** The seconds for which the CPU of the service is measured. */
const seconds = 20
/** The number of times that each filter is applied in a round. */
const filterings = 10
/** The limits in milliseconds. */
const maxMs = { filter: 15, list: 50, rows: 500, costs: 1500 } as const
const person = 'person-0@example.org'

/** The filters that are measured. The reports and tags are those of common/fleet.ts and common/service.ts. */
const filters = [
  '',
  'morning',
  'agent-77 -host-7',
  'tag:eu',
  'tag:eu -tag:prod level:ok',
  'host:host-1*,host-2* is:online',
  'version:>=1.4.0 version:<2.0.0 cost30:>0.2',
  'seen:<5m can:pause alert:none update:none',
  Array.from({ length: 20 }, (_, i) => `-name:*${i}${i}*${i}`).join(' '),
] as const

interface FilterMeasurement {
  engine: string
  agents: number
  /** The milliseconds of requests for the list, while agents report. */
  lists: number[]
  /** The milliseconds of the first request after a start of the service, and of a request that waits for costs. */
  first: number[]
  firstCosts: number[]
  /** The shares of a core that the service takes without a page, and with one open page with a filter. */
  cpu: { alone: number; watched: number }
  /** The milliseconds of reading rows and costs into an empty cache. */
  rows: number[]
  costs: number[]
  /** For each filter the milliseconds of CPU over cached rows. */
  filtered: number[][]
}

export async function benchFilters(args: string[]): Promise<string> {
  const { values } = parseArgs({
    args,
    options: { agents: { type: 'string', default: '10000' }, rounds: { type: 'string', default: '5' } },
  })
  const [agents, rounds] = [Number(values.agents), Number(values.rounds)]
  const embedded = await measure('SQLite', agents, rounds, {})
  const postgres = await startDatabase()
  try {
    const env = { SVC_DATABASE_URL: postgres.url }
    return tables([embedded, await measure(`PostgreSQL ${postgres.version}`, agents, rounds, env)], rounds)
  } finally {
    await postgres.stop()
  }
}

async function measure(
  engine: string,
  agents: number,
  rounds: number,
  env: Record<string, string>,
): Promise<FilterMeasurement> {
  console.error(`filters: ${count(agents)} agents, ${engine}`)
  const service = await startService(agents, { people: [person], env, history: true })
  try {
    const asked = await overHttp(service, agents, rounds)
    return { engine, agents, ...asked, ...(await service.offline((store) => measureInside(store, rounds))) }
  } finally {
    await service.stop()
  }
}

async function overHttp(
  service: Service,
  agents: number,
  rounds: number,
): Promise<Pick<FilterMeasurement, 'lists' | 'first' | 'firstCosts' | 'cpu'>> {
  const interval = 30
  const load = await startLoad({ port: service.port, agents, connections: Math.min(agents, 10_000), interval })
  try {
    await sleep((interval + 2) * 1000)
    const cookie = await signIn(service, person)
    const ask = asker(service, cookie)
    const alone = await shareOf(load, service)
    const page = openPages(service, [cookie], 1, filters[3])
    await sleep(2000)
    const cpu = { alone, watched: await shareOf(load, service) }
    page.close()
    const [lists, first, firstCosts]: [number[], number[], number[]] = [[], [], []]
    await ask('')
    for (let round = 0; round < rounds; round++)
      for (const q of filters) {
        await sleep(250)
        lists.push((await measureWork(() => ask(q))).ms)
      }
    // Agents that come back after a start would be measured, too.
    await load.stop()
    for (let round = 0; round < rounds; round++) {
      await service.restart()
      first.push((await measureWork(() => ask(''))).ms)
      firstCosts.push((first.at(-1) ?? 0) + (await measureWork(() => ask('cost:>0'))).ms)
    }
    return { lists, first, firstCosts, cpu }
  } finally {
    await load.stop()
  }
}

async function shareOf(load: Load, { pid }: Service): Promise<number> {
  const { cpu, seconds: of } = await window(load, pid, seconds)
  return (cpu / of) * 100
}

/** Returns a function that requests the list of agents with a filter, and reads the whole answer. */
function asker(service: Service, cookie: string) {
  return async (q: string): Promise<Fleet> => {
    const address = `${service.url}/api/web/w/${workspace}/fleet?limit=200&sort=level&desc=true&${new URLSearchParams({ q })}`
    const answer = await fetch(address, { headers: { cookie } })
    if (!answer.ok) throw new Error(`The list was answered ${answer.status}: ${await answer.text()}`)
    return (await answer.json()) as Fleet
  }
}

/** Measures what the service does for a list, in this process and without reports. */
async function measureInside(
  store: Store,
  rounds: number,
): Promise<Pick<FilterMeasurement, 'rows' | 'costs' | 'filtered'>> {
  const { id } = await store.db
    .selectFrom('workspace')
    .select('id')
    .where('slug', '=', workspace)
    .executeTakeFirstOrThrow()
  const [rows, costs]: [number[], number[]] = [[], []]
  const filtered: number[][] = filters.map(() => [])
  // The first round compiles the code.
  for (let round = 0; round <= rounds; round++) {
    const costsRead = () => {}
    const cache = fleetCache({ db: store.db, engine: store.engine, now: Date.now, costsRead, costsFailed: costsRead })
    const [cold, after] = [await measureWork(() => cache.readRows(id)), await measureWork(() => cache.read(id))]
    if (round === 0) continue
    rows.push(cold.ms)
    costs.push(after.ms)
    const all = await cache.read(id)
    for (const [i, q] of filters.entries()) {
      const read = parseFilter(q)
      if (!read.ok) throw new Error(read.message)
      const query = { filter: read.value.terms, sort: 'level', desc: true, offset: 0, limit: 200 } as const
      const apply = () => runWithoutPauses(fleetPage(all, query, { now: Date.now(), halted: 0 }))
      // The first filter sorts the names, and the first word converts all texts; both are kept.
      apply()
      for (let again = 0; again < filterings; again++) filtered[i]?.push((await measureWork(apply)).cpu)
    }
  }
  return { rows, costs, filtered }
}

function tables(all: readonly FilterMeasurement[], rounds: number): string {
  const rows = all.flatMap(({ engine, filtered, lists, first, firstCosts, rows: cold, costs }) => {
    const each = filtered.map(median)
    const slowest = each.indexOf(Math.max(...each))
    const figures: [what: string, times: readonly number[], limit: number | undefined][] = [
      [
        `CPU of a filter over cached rows, the slowest: \`${shortened(filters[slowest] ?? '')}\``,
        filtered[slowest] ?? [],
        maxMs.filter,
      ],
      ['CPU of a filter over cached rows, all filters', filtered.flat(), maxMs.filter],
      ['request for the list, while agents report', lists, maxMs.list],
      ['cold: all rows', cold, maxMs.rows],
      ['cold: then their costs', costs, maxMs.costs],
      ['first request for the list after a start', first, undefined],
      ['the same, and one by costs after it', firstCosts, undefined],
    ]
    return figures.map(([what, times, limit]) => {
      const middle = median(times)
      return [
        engine,
        what,
        fixed(Math.min(...times)),
        fixed(middle),
        fixed(Math.max(...times)),
        limit,
        limit ? fixed(middle / limit, 2) : undefined,
      ]
    })
  })
  const missed = rows.filter((row) => Number(row.at(-1)) > 1)
  const each = filters.map((q, i) => [
    q === '' ? 'no filter' : `\`${shortened(q)}\``,
    ...all.flatMap(({ filtered }) => [fixed(median(filtered[i] ?? [])), fixed(Math.max(...(filtered[i] ?? [])))]),
  ])
  return [
    `Filters over ${count(all[0]?.agents ?? 0)} agents with three tags and 60 rows of costs each, which report every 30 s; milliseconds, medians of ${rounds} rounds.`,
    table(['database', 'what', 'fastest', 'median', 'slowest', 'limit', '÷ limit'], rows),
    missed.length === 0
      ? 'Every median is within its limit.'
      : `ABOVE the limit: ${missed.map(([engine, what]) => `${what} (${engine})`).join(', ')}.`,
    'Each filter over cached rows, milliseconds of CPU:',
    table(['filter', ...all.flatMap(({ engine }) => [engine, 'slowest'])], each),
    ...all.map(
      ({ engine, cpu }) =>
        `${engine}: the service takes ${fixed(cpu.alone)} % of a core without a page, and ${fixed(cpu.watched)} % with one open page with a filter, over ${seconds} s.`,
    ),
  ].join('\n\n')
}

const shortened = (q: string): string => (q.length > 50 ? `${q.slice(0, 45)} …` : q)

/**
 * Measures what an attacker or a clumsy client costs others: under each load, the service's memory, the longest turn of
 * its event loop and the response times of other clients, compared to the same service without the load. PART is one of
 * spellings, unread, dense, folders, uploads, sign-in (see hostile/loads.ts); each part gets a new service. The page
 * must be built.
 *
 *   npm run bench -- hostile [PART …] [--seconds 15]
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { killAtExit } from '../testing/at-exit.ts'
import { freePort } from '../testing/free-port.ts'
import { password, type Service, startService } from './common/service.ts'
import { count, fixed, table } from './common/table.ts'
import { valueAt } from './common/times.ts'
import { type LongestTurn, longestTurn, notingTurns, recordingsFolder } from './common/turns.ts'
import { memory } from './common/usage.ts'
import type { LoadName, Target } from './hostile/loads.ts'
import { type OtherClients, otherAgents, startOthers, type Times } from './hostile/others.ts'

/** The size of SQLite's page cache in the service (db/sqlite.ts). */
const cacheMegabytes = 256
/** The milliseconds in which other clients must get their answers. */
const patience = 1000

interface Part {
  says: string
  /**
   * The number of people who sign in for the load. One further person, who is not counted here, signs in as an honest
   * client.
   */
  people: number
  agents: number
  /**
   * The limits that the service must keep under a load: the MB by which its memory may grow, not counting its database
   * cache, and the milliseconds that a turn of its event loop may take.
   */
  max: { grown: number; turn?: number }
}

const parts: Readonly<Record<LoadName, Part>> = {
  spellings: {
    says: '5,000 spellings of one file of the page, compressed',
    people: 0,
    agents: 0,
    max: { grown: 100 },
  },
  unread: {
    says: '400 connections that send 3,000 requests each and read nothing',
    people: 0,
    agents: 0,
    max: { grown: 256 },
  },
  dense: {
    says: 'one agent whose reports of 250 KB name new models, then 128 agents with the largest report at once',
    people: 0,
    agents: 129,
    max: { grown: 256, turn: 50 },
  },
  folders: {
    says: 'bundles with as many folders as are permitted, and with far more',
    people: 1,
    agents: 0,
    max: { grown: 256, turn: 50 },
  },
  uploads: { says: '60 uploads of 20 MB that stop before their last byte', people: 4, agents: 0, max: { grown: 200 } },
  'sign-in': { says: '300 tries to sign in at once from 15 addresses', people: 0, agents: 0, max: { grown: 256 } },
}

interface HostileMeasurement {
  others: Times
  turn: LongestTurn
}
interface Outcome {
  without: HostileMeasurement
  beside: HostileMeasurement
  before: number
  highest: number
  /**
   * The MB by which the database grew, but at most the size of the service's cache: the cache may now hold that much
   * more of the database than before.
   */
  pages: number
  after: number
  sent: string
}

export async function benchHostile(args: string[]): Promise<string> {
  const { positionals, values } = parseArgs({
    args,
    allowPositionals: true,
    options: { seconds: { type: 'string', default: '15' } },
  })
  const names = Object.keys(parts) as LoadName[]
  const unknown = positionals.find((name) => !Object.hasOwn(parts, name))
  if (unknown) throw new Error(`There is no part "${unknown}" of this measurement: ${names.join(', ')}.`)
  const chosen = positionals.length > 0 ? names.filter((name) => positionals.includes(name)) : names
  const rows: { name: LoadName; outcome: Outcome }[] = []
  for (const name of chosen) {
    console.error(`hostile: ${name}`)
    rows.push({ name, outcome: await measurePart(name, Number(values.seconds)) })
  }
  return textOf(rows)
}

async function measurePart(name: LoadName, seconds: number): Promise<Outcome> {
  const { people, agents } = parts[name]
  const folder = mkdtempSync(join(recordingsFolder, 'svc-bench-hostile-'))
  const turns = join(folder, 'turns')
  const emails = Array.from({ length: people + 1 }, (_, i) => `person-${i}@example.org`)
  const healthPort = await freePort()
  const env = { ...notingTurns(turns), SVC_METRICS_PORT: String(healthPort) }
  const service = await startService(otherAgents + agents, { people: emails, env })
  const others = startOthers({ port: service.port, healthPort, email: emails.at(-1) ?? '' })
  try {
    await sleep(3000)
    return await measureBeside(name, seconds, { service, others, turns, emails })
  } finally {
    others.stop()
    await service.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

interface LoadContext {
  service: Service
  others: OtherClients
  turns: string
  emails: string[]
}

async function measureBeside(name: LoadName, seconds: number, running: LoadContext): Promise<Outcome> {
  const { service, others, turns, emails } = running
  const measure = async (wait: Promise<unknown>): Promise<HostileMeasurement> => {
    others.take()
    const from = Date.now()
    await wait
    await sleep(200)
    return { others: others.take(), turn: longestTurn(turns, from) }
  }
  const without = await measure(sleep(seconds * 1000))
  const before = memory(service.pid).now
  const stored = databaseMegabytes(service)
  const target: Target = {
    load: name,
    port: service.port,
    seconds,
    agent: otherAgents,
    people: emails.slice(0, -1),
    password,
  }
  const load = startLoad(target)
  try {
    await load.ready
    let highest = before
    const watching = setInterval(() => {
      highest = Math.max(highest, memory(service.pid).now)
    }, 100)
    const beside = await measure(load.begin())
    clearInterval(watching)
    const pages = Math.min(cacheMegabytes, databaseMegabytes(service) - stored)
    return { without, beside, before, highest, pages, after: memory(service.pid).now, sent: await load.sent }
  } finally {
    load.stop()
  }
}

const databaseMegabytes = ({ file }: Service): number =>
  [file, `${file}-wal`].reduce((sum, one) => sum + (statSync(one, { throwIfNoEntry: false })?.size ?? 0), 0) / 2 ** 20

/**
 * Starts the program that sends the load. The program stands for clients on other machines, so its process has a low
 * priority: otherwise the service would wait for a core that it would have to itself in reality.
 */
function startLoad(target: Target) {
  const child = killAtExit(fork(join(import.meta.dirname, 'hostile/loads.ts')))
  if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW)
  child.send(target)
  const sent = Promise.withResolvers<string>()
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`The load "${target.load}" ended with ${code}.`)
  })
  ended.catch(() => {})
  const said = async () => (await Promise.race([once(child, 'message'), ended])) as [string]
  return {
    ready: said(),
    sent: sent.promise,
    async begin() {
      child.send('begin')
      const [text] = await said()
      sent.resolve(text)
    },
    stop() {
      child.kill('SIGKILL')
    },
  }
}

function textOf(rows: { name: LoadName; outcome: Outcome }[]): string {
  const cells = rows.flatMap(({ name, outcome: { without, beside, before, highest, pages, after } }) => [
    [name, 'without', ...timesOf(without), fixed(before, 0), '-', '-', '-'],
    ['', 'beside', ...timesOf(beside), '-', fixed(highest, 0), fixed(pages, 0), fixed(after, 0)],
  ])
  const headings = [
    'part',
    'load',
    'report p50 ms',
    'p99',
    'slowest',
    '/healthz slowest',
    'sign-in slowest',
    'errors',
    'longest turn ms',
    'CPU of a turn ms',
    'MB before',
    'MB at most',
    'of them new pages',
    'MB after',
  ]
  const said = rows.map(
    ({ name, outcome }) => `- **${name}**: ${parts[name].says}. ${outcome.sent} ${verdictOf(name, outcome)}`,
  )
  return [table(headings, cells), said.join('\n')].join('\n\n')
}

const slowest = (times: readonly number[]) => (times.length === 0 ? '-' : count(Math.max(...times)))

const timesOf = ({ others: { reports, health, signIns, errors }, turn }: HostileMeasurement) => [
  fixed(valueAt(reports, 0.5)),
  fixed(valueAt(reports, 0.99)),
  slowest(reports),
  slowest(health),
  slowest(signIns),
  errors,
  fixed(turn.time),
  fixed(turn.work),
]

function verdictOf(name: LoadName, { before, highest, pages, beside }: Outcome): string {
  const { max } = parts[name]
  const { reports, health, signIns, errors } = beside.others
  const wrong = [
    highest - before - pages > max.grown && `the service grew by more than ${max.grown} MB beside its cache`,
    Math.max(...reports, ...health, ...signIns) > patience && 'others waited for more than a second',
    errors > 0 && 'others were refused',
    max.turn !== undefined && beside.turn.time > max.turn && `a turn took more than ${max.turn} ms`,
  ].filter(Boolean)
  return wrong.length === 0 ? 'Within its limits.' : `**BEYOND ITS LIMITS: ${wrong.join('; ')}.**`
}

/**
 * Measures how much honest reports are delayed by thousands of slow clients, which stay silent, drip headers or drip a
 * body. The slow clients connect at once or one after another, and reconnect when cut off. The limit server T, with a
 * headers timeout as long as the service's, is measured for comparison. Databases are in memory if possible, since one
 * stall of the disk would decide the 99th percentile; `--disk` uses the disk.
 *
 *   npm run bench -- slow [--slow 5000] [--agents 3000] [--seconds 32] [--rounds 2] [--disk]
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { atExit, killAtExit } from '../testing/at-exit.ts'
import { startLimit } from './common/limit.ts'
import { startService } from './common/service.ts'
import { count, fixed, table } from './common/table.ts'
import { median } from './common/times.ts'
import { longestTurn, notingTurns, recordingsFolder } from './common/turns.ts'
import { memory } from './common/usage.ts'
import { quantile } from './fleet/counts.ts'
import { type Load, startLoad, type Window, window } from './fleet/load.ts'

/** The seconds between two reports of an honest agent. */
const interval = 10
const warmSeconds = 12
/** The seconds of a measurement without slow clients. */
const quietSeconds = 12
/** The seconds that a measurement waits after it has stopped the slow clients, until their connections are closed. */
const goneSeconds = 3
/**
 * The seconds over which the slow clients connect. `together`: all as fast as possible. `spread`: over the time after
 * which the service cuts a slow client off.
 */
const within = { together: 0, spread: 10 } as const
const connections = 256
const inMemory = '/dev/shm'

export interface SlowClients {
  port: number
  count: number
  /** The number of the first agent whose token the slow clients use. */
  agent: number
  /** The seconds over which the slow clients start to connect; 0 means as fast as possible. */
  within: number
}

interface Server {
  readonly port: number
  readonly pid: number
  stop(): Promise<void>
}
interface SlowMeasurement extends Window {
  /** The longest turn of the server's event loop, in milliseconds. */
  turn: number
}
interface SlowResult {
  coming: SlowMeasurement
  beside: SlowMeasurement
  open: number
  cut: number
  /** The MB by which the server's memory grew. */
  grown: number
}

export async function benchSlow(args: string[]): Promise<string> {
  const options = {
    slow: { type: 'string', default: '5000' },
    agents: { type: 'string', default: '3000' },
    seconds: { type: 'string', default: '32' },
    rounds: { type: 'string', default: '2' },
    disk: { type: 'boolean', default: false },
  } as const
  const { values } = parseArgs({ args, options })
  const [slow, agents, seconds, rounds] = [values.slow, values.agents, values.seconds, values.rounds].map(Number) as [
    number,
    number,
    number,
    number,
  ]
  const memoryOnly = !values.disk && existsSync(inMemory)
  if (memoryOnly) process.env.TMPDIR = inMemory
  const folder = mkdtempSync(join(recordingsFolder, 'svc-bench-slow-'))
  atExit(() => rmSync(folder, { recursive: true, force: true }))
  const turns = join(folder, 'turns')
  const env = notingTurns(turns)

  const quiet: SlowMeasurement[] = []
  const together: SlowResult[] = []
  const spread: SlowResult[] = []
  await on(await startService(agents + slow, { env }), async (server, load) => {
    for (let round = 0; round < rounds; round++) {
      for (const [all, time] of [
        [together, within.together],
        [spread, within.spread],
      ] as const) {
        quiet.push(await measure(load, server, quietSeconds))
        all.push(await measureBeside(load, server, time))
      }
    }
    quiet.push(await measure(load, server, quietSeconds))
  })
  const limit = { quiet: [] as SlowMeasurement[], together: [] as SlowResult[] }
  await on(await startLimit(agents + slow, 'T', { ...env, SVC_BENCH_HEADERS: '10000' }), async (server, load) => {
    limit.quiet.push(await measure(load, server, quietSeconds))
    limit.together.push(await measureBeside(load, server, within.together))
  })

  const usual = median(quiet.map(p99))
  const ratio = (beside: SlowResult[]) => fixed(median(beside.map((one) => p99(one.beside))) / usual, 2)
  const each = (all: SlowResult[], what: (one: SlowResult) => number) => all.map(what).map(count).join(' and ')
  const limits = fixed(
    median(limit.together.map(({ beside }) => p99(beside))) / median(limit.quiet.map((one) => p99(one))),
    2,
  )
  return [
    `${count(agents)} agents at ${interval} s on ${connections} kept connections; beside them ${count(slow)} slow connections, of which a third says nothing, a third drips headers, a third bodies. ${rounds} rounds in turns: ${quietSeconds} s without, ${seconds} s beside those that began together, ${quietSeconds} s without, ${seconds} s beside those that began within ${within.spread} s; medians. The database is ${memoryOnly ? 'in memory' : 'on the disk'}.`,
    table(
      ['', 'reports/s', 'p50 ms', 'p99 ms', 'from, to', 'slowest ms', 'longest turn ms', 'errors', 'cores'],
      [
        rowOf('without', quiet),
        rowOf('while they come together', pick(together, 'coming')),
        rowOf('beside these', pick(together, 'beside')),
        rowOf('while they come in turn', pick(spread, 'coming')),
        rowOf('beside these', pick(spread, 'beside')),
        rowOf('T without', limit.quiet),
        rowOf('T while they come together', pick(limit.together, 'coming')),
        rowOf('T beside these', pick(limit.together, 'beside')),
      ],
    ),
    `The 99th percentile beside those that began together is **${ratio(together)}** × that without, beside those that came in turn **${ratio(spread)}** ×; T's ${limits} ×. They were cut off ${each(together, ({ cut }) => cut)} times, and ${each(together, ({ open }) => open)} were open at the end; the service held ${fixed(median(together.map(({ grown }) => grown)), 0)} MB more.`,
  ].join('\n\n')

  async function on(server: Server, act: (server: Server, load: Load) => Promise<void>): Promise<void> {
    const load = await startLoad({ port: server.port, agents, connections, interval })
    try {
      await sleep(warmSeconds * 1000)
      await act(server, load)
    } finally {
      await load.stop()
      await server.stop()
    }
  }

  async function measureBeside(load: Load, server: Server, time: number): Promise<SlowResult> {
    const before = memory(server.pid).now
    const clients = startClients({ port: server.port, count: slow, agent: agents, within: time })
    const coming = await measure(load, server, time + 1)
    await clients.connected
    const beside = await measure(load, server, seconds)
    const counts = await clients.stop()
    const grown = memory(server.pid).now - before
    await sleep(goneSeconds * 1000)
    return { coming, beside, ...counts, grown }
  }

  async function measure(load: Load, server: Server, time: number): Promise<SlowMeasurement> {
    const from = Date.now()
    const measured = await window(load, server.pid, time)
    return { ...measured, turn: longestTurn(turns, from).time }
  }
}

const pick = (all: SlowResult[], part: 'coming' | 'beside') => all.map((one) => one[part])
const p99 = ({ counts }: Window) => quantile(counts, 0.99)

function rowOf(name: string, all: SlowMeasurement[]) {
  const middle = (what: (one: SlowMeasurement) => number) => median(all.map(what))
  const p99s = all.map(p99)
  return [
    name,
    count(middle(({ counts, seconds }) => counts.answered / seconds)),
    fixed(middle(({ counts }) => quantile(counts, 0.5))),
    fixed(middle(p99)),
    `${fixed(Math.min(...p99s))} to ${fixed(Math.max(...p99s))}`,
    fixed(Math.max(...all.map(({ counts }) => counts.slowest))),
    fixed(Math.max(...all.map(({ turn }) => turn))),
    all.flatMap(({ counts }) => Object.values(counts.errors)).reduce((sum, n) => sum + n, 0),
    fixed(
      middle(({ cpu, seconds }) => cpu / seconds),
      2,
    ),
  ]
}

/** Starts the slow clients as a separate process. `connected` resolves when all of them have started. */
function startClients(clients: SlowClients) {
  const child = killAtExit(fork(join(import.meta.dirname, 'slow/clients.ts')))
  child.send(clients)
  return {
    connected: once(child, 'message'),
    async stop(): Promise<{ open: number; cut: number }> {
      child.send('end')
      const [counts] = await once(child, 'message')
      child.kill('SIGKILL')
      return counts
    },
  }
}

/**
 * What slow clients cost the others: the times of honest reports without and with thousands of connections that say nothing, drip
 * their headers, or drip a body. Whoever is cut off comes back at once.
 *
 *   npm run bench -- slow [--slow 5000] [--agents 3000] [--seconds 30]
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { startService } from './common/service.ts'
import { count, fixed, table } from './common/table.ts'
import { memory } from './common/usage.ts'
import { quantile } from './fleet/counts.ts'
import { startLoad, type Window, window } from './fleet/load.ts'

/** Seconds between two reports of an honest agent. */
const interval = 10
const warmSeconds = 15
/** Until the slow ones are gone. */
const goneSeconds = 3
const connections = 256

export interface SlowClients {
  port: number
  count: number
  /** The first agent whose token they use. */
  agent: number
}

export async function benchSlow(args: string[]): Promise<string> {
  const options = {
    slow: { type: 'string', default: '5000' },
    agents: { type: 'string', default: '3000' },
    seconds: { type: 'string', default: '30' },
  } as const
  const { values } = parseArgs({ args, options })
  const [slow, agents, seconds] = [Number(values.slow), Number(values.agents), Number(values.seconds)]
  const service = await startService(agents + slow)
  const load = await startLoad({ port: service.port, agents, connections, interval })
  try {
    await sleep(warmSeconds * 1000)
    const without = await window(load, service.pid, seconds)
    const before = memory(service.pid).now
    const clients = await startClients({ port: service.port, count: slow, agent: agents })
    const beside = await window(load, service.pid, seconds)
    const { open, cut } = await clients.stop()
    const grown = memory(service.pid).now - before
    await sleep(goneSeconds * 1000)
    const after = await window(load, service.pid, seconds)
    const usual = (p99(without) + p99(after)) / 2
    return [
      `${count(agents)} agents at ${interval} s on ${connections} kept connections, ${seconds} s each; then beside ${count(slow)} slow connections: a third says nothing, a third drips headers, a third bodies; then without them again.`,
      table(
        ['slow connections', 'reports/s', 'p50 ms', 'p99 ms', 'slowest ms', 'errors', 'cores'],
        [rowOf(0, without), rowOf(slow, beside), rowOf(0, after)],
      ),
      `The 99th percentile with them: ${fixed(p99(beside))} ms, without them ${fixed(usual)} ms (mean of before and after); the ratio is **${fixed(p99(beside) / usual, 2)}**. They were cut off ${count(cut)} times and ${count(open)} were open at the end; the service held ${fixed(grown, 0)} MB more.`,
    ].join('\n\n')
  } finally {
    await load.stop()
    await service.stop()
  }
}

const p99 = ({ counts }: Window) => quantile(counts, 0.99)

const rowOf = (slow: number, { counts, seconds, cpu }: Window) => [
  count(slow),
  count(counts.answered / seconds),
  fixed(quantile(counts, 0.5)),
  fixed(quantile(counts, 0.99)),
  fixed(counts.slowest),
  Object.values(counts.errors).reduce((sum, n) => sum + n, 0),
  fixed(cpu / seconds, 2),
]

/** In a process of its own; resolves when all of them are connected. */
async function startClients(clients: SlowClients) {
  const child = fork(join(import.meta.dirname, 'slow/clients.ts'))
  const killed = () => child.kill('SIGKILL')
  process.once('exit', killed)
  child.send(clients)
  await once(child, 'message')
  return {
    async stop(): Promise<{ open: number; cut: number }> {
      child.send('end')
      const [counts] = await once(child, 'message')
      process.off('exit', killed)
      child.kill('SIGKILL')
      return counts
    },
  }
}

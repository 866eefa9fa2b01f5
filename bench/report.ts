/**
 * What a report costs: CPU of the server process per report, and reports per second, of the service and of the limit
 * server T in the same run, interleaved, medians. `npm run bench -- report [rounds] [seconds]` (4 rounds of 3 s).
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

interface Measured {
  cpu: number
  rate: number
  p50: number
  p99: number
  errors: number
}
interface Server {
  name: string
  process: ChildProcess
  port: number
}

const modes = ['keep-alive', 'close'] as const
/** Before the first round: until every agent has reported once, so that rows are overwritten and not made. */
const warmUp = 'all'
/** Kernel ticks a second, as /proc counts CPU. */
const ticks = 100
const goal = 1.3
const least = 1.5

export async function benchReport([rounds = '4', seconds = '3']: string[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'))
  const servers = [await start('limit T', 'limit.ts', folder), await start('service', 'service.ts', folder)]
  try {
    for (const mode of modes) {
      const results = new Map<string, Measured[]>(servers.map(({ name }) => [name, []]))
      for (const server of servers) await measure(server, mode, warmUp)
      for (let round = 0; round < Number(rounds); round++) {
        const order = round % 2 === 0 ? servers : [...servers].reverse()
        for (const server of order) results.get(server.name)?.push(await measure(server, mode, Number(seconds)))
      }
      print(mode, results)
    }
  } finally {
    for (const server of servers) await stop(server)
    rmSync(folder, { recursive: true, force: true })
  }
}

function print(mode: string, results: Map<string, Measured[]>): void {
  const rows = [...results].map(([name, all]) => ({
    name,
    cpu: median(all.map((m) => m.cpu)),
    rate: median(all.map((m) => m.rate)),
    p50: median(all.map((m) => m.p50)),
    p99: median(all.map((m) => m.p99)),
    errors: all.reduce((sum, m) => sum + m.errors, 0),
    spread: `${Math.min(...all.map((m) => m.cpu)).toFixed(1)}..${Math.max(...all.map((m) => m.cpu)).toFixed(1)}`,
  }))
  const [limit, ours] = rows
  console.log(
    `\nReports of about 3 KB, 32 connections, ${mode}, 10,000 agents, SQLite synchronous=FULL (${cpus()[0]?.model}, ${cpus().length} cores, Node ${process.versions.node})`,
  )
  console.log('server    | CPU µs/report [min..max] | reports/s | p50 ms | p99 ms | errors')
  for (const row of rows) {
    const cells = [
      row.name.padEnd(9),
      `${row.cpu.toFixed(1)} [${row.spread}]`.padEnd(24),
      row.rate.toFixed(0).padStart(9),
    ]
    console.log([...cells, row.p50.toFixed(2).padStart(6), row.p99.toFixed(1).padStart(6), row.errors].join(' | '))
  }
  if (!limit || !ours) return
  const ratio = ours.cpu / limit.cpu
  const verdict =
    ratio <= goal
      ? `within the goal of ${goal}`
      : ratio <= least
        ? `within ${least}, above the goal of ${goal}`
        : `ABOVE ${least}`
  console.log(`service / T: CPU ${ratio.toFixed(2)} (${verdict}), throughput ${(ours.rate / limit.rate).toFixed(2)}`)
}

const median = (values: number[]): number => values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

async function measure(server: Server, mode: string, seconds: number | typeof warmUp): Promise<Measured> {
  const before = cpuSeconds(server.process.pid)
  const load = spawn(
    process.execPath,
    [join(import.meta.dirname, 'report/load.ts'), String(server.port), mode, String(seconds)],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  let said = ''
  for await (const chunk of load.stdout) said += chunk
  const { reports, errors, elapsed, p50, p99 } = JSON.parse(said)
  return { cpu: ((cpuSeconds(server.process.pid) - before) / reports) * 1e6, rate: reports / elapsed, p50, p99, errors }
}

/** User and system time of a whole process so far. */
function cpuSeconds(pid: number | undefined): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / ticks
}

async function start(name: string, file: string, folder: string): Promise<Server> {
  const args = ['--disable-warning=ExperimentalWarning', ...(process.env.SVC_BENCH_NODE?.split(' ') ?? [])]
  const child = spawn(
    process.execPath,
    [...args, join(import.meta.dirname, 'report', file), join(folder, `${file}.db`)],
    {
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  )
  for await (const line of createInterface({ input: child.stdout })) return { name, process: child, port: Number(line) }
  throw new Error(`The server "${name}" did not start.`)
}

/** The servers of a measurement end when their input does. */
function stop({ process: child }: Server): Promise<void> {
  return new Promise((resolve) => {
    child.once('exit', () => resolve())
    child.stdin?.end()
  })
}

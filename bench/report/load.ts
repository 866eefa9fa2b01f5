/**
 * `load.ts PORTS PIDS DATABASES MODE SECONDS|all KILOBYTES SLICE` sends reports with 32 clients, each of which waits
 * for its answer before it sends again. The load alternates between several PORTS (separated by commas) every SLICE
 * milliseconds; each port gets SECONDS in total. Prints one line of JSON with an entry for each port, with the CPU time
 * that the process in PIDS, and the one in DATABASES (0: there is none) with its children, used while the port had the
 * load.
 */
import { connect, type Socket } from 'node:net'
import { bodyOf, fleetSize, tokenOf } from '../common/fleet.ts'
import { valueAt } from '../common/times.ts'
import { cpuSecondsOfThreads, pidsWithChildren } from '../common/usage.ts'

const [ports = '', pids = '', databases = '', mode, seconds, kilobytes, sliceText] = process.argv.slice(2)
const clients = 32
const sliceMs = Number(sliceText)
const tokens = Array.from({ length: fleetSize }, (_, agent) => tokenOf(agent))
const close = mode === 'close'
/**
 * The step from one agent to the next. It has no common divisor with the number of agents, so every agent reports once,
 * in scattered order, before any agent reports again.
 */
const stride = 3571
const first = Math.floor(Date.now() / 1000) % fleetSize
let turn = Math.floor(Date.now() / 10) % 1_000_000

interface Target {
  port: string
  pid: number
  databasePid: number
  sockets: (Socket | undefined)[]
  next: number
  latencies: number[]
  errors: number
  elapsed: number
  /** Seconds of CPU time. */
  cpu: number
  database: number
}
const targets = ports.split(',').map(
  (port, i): Target => ({
    port,
    pid: Number(pids.split(',')[i]),
    databasePid: Number(databases.split(',')[i]),
    sockets: Array.from({ length: clients }, () => undefined),
    next: first,
    latencies: [],
    errors: 0,
    elapsed: 0,
    cpu: 0,
    database: 0,
  }),
)
if (seconds === 'all') for (const target of targets) await slice(target, 60_000, fleetSize)
else if (targets.length === 1) await slice(targets[0] as Target, Number(seconds) * 1000)
else
  for (let left = Number(seconds) * 1000; left > 0; left -= sliceMs)
    for (const target of targets) await slice(target, Math.min(left, sliceMs))

console.log(
  JSON.stringify(
    targets.map(({ latencies, errors, elapsed, cpu, database }) => {
      const [p50, p99] = [valueAt(latencies, 0.5), valueAt(latencies, 0.99)]
      return { reports: latencies.length, errors, elapsed: elapsed / 1000, cpu, database, p50, p99 }
    }),
  ),
)
process.exit(0)

/** Sends reports from all clients to one port, for `ms` milliseconds or until `max` reports were sent. */
async function slice(target: Target, ms: number, max = Infinity): Promise<void> {
  let turns = max
  const before = processesOf(target)
  const started = performance.now()
  const client = async (_: undefined, i: number) => {
    while (turns-- > 0 && performance.now() < started + ms) await report(target, i)
  }
  await Promise.all(Array.from({ length: clients }, client))
  target.elapsed += performance.now() - started
  for (const [pid, seconds] of processesOf(target))
    target[pid === target.pid ? 'cpu' : 'database'] += seconds - (before.get(pid) ?? 0)
}

/** The CPU time in seconds of the target's service and of each process of its database, by process id. */
function processesOf({ pid, databasePid }: Target): Map<number, number> {
  const all = [pid, ...(databasePid === 0 ? [] : pidsWithChildren(databasePid))]
  return new Map(all.map((one) => [one, cpuSecondsOfThreads(one)]))
}

async function report(target: Target, client: number): Promise<void> {
  const from = performance.now()
  const kept = target.sockets[client]
  const socket = kept && !kept.destroyed ? kept : await open(target.port)
  const answer = await exchange(target, socket)
  if (close) socket.destroy()
  target.sockets[client] = close ? undefined : socket
  if (answer.startsWith('HTTP/1.1 200')) target.latencies.push(performance.now() - from)
  else target.errors++
}

function open(port: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), '127.0.0.1', () => resolve(socket))
    socket.setNoDelay(true)
    socket.once('error', reject)
  })
}

function exchange(target: Target, socket: Socket): Promise<string> {
  target.next = (target.next + stride) % fleetSize
  const body = bodyOf(target.next, turn++, Number(kilobytes))
  socket.write(
    `POST /api/agent/v1/report HTTP/1.1\r\nHost: localhost:${target.port}\r\nAuthorization: Bearer ${tokens[target.next]}\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n${close ? 'Connection: close\r\n' : ''}\r\n${body}`,
  )
  return new Promise((resolve) => {
    const closed = () => resolve('')
    socket.once('close', closed)
    socket.once('data', (chunk) => {
      socket.off('close', closed)
      resolve(chunk.toString('latin1'))
    })
  })
}

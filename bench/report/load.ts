/**
 * `load.ts PORTS MODE SECONDS|all [KILOBYTES]` sends reports with 32 clients, each of which waits for its answer before
 * it sends again. The load alternates between several PORTS (separated by commas) every fraction of a second, so that a
 * slow moment of the machine affects all of them; each port gets SECONDS in total. Prints one line of JSON with an
 * entry for each port.
 */
import { connect, type Socket } from 'node:net'
import { bodyOf, fleetSize, tokenOf } from './fleet.ts'

const [ports = '', mode, seconds, kilobytes = '3'] = process.argv.slice(2)
const clients = 32
/**
 * The milliseconds for which one port is loaded before the next: short compared to disturbances of the machine, long
 * compared to the time between two commits.
 */
const sliceMs = 200
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
  sockets: (Socket | undefined)[]
  next: number
  latencies: number[]
  errors: number
  elapsed: number
}
const targets = ports.split(',').map(
  (port): Target => ({
    port,
    sockets: Array.from({ length: clients }, () => undefined),
    next: first,
    latencies: [],
    errors: 0,
    elapsed: 0,
  }),
)
if (seconds === 'all') for (const target of targets) await slice(target, 60_000, fleetSize)
else if (targets.length === 1) await slice(targets[0] as Target, Number(seconds) * 1000)
else
  for (let left = Number(seconds) * 1000; left > 0; left -= sliceMs)
    for (const target of targets) await slice(target, Math.min(left, sliceMs))

console.log(
  JSON.stringify(
    targets.map(({ latencies, errors, elapsed }) => {
      latencies.sort((a, b) => a - b)
      const at = (share: number) => latencies[Math.floor(latencies.length * share)] ?? 0
      return { reports: latencies.length, errors, elapsed: elapsed / 1000, p50: at(0.5), p99: at(0.99) }
    }),
  ),
)
process.exit(0)

/** Sends reports from all clients to one port, for `ms` milliseconds or until `max` reports were sent. */
async function slice(target: Target, ms: number, max = Infinity): Promise<void> {
  let turns = max
  const started = performance.now()
  const client = async (_: undefined, i: number) => {
    while (turns-- > 0 && performance.now() < started + ms) await report(target, i)
  }
  await Promise.all(Array.from({ length: clients }, client))
  target.elapsed += performance.now() - started
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

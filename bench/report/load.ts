/** The load of one measurement, `load.ts PORT MODE SECONDS|all [KILOBYTES]`: 32 clients, each waiting for its answer. Prints one JSON line. */
import { connect, type Socket } from 'node:net'
import { bodyOf, fleetSize, tokenOf } from './fleet.ts'

const [port, mode, seconds, kilobytes = '3'] = process.argv.slice(2)
const clients = 32
const tokens = Array.from({ length: fleetSize }, (_, agent) => tokenOf(agent))
const latencies: number[] = []
const close = mode === 'close'
/** Scattered over the fleet: a stride without a common divisor visits every agent before any comes again. */
const stride = 3571
let next = Math.floor(Date.now() / 1000) % fleetSize
let turn = Math.floor(Date.now() / 10) % 1_000_000
let errors = 0

/** Either so many seconds, or until every agent has had its turn. */
let turns = seconds === 'all' ? fleetSize : Infinity
const started = performance.now()
const end = started + (seconds === 'all' ? 60 : Number(seconds)) * 1000
await Promise.all(Array.from({ length: clients }, client))
const elapsed = (performance.now() - started) / 1000
latencies.sort((a, b) => a - b)
const at = (share: number) => latencies[Math.floor(latencies.length * share)] ?? 0
console.log(JSON.stringify({ reports: latencies.length, errors, elapsed, p50: at(0.5), p99: at(0.99) }))
process.exit(0)

async function client(): Promise<void> {
  let socket: Socket | undefined
  while (turns-- > 0 && performance.now() < end) {
    const from = performance.now()
    socket = close || !socket ? await open() : socket
    const answer = await exchange(socket)
    if (close) socket.destroy()
    if (socket.destroyed) socket = undefined
    if (answer.startsWith('HTTP/1.1 200')) latencies.push(performance.now() - from)
    else errors++
  }
}

function open(): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), '127.0.0.1', () => resolve(socket))
    socket.setNoDelay(true)
    socket.once('error', reject)
  })
}

function exchange(socket: Socket): Promise<string> {
  next = (next + stride) % fleetSize
  const body = bodyOf(next, turn++, Number(kilobytes))
  socket.write(
    `POST /api/agent/v1/report HTTP/1.1\r\nHost: localhost:${port}\r\nAuthorization: Bearer ${tokens[next]}\r\nContent-Type: application/json\r\n` +
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

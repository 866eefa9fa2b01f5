/**
 * Slow clients, which hold connections and send hardly anything. Each is silent, sends one header line a second, or
 * sends one byte of a body a second, for as long as the server allows.
 */
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { tokenOf } from '../common/fleet.ts'
import type { SlowClients } from '../slow.ts'

const everyMs = 1000
/** The milliseconds before a client that was cut off or refused reconnects. */
const backMs = 200

let cut = 0
let open = 0
process.on('message', (asked: SlowClients | 'end') => {
  if (asked === 'end') process.send?.({ open, cut })
  else void start(asked)
})

process.once('disconnect', () => process.exit(0))

async function start({ port, count, agent, within }: SlowClients): Promise<void> {
  const from = performance.now()
  for (let i = 0; i < count; i++) {
    client(port, i % 3, agent + i)
    if (i % 10 > 0) continue
    const due = from + (within * 1000 * i) / count
    if (performance.now() < due) await sleep(due - performance.now())
  }
  process.send?.('connected')
}

function client(port: number, kind: number, agent: number): void {
  const socket = connect(port, '127.0.0.1')
  let drip: NodeJS.Timeout | undefined
  let connected = false
  socket.on('error', () => {})
  socket.on('connect', () => {
    connected = true
    open++
    drip = begin(socket, port, kind, agent)
  })
  socket.on('data', () => {})
  socket.on('close', () => {
    clearInterval(drip)
    if (connected) open--
    cut++
    setTimeout(() => client(port, kind, agent), backMs)
  })
}

function begin(socket: Socket, port: number, kind: number, agent: number): NodeJS.Timeout | undefined {
  if (kind === 0) return undefined
  const headers = `POST /api/agent/v1/report HTTP/1.1\r\nHost: localhost:${port}\r\n`
  const body = `Authorization: Bearer ${tokenOf(agent)}\r\nContent-Length: 200000\r\n\r\n{"protocol":1,"x":"`
  socket.write(kind === 1 ? headers : headers + body)
  return setInterval(() => socket.write(kind === 1 ? 'X-A: b\r\n' : 'x'), everyMs)
}

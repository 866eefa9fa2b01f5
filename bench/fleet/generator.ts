/**
 * The load generator: a process that simulates agents and that load.ts controls by messages. Each agent reports in its
 * own phase, every `interval` seconds ± 15 %, and waits for its answer. The generator must use little CPU: one socket
 * write for each report, no library, and a timing wheel with a slot for each millisecond instead of timers.
 */
import { createConnection, type Socket } from 'node:net'
import { bodyOf, tokenOf } from '../common/fleet.ts'
import { addTo, type Counts, countError, newCounts } from './counts.ts'

export interface Fleet {
  port: number
  /** The number of the first agent. The simulated agents are `first` to `first + agents - 1`. */
  first: number
  agents: number
  /**
   * The number of connections that stay open. If there are fewer connections than agents, the agents share them in
   * turn. 0 means a new connection for each report.
   */
  connections: number
  /** The seconds between two reports of an agent. An answer may ask for another interval. */
  interval: number
}

/** A shared connection, with the agent that waits for an answer on it and the agents that wait for their turn. */
interface Line {
  socket: Socket | undefined
  open: boolean
  /** True if the server has answered on this connection before. */
  used: boolean
  agent: number
  sentAt: number
  queue: number[]
}

const slotMs = 1
const slots = 131_072
const answerWithin = 15_000
/**
 * The interval in seconds that an answer of the service normally asks for. An overloaded service asks for a longer one
 * (D18).
 */
const usual = 30
/**
 * The source addresses of the generator's connections. A port of an address stays busy for a minute after its use; this
 * many addresses are enough for 100,000 agents.
 */
const sources = Array.from({ length: 30 }, (_, i) => `127.0.0.${i + 2}`)

let fleet: Fleet
let interval = 0
let counts: Counts = newCounts()
let lines: Line[] = []
let turn = 0
const heads = new Int32Array(slots).fill(-1)
let nexts = new Int32Array(0)
let requests: string[] = []
let reportsOf = new Uint32Array(0)
/** For each agent, 1 if the interval has changed since the agent's next report was planned. */
let rephase = new Uint8Array(0)
/** For each agent, 1 if it has had an answer and the last answer did not ask for a longer interval. */
let settled = new Uint8Array(0)
let at = 0
let startedAt = 0

process.on('message', (message: { start?: Fleet; interval?: number; take?: true }) => {
  if (message.start) start(message.start)
  if (message.interval !== undefined) {
    interval = message.interval
    rephase.fill(1)
  }
  if (message.take) {
    process.send?.({ counts: { ...counts, unsettled: fleet.agents - settled.reduce((n, one) => n + one, 0) } })
    counts = newCounts()
  }
})
process.once('disconnect', () => process.exit(0))

function start(given: Fleet): void {
  fleet = given
  interval = given.interval
  nexts = new Int32Array(given.agents)
  reportsOf = new Uint32Array(given.agents)
  rephase = new Uint8Array(given.agents)
  settled = new Uint8Array(given.agents)
  requests = Array.from({ length: given.agents }, (_, i) => headOf(tokenOf(given.first + i)))
  lines = Array.from({ length: given.connections }, () => ({
    socket: undefined,
    open: false,
    used: false,
    agent: -1,
    sentAt: 0,
    queue: [],
  }))
  startedAt = performance.now()
  for (let agent = 0; agent < fleet.agents; agent++) plan(agent, Math.random() * interval * 1000)
  setInterval(tick, slotMs)
  setInterval(giveUp, 1000)
}

function plan(agent: number, inMs: number): void {
  const slot = (at + Math.max(1, Math.round(inMs / slotMs))) % slots
  nexts[agent] = heads[slot] ?? -1
  heads[slot] = agent
}

/**
 * Plans the next report of an agent. The first report that is planned after a change of the interval is at a random
 * time within the new interval, so that agents do not report in step.
 */
function planNext(agent: number, seconds = interval): void {
  plan(agent, seconds * 1000 * (rephase[agent] ? Math.random() : 0.85 + 0.3 * Math.random()))
  rephase[agent] = 0
}

function tick(): void {
  const now = Math.floor((performance.now() - startedAt) / slotMs)
  if (now - at > counts.late) counts.late = now - at
  while (at < now) {
    at++
    let agent = heads[at % slots] ?? -1
    heads[at % slots] = -1
    while (agent >= 0) {
      const following = nexts[agent] ?? -1
      if (fleet.connections === 0) sendAlone(agent)
      else sendOn(lines[agent % fleet.connections] as Line, agent)
      agent = following
    }
  }
}

const headOf = (token: string) =>
  `POST /api/agent/v1/report HTTP/1.1\r\nHost: localhost:${fleet.port}\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: `

function requestOf(agent: number, more = ''): string {
  const n = reportsOf[agent] ?? 0
  reportsOf[agent] = n + 1
  const body = bodyOf(fleet.first + agent, n)
  return `${requests[agent]}${Buffer.byteLength(body)}\r\n${more}\r\n${body}`
}

function sendOn(line: Line, agent: number): void {
  if (line.agent >= 0) {
    line.queue.push(agent)
    return
  }
  line.agent = agent
  if (line.socket) {
    write(line)
    return
  }
  const socket = createConnection({ port: fleet.port, host: '127.0.0.1', localAddress: source(), noDelay: true })
  line.socket = socket
  line.sentAt = performance.now()
  socket.once('connect', () => {
    line.open = true
    write(line)
  })
  socket.on('data', (chunk) => {
    if (line.agent >= 0) answered(line.agent, line.sentAt, chunk)
    line.used = true
    if (chunk.includes('\r\nConnection: close\r\n')) leave(line, socket)
    next(line)
  })
  socket.on('error', (error: NodeJS.ErrnoException) => failed(line, socket, error.code))
  socket.on('close', () => failed(line, socket, 'closed'))
}

function write(line: Line): void {
  if (!line.open) return
  line.sentAt = performance.now()
  line.socket?.write(requestOf(line.agent))
}

function next(line: Line): void {
  line.agent = -1
  const agent = line.queue.shift()
  if (agent !== undefined) sendOn(line, agent)
}

/** Closes a connection after an answer which said that the server will close it. */
function leave(line: Line, socket: Socket): void {
  line.socket = undefined
  line.open = line.used = false
  socket.destroy()
}

/**
 * Handles a connection that was closed or failed. If a report was waiting for its answer on the connection, the report
 * is counted as an error.
 */
function failed(line: Line, socket: Socket, code: string | undefined): void {
  if (line.socket !== socket) return
  const { agent, used } = line
  leave(line, socket)
  if (agent < 0) return
  const name = nameOf(code, used)
  countError(counts, name)
  if (name === 'crossed') counts.crossed.push({ agent: fleet.first + agent, n: (reportsOf[agent] ?? 0) - 1 })
  planNext(agent)
  next(line)
}

function sendAlone(agent: number): void {
  const from = performance.now()
  let done = false
  const end = (code?: string) => {
    if (done) return
    done = true
    socket.destroy()
    alone.delete(socket)
    if (code === undefined) return
    countError(counts, nameOf(code))
    planNext(agent)
  }
  const socket = createConnection({ port: fleet.port, host: '127.0.0.1', localAddress: source(), noDelay: true })
  alone.set(socket, from)
  socket.once('connect', () => socket.write(requestOf(agent, 'Connection: close\r\n')))
  socket.once('data', (chunk) => {
    answered(agent, from, chunk)
    end()
  })
  socket.on('error', (error: NodeJS.ErrnoException) => end(error.code ?? 'error'))
  socket.on('close', () => end('closed'))
}
const alone = new Map<Socket, number>()

function source(): string {
  turn = (turn + 1) % sources.length
  return sources[turn] ?? '127.0.0.1'
}

/**
 * Counts the answer to a report and plans the agent's next report. Answers are so small that each arrives in one piece.
 */
function answered(agent: number, sentAt: number, chunk: Buffer): void {
  const text = chunk.toString('latin1')
  if (text.startsWith('HTTP/1.1 200')) {
    addTo(counts, performance.now() - sentAt)
    const asked = Number(/"interval":(\d+)/.exec(text)?.[1])
    settled[agent] = asked > usual ? 0 : 1
    planNext(agent, asked > usual ? asked : interval)
  } else {
    countError(counts, text.slice(9, 12))
    planNext(agent)
  }
}

function giveUp(): void {
  const before = performance.now() - answerWithin
  for (const line of lines) if (line.agent >= 0 && line.sentAt < before) line.socket?.destroy(timeout())
  for (const [socket, from] of alone) if (from < before) socket.destroy(timeout())
}

const timeout = () => Object.assign(new Error('no answer'), { code: 'timeout' })

/**
 * The word for an error in the table of results. If the server closes a connection that was used before without sending
 * any byte of an answer, it had probably closed the idle connection at the moment when the report was sent.
 */
function nameOf(code = 'error', used = false): string {
  if (code === 'ECONNREFUSED') return 'refused'
  if (!['ECONNRESET', 'EPIPE', 'closed'].includes(code)) return code
  return used ? 'crossed' : 'cut'
}

/**
 * A test service for reporters: a test decides how each request is answered. The service can also hang, reset the
 * connection, send nonsense and redirect.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { within } from '../../testing/within.ts'

export interface Call {
  readonly path: string
  readonly token: string | undefined
  // biome-ignore lint/suspicious/noExplicitAny: a test looks at whatever came
  readonly body: any
  /** Answers with status 200 and this value as JSON. A string is sent as it is. */
  answer(value: unknown): void
  refuse(status: number, headers?: Record<string, string>): void
  /** Sends nothing, and leaves the connection open until the reporter gives up. */
  hang(): void
  /** Sends one byte of the answer from time to time, without end. */
  dribble(): void
  reset(): void
}

export interface Service {
  readonly url: string
  /** The number of requests that have arrived, including requests that `next` has not returned yet. */
  readonly received: () => number
  /** Returns the next request that the test has not seen yet, and waits for it if necessary. */
  next(): Promise<Call>
  close(): Promise<void>
}

export async function startService(): Promise<Service> {
  let received = 0
  const waiting: Call[] = []
  const takers: ((call: Call) => void)[] = []
  const timers = new Set<NodeJS.Timeout>()
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    received += 1
    const text = await textOf(request)
    if (text === undefined) return
    const call = callOf(request, response, text, timers)
    const taker = takers.shift()
    if (taker) taker(call)
    else waiting.push(call)
  }
  const server = createServer((request, response) => void take(request, response))
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received: () => received,
    next: () => {
      const call = waiting.shift()
      return call ? Promise.resolve(call) : within(() => 'the next request', new Promise((taker) => takers.push(taker)))
    },
    close: () => {
      for (const timer of timers) clearInterval(timer)
      server.closeAllConnections()
      return new Promise((done) => server.close(() => done()))
    },
  }
}

/** Returns the body of a request; undefined if the reporter ended before it had sent the whole request. */
async function textOf(request: IncomingMessage): Promise<string | undefined> {
  let text = ''
  try {
    for await (const part of request.setEncoding('utf8')) text += part
    return text
  } catch {
    return undefined
  }
}

function callOf(request: IncomingMessage, response: ServerResponse, text: string, timers: Set<NodeJS.Timeout>): Call {
  return {
    path: request.url ?? '',
    token: request.headers.authorization?.replace('Bearer ', ''),
    body: JSON.parse(text),
    answer: (value) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(typeof value === 'string' ? value : JSON.stringify(value))
    },
    refuse: (status, headers = {}) => {
      response.writeHead(status, headers)
      response.end(JSON.stringify({ error: { code: 'refused', message: 'Not now.' } }))
    },
    hang: () => {},
    dribble: () => {
      response.writeHead(200)
      timers.add(setInterval(() => response.write(' '), 100))
    },
    reset: () => void request.socket.resetAndDestroy(),
  }
}

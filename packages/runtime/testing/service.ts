/**
 * A scripted service over real HTTP. It gives the answers, good or bad, that a test sets, and records every request.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Report } from '@svc/protocol'
import { afterThisTest } from '../../../testing/cleaning.ts'
import { within } from '../../../testing/within.ts'
import { markIn } from './private.ts'

export interface Came {
  readonly path: string
  readonly token: string | undefined
  readonly text: string
  readonly report: Report & Record<string, unknown>
  /** When the request arrived, by `performance.now()`. */
  readonly at: number
}
export type Reply = (response: ServerResponse, came: Came, socket: Socket) => void

export const json =
  (body: unknown, status = 200): Reply =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }
export const answer = (...commands: unknown[]): Reply => json({ commands, interval: 30 })
export const command = (id: string, type: string, payload: unknown = {}) => ({ id, type, payload })

export const unknownCode = json({ error: { code: 'code_unknown', message: 'There is no such install code.' } }, 404)

export interface Service {
  readonly origin: string
  readonly reports: Came[]
  readonly logs: Came[]
  /** All requests that are neither reports, logs nor requests to the install routes. */
  readonly others: Came[]
  /** Answers for the next reports, one for each. When they are used up, `usual` answers. */
  readonly next: Reply[]
  usual: Reply
  log: Reply
  /** The answers of the two install routes; 404 until a test sets another answer. */
  preview: Reply
  install: Reply
  /** All requests to the install routes. */
  readonly installs: Came[]
  /** The answer of all other routes, such as those of a product. */
  other: Reply
  /** Resolves when `count` reports have arrived in total. */
  reported(count: number): Promise<Came>
  logged(count: number): Promise<Came>
  /** Rejects if a report held a private text. */
  close(): Promise<void>
}

/** Starts a service that is closed after the test. */
export async function serviceOfTest(): Promise<Service> {
  const started = await startService()
  afterThisTest(() => started.close())
  return started
}

export async function startService(port = 0): Promise<Service> {
  const waiting = new Set<() => void>()
  let leak: string | undefined
  const sockets = new Set<Socket>()
  const server = createServer((request, response) => {
    read(request).then(
      (text) => {
        const path = request.url ?? ''
        const token = request.headers.authorization?.replace('Bearer ', '')
        const came: Came = { path, token, text, report: parse(text), at: performance.now() }
        const list =
          path === '/api/agent/v1/report'
            ? service.reports
            : path === '/api/agent/v1/log'
              ? service.logs
              : path.startsWith('/api/agent/v1/install')
                ? service.installs
                : service.others
        list.push(came)
        if (list === service.reports) leak ??= markIn(text)
        const reply =
          list === service.reports
            ? (service.next.shift() ?? service.usual)
            : list === service.logs
              ? service.log
              : list === service.others
                ? service.other
                : path.endsWith('/preview')
                  ? service.preview
                  : service.install
        reply(response, came, request.socket)
        for (const check of waiting) check()
      },
      () => {},
    )
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket)).on('error', () => {})
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const until = (list: Came[], count: number) => {
    const came = new Promise<Came>((resolve) => {
      const check = () => {
        const last = list[count - 1]
        if (!last) return
        waiting.delete(check)
        resolve(last)
      }
      waiting.add(check)
      check()
    })
    return within(() => `call ${count} of a kind; ${list.length} came`, came)
  }
  const service: Service = {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    reports: [],
    logs: [],
    others: [],
    next: [],
    usual: answer(),
    log: json({}),
    preview: unknownCode,
    install: unknownCode,
    installs: [],
    other: json({}, 404),
    reported: (count) => until(service.reports, count),
    logged: (count) => until(service.logs, count),
    close: () => {
      for (const socket of sockets) socket.destroy()
      return new Promise((resolve, reject) =>
        server.close(() => (leak === undefined ? resolve() : reject(new Error(`A report holds the private ${leak}`)))),
      )
    },
  }
  return service
}

async function read(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return Buffer.concat(parts).toString('utf8')
}

function parse(text: string): Came['report'] {
  try {
    return JSON.parse(text)
  } catch {
    return { protocol: 1 }
  }
}

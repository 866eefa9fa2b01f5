/** Sends one HTTP request to a service on this machine, for tests and for simulated agents. */
import { type Agent, type IncomingHttpHeaders, request } from 'node:http'
import { buffer as bytesOf } from 'node:stream/consumers'

export interface Reply {
  status: number
  headers: IncomingHttpHeaders
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of any shape
  json: any
}

export interface SendOptions {
  token?: string
  method?: string
  path?: string
  body?: string | Uint8Array
  headers?: Record<string, string>
  agent?: Agent
  /** The milliseconds without a byte after which the request fails. By default it has no time limit. */
  timeoutMs?: number
}

/**
 * Sends one HTTP request as a client does. The header `Host` names the service's own origin unless `headers` contains
 * another one.
 */
export function send(service: { port: number }, sending: SendOptions): Promise<Reply> {
  const { token, method = 'POST', path = '/api/agent/v1/report', body, headers, agent, timeoutMs } = sending
  return new Promise((resolve, reject) => {
    const req = request(
      {
        port: service.port,
        host: '127.0.0.1',
        method,
        path,
        agent: agent ?? false,
        ...(timeoutMs !== undefined && { timeout: timeoutMs }),
        headers: {
          Host: 'localhost:8787',
          ...(token !== undefined && { Authorization: `Bearer ${token}` }),
          ...(body !== undefined &&
            !headers?.['Transfer-Encoding'] && { 'Content-Length': String(Buffer.byteLength(body)) }),
          ...headers,
        },
      },
      (res) => {
        const replyOf = (text: string) => ({
          status: res.statusCode ?? 0,
          headers: res.headers,
          text,
          json: parseJson(text),
        })
        bytesOf(res).then(String).then(replyOf).then(resolve, reject)
      },
    )
    req.on('error', reject)
    req.on('timeout', () => req.destroy(new Error('The service did not answer in time.')))
    req.end(body)
  })
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

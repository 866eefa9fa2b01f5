/**
 * Honest clients that are active during a hostile load: agents that report, a supervisor that checks the health of the
 * service, and a person who signs in.
 */
import { Agent, request } from 'node:http'
import { bodyOf, tokenOf } from '../common/fleet.ts'
import { password } from '../common/service.ts'

/** The number of honest agents. It is so large that none of them reports more than 60 times a minute. */
export const otherAgents = 40
const everyMs = 100
const signInEveryMs = 3000

/**
 * The durations in milliseconds of calls that succeeded, and of calls that had no answer yet when the times were taken.
 * `errors` is the number of calls that failed.
 */
export interface Times {
  reports: number[]
  health: number[]
  signIns: number[]
  errors: number
}

export interface OtherClients {
  /** Returns the times of calls since `take` was last called. */
  take(): Times
  stop(): void
}

export interface OthersOptions {
  port: number
  healthPort: number
  email: string
}

const none = (): Times => ({ reports: [], health: [], signIns: [], errors: 0 })

export function startOthers({ port, healthPort, email }: OthersOptions): OtherClients {
  const agent = new Agent({ keepAlive: true })
  let times = none()
  let n = 0
  let over = false
  /** The calls that have no answer yet: when each started, and the list to which its time will be added. */
  const open = new Map<symbol, { all: number[]; from: number }>()
  const timers = [
    setInterval(() => {
      const who = n % otherAgents
      const headers = { authorization: `Bearer ${tokenOf(who)}` }
      note(times.reports, call({ port, path: '/api/agent/v1/report', headers, body: bodyOf(who, n++) }))
    }, everyMs),
    setInterval(() => note(times.health, call({ port: healthPort, path: '/healthz', headers: {} })), everyMs),
    setInterval(() => {
      const headers = { origin: `http://localhost:${port}`, 'content-type': 'application/json' }
      const body = JSON.stringify({ email, password })
      note(times.signIns, call({ port, path: '/api/auth/sign-in/email', headers, body }))
    }, signInEveryMs),
  ]
  return {
    take() {
      const taken = times
      times = none()
      for (const { all, from } of open.values())
        if (performance.now() - from > everyMs) all.push(performance.now() - from)
      return taken
    },
    stop() {
      over = true
      for (const timer of timers) clearInterval(timer)
      agent.destroy()
    },
  }

  function note(all: number[], called: Promise<number>): void {
    const ownTimes = times
    const key = Symbol()
    open.set(key, { all, from: performance.now() })
    called
      .then(
        (ms) => all.push(ms),
        () => {
          if (!over) ownTimes.errors++
        },
      )
      .finally(() => open.delete(key))
  }

  /** Sends a request and returns the milliseconds until its answer arrived. Throws if the status is not 200. */
  function call(asked: {
    port: number
    path: string
    headers: Record<string, string>
    body?: string
  }): Promise<number> {
    const { path, headers, body } = asked
    const from = performance.now()
    return new Promise((resolve, reject) => {
      const sent = request(
        {
          port: asked.port,
          host: '127.0.0.1',
          path,
          method: body === undefined ? 'GET' : 'POST',
          agent,
          headers: {
            host: `localhost:${asked.port}`,
            ...headers,
            ...(body && { 'content-length': Buffer.byteLength(body) }),
          },
          timeout: 15_000,
        },
        (res) => {
          res.resume().on('end', () => {
            if (res.statusCode === 200) resolve(performance.now() - from)
            else reject(new Error(`${path} answered ${res.statusCode}.`))
          })
        },
      )
      sent.on('timeout', () => sent.destroy())
      sent.on('error', reject).end(body)
    })
  }
}

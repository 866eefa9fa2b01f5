/**
 * Logs requests: refused ones (4xx) at `info`, failed ones (5xx) at `warn`, the rest at `debug`. Answers to people
 * carry the id of their log line as `X-Request-Id`; answers to agents do not, since they are many. Agents refused under
 * overload get one line a second, because a line for each would add to the load.
 */
import { randomBytes } from 'node:crypto'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Logger } from 'pino'

/** The requests about which a log line with more details was already written. */
const logged = new WeakSet<IncomingMessage>()
/**
 * Notes that a log line about the request was already written. Its usual line then goes to `debug`, so that a refused
 * request writes one line.
 */
export const noteLogged = (req: IncomingMessage): void => void logged.add(req)

/** The statuses of refusals that were sent with status 200. */
const meant = new WeakMap<IncomingMessage, number>()
/** Notes the status of a refusal that the page asked to get with status 200. The log line of the request names it. */
export const noteLogStatus = (req: IncomingMessage, status: number): void => void meant.set(req, status)

/** Logs the requests of a server, with listeners that run before those that the server already has. */
export function logRequests(server: Server, log: Logger): void {
  const overload = createLogLimit(1000)
  const note = (req: IncomingMessage, res: ServerResponse) => {
    const url = req.url ?? ''
    const agents = url.startsWith('/api/agent/')
    const startedAt = performance.now()
    const request = agents ? undefined : newRequestId()
    if (request) res.setHeader('x-request-id', request)
    res.on('close', () => {
      const status = res.writableFinished ? (meant.get(req) ?? res.statusCode) : undefined
      const level = logged.has(req) ? 'debug' : levelOf(status)
      if (!log.isLevelEnabled(level)) return
      const now = performance.now()
      const unlogged = agents && status === 503 ? overload(now) : 0
      if (unlogged === undefined) return
      const said = {
        request: request ?? newRequestId(),
        method: req.method,
        path: requestPath(url),
        status: status ?? 'closed',
      }
      const ms = Math.round((now - startedAt) * 10) / 10
      log[level]({ ...said, ms, ...(unlogged > 0 && { andLikeIt: unlogged }) }, 'request')
    })
  }
  for (const event of ['request', 'checkContinue', 'checkExpectation']) server.prependListener(event, note)
}

/** Makes the id of a request. It is random, so that it does not reveal the number of requests. */
const newRequestId = (): string => randomBytes(9).toString('base64url')

/**
 * Limits a log line to one in each span of `ms` milliseconds. The first call in a span returns how many calls were left
 * out since the last one that returned a number; all other calls return undefined.
 */
export function createLogLimit(ms: number): (now: number) => number | undefined {
  let next = -Infinity
  let counted = 0
  return (now) => {
    if (now < next) {
      counted++
      return undefined
    }
    const before = counted
    next = now + ms
    counted = 0
    return before
  }
}

const levelOf = (status: number | undefined) =>
  status === undefined || status < 400 ? 'debug' : status < 500 ? 'info' : 'warn'

/**
 * Returns the path of a URL for the log: without the query, which may contain a one-time token, without the id that
 * lets somebody accept an invitation, and with at most 300 characters.
 */
export const requestPath = (url: string): string =>
  (url.split('?', 1)[0] ?? '').slice(0, 300).replace(/(\/(?:invitations?|join)\/)[^/]+/, '$1***')

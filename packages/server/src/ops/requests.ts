/**
 * One line of the log for each request that is worth one: refused and failed ones at `info` and `warn`, the rest at `debug`.
 * Answers to people carry the id of their line as `X-Request-Id`; the agents' answers do without, since they are many.
 */
import { randomBytes } from 'node:crypto'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Logger } from 'pino'

/** Stand it in front of the other listeners of the server. */
export function logRequests(server: Server, log: Logger): void {
  const start = randomBytes(4).toString('hex')
  let count = 0
  const note = (req: IncomingMessage, res: ServerResponse) => {
    const id = `${start}-${(++count).toString(36)}`
    const path = pathOf(req.url ?? '')
    const begun = performance.now()
    if (!path.startsWith('/api/agent/')) res.setHeader('x-request-id', id)
    res.once('close', () => {
      const status = res.writableFinished ? res.statusCode : undefined
      const level = levelOf(status)
      if (!log.isLevelEnabled(level)) return
      const ms = Math.round((performance.now() - begun) * 10) / 10
      log[level]({ request: id, method: req.method, path, status: status ?? 'closed', ms }, 'request')
    })
  }
  for (const event of ['request', 'checkContinue', 'checkExpectation']) server.prependListener(event, note)
}

const levelOf = (status: number | undefined) =>
  status === undefined || status < 400 ? 'debug' : status < 500 ? 'info' : 'warn'

/** Without the query, which may hold a one-time token, and without the id that lets somebody accept an invitation. */
export const pathOf = (url: string): string =>
  (url.split('?', 1)[0] ?? '').slice(0, 300).replace(/(\/(?:invitations?|join)\/)[^/]+/, '$1***')

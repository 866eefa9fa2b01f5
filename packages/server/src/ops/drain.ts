import type { IncomingMessage, Server, ServerResponse } from 'node:http'

const limit = 10_000
const tick = 25

/**
 * D53: gives a function that stops accepting, answers what was received within ten seconds with `Connection: close`, and
 * cuts what is left. `endStreams` ends answers that would go on for ever.
 */
export function drainable(server: Server, endStreams: () => void): () => Promise<void> {
  const open = new Set<ServerResponse>()
  const note = (_req: IncomingMessage, res: ServerResponse) => {
    open.add(res)
    res.once('close', () => open.delete(res))
  }
  for (const event of ['request', 'checkContinue', 'checkExpectation']) server.prependListener(event, note)
  return async () => {
    const closed = new Promise<void>((done) => server.close(() => done()))
    for (const res of open) if (!res.headersSent) res.shouldKeepAlive = false
    const idle = setInterval(() => {
      endStreams()
      server.closeIdleConnections()
    }, tick)
    endStreams()
    const cut = setTimeout(() => server.closeAllConnections(), limit)
    await closed
    clearInterval(idle)
    clearTimeout(cut)
  }
}

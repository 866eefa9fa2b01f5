/**
 * The example product `tasks`, a task list for people and for the bots of agents: one process, one file, no dependency.
 */
import { createServer, type IncomingMessage } from 'node:http'
import { type Answer, bodyOf, refuse, send } from './answers.mts'
import { api, type Deps } from './api.mts'
import { readConfig } from './config.mts'
import { act, page } from './page.mts'
import { Store } from './store.mts'
import { askingService } from './tokens.mts'

const say = (line: string) => console.log(`${new Date().toISOString().slice(0, 19)}Z ${line}`)

try {
  start()
} catch (error) {
  console.error(`tasks: ${error instanceof Error ? error.message : error}`)
  process.exitCode = 1
}

function start() {
  const config = readConfig(process.env)
  const deps: Deps = { store: new Store(config.file), ask: askingService(config), say }
  let origin = config.origin ?? ''
  const server = createServer((request, response) => {
    answer(request, origin, deps).then(
      (found) => send(response, found),
      (error) => {
        say(`failed: ${error instanceof Error ? error.stack : error}`)
        if (!response.headersSent) response.writeHead(500)
        response.end()
      },
    )
  })
  server.requestTimeout = 30_000
  server.on('error', (error) => {
    console.error(`tasks: it cannot listen on ${config.host} port ${config.port}: ${error.message}`)
    process.exitCode = 1
  })
  server.listen(config.port, config.host, () => {
    const address = server.address()
    origin ||= `http://localhost:${typeof address === 'object' ? address?.port : config.port}`
    console.log(`The task list is at ${origin}`)
  })
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      server.close() // requests in progress are still answered; every accepted change is already on disk
      server.closeIdleConnections()
      setTimeout(() => server.closeAllConnections(), 3000).unref()
    })
}

/**
 * Answers a request only if its Host header is the product's address. Otherwise another site could point a host name of
 * its own at the product, and use the product from a visitor's browser.
 */
async function answer(request: IncomingMessage, origin: string, deps: Deps): Promise<Answer> {
  const { method = '', headers } = request
  const body = await bodyOf(request)
  const url = URL.parse(request.url ?? '', origin)
  if (!url || headers.host !== new URL(origin).host) return refuse('not_found', `This product is at ${origin}.`)
  if (body === undefined) return refuse('body_too_large')
  const { pathname: path, searchParams: query } = url
  if (path.startsWith('/api/')) return api({ method, path, query, authorization: headers.authorization, body }, deps)
  if (method === 'GET' && path === '/') return page(deps.store)
  if (method === 'POST' && headers.origin === origin && act(deps.store, path))
    return { status: 303, type: 'text/plain', body: '', headers: { location: '/' } }
  return refuse('not_found')
}

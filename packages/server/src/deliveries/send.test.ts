import { createServer, type RequestListener, type Server } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Server as TcpServer } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { sendMessage } from './send.ts'

const open: (Server | TcpServer)[] = []
afterEach(async () => {
  for (const server of open.splice(0)) {
    if ('closeAllConnections' in server) server.closeAllConnections()
    await new Promise((closed) => server.close(closed))
  }
})

async function listening(server: Server | TcpServer): Promise<string> {
  open.push(server)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
}
const receiver = (listener: RequestListener) => listening(createServer(listener))
const post = (url: string, more: { withinMs?: number; stop?: AbortSignal; allowed?: string[] } = {}) =>
  sendMessage(
    { method: 'POST', url, headers: { 'x-id': 'd1' }, body: '{"täxt":1}' },
    { allowed: ['127.0.0.0/8'], ...more },
  )

test('a receiver gets the headers and the body as they are, and its answer is read', async () => {
  const seen: unknown[] = []
  const url = await receiver((request, response) => {
    let body = ''
    request.on('data', (piece) => {
      body += piece
    })
    request.on('end', () => {
      seen.push(
        request.method,
        request.headers['x-id'],
        request.headers['content-length'],
        request.headers.connection,
        body,
      )
      response.writeHead(429, { 'retry-after': '7' }).end('slow down')
    })
  })
  expect(await post(url)).toEqual({ is: 'status', status: 429, retryAfter: '7', message: 'slow down' })
  expect(seen).toEqual(['POST', 'd1', '11', 'close', '{"täxt":1}'])
})

test('a redirect is an answer and is not followed', async () => {
  let visits = 0
  const url = await receiver((_request, response) => {
    visits++
    response.writeHead(302, { location: '/elsewhere' }).end()
  })
  expect(await post(url)).toMatchObject({ is: 'status', status: 302 })
  expect(visits).toBe(1)
})

test('only the beginning of an answer is read, whatever its length', async () => {
  let written = 0
  let stopped: () => void = () => {}
  const closed = new Promise<void>((resolve) => {
    stopped = resolve
  })
  const url = await receiver((_request, response) => {
    const piece = Buffer.alloc(64 * 1024, 'x')
    const write = () => {
      while (!response.destroyed && written < 64 * 1024 * 1024) {
        written += piece.length
        if (response.write(piece)) continue
        response.once('drain', write)
        return
      }
      response.end()
    }
    response.on('close', stopped)
    write()
  })
  const answer = await post(url)
  await closed
  expect(answer).toMatchObject({ is: 'status', status: 200, message: 'x'.repeat(1000) })
  expect(written).toBeLessThan(16 * 1024 * 1024)
})

test('a receiver that does not answer in time counts as unreachable', async () => {
  const url = await receiver(() => {})
  expect(await post(url, { withinMs: 50 })).toEqual({ is: 'unreachable', message: 'No answer within 0.05 s.' })
})

test('an answer that never ends has the status with which it began', async () => {
  const url = await receiver((_request, response) => {
    response.writeHead(200)
    response.write('half an ')
  })
  expect(await post(url, { withinMs: 1000 })).toMatchObject({ is: 'status', status: 200, message: 'half an' })
})

test('a receiver that hangs up, or does not speak HTTP, counts as unreachable', async () => {
  const rude = await listening(createTcpServer((socket) => socket.destroy()))
  const nonsense = await listening(createTcpServer((socket) => socket.resume().end('hello\r\n\r\n')))
  for (const url of [rude, nonsense]) expect(await post(url)).toMatchObject({ is: 'unreachable' })
})

test('a receiver that does not exist counts as unreachable', async () => {
  const server = createServer()
  const url = await listening(server)
  await new Promise((closed) => server.close(closed))
  open.length = 0
  const answer = await post(url)
  expect(answer).toMatchObject({ is: 'unreachable' })
  expect(answer).toHaveProperty('message', expect.stringContaining('ECONNREFUSED'))
})

test('a receiver in a private network is not called at all', async () => {
  let visits = 0
  const url = await receiver((_request, response) => {
    visits++
    response.end()
  })
  expect(await post(url, { allowed: [] })).toMatchObject({ is: 'refused' })
  expect(await post(url.replace('127.0.0.1', 'localhost'), { allowed: [] })).toMatchObject({ is: 'refused' })
  expect(visits).toBe(0)
})

test('the end of the service aborts requests in progress', async () => {
  const ending = new AbortController()
  const url = await receiver(() => ending.abort())
  expect(await post(url, { stop: ending.signal })).toEqual({ is: 'stopped' })
})

/** Replies with which tests imitate a faulty service, one fault in each reply. */
import { command, json, type Reply } from './service.ts'

const text =
  (body: string | Buffer, status = 200, headers: Readonly<Record<string, string>> = {}): Reply =>
  (response) => {
    response.writeHead(status, headers).end(body)
  }
const pause = { commands: [command('bad', 'pause')], interval: 5 }

/**
 * Replies that the runtime must treat as failed reports. Some of them contain a pause command, which the runtime must
 * not obey (D17).
 */
export const badAnswers = (elsewhere: string): readonly (readonly [string, Reply])[] => [
  ['never answers', () => {}],
  [
    'sends its answer a byte at a time',
    (response) => {
      const whole = JSON.stringify(pause)
      response.writeHead(200, { 'content-type': 'application/json' })
      let at = 0
      const timer = setInterval(() => response.write(whole[at++] ?? ' '), 20)
      response.on('close', () => clearInterval(timer))
    },
  ],
  ['hangs up', (_response, _came, socket) => socket.destroy()],
  ['resets the connection', (_response, _came, socket) => socket.resetAndDestroy()],
  [
    'breaks off in the middle',
    (response, _came, socket) => {
      response.writeHead(200, { 'content-length': '1000' }).write('{"commands": [')
      setTimeout(() => socket.destroy(), 10)
    },
  ],
  ['speaks no HTTP', (_response, _came, socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n')],
  [
    'sends headers without end',
    (_response, _came, socket) => socket.end(`HTTP/1.1 200 OK\r\nx: ${'x'.repeat(100_000)}\r\n\r\n`),
  ],
  ['answers 500 with a pause', json(pause, 500)],
  ['answers 401 with a pause', json(pause, 401)],
  ['answers 429', json({ error: { code: 'rate_limited', message: 'Too many calls.' } }, 429)],
  ['redirects with 302', text('', 302, { location: elsewhere })],
  ['redirects with 307', text('', 307, { location: elsewhere })],
  ['redirects with 308 and a pause', text(JSON.stringify(pause), 308, { location: elsewhere })],
  [
    'answers with a page',
    text('<!doctype html><title>Sign in to the network</title>', 200, { 'content-type': 'text/html' }),
  ],
  ['answers with nothing', text('')],
  ['answers with bytes that are no text', text(Buffer.from([0xff, 0xfe, 0, 1, 2]))],
  ['answers with a list', json([pause])],
  ['answers with null', json(null)],
  ['answers with commands that are no list', json({ commands: { 0: command('bad', 'pause') } })],
  ['answers with 10 MB', text(Buffer.alloc(10 * 1024 * 1024, ' '))],
  ['answers with 10 MB that end in a pause', text(`${' '.repeat(10 * 1024 * 1024)}${JSON.stringify(pause)}`)],
]

/** A successful answer whose list of commands contains only a deeply nested list (D14, D17). */
export const deep: Reply = text(`{"commands": ${'['.repeat(100_000)}${']'.repeat(100_000)}}`)

/**
 * Items of an answer's list `commands` that are not valid commands. The runtime accepts an answer with such items
 * (D17): it skips those without a usable id, declines `n1` and `n2` as unknown commands, and obeys the valid commands
 * in the same list.
 */
export const nonsense = [
  null,
  7,
  'pause',
  [],
  {},
  { id: 1, type: 'pause' },
  { id: '', type: 'pause' },
  { type: 'pause' },
  { id: 'n1' },
  { id: 'n2', type: 5 },
]

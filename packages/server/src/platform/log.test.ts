import { expect, test } from 'vitest'
import { logLineForPeople, openServiceLog } from './log.ts'
import { newToken } from './tokens.ts'

const agent = newToken('agent')
const code = newToken('install')
const bot = newToken('bot')
const password = 'correct horse battery'
const cookie = 'v1aGVsbG8gd29ybGQ.c2lnbmF0dXJl'
const link = 'Qm9va3NBcmVOaWNlVG9SZWFkMTIzNDU2Nzg5MA'

function logged(write: (log: ReturnType<typeof openServiceLog>) => void): string {
  let lines = ''
  write(
    openServiceLog('trace', {
      write: (line: string) => {
        lines += line
      },
    }),
  )
  return lines
}

test.each([
  ['a token in a message', (log) => log.info(`refused ${agent}`)],
  ['a token as a field', (log) => log.info({ token: agent, agent: 'mail' }, 'made')],
  ['a token deep in an object', (log) => log.info({ a: { b: { c: { d: [agent] } } } }, 'made')],
  ['a bearer header', (log) => log.info({ req: { headers: { authorization: `Bearer ${agent}` } } }, 'asked')],
  ['a bearer header as text', (log) => log.info(`authorization: Bearer ${cookie}`)],
  ['an install code', (log) => log.warn({ code }, 'unknown')],
  ['an install code in an error', (log) => log.error(new Error(`no such code ${code}`))],
  ['a bot token in the cause of an error', (log) => log.error(new Error('failed', { cause: new Error(bot) }))],
  ['a password as a field', (log) => log.info({ person: { email: 'a@b', password } }, 'signed in')],
  ['a password in a body that was kept as text', (log) => log.error({ text: JSON.stringify({ password }) }, 'bad')],
  ['a session cookie', (log) => log.info({ cookie: `svc.session=${cookie}` })],
  ['a session cookie as text', (log) => log.info(`got __Host-svc.session=${cookie}; Path=/`)],
  ['a session cookie of a port', (log) => log.info(`got svc.session.8787=${cookie}; Path=/`)],
  ['a cookie of a passkey', (log) => log.info(`got svc.new-passkey=${cookie}; Path=/`)],
  ['a one-time link', (log) => log.info(`http://localhost:8787/link#token=${link}`)],
  ['a database address', (log) => log.error(new Error(`cannot reach postgres://svc:${link}@db/svc`))],
] satisfies [string, (log: ReturnType<typeof openServiceLog>) => void][])('%s is not in the log', (_what, write) => {
  const lines = logged(write)
  expect(lines).toContain('"level":')
  for (const secret of [agent, code, bot, password, cookie, link]) expect(lines).not.toContain(secret)
})

test('what is not secret is in the log, including the code of an error', () => {
  const error = Object.assign(new Error('no answer'), { code: 'ECONNREFUSED' })
  expect(JSON.parse(logged((log) => log.error({ err: error, agent: 'mail-triage' }, 'lost')))).toMatchObject({
    level: 'error',
    agent: 'mail-triage',
    msg: 'lost',
    err: { code: 'ECONNREFUSED', message: 'no answer' },
  })
})

test.each<[what: string, entry: object, line: RegExp]>([
  ['a message', { msg: 'stopped' }, /^\[..:..:..\] INFO: stopped\n$/],
  [
    'a message with facts',
    { release: '0.2.0', serial: 1, signed: false, parts: ['a'], msg: 'serving runtime release' },
    /^\[..:..:..\] INFO: serving runtime release \(release 0\.2\.0, serial 1, signed false, parts \["a"\]\)\n$/,
  ],
  [
    'a fact that would steer the terminal',
    { path: '\u001b[2J\n', msg: 'request' },
    /INFO: request \(path \\u001b\[2J\\n\)\n$/,
  ],
  [
    'an error',
    { err: { type: 'Error', message: 'no', stack: 'Error: no\n    at x' }, msg: 'failed' },
    /failed\n.*at x/s,
  ],
])('on a terminal, people read %s in one line, and JSON nowhere', (_what, entry, line) => {
  const readable = logLineForPeople({ colorize: false })
  expect(readable(`${JSON.stringify({ level: 'info', time: '2026-11-27T04:07:15.000Z', ...entry })}\n`)).toMatch(line)
})

/**
 * Tests that SIGTERM ends the service, whatever hangs: callers, commands, receivers, PostgreSQL and other threads.
 * `npm test` leaves this out. packages/server/src/platform/closing.test.ts proves the same rules.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { within } from '../../../../../testing/within.ts'
import { once as onDatabase, startPostgres, type TestPostgres } from '../../../testing/postgres.ts'
import {
  newServiceHome,
  populate,
  report,
  type ServiceHome,
  type ServiceProcess,
} from '../../../testing/service-process.ts'

/** Sends SIGTERM and waits for the end of the process. */
function stopped(service: ServiceProcess): Promise<number | NodeJS.Signals> {
  service.child.kill('SIGTERM')
  return within(() => `the end of the service. Its log:\n${service.log.slice(-2000)}`, service.ended, 30)
}

/** Connects to the operator's socket and sends some bytes. */
async function toOperator(home: ServiceHome, bytes: string): Promise<void> {
  const socket = connect(join(home.dataDir, 'operator.sock'))
  socket.on('error', () => {})
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  socket.write(bytes)
}

test.each([
  ['half a header', 'POST /run HTTP/1.1\r\nContent-Le'],
  ['a body without an end', 'POST /run HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{"nam\r\n'],
])("a connection to the operator's socket that sent %s does not hold up the stop", async (_what, bytes) => {
  const home = await newServiceHome()
  const service = await home.start()
  await toOperator(home, bytes)
  expect(await home.value(['workspace', 'list'])).toEqual([])
  expect(await stopped(service)).toBe(0)
})

test('a command that waits for a receiver that hangs is answered, and does not hold up the stop', async () => {
  const receiver = createServer(() => {}).listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  onTestFinished(() => void receiver.close().closeAllConnections())
  const home = await newServiceHome({ SVC_OUTBOUND_ALLOW: '127.0.0.1' })
  const service = await home.start()
  const { port } = receiver.address() as AddressInfo
  await home.value(['channel', 'add', '@service', 'ops', '--kind', 'webhook', '--url', `http://127.0.0.1:${port}/`])
  const called = once(receiver, 'request')
  const ran = home.runProgram(['channel', 'test', '@service/ops'])
  await called
  expect(['SIGTERM', 0]).toContain(await stopped(service))
  expect((await ran).code).toBe(1)
})

test('a caller that sends half a report does not hold up the stop', async () => {
  const home = await newServiceHome()
  const service = await home.start()
  const half = connect(Number(home.env.SVC_PORT), '127.0.0.1')
  half.on('error', () => {})
  await once(half, 'connect')
  half.write('POST /api/agent/v1/report HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"protocol":')
  expect(await stopped(service)).toBe(0)
})

test('work of other threads that never ends does not hold up the end of the process', async () => {
  const home = await newServiceHome()
  const fifo = join(home.folder, 'fifo')
  expect(spawnSync('mkfifo', [fifo]).status).toBe(0)
  const program = join(import.meta.dirname, 'process.ts')
  const script = `import { open } from 'node:fs'
    const { endProcess } = await import(${JSON.stringify(program)})
    open(${JSON.stringify(fifo)}, 'r', () => {})
    setImmediate(() => endProcess(Number(process.argv[1]), { stuck: true }))`
  for (const [code, signal] of [
    ['0', 'SIGTERM'],
    ['1', 'SIGKILL'],
  ]) {
    const child = spawn(process.execPath, ['--input-type=module', '-e', script, code as string])
    onTestFinished(() => void child.kill('SIGKILL'))
    expect(await once(child, 'exit')).toEqual([null, signal])
  }
})

let postgres: TestPostgres
beforeAll(async () => {
  postgres = await startPostgres()
})
afterAll(() => postgres.stop())

/** Sends a signal to a process, which may have ended. */
function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** The state of a process on Linux, such as `T` if it is stopped; undefined if it has ended. */
function stateOf(pid: number): string | undefined {
  try {
    return /^State:\s*(\w)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  } catch {
    return undefined
  }
}

/** Stops a process, and returns when it does nothing more. A signal to another process may take a moment. */
async function suspend(pid: number): Promise<void> {
  send(pid, 'SIGSTOP')
  while (!['T', 'Z', undefined].includes(stateOf(pid))) await new Promise((resolve) => setTimeout(resolve, 5))
}

/** Stops PostgreSQL without ending it, so that connections stay open and nothing is answered. */
async function hang(): Promise<() => void> {
  const { pid } = postgres
  if (pid === undefined) throw new Error('PostgreSQL runs outside this test, which has to stop it.')
  await suspend(pid) // It starts a process for each connection, so it is stopped before they are listed.
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(/\s+/).filter(Boolean).map(Number)
  for (const child of children) await suspend(child)
  const stopped = [pid, ...children]
  const go = () => {
    for (const each of stopped.splice(0)) send(each, 'SIGCONT')
  }
  onTestFinished(go)
  return go
}

test.skipIf(process.platform !== 'linux')(
  'a PostgreSQL that hangs does not hold up the stop; the log names what was not finished',
  async () => {
    await onDatabase(postgres.url('postgres'), 'create database hanging')
    const home = await newServiceHome({ SVC_DATABASE_URL: postgres.url('hanging') })
    const service = await home.start()
    const { token } = await populate(home)
    const go = await hang()
    // A report that waits for a connection to the database is refused after five seconds. A report that has one is cut
    // off.
    const reports = Array.from({ length: 3 }, () =>
      report(home.url, token).then(
        ({ status }) => status,
        () => 'cut',
      ),
    )
    expect(await stopped(service)).toBe('SIGTERM')
    for (const answer of await Promise.all(reports)) expect(['cut', 503]).toContain(answer)
    const last = JSON.parse(service.log.trim().split('\n').at(-1) ?? '{}')
    expect(last).toMatchObject({ level: 'warn', unfinished: expect.arrayContaining(['database']) })
    go()
    await home.start()
  },
)

test.skipIf(process.platform !== 'linux')(
  'a start that waits for a PostgreSQL that hangs is ended by SIGTERM',
  async () => {
    await onDatabase(postgres.url('postgres'), 'create database starting')
    const home = await newServiceHome({ SVC_DATABASE_URL: postgres.url('starting') })
    await (await home.start()).kill()
    await hang()
    const service = home.begin()
    onTestFinished(() => service.kill('SIGKILL').then(() => {}))
    service.child.stderr?.resume()
    const ended = stoppedOnce(service)
    expect(['SIGTERM', 1]).toContain(await ended)
  },
)

/** Sends SIGTERM as soon as the process handles it, and waits for its end. */
async function stoppedOnce(service: ServiceProcess): Promise<number | NodeJS.Signals> {
  const file = `/proc/${service.child.pid}/status`
  const caught = () => BigInt(`0x${/^SigCgt:\s*(\w+)/m.exec(readFileSync(file, 'utf8'))?.[1] ?? '0'}`)
  while ((caught() & (1n << 14n)) === 0n) await new Promise((resolve) => setTimeout(resolve, 10))
  return stopped(service)
}

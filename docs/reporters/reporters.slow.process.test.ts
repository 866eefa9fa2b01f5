/**
 * Tests the three reporters of docs/report-from-anything.md as processes, against a service that misbehaves. `npm
 * test` leaves this out. It runs reporters in other languages, which share no code with the product.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { readReport } from '../../packages/protocol/src/index.ts'
import { comesAfter } from '../../testing/order.ts'
import { type Call, type Service, startService } from './service.ts'

const here = new URL('.', import.meta.url).pathname
const token = `svc_agt_${'a'.repeat(43)}`
const status = {
  agent: { version: '1.0.0' },
  state: { level: 'ok', label: 'Working "hard" \\ {on} it', detail: 'a\tb' },
  gauges: [{ name: 'Load', used: 0.5 }],
  runs: [{ id: 'r1', log: 'work' }],
}
const settings = {
  schema: [
    { key: 'every', type: 'number', min: 1, max: 60 },
    { key: 'tone', type: 'select', options: [{ value: 'kind' }] },
  ],
  values: { every: 10 },
}

const kinds = [
  { name: 'reporter.py', command: ['python3', `${here}reporter.py`], whole: true },
  { name: 'reporter.ts', command: [process.execPath, `${here}reporter.ts`], whole: true },
  { name: 'reporter.sh', command: ['sh', `${here}reporter.sh`], whole: false },
]

/** The steps to run after all tests. They are not left to `afterThisTest`, since the tests run at the same time. */
const cleanups: (() => unknown)[] = []
afterAll(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup()
})

/**
 * Creates an agent's folder, a test service, and a reporter between them whose durations are a tenth of the usual ones.
 */
async function newSetup(
  command: string[],
  time: Record<string, string> = { SVC_TIME_SCALE: '0.1', SVC_TIME_FLOOR: '0' },
) {
  const folder = mkdtempSync(join(tmpdir(), 'reporter-'))
  // Removing the folder is retried, since a process that the reporter's shell has started may still write into it.
  cleanups.push(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }))
  writeFileSync(join(folder, 'status.json'), JSON.stringify(status, null, 2))
  writeFileSync(join(folder, 'settings.json'), JSON.stringify(settings))
  mkdirSync(join(folder, 'logs'))
  writeFileSync(join(folder, 'logs', 'work.log'), `start${'é'.repeat(300_000)}${token} end`)
  symlinkSync('/etc/passwd', join(folder, 'logs', 'sly.log'))
  const service = await startService()
  cleanups.push(() => service.close())
  const has = (name: string) => existsSync(join(folder, name))
  const start = (): ChildProcess => {
    const env = { PATH: process.env.PATH, SVC_URL: service.url, SVC_TOKEN: token, ...time }
    const [program = '', ...rest] = [...command, folder]
    const child = spawn(program, rest, { env, stdio: ['ignore', 'ignore', 'pipe'] })
    child.stderr?.setEncoding('utf8').on('data', (text: string) => said.push(text))
    cleanups.push(async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGKILL')
      await once(child, 'exit')
    })
    return child
  }
  const said: string[] = []
  return { folder, service, has, start, said }
}

const commands = (...list: object[]) => ({ commands: list, interval: 5 })
const long = `\u0001${'\u{1f44d}'.repeat(1999)}`
const ackOf = (call: Call, id: string) => call.body.acks.find((ack: { id: string }) => ack.id === id)

/** Answers the reporter's reports, without sending a command, until a report carries an ack with this id. */
async function settled(service: Service, id: string) {
  for (;;) {
    const call = await service.next()
    call.answer(commands())
    if (ackOf(call, id)) return ackOf(call, id)
  }
}

/**
 * Answers the reporter's reports with a command until a report carries the command's ack, and returns that report. On a
 * busy machine a single answer may come too late for the reporter.
 */
async function obeyed(service: Service, answer: unknown, id: string): Promise<Call> {
  for (;;) {
    const call = await service.next()
    if (ackOf(call, id)) return call
    call.answer(answer)
  }
}

describe.concurrent.each(kinds)('$name', ({ command, whole }) => {
  test.concurrent('reports in the shape of the contract, obeys pause and resume, and refuses unknown commands', async () => {
    // With this scale the reporter waits three seconds for an answer. Half of that was too short while other tests kept
    // this process busy.
    const { folder, service, has, start } = await newSetup(command, { SVC_TIME_SCALE: '0.2', SVC_TIME_FLOOR: '0' })
    start()
    const first = await service.next()
    expect([first.path, first.token]).toEqual(['/api/agent/v1/report', token])
    const read = readReport(new TextEncoder().encode(JSON.stringify(first.body)), Date.now())
    expect(read).toMatchObject({
      ok: true,
      value: {
        state: status.state,
        gauges: status.gauges,
        runs: status.runs,
        controls: ['pause', 'resume', 'run_now'],
      },
    })
    first.answer(
      commands(
        { id: 'odd "id" \\ é', type: 'pause', payload: {} },
        { id: 'c2', type: 'run_now', payload: {} },
        { id: 'c3', type: 'fly', payload: {} },
        { id: long, type: '', payload: {} },
        { id: 'c5' },
        { id: 'c6', type: 7 },
        { id: '', type: 'run_now' },
      ),
    )

    const paused = await service.next()
    expect(has('paused')).toBe(true)
    expect(paused.body.state).toEqual({ level: 'info', label: 'Paused' })
    expect(ackOf(paused, 'odd "id" \\ é')).toMatchObject({ ok: true })
    expect(ackOf(paused, 'c2')).toMatchObject({ ok: false, message: 'The agent is paused.' })
    for (const id of ['c3', long, 'c5', 'c6']) expect(ackOf(paused, id), id).toMatchObject({ ok: false })
    expect(paused.body.acks.length).toBe(6)
    expect(has('run_now')).toBe(false)
    expect(paused.body.seq).toBe(first.body.seq + 1)
    rmSync(join(folder, 'paused')) // the agent itself may also end the pause, without the service (rule 4)
    paused.answer(commands())

    const resumed = await service.next()
    expect(resumed.body.state).toEqual(status.state)
    expect(resumed.body.acks).toEqual([])
    writeFileSync(join(folder, 'paused'), '')
    resumed.answer(commands({ id: 'c4', type: 'resume', payload: {} }))
    expect(await settled(service, 'c4')).toMatchObject({ ok: true })
    expect(has('paused')).toBe(false)

    writeFileSync(join(folder, 'status.json'), '{"state": {"level"')
    ;(await service.next()).answer(commands())
    const broken = await service.next()
    expect(broken.body.state).toEqual({ level: 'warn', label: 'No status' })
    broken.answer(commands())
  })

  test.concurrent('sends an ack until a report with it is answered, whatever the service does meanwhile', async () => {
    const { service, has, start, said } = await newSetup(command)
    const elsewhere = await newSetup(command)
    start()
    ;(await obeyed(service, commands({ id: 'c1', type: 'pause', payload: {} }), 'c1')).refuse(503)
    const faults: ((call: Call) => void)[] = [
      (call) => call.refuse(500),
      (call) => call.refuse(429, { 'retry-after': '60' }),
      (call) => call.answer('<html>ok</html>'),
      (call) => call.answer('[]'),
      (call) => call.answer({ interval: 5 }),
      (call) => call.answer('{"commands": [], "interval": 5'),
      (call) => call.answer(`{"commands": [], "later": ${'['.repeat(40)}${'}'.repeat(40)}}`),
      (call) =>
        call.answer(' '.repeat(1_100_000) + JSON.stringify(commands({ id: 'big', type: 'run_now', payload: {} }))),
      (call) => call.refuse(307, { location: `${elsewhere.service.url}/api/agent/v1/report` }),
      (call) => call.reset(),
      (call) => call.hang(),
      (call) => call.dribble(),
    ]
    for (const fault of faults) {
      const call = await service.next()
      expect(ackOf(call, 'c1')).toMatchObject({ ok: true })
      fault(call)
    }
    const good = await service.next()
    expect(ackOf(good, 'c1')).toMatchObject({ ok: true })
    good.answer(commands())
    const after = await service.next()
    expect(after.body.acks).toEqual([])
    after.answer(commands())
    expect([has('run_now'), elsewhere.service.received()]).toEqual([false, 0])
    expect(said.join('').match(/failed/g)?.length).toBeGreaterThan(faults.length)
    expect(said.join('')).not.toContain(token)
  })

  test.concurrent('reports when the agent last wrote its status file, except while the agent is paused', async () => {
    const { folder, service, start } = await newSetup(command)
    const anHourAgo = Math.floor(Date.now() / 1000) - 3600
    utimesSync(join(folder, 'status.json'), anHourAgo, anHourAgo)
    start()
    const old = await service.next()
    expect(old.body.status_at).toBe(anHourAgo)
    writeFileSync(join(folder, 'paused'), '')
    old.answer(commands())
    const paused = await service.next()
    expect(paused.body).not.toHaveProperty('status_at')
    paused.answer(commands())
  })

  test.concurrent('reads an answer in which an unknown part is nested deeper than 32 levels, and obeys its commands', async () => {
    const { service, has, start } = await newSetup(command)
    start()
    const deep = `${'[{"a":'.repeat(200)}1${'}]'.repeat(200)}`
    const nested = `{"id": "deep", "type": "run_now", "payload": {"later": ${deep}}, "created_at": 1}`
    const acked = await obeyed(service, `{"later": ${deep}, "commands": [${nested}], "interval": 5}`, 'deep')
    expect(ackOf(acked, 'deep')).toMatchObject({ ok: true })
    expect(has('run_now')).toBe(true)
    acked.answer(commands())
  })

  test.concurrent('applies an id at most once, even if it is sent again or the reporter was killed', async () => {
    const { folder, service, has, start } = await newSetup(command)
    const reporter = start()
    const again = commands({ id: 'once', type: 'run_now', payload: {} })
    ;(await service.next()).answer(again)
    const acked = await service.next()
    expect(ackOf(acked, 'once')).toMatchObject({ ok: true })
    expect(has('run_now')).toBe(true)
    rmSync(join(folder, 'run_now')) // the agent removes this file when it starts the requested run
    acked.answer(again)
    expect(await settled(service, 'once')).toMatchObject({ ok: true })
    expect(has('run_now')).toBe(false)

    reporter.kill('SIGKILL')
    await new Promise((done) => reporter.once('close', done))
    start()
    ;(await service.next()).answer(again)
    expect(await settled(service, 'once')).toMatchObject({ ok: true })
    expect(has('run_now')).toBe(false)
  })

  test.concurrent('after a kill in the middle of a command it reports the interruption and does not run the command', async () => {
    const { folder, service, has, start } = await newSetup(command)
    writeFileSync(
      join(folder, 'reporter.json'),
      JSON.stringify({ seen: { x: { type: 'run_now', at: 1, ack: null } }, outbox: [] }),
    )
    writeFileSync(join(folder, 'reporter.seen'), 'received\t"run_now"\t"x"\n')
    start()
    const call = await service.next()
    expect(ackOf(call, 'x')).toMatchObject({ ok: false, message: 'interrupted' })
    call.answer(commands())
    expect(has('run_now')).toBe(false)
  })

  test.concurrent('waits at least 5 s times 0.85 to 1.15, whatever interval an answer names', async () => {
    const { service, start } = await newSetup(command)
    start()
    ;(await service.next()).answer({ commands: [], interval: 0 })
    for (const interval of [-3, 1e-9, null, '0', true, [0]]) {
      const next = service.next()
      expect(await comesAfter(200, next), String(interval)).toBe(true)
      ;(await next).answer({ commands: [], interval })
    }
  })

  test.concurrent('however much time is sped up, a service that takes 60 reports a minute takes all of them', async () => {
    // A request may then take 0.3 s, which is enough on a loaded machine. Without the limit five reports took a second.
    const { service, start } = await newSetup(command, { SVC_TIME_SCALE: '0.02' })
    start()
    ;(await service.next()).answer({ commands: [], interval: 5 })
    const threeReports = async () => {
      for (let i = 0; i < 3; i++) (await service.next()).answer({ commands: [], interval: 5 })
    }
    expect(await comesAfter(2500, threeReports())).toBe(true)
  })

  if (!whole) return
  test.concurrent('applies all of the requested settings or none, and sends only logs of its folder', async () => {
    const { folder, service, start } = await newSetup(command)
    const values = () => JSON.parse(readFileSync(join(folder, 'settings.json'), 'utf8')).values
    start()
    const first = await service.next()
    expect(first.body.settings).toEqual(settings)
    first.answer(
      commands(
        { id: 's1', type: 'set', payload: { every: 5, tone: 'rude' } },
        { id: 's2', type: 'set', payload: { every: 90 } },
        { id: 's3', type: 'set', payload: { other: 1 } },
        { id: 's4', type: 'set', payload: { every: 20, tone: 'kind' } },
        { id: 'l1', type: 'log', payload: { name: 'sly' } },
        { id: 'l2', type: 'log', payload: { name: '../settings' } },
        { id: 'l3', type: 'log', payload: { name: 'work' } },
      ),
    )
    const log = await service.next()
    expect(log).toMatchObject({ path: '/api/agent/v1/log', body: { command: 'l3', name: 'work' } })
    expect(log.body.text.endsWith('é*** end')).toBe(true)
    expect(Buffer.byteLength(log.body.text)).toBeLessThanOrEqual(524_288)
    expect(log.body.text).not.toContain('\ufffd')
    log.answer({})
    const report = await service.next()
    expect(report.body.acks.map((ack: { id: string; ok: boolean }) => [ack.id, ack.ok])).toEqual([
      ['s1', false],
      ['s2', false],
      ['s3', false],
      ['s4', true],
      ['l1', false],
      ['l2', false],
    ])
    expect(report.body.settings.values).toEqual({ every: 20, tone: 'kind' })
    expect(values()).toEqual({ every: 20, tone: 'kind' })
    report.answer(commands())
  })
})

test('sh: settings and logs are refused with a sentence', async () => {
  const { service, start } = await newSetup(['sh', `${here}reporter.sh`])
  start()
  ;(await service.next()).answer(
    commands({ id: 'a', type: 'set', payload: { every: 5 } }, { id: 'b', type: 'log', payload: { name: 'work' } }),
  )
  const call = await service.next()
  expect(call.body.acks.map((ack: { ok: boolean }) => ack.ok)).toEqual([false, false])
  call.answer(commands())
})

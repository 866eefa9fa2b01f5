/**
 * Tests the six rules for a reporter (1), with a real agent, the real reporter and a service that gives wrong answers,
 * is slow or is not there.
 */
import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { afterThisTest } from '../../../../testing/cleaning.ts'
import { level } from '../../../../testing/level.ts'
import { comesAfter } from '../../../../testing/order.ts'
import { badAnswers, deep } from '../../testing/bad.ts'
import { agentFolder, becomes, type Running, reporter, starts as startsAny, svc, token } from '../../testing/folder.ts'
import { answer, command, json, type Service, startService } from '../../testing/service.ts'

/**
 * The factor for all durations: a second lasts 30 ms. After the service asks for an interval of 5 s, a report comes
 * every 150 ms, and a request may take 450 ms.
 */
const scale = 0.03
const quick = json({ commands: [], interval: 5 })
const agentFile = fileURLToPath(new URL('../../testing/agent.ts', import.meta.url))

const service = async (port?: number): Promise<Service> => {
  const started = await startService(port)
  started.usual = quick
  afterThisTest(() => started.close())
  return started
}
const folder = (...args: Parameters<typeof agentFolder>) => {
  const made = agentFolder(...args)
  afterThisTest(() => made.remove())
  return made
}
const starts = (of: ReturnType<typeof agentFolder>, ...args: string[]): Running => {
  const running = reporter(of, scale, ...(args.length > 0 ? [args] : []))
  afterThisTest(() => running.end('SIGKILL'))
  return running
}
/** Runs the agent until it ends by itself. */
const agentRuns = (of: ReturnType<typeof agentFolder>, steps: number) =>
  new Promise<number | null>((resolve) => {
    const child = spawn(process.execPath, [agentFile, of.root, String(steps)], { stdio: 'ignore' })
    afterThisTest(() => child.kill('SIGKILL'))
    child.on('close', resolve)
  })
const traceOf = (of: ReturnType<typeof agentFolder>) => readFileSync(join(of.root, 'state/trace'), 'utf8')
/** The agent's own files: everything in its folder except the runtime's folder. */
const filesOf = (of: ReturnType<typeof agentFolder>) =>
  Object.fromEntries(
    readdirSync(of.root, { recursive: true, withFileTypes: true })
      .filter((e) => e.isFile() && !join(e.parentPath, e.name).startsWith(of.svc))
      .map((e) => [join(e.parentPath, e.name).slice(of.root.length), readFileSync(join(e.parentPath, e.name), 'utf8')]),
  )

test('rule 1: the agent does the same with every bad service as with none (I24)', async () => {
  const steps = 200
  const alone = folder()
  expect(await agentRuns(alone, steps)).toBe(0)

  const elsewhere = await service()
  const bad = await service()
  const beside = folder({}, bad.origin)
  const answers = badAnswers(`${elsewhere.origin}/api/agent/v1/report`)
  bad.next.push(quick, ...answers.map(([, reply]) => reply))
  const running = starts(beside)
  const [code] = await Promise.all([agentRuns(beside, steps), bad.reported(answers.length + 3)])

  expect(code).toBe(0)
  expect(traceOf(beside)).toBe(traceOf(alone))
  expect(filesOf(beside)).toEqual(filesOf(alone))
  expect(elsewhere.reports, 'no redirect is followed, so the token goes nowhere else (I25)').toEqual([])
  expect(existsSync(beside.paused)).toBe(false)
  await running.said('reported again')
  expect(await running.end()).toEqual({ code: 0, signal: null })
})

describe('rule 2: the reporter survives and reports at the next interval when the service', () => {
  test(`${badAnswers('')
    .map(([what]) => what)
    .join(', ')}`, async () => {
    const all = badAnswers('')
    const quarter = Math.ceil(all.length / 4)
    const firsts = [0, 1, 2, 3].map((part) => part * quarter)
    await Promise.all(firsts.map((from) => oneAfterAnother(from, from + quarter)))
  })

  async function oneAfterAnother(from: number, to: number): Promise<void> {
    const bad = await service()
    const of = folder({}, bad.origin)
    // Time is shortened less than in other tests: on a busy machine a good answer must not take longer than the
    // timeout, and the next report must not look like a retry.
    const running = startsAny(of, ['report'], { scale: 0.1 })
    afterThisTest(() => running.end('SIGKILL'))
    await bad.reported(1)
    for (const [what, reply] of badAnswers(`${bad.origin}/elsewhere`).slice(from, to)) {
      const [count, lines] = [bad.reports.length, running.lines.length]
      bad.next.push(json({ commands: [], interval: 10 }), reply)
      await bad.reported(count + 2)
      expect(await comesAfter(80, bad.reported(count + 3)), `${what}: no immediate retry`).toBe(true)
      for (const says of ['report failed: ', 'reported again after'])
        await becomes(`${what}: ${says}`, () => running.lines.slice(lines).some((line) => line.includes(says)))
    }
    expect(existsSync(of.paused)).toBe(false)
    expect(bad.others, 'no redirect is followed').toEqual([])
    expect(await running.end()).toEqual({ code: 0, signal: null })
  }

  test('is gone and comes back', async () => {
    const first = await service()
    const of = folder({}, first.origin)
    const running = starts(of)
    await first.reported(2)
    await first.close()
    await running.said('nothing listens at the address')
    const again = await service(Number(new URL(first.origin).port))
    await again.reported(1)
    await running.said('reported again after')
    expect(await running.end()).toEqual({ code: 0, signal: null })
  })

  test('was never there', async () => {
    const of = folder({}, 'http://127.0.0.1:9')
    const running = starts(of)
    await running.said('report failed')
    expect(await running.end()).toEqual({ code: 0, signal: null })
  })

  test('answers a list that is nested 100,000 deep, which holds no command (D14)', async () => {
    const lying = await service()
    lying.next.push(quick, deep)
    const running = starts(folder({}, lying.origin))
    await lying.reported(4)
    expect(await running.end()).toEqual({ code: 0, signal: null })
    // On a busy machine, an answer may take longer than the deadline, which this test has shortened, and the end of the
    // reporter may come while it sends.
    const failed = running.lines.filter((line) =>
      /report failed: (?!no whole answer|the reporter was stopped)/.test(line),
    )
    expect(failed).toEqual([])
  })

  test.skipIf(level === 'short')(
    'has a name whose look-up hangs forever: the process still stops at once (D17)',
    async () => {
      const of = folder({}, 'http://svc.example')
      const hang = fileURLToPath(new URL('../../testing/hang-lookup.ts', import.meta.url))
      const main = fileURLToPath(new URL('../main.ts', import.meta.url))
      const running = starts(of, '--import', hang, main)
      await running.said('no whole answer within 15 s')
      expect(await running.end()).toEqual({ code: null, signal: 'SIGTERM' })
      expect((await svc(of, ['status', '--json'])).out).not.toContain('"reporter"')
    },
  )
})

test('rule 3: pause, settings and the run-now request are in files of the machine, and outlive the reporter', async () => {
  const good = await service()
  const of = folder({}, good.origin)
  good.next.push(answer(command('1', 'set', { every: 30 }), command('2', 'run_now'), command('3', 'pause')))
  const running = starts(of)
  await good.reported(2)
  await running.end('SIGKILL')
  await good.close()
  expect(JSON.parse(readFileSync(of.settings, 'utf8'))).toEqual({ every: 30, tone: 'calm', note: null })
  await agentRuns(of, 1)
  expect(traceOf(of)).toBe('step 0 paused as asked\n')
})

test('rule 4: a pause from the service can be undone on the machine without it, and the other way round', async () => {
  const good = await service()
  const of = folder({}, good.origin)
  good.next.push(json({ commands: [command('1', 'pause')], interval: 5 }))
  starts(of)
  expect((await good.reported(2)).report.state?.label).toBe('Paused')
  expect((await svc(of, ['resume'])).out).toBe('Resumed.\n')
  const after = good.reports.length + 2
  expect((await good.reported(after)).report.state).toBeUndefined()
  await svc(of, ['pause'])
  good.next.push(json({ commands: [command('2', 'resume')], interval: 5 }))
  const last = await good.reported(good.reports.length + 3)
  expect(last.report.state).toBeUndefined()
})

test('rule 5: every command is answered once, applied or refused', async () => {
  const good = await service()
  const of = folder({}, good.origin)
  good.next.push(
    json({
      commands: [
        command('1', 'set', { every: 500 }),
        command('2', 'fly'),
        command('3', 'pause'),
        command('4', 'run_now'),
      ],
      interval: 5,
    }),
    json({ error: { code: 'unavailable', message: 'Busy.' } }, 503),
    json({ commands: [command('3', 'pause')], interval: 5 }),
  )
  starts(of)
  const acks = [
    { id: '1', ok: false, message: 'Minutes must be between 1 and 120: got 500.' },
    { id: '2', ok: false, message: 'This agent does not know this command.' },
    { id: '3', ok: true, message: 'Paused.' },
    { id: '4', ok: false, message: 'Paused. Resume first.' },
  ]
  expect((await good.reported(2)).report.acks).toEqual(acks)
  expect((await good.reported(3)).report.acks, 'a failed report has told nothing').toEqual(acks)
  expect((await good.reported(4)).report.acks, 'a command that comes again gets the same ack again').toEqual([acks[2]])
  expect((await good.reported(5)).report.acks).toEqual([])
})

test('rule 6: only declared data leaves the machine: known keys, declared logs, no token', async () => {
  const good = await service()
  const status = { state: { level: 'ok', label: `at work ${token}`, mail: 'private' }, mails: ['private'] }
  const of = folder(
    { 'state/status.json': JSON.stringify(status), 'state/work.log': `sent with ${token}\n`, 'diary.txt': 'private' },
    good.origin,
  )
  good.next.push(
    answer(
      command('1', 'log', { name: 'work' }),
      command('2', 'log', { name: 'diary.txt' }),
      command('3', 'log', { name: '../../etc/passwd' }),
    ),
  )
  starts(of)
  await good.logged(3)
  expect(good.logs.map((l) => JSON.parse(l.text))).toEqual([
    { command: '1', name: 'work', text: 'sent with [masked]\n' },
    { command: '2', name: 'diary.txt', text: 'There is no such log.' },
    { command: '3', name: '../../etc/passwd', text: 'There is no such log.' },
  ])
  const all = [...good.reports, ...good.logs].map((c) => c.text).join('\n')
  expect(all).not.toContain('private')
  expect(all).not.toContain(token)
  expect(good.reports.every((c) => c.token === token)).toBe(true)
})

test('a log that could not be sent is sent with a later report, and accepted only once', async () => {
  const good = await service()
  const of = folder({ 'state/work.log': 'a line\n' }, good.origin)
  good.log = json({ error: { code: 'unavailable', message: 'Busy.' } }, 503)
  good.next.push(json({ commands: [command('1', 'log', { name: 'work' })], interval: 5 }))
  const running = starts(of)
  await good.logged(2)
  good.log = json({})
  await running.said('log "work" sent')
  const count = good.logs.length
  await good.reported(good.reports.length + 3)
  expect(good.logs.length).toBe(count)
})

test.skipIf(level === 'short')(
  'one connection carries all reports (D18), boot stays and seq counts (D11)',
  async () => {
    const good = await service()
    const sockets = new Set<unknown>()
    good.usual = (response, came, socket) => {
      sockets.add(socket)
      quick(response, came, socket)
    }
    const of = folder({}, good.origin)
    starts(of)
    await good.reported(4)
    expect(sockets.size).toBe(1)
    expect(new Set(good.reports.map((r) => r.report.boot)).size).toBe(1)
    expect(good.reports.map((r) => r.report.seq)).toEqual([1, 2, 3, 4])
    expect(good.reports[0]?.report).toMatchObject({
      protocol: 1,
      agent: { version: '1.4.0' },
      runtime: { version: 'dev' },
      controls: ['pause', 'resume', 'run_now'],
    })
  },
)

test.skipIf(level === 'short')(
  'a second reporter on the same folder is told who reports already (D58); after a kill -9 the next one starts',
  async () => {
    const good = await service()
    const of = folder({}, good.origin)
    const running = starts(of)
    await good.reported(1)
    const second = await svc(of, ['report'])
    expect(second).toMatchObject({
      code: 1,
      err: `svc report (process ${running.child.pid}) is already reporting for this folder; stop it first.\n`,
    })
    await running.end('SIGKILL')
    const third = starts(of)
    await third.said('reported')
  },
)

test('a token that is rotated on the machine is used for the next report, without a restart', async () => {
  const good = await service()
  const of = folder({}, good.origin)
  starts(of)
  await good.reported(1)
  const fresh = `svc_agt_${'B'.repeat(43)}`
  const { code, out } = await svc(of, ['connect', '--url', good.origin], { input: `${fresh}\n` })
  expect([code, out]).toEqual([0, expect.stringContaining('The running reporter uses it')])
  expect((await good.reported(good.reports.length + 2)).token).toBe(fresh)
})

test.skipIf(level === 'short')(
  'a manifest that becomes invalid is reported, and the last good one stays in force',
  async () => {
    const good = await service()
    const of = folder({}, good.origin)
    starts(of)
    await good.reported(1)
    writeFileSync(of.manifest, 'name: Mail Triage\n')
    const { report } = await good.reported(good.reports.length + 2)
    expect(report.health?.[0]).toMatchObject({ name: 'Manifest', level: 'warn' })
    expect(report.controls).toEqual(['pause', 'resume', 'run_now'])
  },
)

test('with a damaged journal the reports continue, say so, and nothing is offered or processed', async () => {
  const good = await service()
  const of = folder({ '.svc/journal/commands.json': '{"commands": [' }, good.origin)
  good.next.push(json({ commands: [command('1', 'pause')], interval: 5 }))
  const running = starts(of)
  const { report } = await good.reported(2)
  expect(report.health?.[0]).toMatchObject({ name: 'Journal', level: 'bad' })
  expect(report.controls).toEqual([])
  expect(report.settings).toBeUndefined()
  expect(existsSync(of.paused)).toBe(false)
  expect(running.lines.filter((line) => line.includes('log not sent'))).toEqual([])
})

test('with a damaged journal `svc report --once` succeeds, since the report arrived', async () => {
  const good = await service()
  const of = folder({ '.svc/journal/commands.json': '{"commands": [' }, good.origin)
  expect(await svc(of, ['report', '--once'])).toMatchObject({ code: 0, err: '' })
})

test.skipIf(level === 'short')("the reports continue if nobody reads the reporter's output", async () => {
  const good = await service()
  const of = folder({}, good.origin)
  const running = starts(of)
  await good.reported(1)
  running.child.stdout?.destroy()
  running.child.stderr?.destroy()
  good.next.push(json({ commands: [command('1', 'pause'), command('2', 'resume')], interval: 5 }))
  await good.reported(good.reports.length + 4)
})

test('however much time is shortened, a service that takes 60 reports a minute takes all of them', async () => {
  const good = await service()
  const running = startsAny(folder({}, good.origin), ['report'], { scale: 0.001, env: { SVC_TIME_FLOOR: '' } })
  afterThisTest(() => running.end('SIGKILL'))
  await good.reported(1)
  expect(await comesAfter(2500, good.reported(4))).toBe(true)
})

/**
 * The only test of alerts that runs in real time: a real service, and agents that are real processes. All other tests
 * of alerts have the time as an argument. It runs only among the long tests, and is the exception to the rule that
 * tests assert no durations, because what it tests is a duration. `npm test` leaves this out.
 * packages/server/src/alerts/evaluation/fleet.store.test.ts proves the same rules.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../../../../testing/eventually.ts'
import { level } from '../../../../../testing/level.ts'
import { within } from '../../../../../testing/within.ts'
import { newServiceHome, populate, type ServiceHome } from '../../../testing/service-process.ts'

const second = 1000
const agents = 50
/** An agent that is asked to report every 30 s counts as offline after this time without a report. */
const silent = 90 * second
/** The `after` of the rule, in place of ten minutes. */
const after = 30 * second
/** Rules are evaluated every 15 s, and a message is sent at the latest a few seconds after its alert has changed. */
const [evaluated, sent] = [15 * second, 5 * second]

interface Message {
  at: number
  type: string
  data: { workspace: string; rule: string; since: string; subject: { kind: string; name: string } }
}

/** Starts a receiver that keeps every message with the time at which it came. */
async function receiver() {
  const messages: Message[] = []
  let came = Promise.withResolvers<void>()
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (piece) => {
      body += piece
    })
    request.on('end', () => {
      messages.push({ at: Date.now(), ...(JSON.parse(body) as Omit<Message, 'at'>) })
      response.end()
      came.resolve()
      came = Promise.withResolvers()
    })
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const next = async (what: string, seconds: number): Promise<Message | undefined> => {
    await within(() => `the message that ${what}`, came.promise, seconds)
    return messages.at(-1)
  }
  return { url, messages, next }
}

/** Starts a process that reports as the agent with this token. */
function startReporter(home: ServiceHome, token: string): ChildProcess {
  const program = join(import.meta.dirname, '../../../testing/reporter.ts')
  const env = { ...process.env, SVC_TEST_TOKEN: token }
  const child = spawn(process.execPath, [program, home.url], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

/** Waits for the next report of the process that the service takes, and returns its time. */
async function reported({ stdout }: ChildProcess): Promise<number> {
  if (!stdout) throw new Error('The process has no output.')
  const [line] = (await within(() => 'a report', once(stdout, 'data'))) as [Buffer]
  return Number(String(line).trim().split('\n').at(-1))
}

test.skipIf(level !== 'long')(
  'in real time: 1 of 50 agents is killed, and one message comes when it has been offline for long enough, and one when it is back',
  async () => {
    const home = await newServiceHome({ SVC_OUTBOUND_ALLOW: '127.0.0.0/8' })
    await home.start()
    const { token } = await populate(home)
    const { url, messages, next } = await receiver()
    await home.value(['channel', 'add', 'north', 'hook', '--kind', 'webhook', '--url', url, '--format', 'single'])
    await home.value(['rule', 'set', 'north', 'silent', '--after', `${after / second}s`])
    for (let i = 1; i < agents; i++) {
      const other = await home.value<{ token: string }>(['agent', 'create', `north/agent-${i}`])
      startReporter(home, other.token).stdout?.resume()
    }
    const killed = startReporter(home, token)
    await reported(killed)
    const seen = async () =>
      (await home.value<{ seenAt: number | null }[]>(['agent', 'list', 'north'])).map((a) => a.seenAt)
    await eventually('all agents have reported', async () => expect(await seen()).not.toContain(null), {
      ...{ seconds: 60, everyMs: 1000 },
    })
    expect(await seen()).toHaveLength(agents)

    const last = await reported(killed)
    killed.kill('SIGKILL')
    const due = last + silent + after
    const opened = await next('opens the alert', (silent + after + evaluated + 4 * sent) / second)
    expect(opened).toMatchObject({
      type: 'alert.opened',
      data: { workspace: 'north', rule: 'silent', subject: { kind: 'agent', name: 'mail' } },
    })
    expect(opened?.at).toBeGreaterThanOrEqual(due - second)
    expect(opened?.at).toBeLessThanOrEqual(due + evaluated + sent)
    const since = Date.parse(opened?.data.since ?? '')
    expect(Math.abs(since - last - silent)).toBeLessThanOrEqual(2 * second)

    const back = await reported(startReporter(home, token))
    const ended = await next('ends the alert', (after + 2 * evaluated + 4 * sent) / second)
    expect(ended).toMatchObject({ type: 'alert.ended', data: { subject: { name: 'mail' } } })
    expect(ended?.at).toBeGreaterThanOrEqual(back + after - second)
    expect(ended?.at).toBeLessThanOrEqual(back + after + 2 * evaluated + sent)
    // Two more evaluations say nothing: the other agents reported all the time.
    await sleep(2 * evaluated + sent)
    expect(messages.map(({ type }) => type)).toEqual(['alert.opened', 'alert.ended'])
    console.log(
      `The message came ${((opened?.at ?? 0) - due) / second} s after it was due, and the end ${((ended?.at ?? 0) - back) / second} s after the first report.`,
    )
  },
  10 * 60_000,
)

/**
 * Measures how soon a first message is sent while receivers of other people hang: mails about accounts, and messages
 * about alerts to each kind of receiver. The service is a process as people run it, and all receivers are real servers
 * on this machine. On both databases.
 *
 *   npm run bench -- messages [--rounds 100]
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { startDatabase } from './common/postgres.ts'
import { startService } from './common/service.ts'
import { fixed, table } from './common/table.ts'
import { valueAt } from './common/times.ts'
import { cpuSeconds } from './common/usage.ts'
import { type Caller, caller } from './messages/calls.ts'
import { type MessageKind, messageKinds, queuedKinds, storeFirstMessages } from './messages/kinds.ts'
import { askForSlowMails, storeHanging, waitingText } from './messages/pressure.ts'
import { type Receivers, startReceivers } from './messages/receivers.ts'
import { addOwnWorkspace } from './messages/seed.ts'

/** The seconds within which 99 of 100 first messages must arrive. */
const maxSeconds = 10
/** The milliseconds from the beginning of the preparation until the first message. */
const prepareMs = 30_000
/** The seconds after the last message for which late ones are awaited. */
const lastSeconds = 60
const person = 'person-0@example.org'

interface MessageMeasurement {
  engine: string
  times: ReadonlyMap<MessageKind, readonly number[]>
  /** The share of a core that the service used. */
  cpu: number
  /** A part of a sentence: the messages that still waited for hanging receivers when the last round had started. */
  waiting: string
}

export async function benchMessages(args: string[]): Promise<string> {
  const { values } = parseArgs({ args, options: { rounds: { type: 'string', default: '100' } } })
  const rounds = Number(values.rounds)
  const all = [await measure('SQLite', rounds)]
  const postgres = await startDatabase()
  try {
    all.push(await measure(`PostgreSQL ${postgres.version}`, rounds, postgres.url))
  } finally {
    await postgres.stop()
  }
  const rows = all.flatMap(({ engine, times }) =>
    [...times].map(([kind, seconds]) => {
      const p99 = valueAt(seconds, 0.99)
      const [p50, last] = [valueAt(seconds, 0.5), valueAt(seconds, 1)]
      return [
        engine,
        kind,
        fixed(p50, 2),
        fixed(p99, 2),
        fixed(last, 2),
        `${maxSeconds}${p99 > maxSeconds ? ' (ABOVE)' : ''}`,
      ]
    }),
  )
  return [
    `${rounds} messages of each kind, one a second, each to a receiver to which nothing was ever sent; seconds from the request, or from the moment at which a message about an alert is due, until it has arrived.`,
    table(['database', 'first message', 'p50 s', 'p99 s', 'slowest s', 'limit of p99'], rows),
    ...all.map(
      ({ engine, cpu, waiting }) =>
        `${engine}: at the end ${waiting}. The service used ${fixed(cpu * 100)}% of a core.`,
    ),
  ].join('\n\n')
}

async function measure(engine: string, rounds: number, url?: string): Promise<MessageMeasurement> {
  console.error(`messages: ${engine}`)
  const receivers = await startReceivers()
  const service = await startService(0, {
    people: [person],
    env: {
      SVC_SMTP_URL: receivers.mails,
      SVC_MAIL_FROM: 'svc@example.org',
      SVC_OUTBOUND_ALLOW: '127.0.0.0/8',
      // Each request comes from another address, since one address may ask for few passwords.
      SVC_TRUSTED_PROXIES: '127.0.0.1',
      SVC_LOG_LEVEL: 'error',
      ...(url !== undefined && { SVC_DATABASE_URL: url }),
    },
  })
  try {
    const start = Date.now() + prepareMs
    await service.offline((store) =>
      store.db.transaction().execute(async (db) => {
        const scene = { service, store: { ...store, db }, person, receivers }
        const { id: full } = await addOwnWorkspace(scene, 'full')
        await storeHanging(scene, full)
        await storeFirstMessages(scene, { full, rounds, start })
      }),
    )
    const call = await caller({ service, person })
    await askForSlowMails(call)
    if (Date.now() > start) throw new Error('The preparation took too long.')
    await sleep(Math.max(0, start - Date.now()))
    const before = cpuSeconds(service.pid)
    const arrivals: Promise<readonly [MessageKind, number]>[] = []
    for (let round = 0; round < rounds; round++) {
      await sleep(Math.max(0, start + round * 1000 - Date.now()))
      for (const kind of messageKinds) arrivals.push(arrivalOf(kind, { round, call, receivers }))
    }
    const cpu = (cpuSeconds(service.pid) - before) / ((Date.now() - start) / 1000)
    const store = service.open()
    const waiting = await waitingText(store)
    await store.close()
    const times = Map.groupBy(await Promise.all(arrivals), ([kind]) => kind)
    return {
      engine,
      times: new Map([...times].map(([kind, list]) => [kind, list.map(([, seconds]) => seconds)])),
      cpu,
      waiting,
    }
  } finally {
    await service.stop()
    receivers.close()
  }
}

/** Queues a message of this kind, unless it is stored already, and returns the seconds until its receiver has it. */
async function arrivalOf(
  kind: MessageKind,
  { round, call, receivers }: { round: number; call: Caller; receivers: Receivers },
): Promise<readonly [MessageKind, number]> {
  const { name, ask } = queuedKinds[kind]
  const from = Date.now()
  await ask?.(call, round)
  const at = await receivers.arrival(name(round), lastSeconds * 1000)
  return [kind, (at - from) / 1000]
}

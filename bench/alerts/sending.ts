/**
 * Measures how soon a message leaves while receivers of other workspaces hang: ten workspaces with 50 channels each,
 * whose receivers accept a connection and say nothing, and 480 messages wait for each of them. Every second one message
 * to a receiver that answers becomes due in an eleventh workspace.
 */
import { createServer } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { createHeartbeat } from '../../packages/server/src/alerts/evaluation/heartbeat.ts'
import type { AlertChange } from '../../packages/server/src/alerts/messages/message.ts'
import { alertWriter } from '../../packages/server/src/alerts/messages/writing.ts'
import { newSigningSecret } from '../../packages/server/src/deliveries/channels/webhook.ts'
import { createDispatcher } from '../../packages/server/src/deliveries/dispatcher.ts'
import { enqueueDeliveries } from '../../packages/server/src/deliveries/store.ts'
import type { Store } from '../../packages/server/src/platform/db/open.ts'
import { seal, sealKeyOf } from '../../packages/server/src/platform/seal.ts'
import { addWorkspace } from '../../packages/server/testing/test-workspace.ts'
import { fixed } from '../common/table.ts'
import { valueAt } from '../common/times.ts'

type EmbeddedStore = Extract<Store, { engine: 'sqlite' }>

const key = sealKeyOf('a secret of at least thirty-two characters')
const [workspaces, channelsEach, deliveriesEach] = [10, 50, 480]
/** The seconds within which 99 of 100 messages to a receiver that answers must leave. */
const maxSeconds = 5

export async function benchSending(store: EmbeddedStore, seconds: number): Promise<string> {
  const receivers = await startReceivers()
  const good = await prepare(store, receivers.hanging, receivers.good)
  const warned: string[] = []
  const log = { warn: (_facts: object, text: string) => void warned.push(text) } as never
  const dispatcher = createDispatcher({
    ...{ store, log, now: Date.now, node: 'bench', key, allowed: ['127.0.0.0/8'], senders: {} },
    writer: alertWriter('https://svc.example.org'),
  })
  const { lookedAt } = dispatcher
  const heartbeat = createHeartbeat({ url: receivers.heartbeat, log, lookedAt })
  dispatcher.start()
  const used = process.cpuUsage()
  const times: number[] = []
  for (let second = 0; second < seconds; second++) {
    const dueAt = Date.now()
    const arrived = receivers.next()
    await enqueueDeliveries(store.db, [good], changeOf(second, dueAt), dueAt)
    await store.db
      .insertInto('alert_lease')
      .values({ id: 1, holder: 'bench', until_at: 0, turned_at: dueAt })
      .onConflict((oc) => oc.column('id').doUpdateSet({ turned_at: dueAt }))
      .execute()
    await heartbeat.sendIfDue(store.db, dueAt)
    times.push((await arrived) - dueAt)
    await sleep(Math.max(0, dueAt + 1000 - Date.now()))
  }
  const { user, system } = process.cpuUsage(used)
  await dispatcher.stop()
  await heartbeat.settled()
  receivers.close()
  const at = (share: number) => valueAt(times, share) / 1000
  const wanted = Math.ceil(seconds / 60)
  const beats = receivers.beats()
  return [
    `${workspaces * channelsEach} channels of ${workspaces} workspaces hang, with ${deliveriesEach} messages each. Of ${seconds} messages to a channel of another workspace, half left within ${fixed(at(0.5), 2)} s, 99 of 100 within ${fixed(at(0.99), 2)} s${at(0.99) > maxSeconds ? ` (ABOVE ${maxSeconds} s)` : ''}, and the slowest after ${fixed(at(1), 2)} s.`,
    `The heartbeat was sent ${beats} times; ${wanted} were due${beats < wanted ? ' (BELOW)' : ''}. Sending took ${fixed(((user + system) / 1e6 / seconds) * 100)} % of a core.`,
  ].join(' ')
}

async function startReceivers() {
  const sockets = new Set<Socket>()
  const hanging = createTcpServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).resume()
    socket.once('close', () => sockets.delete(socket))
  })
  let arrived: (at: number) => void = () => {}
  let beats = 0
  const good = createServer((request, response) => {
    request.resume().once('end', () => {
      if (request.method === 'GET') beats++
      else arrived(Date.now())
      response.end()
    })
  })
  for (const server of [hanging, good]) await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const portOf = (server: Server) => (server.address() as AddressInfo).port
  return {
    hanging: `http://127.0.0.1:${portOf(hanging)}/hook`,
    good: `http://127.0.0.1:${portOf(good)}/hook`,
    heartbeat: `http://127.0.0.1:${portOf(good)}/ping`,
    beats: () => beats,
    /** The time at which the next message arrives. */
    next: () =>
      new Promise<number>((resolve) => {
        arrived = resolve
      }),
    close: () => {
      for (const socket of sockets) socket.destroy()
      hanging.close()
      good.closeAllConnections()
      good.close()
    },
  }
}

/** Stores the channels and the messages that wait, and returns the channel that works. */
async function prepare(store: EmbeddedStore, hanging: string, working: string) {
  const now = Date.now()
  const channel = store.sqlite.prepare(`insert into alert_channel
    (id, scope, workspace_id, owner, name, kind, format, enabled, shown, sealed, created_at, created_by_name, dead)
    values (?, ?, ?, '', ?, 'webhook', 'single', 1, '', ?, ?, 'bench', 0)`)
  const delivery = store.sqlite.prepare(`insert into alert_delivery
    (id, channel_id, seq, kind, changes, state, tries, created_at, due_at) values (?, ?, ?, 'alert', ?, 'waiting', 0, ?, ?)`)
  const add = (id: string, workspace: string, url: string) =>
    channel.run(id, workspace, workspace, id, seal(key, id, JSON.stringify({ url, secret: newSigningSecret() })), now)
  for (let w = 0; w < workspaces; w++) {
    const { id } = await addWorkspace(store, `hangs-${w}`, true, now)
    store.sqlite.exec('begin')
    for (let c = 0; c < channelsEach; c++) {
      const name = `hangs-${w}-${c}`
      add(name, id, hanging)
      for (let d = 0; d < deliveriesEach; d++)
        delivery.run(`${name}-${d}`, name, d, JSON.stringify([changeOf(`${name}-${d}`, now)]), now, now)
    }
    store.sqlite.exec('commit')
  }
  const { id } = await addWorkspace(store, 'works', true, now)
  add('works', id, working)
  return { id: 'works', format: 'single', grouped_at: null } as const
}

const changeOf = (id: number | string, at: number): AlertChange => ({
  ...{ type: 'alert.opened', at, id: `alert-${id}`, workspace: 'works', rule: 'bad', level: 'bad', since: at },
  ...{ subject: { kind: 'agent', name: 'mail-triage' }, endedAt: null, label: 'Disk full', detail: null },
  ...{ agents: null, acknowledgedBy: null, note: null, url: 'https://svc.example.org/w/works' },
})

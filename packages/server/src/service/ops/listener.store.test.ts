/** Tests the operator's port: the health of the service, and its metrics for Prometheus. */
import { once } from 'node:events'
import { request } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { text as textOf } from 'node:stream/consumers'
import type { StoppedBy } from '@svc/protocol'
import { sql } from 'kysely'
import { expect, test, vi } from 'vitest'
import { testConfig } from '../../../testing/service.ts'
import { onEveryEngine } from '../../../testing/stores.ts'
import { newTestWorkspace, type TestWorkspace } from '../../../testing/test-workspace.ts'
import { createMetrics } from '../../agent-api/reports/metrics.ts'
import type { Store } from '../../platform/db/open.ts'
import { fleetMetrics } from './fleet-metrics.ts'
import { healthOf } from './health.ts'
import { opsListener } from './listener.ts'
import { createRegistry } from './metrics.ts'

async function listening(
  { store, clock }: Pick<TestWorkspace, 'store' | 'clock'>,
  fleet?: () => Promise<readonly Uint8Array[]>,
) {
  const observed = { store, config: testConfig({ version: '1.2.3' }), now: clock.now }
  const registry = createRegistry({ ...observed, agents: createMetrics(), live: { size: 3 } })
  const server = opsListener({ registry, health: healthOf(store, Date.now), version: '1.2.3', fleet })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const ask = (path: string, method = 'GET') =>
    new Promise<{ status: number; type: string | undefined; text: string }>((resolve, reject) => {
      const asked = request({ port, host: '127.0.0.1', path, method, agent: false }, (answer) => {
        const replyOf = (text: string) => ({
          status: answer.statusCode ?? 0,
          type: answer.headers['content-type'],
          text,
        })
        textOf(answer).then(replyOf).then(resolve, reject)
      })
      asked.on('error', reject).end()
    })
  const close = () => new Promise((resolve) => server.close(resolve))
  return { ask, close, port }
}

/**
 * Adds agents that last reported `secondsAgo` seconds ago and were asked to report every 60 s; with undefined, agents
 * that have never reported.
 */
async function addAgents(
  w: TestWorkspace,
  count: number,
  secondsAgo: number | undefined,
  stopped: StoppedBy | null = null,
): Promise<void> {
  const id = (i: number) => `${secondsAgo ?? 'never'} ${stopped} ${i}`
  const created = { workspace_id: w.workspace.id, created_at: 1 }
  const rows = Array.from({ length: count }, (_, i) => ({ id: id(i), name: id(i), token_hash: id(i), ...created }))
  await w.store.db.insertInto('agent').values(rows).execute()
  if (secondsAgo === undefined) return
  const received_at = w.clock.now() - secondsAgo * 1000
  const kept = { received_at, interval_s: 60, controls: '[]', reporters: '', runs_kept: 0, body: '{}', stopped }
  const reports = rows.map(({ id }) => ({ agent_id: id, ...kept }))
  await w.store.db.insertInto('agent_report').values(reports).execute()
}

const addCommand = (w: TestWorkspace, state: 'queued' | 'delivered' | 'applied', due_at: number | null) =>
  w.store.db
    .insertInto('command')
    .values({
      id: `${state} ${Math.random()}`,
      agent_id: w.agent.id,
      type: 'pause',
      payload: '{}',
      state,
      created_at: w.clock.now(),
      due_at,
      created_by_name: 'Ada',
    })
    .execute()

onEveryEngine('the operator’s port', (open: () => Promise<Store>) => {
  test('reports with the version that the service is healthy, only to GET and HEAD', async () => {
    const store = await open()
    const { ask, close } = await listening(await newTestWorkspace(store))
    expect(await ask('/healthz')).toEqual({
      status: 200,
      type: 'application/json',
      text: '{"ok":true,"version":"1.2.3"}\n',
    })
    expect(await ask('/healthz?x=1', 'HEAD')).toMatchObject({ status: 200, text: '' })
    for (const [path, method] of [
      ['/healthz', 'POST'],
      ['/metrics', 'DELETE'],
      ['/', 'GET'],
      ['/healthz/', 'GET'],
    ] as const)
      expect([path, (await ask(path, method)).status]).toEqual([path, 404])
    await close()
    await store.close()
  })

  test('counts thousands of agents by when they were last seen, and the pending commands', async () => {
    const store = await open()
    const w = await newTestWorkspace(store) // The workspace starts with one agent that has never reported.
    await addAgents(w, 1100, 179)
    await addAgents(w, 1050, 181)
    await addAgents(w, 1000, undefined)
    await addAgents(w, 2, 181, 'person')
    for (const state of ['queued', 'queued', 'delivered'] as const) await addCommand(w, state, w.clock.now() + 1000)
    await addCommand(w, 'applied', null)
    const { ask, close } = await listening(w)
    const { status, text } = await ask('/metrics')
    expect(status).toBe(200)
    const lines = text.split('\n').filter((line) => /^svc_(?:agents|commands|live_subscribers|info)\b/.test(line))
    expect(lines.sort()).toEqual([
      'svc_agents{seen="never"} 1001',
      'svc_agents{seen="reporting"} 1100',
      'svc_agents{seen="silent"} 1050',
      'svc_agents{seen="stopped"} 2',
      'svc_commands{state="delivered"} 1',
      'svc_commands{state="queued"} 2',
      `svc_info{version="1.2.3",engine="${store.engine}"} 1`,
      'svc_live_subscribers 3',
    ])
    await close()
    await store.close()
  })
})

onEveryEngine('/metrics/fleet on the operator’s port', (open: () => Promise<Store>) => {
  test('exists only if it is wanted, and the answer to another address names what exists', async () => {
    const w = await newTestWorkspace(await open())
    const without = await listening(w)
    expect(await without.ask('/metrics/fleet')).toMatchObject({
      status: 404,
      text: 'There is /healthz and /metrics.\n',
    })
    await without.close()
    const { ask, close } = await listening(w, fleetMetrics({ db: w.store.db, now: w.clock.now, maxAgents: 10 }))
    const { status, type, text } = await ask('/metrics/fleet?x=1')
    expect([status, type]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8'])
    expect(text).toMatch(/^# HELP svc_agent_level .*\n# TYPE svc_agent_level gauge\n/)
    expect(text).toMatch(/\nsvc_agents_left_out 0\n$/)
    expect((await ask('/metrics')).text).not.toContain('svc_agent_')
    expect((await ask('/metrics/fleet', 'POST')).text).toBe('There is /healthz, /metrics and /metrics/fleet.\n')
    await close()
    await w.store.close()
  })

  test('a caller that hangs up in the middle costs nobody anything', async () => {
    const w = await newTestWorkspace(await open())
    const { ask, close, port } = await listening(w, async () =>
      Array.from({ length: 64 }, () => Buffer.alloc(1 << 20, 'x')),
    )
    const caller = connect(port, '127.0.0.1')
    caller.write('GET /metrics/fleet HTTP/1.1\r\nHost: x\r\n\r\n')
    await once(caller, 'data')
    caller.destroy()
    expect((await ask('/healthz')).status).toBe(200)
    await close()
    await w.store.close()
  })
})

onEveryEngine('the metrics of alerts', (open: () => Promise<Store>) => {
  test('say how many messages wait, and how old the last evaluation is', async () => {
    const w = await newTestWorkspace(await open())
    const turned = { id: 1, holder: 'x', until_at: 0, turned_at: w.clock.now() }
    await w.store.db.insertInto('alert_lease').values(turned).execute()
    w.clock.pass(20)
    const { ask, close } = await listening(w)
    const lines = (await ask('/metrics')).text.split('\n').filter((line) => line.startsWith('svc_alert'))
    expect(lines.sort()).toEqual([
      'svc_alert_deliveries_overdue 0',
      'svc_alert_deliveries_waiting 0',
      'svc_alert_delivery_overdue_seconds 0',
      'svc_alert_evaluation_age_seconds 20',
      'svc_alert_overdue_workspaces 0',
    ])
    await close()
    await w.store.close()
  })
})

onEveryEngine('the counts of commands', (open: () => Promise<Store>) => {
  test('forget a state without commands after five seconds', async () => {
    const w = await newTestWorkspace(await open())
    await addCommand(w, 'queued', w.clock.now() + 1000)
    const { ask, close } = await listening(w)
    const queued = async () => /svc_commands\{state="queued"\} (\d+)/.exec((await ask('/metrics')).text)?.[1]
    vi.useFakeTimers({ toFake: ['performance'] })
    try {
      expect(await queued()).toBe('1')
      await w.store.db.updateTable('command').set({ state: 'applied', due_at: null }).execute()
      vi.advanceTimersByTime(4999)
      expect(await queued()).toBe('1')
      vi.advanceTimersByTime(1)
      expect(await queued()).toBeUndefined()
    } finally {
      vi.useRealTimers()
      await close()
      await w.store.close()
    }
  })
})

onEveryEngine('a database that is gone', (open: () => Promise<Store>) => {
  test('is reported with 503 and a sentence', async () => {
    const store = await open()
    const { ask, close } = await listening(await newTestWorkspace(store))
    if (store.engine === 'sqlite') await sql`pragma query_only = on`.execute(store.db)
    else await store.close()
    const { status, text } = await ask('/healthz')
    expect([status, JSON.parse(text)]).toMatchObject([503, { ok: false, version: '1.2.3' }])
    await close()
    await store.close().catch(() => {})
  })
})

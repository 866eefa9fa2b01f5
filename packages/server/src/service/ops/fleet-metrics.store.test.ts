/** Tests `/metrics/fleet`: what each line says of an agent, who has lines, and that no turn is long. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { StoppedBy } from '@svc/protocol'
import { afterEach, expect, test, vi } from 'vitest'
import { level } from '../../../../../testing/level.ts'
import { alertRow } from '../../../testing/alert-row.ts'
import { onEveryEngine } from '../../../testing/stores.ts'
import { addAgent, addWorkspace, newTestWorkspace, type TestWorkspace } from '../../../testing/test-workspace.ts'
import type { Store } from '../../platform/db/open.ts'
import { dayNumber } from '../../platform/limits/units.ts'
import { fleetMetrics } from './fleet-metrics.ts'

type Level = 'ok' | 'info' | 'warn' | 'bad'
interface Reported {
  secondsAgo?: number
  level?: Level | null
  stopped?: StoppedBy | null
  body?: string
  warnings?: string
  usage?: string
}

/** The row of an agent's last report, which asks for a report every 60 s. */
const reportRow = (w: TestWorkspace, id: string, { secondsAgo = 10, body = '{"protocol":1}', ...rest }: Reported) => ({
  ...{ agent_id: id, received_at: w.clock.now() - secondsAgo * 1000, interval_s: 60, controls: '[]' },
  ...{ reporters: '', runs_kept: 0, body, level: null, ...rest },
})

async function reported(w: TestWorkspace, name: string, reports: Reported): Promise<string> {
  const { id } = await w.addAgent(name)
  await w.store.db
    .insertInto('agent_report')
    .values(reportRow(w, id, reports))
    .execute()
  return id
}

const withGauges = (...gauges: object[]) => JSON.stringify({ protocol: 1, gauges })

const textOf = (pieces: readonly Uint8Array[]) => Buffer.concat(pieces).toString()

/** The lines of the metrics whose names match, sorted. */
const linesIn = (text: string, names = /./) =>
  text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('# ') && names.test(line))
    .sort()

/** Answers as the service of this workspace does. */
function scraping({ store, clock }: TestWorkspace, maxAgents = 5000) {
  const ask = fleetMetrics({ db: store.db, now: clock.now, maxAgents })
  return async (names?: RegExp) => linesIn(textOf(await ask()), names)
}

afterEach(() => void vi.useRealTimers())

onEveryEngine('/metrics/fleet', (open: () => Promise<Store>) => {
  test('has the facts of each agent, and none that it does not know', async () => {
    const w = await newTestWorkspace(await open()) // The agent mail-triage has never reported.
    await reported(w, 'fine', { level: 'info' })
    await reported(w, 'late', { level: 'ok', warnings: '["status"]' })
    await reported(w, 'bad', { level: 'bad', secondsAgo: 1000 })
    await reported(w, 'mute', { secondsAgo: 1000, stopped: 'person' })
    expect(await scraping(w)(/^svc_(?!agent_cost)/)).toEqual([
      'svc_agent_level{workspace="north",agent="bad"} 2',
      'svc_agent_level{workspace="north",agent="fine"} 0',
      'svc_agent_level{workspace="north",agent="late"} 1',
      'svc_agent_offline{workspace="north",agent="bad"} 1',
      'svc_agent_offline{workspace="north",agent="fine"} 0',
      'svc_agent_offline{workspace="north",agent="late"} 0',
      'svc_agent_offline{workspace="north",agent="mail-triage"} 0',
      'svc_agent_offline{workspace="north",agent="mute"} 0',
      'svc_agent_report_age_seconds{workspace="north",agent="bad"} 1000',
      'svc_agent_report_age_seconds{workspace="north",agent="fine"} 10',
      'svc_agent_report_age_seconds{workspace="north",agent="late"} 10',
      'svc_agent_report_age_seconds{workspace="north",agent="mute"} 1000',
      'svc_agents_left_out 0',
    ])
    await w.store.close()
  })

  test('counts the costs of the day as the page does, with those that wait beside the last report', async () => {
    const w = await newTestWorkspace(await open())
    const today = dayNumber(w.clock.now())
    const waiting = JSON.stringify([[today, '', 1, 250_000, 0]])
    const id = await reported(w, 'coder', { usage: waiting })
    const sum = { agent_id: id, model: '', runs: 1, output_tokens: 0 }
    const rows = [
      { ...sum, day: today, cost_micro: 1_000_000 },
      { ...sum, day: today - 1, cost_micro: 9_000_000 },
      { ...sum, day: today, model: 'm', cost_micro: 5_000_000 },
    ]
    await w.store.db.insertInto('usage_day').values(rows).execute()
    expect(await scraping(w)(/^svc_agent_cost/)).toEqual([
      'svc_agent_cost_usd_today{workspace="north",agent="coder"} 1.25',
      'svc_agent_cost_usd_today{workspace="north",agent="mail-triage"} 0',
    ])
    await w.store.close()
  })

  test('has the first five gauges of an agent, whatever their names hold', async () => {
    const w = await newTestWorkspace(await open())
    const body = withGauges(
      { name: 'a "b" \\ c', used: 0.5 },
      { name: 'one\ntwo\r\u001b[31mred\u0000', used: -1 },
      { name: '\u202eevil\u2066', used: 1e21 },
      { name: 'evil', used: 7 },
      { name: 'no number' },
      { used: 3 },
      ...Array.from({ length: 44 }, (_, i) => ({ name: `g${i}`, used: i })),
    )
    await reported(w, 'watch', { body })
    await reported(w, 'broken', { body: '{' })
    const lines = await scraping(w)(/^svc_agent_gauge|^(?!svc_)/)
    const of = (name: string) => `svc_agent_gauge{workspace="north",agent="watch",gauge="${name}"}`
    expect(lines).toEqual(
      [
        `${of('a \\"b\\" \\\\ c')} 0.5`,
        `${of('one two[31mred\ufffd')} -1`,
        `${of('evil')} 1e+21`,
        `${of('g0')} 0`,
        `${of('g1')} 1`,
      ].sort(),
    )
    await w.store.close()
  })

  test('leaves out workspaces that are deleted or not activated, and alerts of the service', async () => {
    const store = await open()
    const w = await newTestWorkspace(store)
    const [gone, idle] = [
      await addWorkspace(store, 'gone', true, w.clock.now()),
      await addWorkspace(store, 'idle', false, w.clock.now()),
    ]
    await store.db
      .insertInto('workspace_deleted')
      .values({ workspace_id: gone.id, deleted_at: 1 } as never)
      .execute()
    for (const { id } of [gone, idle]) await addAgent(store, id, 'hidden', w.clock.now())
    const alerts = [
      alertRow(w.workspace, { id: 'one', name: 'one' }),
      alertRow(w.workspace, { id: 'two', name: 'two' }, { acknowledged_at: 5 }),
      alertRow(w.workspace, { id: 'three', name: 'three' }, { ended_at: 5 }),
      alertRow(w.workspace, { id: 'four', name: 'four' }, { opened_at: null, phase: 'pending' }),
      alertRow(gone, { id: 'five', name: 'five' }),
    ]
    await store.db.insertInto('alert').values(alerts).execute()
    const text = (await scraping(w)()).join('\n')
    expect(text).not.toMatch(/gone|idle|hidden/)
    expect(text).toContain('svc_alerts_open{workspace="north",rule="bad",level="bad"} 2')
    await store.close()
  })

  test('has the first agents by workspace and name, and says how many are left out', async () => {
    const store = await open()
    const w = await newTestWorkspace(store)
    const south = await addWorkspace(store, 'south', true, w.clock.now())
    for (const name of ['zoo', 'ant']) await w.addAgent(name)
    for (const name of ['a', 'b']) await addAgent(store, south.id, name, w.clock.now())
    expect(await scraping(w, 4)(/offline|left_out/)).toEqual([
      'svc_agent_offline{workspace="north",agent="ant"} 0',
      'svc_agent_offline{workspace="north",agent="mail-triage"} 0',
      'svc_agent_offline{workspace="north",agent="zoo"} 0',
      'svc_agent_offline{workspace="south",agent="a"} 0',
      'svc_agents_left_out 1',
    ])
    await store.close()
  })

  test('is computed at most once in ten seconds, costs and gauges once a minute', async () => {
    const w = await newTestWorkspace(await open())
    const id = await reported(w, 'coder', { level: 'ok', body: withGauges({ name: 'disk', used: 1 }) })
    vi.useFakeTimers({ toFake: ['performance'] })
    const scrape = scraping(w)
    const seen = async () => (await scrape(/^svc_agent_(?:gauge|level)/)).map((line) => line.at(-1))
    expect(await seen()).toEqual(['1', '0'])
    const later = { level: 'bad', body: withGauges({ name: 'disk', used: 2 }) } as const
    await w.store.db.updateTable('agent_report').set(later).where('agent_id', '=', id).execute()
    vi.advanceTimersByTime(9_999)
    expect(await seen()).toEqual(['1', '0'])
    vi.advanceTimersByTime(1)
    expect(await seen()).toEqual(['1', '2'])
    vi.advanceTimersByTime(50_000)
    expect(await seen()).toEqual(['2', '2'])
    await w.store.close()
  })

  test.skipIf(level === 'short')(
    '5,000 agents with 50 gauges are read and written in short turns, once for two callers',
    async () => {
      const w = await newTestWorkspace(await open())
      const body = withGauges(...Array.from({ length: 50 }, (_, i) => ({ name: `gauge ${i} "of" an agent`, used: i })))
      for (let i = 0; i < 5000; i += 500) {
        const ids = Array.from({ length: 500 }, (_, j) => `agent-${String(i + j).padStart(4, '0')}`)
        const made = { workspace_id: w.workspace.id, created_at: 1 }
        const agents = ids.map((id) => ({ id, name: id, token_hash: id, ...made }))
        await w.store.db.insertInto('agent').values(agents).execute()
        const reports = ids.map((id) => reportRow(w, id, { level: 'ok', body }))
        await w.store.db.insertInto('agent_report').values(reports).execute()
      }
      const ask = fleetMetrics({ db: w.store.db, now: w.clock.now, maxAgents: 5000 })
      let isAsking = true
      const turns = (async () => {
        let count = 0
        while (isAsking) {
          await nextTurn()
          count += 1
        }
        return count
      })()
      const [first, second] = await Promise.all([ask(), ask()])
      isAsking = false
      // Eight bodies are read in a turn, so reports are answered between them.
      expect(await turns).toBeGreaterThan(5000 / 8)
      expect(second).toBe(first)
      const lines = linesIn(textOf(first))
      expect(lines.filter((line) => line.startsWith('svc_agent_gauge'))).toHaveLength(25_000)
      expect(lines.filter((line) => line.startsWith('svc_agent_offline'))).toHaveLength(5000)
      expect(lines.at(-1)).toBe('svc_agents_left_out 1')
      await w.store.close()
    },
  )
})

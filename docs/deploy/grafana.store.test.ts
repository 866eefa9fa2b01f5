/** Checks that every expression of the dashboard for Grafana names metrics and labels that a scrape has. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Store } from '../../packages/server/src/platform/db/open.ts'
import { fleetMetrics } from '../../packages/server/src/service/ops/fleet-metrics.ts'
import { alertRow } from '../../packages/server/testing/alert-row.ts'
import { onEveryEngine } from '../../packages/server/testing/stores.ts'
import { newTestWorkspace, type TestWorkspace } from '../../packages/server/testing/test-workspace.ts'

interface Target {
  expr: string
  legendFormat: string
}
interface Dashboard {
  panels: readonly { title: string; targets: readonly Target[] }[]
  templating: { list: readonly { type: string; query: string }[] }
}
const dashboard = JSON.parse(readFileSync(join(import.meta.dirname, 'grafana.json'), 'utf8')) as Dashboard

/** A metric that an expression reads, and the labels that it names beside the metric. */
interface Named {
  metric: string
  labels: readonly string[]
}

/** The metrics in an expression of PromQL or of a variable, with the labels that its selectors and `by (…)` name. */
function namedIn({ expr, legendFormat }: Target): Named[] {
  const grouped = [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, labels = '']) => labels.split(/,\s*/))
  const shown = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = '']) => label)
  return [...expr.matchAll(/\b(svc_\w+)(?:\{([^}]*)\})?(?:, (\w+)\))?/g)].map(
    ([, metric = '', selector = '', variable]) => ({
      metric,
      labels: [
        ...[...selector.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label = '']) => label),
        ...(variable === undefined ? [] : [variable]),
        ...grouped,
        ...shown,
      ],
    }),
  )
}

const queries: Target[] = [
  ...dashboard.panels.flatMap(({ targets }) => targets),
  ...dashboard.templating.list
    .filter(({ type }) => type === 'query')
    .map(({ query }) => ({ expr: query, legendFormat: '' })),
]

/** Gives a workspace something for each metric. */
async function furnish({ store: { db }, clock, agent, workspace }: TestWorkspace): Promise<void> {
  const body = JSON.stringify({ protocol: 1, gauges: [{ name: 'Disk', used: 0.4 }] })
  const report = { agent_id: agent.id, received_at: clock.now(), interval_s: 60, controls: '[]', reporters: '' }
  await db
    .insertInto('agent_report')
    .values({ ...report, runs_kept: 0, body, level: 'bad' })
    .execute()
  await db.insertInto('alert').values(alertRow(workspace, agent)).execute()
}

onEveryEngine('grafana.json', (open: () => Promise<Store>) => {
  test('reads nothing that a scrape does not have', async () => {
    const w = await newTestWorkspace(await open())
    await furnish(w)
    const text = Buffer.concat([
      ...(await fleetMetrics({ db: w.store.db, now: w.clock.now, maxAgents: 10 })()),
    ]).toString()
    const scraped = new Map(
      [...text.matchAll(/^(svc_\w+)(?:\{(.*)\})? /gm)].map(([, metric, labels = '']) => [
        metric,
        [...labels.matchAll(/(\w+)="/g)].map(([, label]) => label),
      ]),
    )
    expect(queries.length).toBeGreaterThan(8)
    for (const query of queries) {
      const named = namedIn(query)
      expect(named, query.expr).not.toEqual([])
      for (const { metric, labels } of named) {
        expect([...scraped.keys()], query.expr).toContain(metric)
        expect(scraped.get(metric), query.expr).toEqual(expect.arrayContaining([...labels]))
      }
    }
    await w.store.close()
  })

  test('has a panel for each metric', async () => {
    const w = await newTestWorkspace(await open())
    const text = Buffer.concat([
      ...(await fleetMetrics({ db: w.store.db, now: w.clock.now, maxAgents: 10 })()),
    ]).toString()
    const metrics = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, metric]) => metric)
    expect(metrics.sort()).toEqual([...new Set(queries.flatMap(namedIn).map(({ metric }) => metric))].sort())
    await w.store.close()
  })
})

/**
 * Tests that a node which is killed while alerts open loses no message and sends no id with two bodies. `npm test`
 * leaves this out. packages/server/src/alerts/evaluation/evaluator.store.test.ts proves the same rules.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { afterThisTest } from '../../../../../testing/cleaning.ts'
import { byLevel } from '../../../../../testing/level.ts'
import { newSqliteFile } from '../../../testing/stores.ts'
import { newTestWorkspace, type TestWorkspace } from '../../../testing/test-workspace.ts'
import { newSigningSecret } from '../../deliveries/channels/webhook.ts'
import { openEmbedded, type Store } from '../../platform/db/open.ts'
import { newId } from '../../platform/ids.ts'
import { seal, sealKeyOf } from '../../platform/seal.ts'

const kills = byLevel(5, 5, 100)
const agents = byLevel(100, 100, 500)
const secret = 'a secret of at least thirty-two characters'
/**
 * With each start, the clock of the node is set ahead by this much more. So a delivery that the killed node had claimed
 * is free again.
 */
const shiftMs = 10 * 60_000

/** A receiver that takes every message, and calls `got` for each. */
async function receiver(got: (id: string, body: string) => void): Promise<string> {
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (piece) => {
      body += piece
    })
    request.on('end', () => {
      got(String(request.headers['webhook-id']), body)
      response.end()
    })
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  afterThisTest(() => {
    server.closeAllConnections()
    return new Promise((closed) => server.close(closed))
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

function start(file: string, round: number): ChildProcess {
  const program = join(import.meta.dirname, '../../../testing/alerting.ts')
  const child = spawn(process.execPath, [program, file, String(round * shiftMs)], {
    env: { ...process.env, SVC_TEST_SECRET: secret },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  afterThisTest(() => child.kill('SIGKILL'))
  return child
}

test('a node that is killed while many alerts open sends each of them, and no id with two bodies', {
  timeout: kills * 60_000,
}, async () => {
  const bodies = new Map<string, Set<string>>()
  let onMessage = () => {}
  let seen = 0
  const url = await receiver((id, body) => {
    seen++
    bodies.set(id, (bodies.get(id) ?? new Set<string>()).add(body))
    onMessage()
  })
  const file = await newSqliteFile()
  const store = openEmbedded(file)
  await prepare(await newTestWorkspace(store), store, url)
  await store.close()
  for (let round = 0; round < kills; round++) {
    const child = start(file, round)
    const gone = once(child, 'exit')
    const enough = Promise.withResolvers<void>()
    const until = seen + 1 + ((round * 37) % Math.ceil((2 * agents) / (3 * kills)))
    onMessage = () => (seen >= until ? enough.resolve() : undefined)
    // The first node is killed after 700 ms even if it has sent nothing by then, for example because it still
    // evaluates.
    if (round === 0) setTimeout(enough.resolve, 700)
    await Promise.race([enough.promise, gone])
    child.kill('SIGKILL')
    await gone
  }
  onMessage = () => {}
  const [code] = await once(start(file, kills), 'exit')
  expect(code).toBe(0)

  const after = openEmbedded(file)
  const alerts = await after.db.selectFrom('alert').select('id').where('rule', '=', 'bad').execute()
  const deliveries = await after.db.selectFrom('alert_delivery').select(['id', 'state']).execute()
  await after.close()
  expect(alerts).toHaveLength(agents)
  const sent = [...bodies.values()].map(([body = '{}']) => (JSON.parse(body) as { data: { id: string } }).data.id)
  expect(sent.toSorted()).toEqual(alerts.map(({ id }) => id).toSorted())
  expect([...bodies.values()].filter(({ size }) => size !== 1)).toEqual([])
  expect([...bodies.keys()].toSorted()).toEqual(deliveries.map(({ id }) => id).toSorted())
  expect(new Set(deliveries.map(({ state }) => state))).toEqual(new Set(['sent']))
})

/** Creates agents whose level is bad, sets the rule `bad` to open alerts at once, and adds a channel. */
async function prepare(w: TestWorkspace, store: Store, url: string): Promise<void> {
  const now = Date.now()
  const workspace = { scope: w.workspace.id, workspace_id: w.workspace.id }
  // Without this setting the alerts would be repeated: the clocks of later nodes are hours ahead.
  const rule = { limit_micro: null, statuses: null, channels: null, reminds: 0 }
  await store.db
    .insertInto('alert_rule')
    .values({ ...workspace, ...rule, rule: 'bad', is_on: 1, after_s: 0 })
    .execute()
  const id = newId(now)
  await store.db
    .insertInto('alert_channel')
    .values({
      ...{ ...workspace, id, person_id: null, owner: '', name: 'hook', kind: 'webhook', format: 'single' },
      ...{
        enabled: 1,
        disabled_why: null,
        shown: '',
        sealed: seal(sealKeyOf(secret), id, JSON.stringify({ url, secret: newSigningSecret() })),
      },
      ...{ created_at: now, created_by_name: 'Ada', last_answer: null, last_at: null, grouped_at: null },
      ...{ failing_since: null, dead: 0 },
    })
    .execute()
  const rows = Array.from({ length: agents }, (_, i) => ({ id: newId(now), name: `agent-${i}` }))
  const about = { workspace_id: w.workspace.id, created_at: now, created_by: null, blueprint: null }
  for (const row of rows)
    await store.db
      .insertInto('agent')
      .values({ ...row, ...about, token_hash: row.id })
      .execute()
  // The last reports are in the future, so no agent goes offline although the nodes' clocks are set ahead.
  const report = {
    received_at: now + (kills + 2) * shiftMs,
    level: 'bad' as const,
    controls: '[]',
    interval_s: 30,
    signs: '',
  }
  for (const row of rows)
    await store.db
      .insertInto('agent_report')
      .values({ agent_id: row.id, ...report, reporters: '', runs_kept: 0, body: '{}' })
      .execute()
}

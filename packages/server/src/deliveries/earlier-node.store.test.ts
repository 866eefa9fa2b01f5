/**
 * Tests that a node of the previous version can send beside a new one, on the same channels. Only PostgreSQL has
 * several nodes.
 */
import { setImmediate as turn } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { byLevel } from '../../../../testing/level.ts'
import * as earlier from '../../testing/earlier/sender.ts'
import { openTestPostgres } from '../../testing/stores.ts'
import { newTestWorkspace } from '../../testing/test-workspace.ts'
import { claimDeliveries } from './claiming.ts'
import { settleDelivery } from './settling.ts'
import { dueChannels, enqueueDeliveries } from './store.ts'
import type { MessageWriter } from './writer.ts'

interface TestChange {
  id: string
  says: string
}
const text = { title: 'x', lines: [], url: '', level: null }
const writer: MessageWriter<TestChange> = {
  fold: (all) =>
    all.filter(({ id, says }) => says === 'ended' || !all.some((other) => other.id === id && other.says === 'ended')),
  write: (_channel, all) => ({ body: JSON.stringify(all.map(({ id, says }) => `${id} ${says}`)), text }),
  test: () => ({ body: '[]', text }),
}
const steps = ['opened', 'acknowledged', 'ended'] as const
const numRuns = byLevel(5, 15, 300)

test.each(['single', 'grouped'] as const)(
  'no message is lost, and none has two bodies or is accepted twice (%s)',
  async (format) => {
    const w = await newTestWorkspace(await openTestPostgres())
    const { store, clock } = w
    const moves = fc.array(
      fc.record({
        alert: fc.constantFrom('a', 'b', 'c'),
        by: fc.constantFrom('new', 'earlier'),
        taken: fc.boolean(),
        pass: fc.nat(40),
      }),
      { minLength: 1, maxLength: 12 },
    )
    await fc.assert(
      fc.asyncProperty(moves, async (played) => {
        const channel = await addChannel(w, format)
        const bodies = new Map<string, Set<string>>()
        const accepted: { id: string; changes: string[] }[] = []
        const receives = (id: string, body: string, taken: boolean) => {
          bodies.set(id, (bodies.get(id) ?? new Set()).add(body))
          if (taken) accepted.push({ id, changes: JSON.parse(body) as string[] })
        }
        const newNode = async (taken: boolean) => {
          if (!(await dueChannels(store, { node: 'new', now: clock.now() })).some(({ id }) => id === channel)) return
          const at = { now: clock.now(), random: 0.5, node: 'new' }
          const { claimed } = await claimDeliveries(store, { channelId: channel, writer, ...at })
          if (!claimed) return
          await turn()
          receives(claimed.row.id, claimed.written.body, taken)
          const message = ''
          await settleDelivery(
            store,
            claimed.row.id,
            { is: 'status', status: taken ? 200 : 503, retryAfter: undefined, message },
            at,
          )
        }
        const earlierNode = async (taken: boolean) => {
          if (!(await earlier.dueChannels(store, clock.now())).includes(channel)) return
          for (const row of await earlier.claim(store, channel, writer, clock.now())) {
            await turn()
            receives(row.id, (JSON.parse(row.body ?? '') as { body: string }).body, taken)
            await earlier.settle(store, row.id, taken, clock.now())
          }
        }
        const both = (taken: boolean) => Promise.all([newNode(taken), earlierNode(taken)])
        const made = new Map<string, string[]>()
        for (const { alert, by, taken, pass } of played) {
          const before = made.get(alert) ?? []
          const says = steps[before.length]
          if (says !== undefined) {
            made.set(alert, [...before, says])
            const change: TestChange = { id: alert, says }
            if (by === 'new')
              await enqueueDeliveries(store.db, [{ id: channel, format, grouped_at: null }], change, clock.now())
            else await earlier.enqueue(store.db, channel, change, clock.now())
          }
          await both(taken)
          clock.pass(pass)
        }
        for (let round = 0; (await waiting(w, channel)) > 0; round++) {
          if (round > 100) throw new Error('A message is never sent.')
          clock.pass(60)
          await both(true)
        }
        expect([...bodies.values()].filter((all) => all.size > 1)).toEqual([])
        expect(new Set(accepted.map(({ id }) => id)).size).toBe(accepted.length)
        // The last change of each alert arrives. Earlier ones may be part of it.
        const arrived = accepted.flatMap(({ changes }) => changes)
        for (const [alert, all] of made) expect(arrived).toContain(`${alert} ${all.at(-1)}`)
        await store.db.deleteFrom('alert_channel').where('id', '=', channel).execute()
      }),
      { numRuns },
    )
  },
)

const waiting = async ({ store: { db } }: Awaited<ReturnType<typeof newTestWorkspace>>, channel: string) =>
  (
    await db
      .selectFrom('alert_delivery')
      .select('id')
      .where('channel_id', '=', channel)
      .where('state', '=', 'waiting')
      .execute()
  ).length

async function addChannel(
  { store: { db }, clock, workspace }: Awaited<ReturnType<typeof newTestWorkspace>>,
  format: 'single' | 'grouped',
): Promise<string> {
  const id = `channel-${clock.now()}`
  clock.pass(1)
  await db
    .insertInto('alert_channel')
    .values({
      ...{ id, scope: workspace.id, workspace_id: workspace.id, owner: '', name: id, kind: 'webhook', format },
      ...{ enabled: 1, shown: '', sealed: '', created_at: 0, created_by_name: 'Ada', dead: 0 },
    })
    .execute()
  return id
}

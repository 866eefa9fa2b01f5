/**
 * Simulates changes, answers, retries and kills with two nodes on one channel, and checks what the receiver accepted.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { byLevel } from '../../../../testing/level.ts'
import { onBothEngines } from '../../testing/stores.ts'
import { newTestWorkspace } from '../../testing/test-workspace.ts'
import { newId } from '../platform/ids.ts'
import { seal, sealKeyOf } from '../platform/seal.ts'
import { freeLeases } from '../service/sweeper/stored-times.ts'
import { newSigningSecret } from './channels/webhook.ts'
import { claimDeliveries } from './claiming.ts'
import { createDispatcher } from './dispatcher.ts'
import { enqueueDeliveries } from './store.ts'
import type { MessageWriter } from './writer.ts'

interface TestChange {
  id: string
  says: string
}
const steps = ['opened', 'acknowledged', 'reminder', 'ended'] as const
const writer: MessageWriter<TestChange> = {
  fold: (all) =>
    all.filter(({ id, says }) => says === 'ended' || !all.some((other) => other.id === id && other.says === 'ended')),
  write: (_channel, all) => ({
    body: JSON.stringify(all.map(({ id, says }) => `${id} ${says}`)),
    text: { title: '', lines: [], url: '', level: null },
  }),
  test: () => ({ body: '[]', text: { title: '', lines: [], url: '', level: null } }),
}
const key = sealKeyOf('a secret of at least thirty-two characters')

const moves = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      is: fc.constant('change' as const),
      alert: fc.constantFrom('a', 'b'),
      skew: fc.integer({ min: -20, max: 20 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      is: fc.constant('both' as const),
      answers: fc.array(fc.constantFrom(200, 200, 500, 503), { minLength: 1, maxLength: 4 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ is: fc.constant('kill' as const), node: fc.constantFrom('a', 'b') }) },
  { weight: 3, arbitrary: fc.record({ is: fc.constant('pass' as const), seconds: fc.integer({ min: 1, max: 400 }) }) },
)

onBothEngines('two nodes on one channel', (open) => {
  test.each(['single', 'grouped'] as const)('keep the order of the messages about each alert (%s)', async (format) => {
    const w = await newTestWorkspace(await open())
    const { db } = w.store
    const seen: { id: string; body: string; status: number }[] = []
    let answers: number[] = []
    const server = createServer((request, response) => {
      let body = ''
      request.on('data', (piece) => {
        body += piece
      })
      request.on('end', () => {
        const status = answers.shift() ?? 200
        seen.push({ id: String(request.headers['webhook-id']), body, status })
        response.writeHead(status).end()
      })
    })
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    const parts = { store: w.store, log: { warn: () => {} }, now: w.clock.now, key, allowed: ['127.0.0.0/8'] }
    const [first, second] = ['a', 'b'].map((node) =>
      createDispatcher({ ...parts, node, senders: {}, writer, random: () => 0.5 }),
    )
    const both = () => Promise.all([first?.dispatch(), second?.dispatch()])

    await fc.assert(
      fc.asyncProperty(fc.array(moves, { maxLength: 16 }), async (played) => {
        const channelId = newId(w.clock.now())
        await db
          .insertInto('alert_channel')
          .values({
            ...{ id: channelId, scope: w.workspace.id, workspace_id: w.workspace.id, owner: '', name: channelId },
            ...{ kind: 'webhook', format, enabled: 1, shown: '', created_at: 0, created_by_name: 'Ada', dead: 0 },
            sealed: seal(key, channelId, JSON.stringify({ url, secret: newSigningSecret() })),
          })
          .execute()
        seen.length = 0
        const made = new Map<string, string[]>()
        for (const move of played) {
          if (move.is === 'pass') w.clock.pass(move.seconds)
          else if (move.is === 'kill') {
            // The node took a message and was killed before it stored the outcome.
            const taken = { channelId, node: `${move.node} that was killed`, writer, now: w.clock.now(), random: 0.5 }
            await claimDeliveries(w.store, taken)
            if (w.store.engine === 'sqlite') await freeLeases(w.store)
          } else if (move.is === 'both') {
            answers = [...move.answers]
            await both()
            answers = []
          } else {
            const before = made.get(move.alert) ?? []
            const says = steps[before.length]
            if (says === undefined) continue
            made.set(move.alert, [...before, says])
            const change = { id: move.alert, says } as TestChange
            await enqueueDeliveries(
              db,
              [{ id: channelId, format, grouped_at: null }],
              change,
              w.clock.now() + move.skew * 1000,
            )
          }
        }
        const isWaiting = async () =>
          await db
            .selectFrom('alert_delivery')
            .select('id')
            .where('channel_id', '=', channelId)
            .where('state', '=', 'waiting')
            .executeTakeFirst()
        for (let round = 0; await isWaiting(); round++) {
          if (round > 200) throw new Error('A message is never sent.')
          await both()
          w.clock.pass(60)
        }
        const bodies = new Map<string, string>()
        for (const { id, body } of seen) expect(bodies.get(id) ?? body).toBe(bodies.set(id, body).get(id))
        const accepted = seen.filter(({ status }) => status === 200).flatMap(({ body }) => JSON.parse(body) as string[])
        for (const [alert, all] of made) {
          const places = accepted
            .filter((said) => said.startsWith(`${alert} `))
            .map((said) => all.indexOf(said.slice(2)))
          expect(places).toEqual([...new Set(places)].toSorted((x, y) => x - y))
          expect(places.at(-1)).toBe(all.length - 1)
        }
        await db.deleteFrom('alert_channel').where('id', '=', channelId).execute()
      }),
      { numRuns: byLevel(5, 10, 300) },
    )
    await Promise.all([first?.stop(), second?.stop()])
  })
})

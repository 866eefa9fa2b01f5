import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { onEveryEngine } from '../../../testing/stores.ts'
import { newTestWorkspace, type TestWorkspace } from '../../../testing/test-workspace.ts'
import { createHeartbeat } from './heartbeat.ts'
import { takeLease } from './lease.ts'

/** Starts a receiver of heartbeats. `answer` is the status of its responses, or `silence`. */
async function receiver(answer: number | 'silence') {
  const seen = { calls: 0 }
  const server = createServer((_request, response) => {
    seen.calls++
    if (answer !== 'silence') response.writeHead(answer).end('x'.repeat(100))
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { seen, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/ping` }
}

onEveryEngine('the heartbeat', (open) => {
  const started = async (answer: number | 'silence' | 'nowhere' = 200) => {
    const w = await newTestWorkspace(await open())
    await takeLease(w.store.db, 'a', w.clock.now())
    const { seen, url } =
      answer === 'nowhere' ? { seen: { calls: 0 }, url: 'http://127.0.0.1:1/' } : await receiver(answer)
    const warned: string[] = []
    const log = { warn: (_facts: object, text: string) => void warned.push(text) } as never
    const { sendIfDue, settled } = createHeartbeat({
      url,
      log,
      lookedAt: w.clock.now,
      withinMs: answer === 'silence' ? 200 : 60_000,
    })
    const beats = async () => {
      await sendIfDue(w.store.db, w.clock.now())
      await settled()
    }
    const turn = async () => {
      await w.store.db.updateTable('alert_lease').set({ turned_at: w.clock.now() }).execute()
      await beats()
    }
    return { w, turn, beats, seen, warned }
  }

  test('goes out each minute while alerts are evaluated', async () => {
    const { w, turn, seen, warned } = await started()
    for (let i = 0; i < 8; i++, w.clock.pass(15)) await turn()
    expect([seen.calls, warned]).toEqual([2, []])
  })

  test('stops when the evaluation does, and says so', async () => {
    const { w, turn, beats, seen, warned } = await started()
    await turn()
    w.clock.pass(61)
    await beats()
    expect([seen.calls, warned]).toEqual([1, ['no heartbeat is sent: alerts are not evaluated or not sent']])
  })

  test.each<[string, Parameters<typeof started>[0], string]>([
    ['is refused', 500, 'the heartbeat was not taken'],
    ['does not arrive', 'nowhere', 'the heartbeat did not arrive'],
    ['gets no answer', 'silence', 'the heartbeat did not arrive'],
  ])('that %s is in the log, and the next one follows', async (_how, answer, says) => {
    const { w, turn, warned } = await started(answer)
    await turn()
    w.clock.pass(60)
    await turn()
    expect(warned).toEqual([says, says])
  })

  test('does not wait for a receiver that hangs, and calls it once at a time', async () => {
    const { w } = await started()
    const { seen, url } = await receiver('silence')
    const ending = new AbortController()
    const { sendIfDue, settled } = createHeartbeat({
      url,
      log: { warn: () => {} },
      lookedAt: w.clock.now,
      stop: ending.signal,
    })
    for (let i = 0; i < 3; i++, w.clock.pass(60)) {
      await w.store.db.updateTable('alert_lease').set({ turned_at: w.clock.now() }).execute()
      await sendIfDue(w.store.db, w.clock.now())
    }
    ending.abort()
    await settled()
    expect(seen.calls).toBeLessThanOrEqual(1)
  })

  test('goes out again after the clock went back', async () => {
    const { w, turn, seen } = await started()
    await turn()
    w.clock.pass(-3600)
    await turn()
    expect(seen.calls).toBe(2)
  })

  test.each<[string, [scope: string, works: number | null, overdue: boolean][], boolean]>([
    ['a message to a channel that works is overdue', [['north', 1, true]], false],
    ['a channel fails', [['north', 0, true]], true],
    ['nothing was ever taken by a channel', [['north', null, true]], true],
    [
      'other channels of the workspace fail',
      [
        ['north', 0, true],
        ['north', 1, true],
      ],
      true,
    ],
    [
      'only channels of another workspace fail',
      [
        ['south', 0, true],
        ['north', 1, true],
      ],
      false,
    ],
    [
      'a channel failed, but no message waits for it',
      [
        ['north', 0, false],
        ['north', 1, true],
      ],
      false,
    ],
  ])('goes out or stops if %s', async (_what, channels, goesOut) => {
    const { w, turn, seen } = await started()
    for (const [i, [scope, works, overdue]] of channels.entries())
      await addChannel(w, `${i}`, { scope, works, overdue })
    await turn()
    expect(seen.calls).toBe(goesOut ? 1 : 0)
  })
})

async function addChannel(
  { store: { db }, clock, workspace }: TestWorkspace,
  name: string,
  { scope, works, overdue }: { scope: string; works: number | null; overdue: boolean },
): Promise<void> {
  const id = `channel-${name}`
  await db
    .insertInto('alert_channel')
    .values({
      ...{ id, scope, workspace_id: workspace.id, owner: '', name, kind: 'webhook', format: 'single' },
      ...{ enabled: 1, shown: '', sealed: '', created_at: 0, created_by_name: 'Ada', dead: 0, works },
    })
    .execute()
  const due_at = clock.now() + (overdue ? -121_000 : 60_000)
  await db
    .insertInto('alert_delivery')
    .values({ id, channel_id: id, kind: 'alert', changes: '[]', state: 'waiting', tries: 0, created_at: 0, due_at })
    .execute()
}

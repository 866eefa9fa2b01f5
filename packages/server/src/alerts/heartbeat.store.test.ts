import { expect, test } from 'vitest'
import { everyEngine } from '../../testing/stores.ts'
import { newTestWorkspace } from '../../testing/test-workspace.ts'
import { newHeartbeat } from './heartbeat.ts'
import { takeLease } from './lease.ts'

const url = 'https://hc.example.org/ping'

everyEngine('the heartbeat', (open) => {
  const started = async (call: (url: string) => Promise<number> = async () => 200) => {
    const w = await newTestWorkspace(await open())
    await takeLease(w.store.db, 'a', w.clock.now())
    const [called, warned]: [string[], string[]] = [[], []]
    const log = { warn: (_facts: object, text: string) => void warned.push(text) } as never
    const beat = newHeartbeat({ url, log, call: async (to) => call(to).finally(() => called.push(to)) })
    const turn = async () => {
      await w.store.db.updateTable('alert_lease').set({ turned_at: w.clock.now() }).execute()
      await beat(w.store.db, w.clock.now())
    }
    return { w, turn, beat: () => beat(w.store.db, w.clock.now()), called, warned }
  }

  test('goes out each minute while alerts are evaluated', async () => {
    const { w, turn, called } = await started()
    for (let i = 0; i < 8; i++, w.clock.pass(15)) await turn()
    expect(called).toEqual([url, url])
  })

  test('stops when the evaluation does, and says so', async () => {
    const { w, turn, beat, called, warned } = await started()
    await turn()
    w.clock.pass(61)
    await beat()
    expect([called.length, warned]).toEqual([1, ['no heartbeat is sent: alerts are not evaluated or not sent']])
  })

  test.each<[string, () => Promise<number>, string]>([
    ['is refused', async () => 500, 'the heartbeat was not taken'],
    ['does not arrive', () => Promise.reject(new Error('down')), 'the heartbeat did not arrive'],
  ])('that %s is in the log, and the next one follows', async (_how, call, says) => {
    const { w, turn, called, warned } = await started(call)
    await turn()
    w.clock.pass(60)
    await turn()
    expect([called.length, warned]).toEqual([2, [says, says]])
  })

  test('goes out again after the clock went back', async () => {
    const { w, turn, called } = await started()
    await turn()
    w.clock.pass(-3600)
    await turn()
    expect(called).toHaveLength(2)
  })
})

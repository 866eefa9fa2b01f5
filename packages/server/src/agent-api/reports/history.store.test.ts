import { expect, test } from 'vitest'
import { level } from '../../../../../testing/level.ts'
import { faults, type History, play } from '../../../testing/history.ts'
import { onEveryEngine } from '../../../testing/stores.ts'
import { newTestWorkspace } from '../../../testing/test-workspace.ts'
import type { CommandRow } from '../../platform/db/tables.ts'

const long = level === 'long'
const seeds = long ? 300 : 8
const steps = long ? 150 : 80

onEveryEngine('histories of commands', (open) => {
  test('under loss, doubling and delay every command is delivered at most once, in time, and shown as answered (I1, I2, I5, I6)', {
    timeout: long ? 1_800_000 : 60_000,
  }, async () => {
    const store = await open()
    let delivered = 0
    for (let seed = 1; seed <= seeds; seed++) {
      const history = await play(await newTestWorkspace(store, { slug: `w${seed}`, people: false }), seed, steps)
      expect(faults(history), `seed ${seed}`).toEqual([])
      delivered += history.answers.flatMap(({ ids }) => ids).length
      await store.db.deleteFrom('agent').execute()
    }
    expect(delivered).toBeGreaterThan(seeds * 5)
  })
})

test('the checker detects each fault it is written for', () => {
  const row = { id: 'c', agent_id: 'a', state: 'applied', created_at: 0, delivered_at: 700_000 } as CommandRow
  const view = (state: CommandRow['state']) => ({ at: 0, rows: new Map([['c', { ...row, state }]]) })
  const bad: History = {
    answers: [
      { agent: 'b', at: 0, ids: ['c'] },
      { agent: 'b', at: 0, ids: ['c'] },
    ],
    acks: [{ agent: 'a', at: 0, ack: { id: 'c', ok: false } }],
    views: [view('delivered'), view('queued'), view('applied')],
    applied: new Map(),
  }
  expect(faults(bad)).toEqual([
    'I1: c is in two answers',
    'I2: c went from delivered to queued',
    'I5: c was refused by its agent and is shown applied',
    'I6: c was delivered after its time',
  ])
})

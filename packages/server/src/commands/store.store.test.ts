import { expect, test } from 'vitest'
import { everyEngine } from '../../testing/stores.ts'
import { world } from '../../testing/world.ts'
import { queueCommand } from './store.ts'

everyEngine('queue of commands', (open) => {
  test('an agent that never reported offers nothing', async () => {
    const { store, agent, admin, clock } = await world(await open())
    const queued = await queueCommand(store.db, agent, { type: 'pause', payload: {} }, admin, clock.now())
    expect(queued).toEqual({ ok: false, code: 'command_not_offered', message: 'The agent does not offer "pause".' })
  })
})

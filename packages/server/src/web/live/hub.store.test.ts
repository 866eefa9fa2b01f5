import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { onBothEngines } from '../../../testing/stores.ts'
import { newTestWorkspace } from '../../../testing/test-workspace.ts'
import type { Store } from '../../platform/db/open.ts'
import { createLive, type Hub } from './hub.ts'

/** A gate: `reached` resolves when somebody waits at it, and everybody waits until `open` is called. */
function newGate() {
  const [at, opened] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  return {
    reached: at.promise,
    open: opened.resolve,
    wait: () => {
      at.resolve()
      return opened.promise
    },
  }
}
type Gate = ReturnType<typeof newGate>

/** A store whose answers wait at the gate. */
function waitingAt(gate: Gate, store: Store): Store {
  const db = store.db.withPlugin({
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      await gate.wait()
      return result
    },
  })
  return { ...store, db }
}

onBothEngines('closing the live updates', (open) => {
  async function opened(gate: Gate) {
    const w = await newTestWorkspace(await open())
    const live = createLive({ store: waitingAt(gate, w.store), log: pino({ level: 'silent' }), now: w.clock.now })
    live.subscribe({
      ...{ workspaceId: w.workspace.id, personId: w.admin.id, sessionToken: 'x', agentId: undefined },
      res: new ServerResponse(new IncomingMessage(new Socket())),
    })
    return { live, report: () => live.reported(w.workspace.id, w.agent.id) }
  }
  async function order(live: Hub, gate: Gate): Promise<string[]> {
    const order: string[] = []
    const closing = live.close().then(() => order.push('closed'))
    await setImmediate()
    order.push('the database has answered')
    gate.open()
    await closing
    return order
  }
  const waited = ['the database has answered', 'closed']

  test('waits for a frame that is being made, so that nothing asks the database afterwards', async () => {
    const gate = newGate()
    const { live, report } = await opened(gate)
    report()
    await gate.reached
    expect(await order(live, gate)).toEqual(waited)
  })

  test('waits for a check of the rights of the pages', async () => {
    const gate = newGate()
    const { live } = await opened(gate)
    live.guard = async () => {
      await gate.wait()
      return new Set()
    }
    void live.rightsChanged()
    expect(await order(live, gate)).toEqual(waited)
  })
})

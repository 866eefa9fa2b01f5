/**
 * Tests what a change of very many agents leaves to the sweeper: all of it is done in the sweeper's one loop, for which
 * a stop of the service also waits.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { actions, rollouts } from '@svc/api'
import { expect, test } from 'vitest'
import { newFleet } from '../../../testing/fleet.ts'
import { testLive } from '../../../testing/service.ts'
import { onEveryEngine } from '../../../testing/stores.ts'
import { newTestWorkspace } from '../../../testing/test-workspace.ts'
import { addVersion } from '../../../testing/wishes.ts'
import { perform } from '../../operator/shared/perform.ts'
import type { ServiceParts } from '../../operator/shared/request.ts'

onEveryEngine('after the first 500 agents', (open) => {
  const start = async () => {
    const w = await newTestWorkspace(await open(), { people: false })
    for (const version of ['1.0.0', '1.1.0']) await addVersion(w, 'triage', version)
    const { agents } = await newFleet(w, 620, 'triage')
    let hurried = 0
    const service = {
      store: w.store,
      live: { ...testLive(), rightsChanged: async () => {} },
      now: w.clock.now,
      hurrySweeper: () => hurried++,
    } as unknown as ServiceParts
    return { w, names: agents.map(({ name }) => name), service, hurried: () => hurried }
  }

  test('of a rollout the rest is left to the sweeper', async () => {
    const { w, service, hurried } = await start()
    const { workspace } = w
    const wanted = { kind: 'blueprint' as const, blueprint: 'triage', version: '1.1.0', waves: ['100%'] }
    await perform(service, rollouts.startRollout, { workspace }, wanted)
    await sleep(200)
    const wished = await w.store.db
      .selectFrom('rollout_agent')
      .select('agent_id')
      .where('state', '=', 'wished')
      .execute()
    expect([wished.length, hurried()]).toEqual([500, 1])
  })

  test('of an action the rest is left to the sweeper', async () => {
    const { w, names, service, hurried } = await start()
    const { workspace } = w
    await perform(service, actions.sendAction, { workspace }, { type: 'pause', agents: names })
    await sleep(200)
    // These agents offer no command, so each is skipped when its turn comes.
    const done = await w.store.db
      .selectFrom('action_agent')
      .select('agent_id')
      .where('outcome', 'is not', null)
      .execute()
    expect([done.length, hurried()]).toEqual([500, 1])
  })
})

import { expect, test } from 'vitest'
import { onEveryEngine } from '../../../testing/stores.ts'
import { newTestWorkspace } from '../../../testing/test-workspace.ts'
import { eraseOldNames, findByOldName, maxOldNames } from './old-names.ts'
import { renameAgent } from './store.ts'

const by = { id: null, name: 'operator' }
const dayMs = 86_400_000

onEveryEngine('the old names of agents', (open) => {
  test('lead to the agent for 90 days, and are erased after that', async () => {
    const { store, workspace, agent, clock } = await newTestWorkspace(await open())
    const now = clock.now()
    const found = async (at: number) => (await findByOldName(store.db, workspace, agent.name, at))?.name
    await renameAgent({ db: store.db, by, now }, agent, 'new-name')
    expect([await found(now), await found(now + 90 * dayMs - 1), await found(now + 90 * dayMs)]).toEqual([
      'new-name',
      'new-name',
      undefined,
    ])
    await eraseOldNames(store.db, now + 90 * dayMs - 1)
    expect(await found(now)).toBe('new-name')
    await eraseOldNames(store.db, now + 90 * dayMs)
    expect(await found(now)).toBeUndefined()
  })

  test('are the last 20 of an agent, and another agent takes a name over when it loses it', async () => {
    const w = await newTestWorkspace(await open())
    const { db } = w.store
    const now = w.clock.now()
    const other = await w.addAgent('other')
    for (let i = 0; i <= maxOldNames + 1; i++) await renameAgent({ db, by, now: now + i }, w.agent, `name-${i}`)
    const known = await db.selectFrom('agent_old_name').select('name').orderBy('renamed_at').execute()
    expect(known).toHaveLength(maxOldNames)
    expect(known.slice(0, 2).map(({ name }) => name)).toEqual(['name-1', 'name-2'])
    await renameAgent({ db, by, now: now + 100 }, other, 'name-7')
    await renameAgent({ db, by, now: now + 101 }, other, 'other')
    expect((await findByOldName(db, w.workspace, 'name-7', now + 102))?.id).toBe(other.id)
    expect((await findByOldName(db, { id: 'elsewhere' }, 'name-7', now + 102))?.id).toBeUndefined()
  })
  test('are erased however many there are, and names that still lead to an agent stay', async () => {
    const { store, workspace, agent, clock } = await newTestWorkspace(await open())
    const now = clock.now()
    const row = { workspace_id: workspace.id, agent_id: agent.id }
    const rows = Array.from({ length: 1300 }, (_, i) => ({
      ...row,
      name: `n${i}`,
      renamed_at: now + Math.floor(i / 2),
    }))
    await store.db.insertInto('agent_old_name').values(rows).execute()
    await eraseOldNames(store.db, now + 620 + 90 * dayMs)
    const left = await store.db.selectFrom('agent_old_name').select('renamed_at').orderBy('renamed_at').execute()
    expect([left.length, left[0]?.renamed_at]).toEqual([58, now + 621])
  })
})

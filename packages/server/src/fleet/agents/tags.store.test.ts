import { maxTags } from '@svc/api/filter'
import { expect, test } from 'vitest'
import { onBothEngines } from '../../../testing/stores.ts'
import { addWorkspace, newTestWorkspace, type TestWorkspace } from '../../../testing/test-workspace.ts'
import type { Db, Store } from '../../platform/db/open.ts'
import { createAgent, deleteAgent, renameAgent, rotateToken } from './store.ts'
import { previewTags, tagAgents } from './tags.ts'

const ctx = ({ store, admin, clock }: TestWorkspace) => ({ db: store.db, by: admin, now: clock.now() })
const twenty = Array.from({ length: maxTags }, (_, i) => `t${i + 10}`)

onBothEngines('the tags of agents', (open) => {
  const start = async () => {
    const w = await newTestWorkspace(await open())
    const agents = [await w.addAgent('mail-2'), await w.addAgent('mail-1')]
    const tag = (wanted: Parameters<typeof tagAgents>[2]) => tagAgents(ctx(w), w.workspace, wanted)
    const stored = () => w.store.db.selectFrom('agent_tag').selectAll().orderBy('agent_id').orderBy('tag').execute()
    const lines = () => w.store.db.selectFrom('audit').select(['action', 'subject', 'details']).orderBy('id').execute()
    return { w, agents, tag, stored, lines }
  }

  test('are given and taken, and the answer has each named agent once, sorted', async () => {
    const { w, agents, tag, lines } = await start()
    const agentIds = agents.map(({ id }) => id)
    const given = await tag({ agents: ['mail-2', 'mail-1', 'mail-2'], add: ['prod', 'eu', 'eu'] })
    if (!given.ok) throw new Error(given.message)
    expect(given.value.agents).toEqual(['mail-1', 'mail-2'].map((name) => ({ name, tags: ['eu', 'prod'] })))
    expect(given.value.changed.sort()).toEqual(agentIds.sort())
    const one = await tag({ agents: ['mail-1', 'mail-triage'], add: ['eu'], remove: ['prod', 'old'] })
    expect(one).toMatchObject({
      ok: true,
      value: {
        agents: [
          { name: 'mail-1', tags: ['eu'] },
          { name: 'mail-triage', tags: ['eu'] },
        ],
        changed: expect.arrayContaining([agents[1]?.id, w.agent.id]),
      },
    })
    const same = await tag({ agents: ['mail-1'], add: ['eu'], remove: ['prod'] })
    expect(same).toMatchObject({ ok: true, value: { agents: [{ name: 'mail-1', tags: ['eu'] }], changed: [] } })
    await tag({ agents: ['mail-1', 'mail-2'], remove: ['prod'] })
    const read = (await lines()).map(({ details, ...line }) => ({ ...line, details: JSON.parse(details) }))
    expect(read).toEqual([
      { action: 'agent.tagged', subject: '2 agents', details: { agents: 2, add: ['eu', 'prod'], remove: [] } },
      { action: 'agent.tagged', subject: '2 agents', details: { agents: 2, add: ['eu'], remove: ['old', 'prod'] } },
      { action: 'agent.tagged', subject: 'agent mail-2', details: { agents: 1, add: [], remove: ['prod'] } },
    ])
  })

  test('are changed for all named agents or for none', async () => {
    const { w, tag, stored, lines } = await start()
    expect(await tag({ agents: ['mail-2'], add: twenty })).toMatchObject({ ok: true })
    const south = await addWorkspace(w.store, 'south', true, w.clock.now())
    await createAgent(ctx(w), south, 'theirs')
    const [before, said] = [await stored(), await lines()]
    for (const [wanted, code, message] of [
      [{ agents: ['mail-1', 'nobody'], add: ['eu'] }, 'agent_unknown', /^There is no agent "nobody" in the workspace/],
      [{ agents: ['mail-1', 'theirs'], add: ['eu'] }, 'agent_unknown', /^There is no agent "theirs" in the workspace/],
      [
        { agents: ['mail-1', 'mail-2'], add: ['eu'] },
        'tags_too_many',
        /^The agent mail-2 would have 21 tags; an agent has at most 20\. Remove others first\. Nothing was changed\.$/,
      ],
      [{ agents: ['mail-1', 'mail-2'], add: [...twenty, 'eu'] }, 'tags_too_many', /^2 agents would have too many tags/],
    ] as const) {
      const refused = await tag(wanted)
      expect(refused).toMatchObject({ ok: false, code, message: expect.stringMatching(message) })
    }
    expect([await stored(), await lines()]).toEqual([before, said])
    expect(await tag({ agents: ['mail-2'], add: ['eu'], remove: ['t10'] })).toMatchObject({ ok: true })
  })

  test('are previewed without a change', async () => {
    const { w, tag, stored } = await start()
    await tag({ agents: ['mail-2'], add: ['eu'] })
    const before = await stored()
    const preview = async (wanted: Parameters<typeof previewTags>[2]) => {
      const verdict = await previewTags(w.store.db, w.workspace, wanted)
      return verdict.ok ? verdict.value : verdict.code
    }
    const both = ['mail-2', 'mail-1']
    expect(await preview({ agents: both })).toEqual([
      { name: 'mail-1', tags: [] },
      { name: 'mail-2', tags: ['eu'] },
    ])
    expect(await preview({ agents: both, add: ['us'], remove: ['eu'] })).toEqual([
      { name: 'mail-1', tags: ['us'] },
      { name: 'mail-2', tags: ['us'] },
    ])
    expect(await preview({ agents: ['mail-2'], add: twenty })).toBe('tags_too_many')
    expect(await preview({ agents: ['nobody'] })).toBe('agent_unknown')
    expect(await stored()).toEqual(before)
  })

  test('of many changes at the same time exceed the maximum in no order', async () => {
    const { tag, stored } = await start()
    await tag({ agents: ['mail-1'], add: twenty.slice(1) })
    // Connections of a pool are opened one after another, so the first changes may not overlap.
    const regions = Array.from({ length: 12 }, (_, i) => `region-${i}`)
    const all = await Promise.all(regions.map((one) => tag({ agents: ['mail-1'], add: [one] })))
    expect(all.filter(({ ok }) => ok)).toHaveLength(1)
    expect(await stored()).toHaveLength(maxTags)
  })

  test('stay with a new name and a new token, and go with the agent', async () => {
    const { w, agents, tag, stored } = await start()
    await tag({ agents: ['mail-1', 'mail-2'], add: ['eu'] })
    const [second, first] = agents
    if (!first || !second) throw new Error('There are two agents.')
    await renameAgent(ctx(w), first, 'post')
    await rotateToken(ctx(w), first)
    expect(await tag({ agents: ['post'], add: ['us'] })).toMatchObject({
      value: { agents: [{ name: 'post', tags: ['eu', 'us'] }] },
    })
    await deleteAgent(ctx(w), second)
    expect((await stored()).map(({ agent_id, tag: name }) => [agent_id, name])).toEqual([
      [first.id, 'eu'],
      [first.id, 'us'],
    ])
  })

  test('of a new agent are stored with it', async () => {
    const { w, tag, lines } = await start()
    const made = await createAgent(ctx(w), w.workspace, 'new', ['prod', 'eu', 'prod'])
    expect(made.ok).toBe(true)
    expect(await tag({ agents: ['new'], remove: ['old'] })).toMatchObject({
      value: { agents: [{ name: 'new', tags: ['eu', 'prod'] }], changed: [] },
    })
    expect((await lines()).map(({ details }) => JSON.parse(details))).toEqual([{ tags: ['eu', 'prod'] }])
  })

  test('need as many statements for 250 agents as for one; more are changed in several transactions', async () => {
    const { w, tag, stored, lines } = await start()
    const { db, counted } = counting(w.store)
    const names = Array.from({ length: 300 }, (_, i) => `many-${i}`)
    for (const name of names) await w.addAgent(name)
    const statements = async (agents: string[], add: string[], remove: string[]) => {
      const before = counted()
      const changed = await tagAgents({ ...ctx(w), db }, w.workspace, { agents, add, remove })
      expect(changed).toMatchObject({ ok: true, value: { changed: { length: agents.length } } })
      return counted() - before
    }
    const most = names.slice(0, 250)
    const [few, many] = [await statements(['mail-1'], ['a', 'b'], []), await statements(most, ['a', 'b'], [])]
    expect([few, many]).toEqual([few, few])
    const [less, more] = [await statements(['mail-1'], ['c'], ['a']), await statements(most, ['c', 'd'], ['a', 'b'])]
    expect([less, more]).toEqual([less, less])
    await tag({ agents: ['many-299'], add: twenty })
    const [before, said] = [await stored(), await lines()]
    expect(await tag({ agents: names, add: ['eu'] })).toMatchObject({ ok: false, code: 'tags_too_many' })
    expect(await tag({ agents: [...names, 'nobody'], add: ['eu'] })).toMatchObject({ ok: false, code: 'agent_unknown' })
    expect([await stored(), await lines()]).toEqual([before, said])
    const all = await tag({ agents: names, add: ['eu', 'us'], remove: ['c', ...twenty] })
    expect(all).toMatchObject({ ok: true, value: { agents: { length: 300 }, changed: { length: 300 } } })
    expect((await lines()).slice(said.length)).toMatchObject([{ action: 'agent.tagged', subject: '300 agents' }])
    expect((await stored()).filter(({ tag: name }) => name === 'us')).toHaveLength(300)
  })
})

/** The database of a store, with the number of its statements. */
function counting({ db }: Store): { db: Db; counted: () => number } {
  let statements = 0
  const counts = db.withPlugin({
    transformQuery: ({ node }) => {
      statements++
      return node
    },
    transformResult: async ({ result }) => result,
  })
  return { db: counts, counted: () => statements }
}

import type { NewAction } from '@svc/api'
import { describe, expect, test } from 'vitest'
import { ctx, needs, none, startPressing } from '../../../testing/pressing.ts'
import { offering } from '../../../testing/service.ts'
import { onBothEngines } from '../../../testing/stores.ts'
import { addPerson, type TestAgent } from '../../../testing/test-workspace.ts'
import { deleteAgent } from '../../fleet/agents/store.ts'
import { storeLog } from '../../fleet/logs/store.ts'
import { hashToken } from '../../platform/tokens.ts'
import { boundHistories, commandRetentionMs, minKeptCommands } from '../../service/sweeper/history.ts'
import { eraseOldAction } from '../../service/sweeper/rounds.ts'
import { eraseSurplus, surplus } from '../../service/sweeper/surplus.ts'
import { actionPage, actionsOfWorkspace } from '../../web/queries/actions.ts'
import { addChanges } from './counts.ts'
import { actionOffers, previewAction } from './preview.ts'
import { actionAgentsAtOnce, finishAction, sendSlice } from './runner.ts'
import { retryAction, sendAction } from './store.ts'

onBothEngines('an action', (open) => {
  test('over 40 agents ends as exactly what each of them did, and a retry reaches the rest', async () => {
    const { w, agents, report, page, send, settle } = await startPressing(await open(), 40)
    const [applying, refusing, quiet, away] = [0, 10, 20, 30].map((from) => agents.slice(from, from + 10))
    const id = await send('pause')
    expect(await page(id)).toMatchObject({ counts: { waiting: 40 }, by: 'Ada', type: 'pause', retryOf: null })
    for (const agent of [...(applying ?? []), ...(refusing ?? []), ...(quiet ?? [])]) await report(agent)
    expect((await page(id)).counts).toMatchObject({ waiting: 10, sent: 30 })
    for (const agent of applying ?? []) await report(agent, { ok: true })
    for (const agent of refusing ?? []) await report(agent, { ok: false, message: 'not now' })
    w.clock.pass(601)
    await settle()
    const ended = await page(id)
    expect(ended.counts).toEqual({ ...none, applied: 10, refused: 10, failed: 10, expired: 10 })
    expect(ended.agents.find(({ name }) => name === refusing?.[0]?.name)).toEqual({
      name: refusing?.[0]?.name,
      state: 'refused',
      message: 'not now',
    })

    const again = await retryAction(ctx(w), w.workspace, id)
    if (!again.ok) throw new Error(again.message)
    await finishAction(needs(w), again.value.id)
    const retried = await page(again.value.id)
    expect(retried).toMatchObject({ retryOf: id, counts: { ...none, waiting: 20 } })
    expect(retried.agents.map(({ name }) => name).sort()).toEqual(
      [...(quiet ?? []), ...(away ?? [])].map(({ name }) => name).sort(),
    )
    expect((await actionsOfWorkspace(w.store.db, w.workspace, { limit: 10 })).rows.map((row) => row.id)).toEqual([
      again.value.id,
      id,
    ])
    const retries = [{ id: again.value.id, by: 'Ada', at: w.clock.now() }]
    expect(await page(id)).toMatchObject({ counts: ended.counts, retries })
  })

  test('says before and after the press why an agent gets nothing', async () => {
    const { w, send, page, agents } = await startPressing(await open(), 2)
    await w.addAgent('silent')
    const preview = async (wanted: Partial<NewAction>) => {
      const names = [...agents.map(({ name }) => name), 'silent']
      const verdict = await previewAction(w.store.db, w.workspace, { type: 'pause', agents: names, ...wanted })
      return verdict.ok ? verdict.value : verdict.code
    }
    const never = { name: 'silent', message: 'The agent has never reported.' }
    expect(await preview({})).toEqual({ sends: 2, skips: [never] })
    expect(await preview({ type: 'set', values: { every: 500 } })).toMatchObject({
      sends: 0,
      skips: [{ message: 'every must be between 1 and 120: got 500.' }, {}, never],
    })
    expect(await preview({ type: 'log', values: { name: 'work' } })).toMatchObject({ sends: 2 })
    expect(await preview({ type: 'lift' })).toMatchObject({ sends: 0 })
    expect(await preview({ type: 'delete' })).toMatchObject({ sends: 1 })
    expect(await preview({ agents: ['nobody'] })).toBe('agent_unknown')
    const id = await send('pause', {}, ['silent'])
    expect((await page(id)).agents).toMatchObject([{}, {}, { ...never, state: 'skipped' }])
  })

  test('can be chosen from what the agents offer: settings with their values, and logs', async () => {
    const { w, agents, reportAs } = await startPressing(await open(), 3)
    await w.addAgent('silent')
    const [first, second] = agents as [TestAgent, TestAgent]
    const schema = [...offering.settings.schema, { key: 'note', type: 'text' }]
    await reportAs(first, { ...offering, settings: { schema, values: { every: 20, note: 'x' } } })
    await reportAs(second, { controls: [], runs: [{ id: 'r', log: 'job/a', started: 1 }] })
    const ask = async (type: 'set' | 'log', names = [...agents.map(({ name }) => name), 'silent']) => {
      const verdict = await actionOffers(w.store.db, w.workspace, { type, agents: names })
      return verdict.ok ? verdict.value : verdict.code
    }
    expect(await ask('set')).toEqual({
      settings: [
        {
          setting: offering.settings.schema[0],
          agents: 2,
          values: [
            { value: 20, agents: 1 },
            { value: 10, agents: 1 },
          ],
        },
        { setting: { key: 'note', type: 'text' }, agents: 1, values: [{ value: 'x', agents: 1 }] },
      ],
      logs: [],
    })
    expect(await ask('log')).toEqual({
      settings: [],
      logs: [
        { name: 'work', agents: 2 },
        { name: 'job/a', agents: 1 },
      ],
    })
    expect(await ask('set', ['silent'])).toEqual({ settings: [], logs: [] })
    expect(await ask('log', ['nobody'])).toBe('agent_unknown')
  })

  test('that requests logs leads to each log, for as long as it can be read', async () => {
    const { w, send, page, report, agents, commandOf } = await startPressing(await open(), 2)
    const id = await send('log', { name: 'work' })
    const [first] = agents as [TestAgent]
    await report(first)
    const caller = { agentId: first.id, tokenHash: hashToken(first.token) }
    await storeLog(w.store.db, caller, { command: commandOf(first), name: 'work', text: 'hi' }, w.clock.now())
    const { agents: rows } = await page(id)
    expect(rows).toEqual([
      { name: 'a-0', state: 'applied', message: null, log: expect.any(String) },
      { name: 'a-1', state: 'waiting', message: null },
    ])
    expect(
      (await actionPage(w.store.db, w.workspace, id, { now: w.clock.now() + 30 * 86_400_000 }))?.agents[0]?.log,
    ).toBe(undefined)
  })

  test('that names an agent that does not exist is refused, and sends nothing', async () => {
    const { w } = await startPressing(await open(), 1)
    const refused = await sendAction(ctx(w), w.workspace, { type: 'pause', agents: ['a-0', 'nobody'] })
    expect(refused).toMatchObject({ ok: false, code: 'agent_unknown' })
    expect(await w.store.db.selectFrom('action').select('id').execute()).toEqual([])
  })

  test('joins a command that is already in progress, and then cancelling one action takes nothing from the other (D5)', async () => {
    const { w, send, page, report, agents, cancel } = await startPressing(await open(), 3)
    const bea = await addPerson(w.store, 'Bea', w.workspace.id, 'admin', w.clock.now())
    const [first, second] = await Promise.all([send('pause'), send('pause', {}, [], bea)])
    expect(await w.store.db.selectFrom('command').select('id').execute()).toHaveLength(3)
    expect(await cancel(first)).toMatchObject({ ok: false, code: 'action_over' })
    await report(agents[0] as TestAgent)
    await report(agents[0] as TestAgent, { ok: true })
    for (const id of [first, second]) expect((await page(id)).counts).toEqual({ ...none, applied: 1, waiting: 2 })
  })

  test('of two that two people send at once, one is cancelled, and the other stays as it is', async () => {
    const { w, send, page, report, agents, cancel } = await startPressing(await open(), 3)
    const bea = await addPerson(w.store, 'Bea', w.workspace.id, 'admin', w.clock.now())
    const [first, second] = await Promise.all([send('set', { every: 5 }), send('set', { every: 7 }, [], bea)])
    expect(await cancel(first)).toMatchObject({ ok: true, value: { cancelled: 3 } })
    await report(agents[0] as TestAgent)
    await report(agents[0] as TestAgent, { ok: true })
    expect(await page(first)).toMatchObject({ by: 'Ada', counts: { ...none, cancelled: 3 } })
    expect(await page(second)).toMatchObject({ by: 'Bea', counts: { ...none, applied: 1, waiting: 2 } })
  })

  test('leaves a command that somebody sent on the page of an agent, when it is cancelled', async () => {
    const { w, send, page, cancel, press } = await startPressing(await open(), 2)
    const id = await send('pause')
    await press('a-1')
    expect(await cancel(id)).toMatchObject({ ok: true, value: { cancelled: 1 } })
    expect((await page(id)).agents).toEqual([
      { name: 'a-0', state: 'cancelled', message: 'Cancelled by Ada.' },
      { name: 'a-1', state: 'waiting', message: null },
    ])
    const lines = w.store.db.selectFrom('audit').select('action').where('action', 'like', 'action.%').orderBy('id')
    expect((await lines.execute()).map(({ action }) => action)).toEqual(['action.sent', 'action.cancelled'])
  })

  test('of which an agent was deleted meanwhile keeps its name, its outcome and its words', async () => {
    const { w, send, page, report, agents } = await startPressing(await open(), 3)
    const id = await send('pause')
    const [one, two, three] = agents as [TestAgent, TestAgent, TestAgent]
    await report(one)
    await report(one, { ok: false, message: 'not now' })
    await report(two)
    for (const agent of [one, two, three]) await deleteAgent(ctx(w), agent)
    expect((await page(id)).agents).toEqual([
      { name: 'a-0', state: 'refused', message: 'not now' },
      { name: 'a-1', state: 'cancelled', message: 'The agent was deleted.' },
      { name: 'a-2', state: 'cancelled', message: 'The agent was deleted.' },
    ])
  })

  test('deletes only agents that never reported', async () => {
    const { w, send, page } = await startPressing(await open(), 1)
    await w.addAgent('silent')
    const id = await send('delete', {}, ['silent'])
    expect((await page(id)).agents).toMatchObject([
      { name: 'a-0', state: 'skipped' },
      { name: 'silent', state: 'applied' },
    ])
    const left = await w.store.db.selectFrom('agent').select('name').orderBy('name').execute()
    expect(left.map(({ name }) => name)).toEqual(['a-0', 'mail-triage'])
  })

  test('writes one line to the activity, whatever it does', async () => {
    const { w, send } = await startPressing(await open(), 3)
    const id = await send('pause')
    expect(await w.store.db.selectFrom('audit').selectAll().orderBy('id').execute()).toMatchObject([
      { action: 'action.sent', subject: '3 agents', details: JSON.stringify({ action: id, type: 'pause', agents: 3 }) },
    ])
  })

  test('is erased after 30 days', async () => {
    const { w, send } = await startPressing(await open(), 1)
    const id = await send('pause')
    await eraseOldAction(w.store.db, w.clock.now() + 29 * 86_400_000)
    expect(await actionPage(w.store.db, w.workspace, id)).toBeDefined()
    await eraseOldAction(w.store.db, w.clock.now() + 30 * 86_400_000)
    expect(await actionPage(w.store.db, w.workspace, id)).toBeUndefined()
    expect(await w.store.db.selectFrom('action_agent').select('name').execute()).toEqual([])
  })

  test('is erased before the newest 1,000 of its workspace, if it is over', async () => {
    const { w, begin, send } = await startPressing(await open(), 1)
    const [open1, over] = [await begin('pause'), await send('lift')]
    await addChanges(w.store.db)
    const row = await w.store.db.selectFrom('action').selectAll().where('id', '=', over).executeTakeFirstOrThrow()
    const later = Array.from({ length: surplus.action.max - 1 }, (_, i) => ({ ...row, id: `zz${i}` }))
    for (let i = 0; i < later.length; i += 500)
      await w.store.db
        .insertInto('action')
        .values(later.slice(i, i + 500))
        .execute()
    const there = async () => [
      await actionPage(w.store.db, w.workspace, open1),
      await actionPage(w.store.db, w.workspace, over),
    ]
    await eraseSurplus(w.store.db, w.clock.now())
    expect(await there()).toMatchObject([{ id: open1 }, { id: over }])
    await w.store.db
      .insertInto('action')
      .values({ ...row, id: 'zzz' })
      .execute()
    await w.store.db
      .insertInto('action')
      .values({ ...row, id: 'zzzz' })
      .execute()
    await eraseSurplus(w.store.db, w.clock.now())
    expect(await there()).toMatchObject([{ id: open1 }, undefined])
  })

  test('keeps its outcomes when the old commands of an agent are erased', async () => {
    const { w, agents, report, send, page, settle } = await startPressing(await open(), 1)
    const [agent] = agents as [TestAgent]
    const id = await send('pause')
    await report(agent)
    await report(agent, { ok: false, message: 'not now' })
    const late = await send('resume')
    await report(agent)
    w.clock.pass(601)
    await settle()
    const rows = w.store.db.selectFrom('command').selectAll().where('agent_id', '=', agent.id)
    const first = await rows.orderBy('id').executeTakeFirstOrThrow()
    const cancelled = Array.from({ length: minKeptCommands + 5 }, (_, i) => ({
      ...{ ...first, id: `zz${i}`, created_at: w.clock.now() + i, state: 'cancelled' as const },
    }))
    for (let i = 0; i < cancelled.length; i += 500)
      await w.store.db
        .insertInto('command')
        .values(cancelled.slice(i, i + 500))
        .execute()
    await boundHistories(w.store.db, '', w.clock.now())
    expect(await rows.execute()).toHaveLength(minKeptCommands + 2)
    await report(agent, { ok: true })
    expect((await page(late)).counts).toEqual({ ...none, applied: 1 })
    await boundHistories(w.store.db, '', w.clock.now() + commandRetentionMs)
    expect(await rows.execute()).toHaveLength(minKeptCommands)
    expect((await page(id)).agents).toEqual([{ name: 'a-0', state: 'refused', message: 'not now' }])
    expect((await page(late)).counts).toEqual({ ...none, applied: 1 })
  })

  describe('in several slices', () => {
    test('goes on where a killed service stopped, and sends nothing twice', async () => {
      const { w, begin, page } = await startPressing(await open(), actionAgentsAtOnce + 10)
      const id = await begin('pause')
      await sendSlice(w.store.db, id, w.clock.now())
      expect(await w.store.db.selectFrom('command').select('id').execute()).toHaveLength(actionAgentsAtOnce)
      await Promise.all([finishAction(needs(w), id), finishAction(needs(w), id)])
      const commands = await w.store.db.selectFrom('command').select('agent_id').execute()
      expect(new Set(commands.map(({ agent_id }) => agent_id)).size).toBe(actionAgentsAtOnce + 10)
      expect(commands).toHaveLength(actionAgentsAtOnce + 10)
      expect((await page(id)).counts).toEqual({ ...none, waiting: actionAgentsAtOnce + 10 })
    })

    test('sends no further slice when the person who pressed is no longer an admin (I33)', async () => {
      const { w, begin, page } = await startPressing(await open(), actionAgentsAtOnce + 10)
      await addPerson(w.store, 'Bea', w.workspace.id, 'admin', w.clock.now())
      const id = await begin('pause')
      await sendSlice(w.store.db, id, w.clock.now())
      await w.store.db.deleteFrom('member').where('userId', '=', w.admin.id).execute()
      await finishAction(needs(w), id)
      const { counts, agents } = await page(id)
      expect(counts).toEqual({ ...none, waiting: actionAgentsAtOnce, cancelled: 10 })
      expect(agents.find(({ state }) => state === 'cancelled')?.message).toBe(
        'Ada is no longer an admin of the workspace.',
      )
    })

    test('can be cancelled before all slices are sent', async () => {
      const { w, begin, page, cancel } = await startPressing(await open(), actionAgentsAtOnce + 10)
      const id = await begin('pause')
      await sendSlice(w.store.db, id, w.clock.now())
      expect(await cancel(id)).toMatchObject({ value: { cancelled: actionAgentsAtOnce + 10 } })
      await finishAction(needs(w), id)
      expect((await page(id)).counts).toEqual({ ...none, cancelled: actionAgentsAtOnce + 10 })
    })
  })
})

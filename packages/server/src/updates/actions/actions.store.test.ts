import type { ActionType, NewAction } from '@svc/api'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { reporting } from '../../../testing/reporting.ts'
import { offering } from '../../../testing/service.ts'
import { everyEngine } from '../../../testing/stores.ts'
import { addPerson, newTestWorkspace, type TestAgent, type TestWorkspace } from '../../../testing/test-workspace.ts'
import { deleteAgent } from '../../fleet/agents/store.ts'
import { answeredMs, maxCommands } from '../../fleet/commands/erase.ts'
import { queueCommand } from '../../fleet/commands/store.ts'
import { storeLog } from '../../fleet/logs/store.ts'
import type { Store } from '../../platform/db/open.ts'
import { hashToken } from '../../platform/tokens.ts'
import { boundHistories } from '../../service/sweeper/history.ts'
import { eraseOldAction, timeOutCommands } from '../../service/sweeper/rounds.ts'
import { eraseSurplus, surplus } from '../../service/sweeper/surplus.ts'
import { actionPage, actionsOf } from '../../web/queries/actions.ts'
import { lists } from '../../web/queries/fleet.ts'
import { keepCounts } from './counts.ts'
import { actionOffers, previewAction } from './preview.ts'
import { agentsAtOnce, finishAction, sendSlice } from './runner.ts'
import { cancelAction, retryAction, startAction } from './store.ts'

const live = { changed: () => {}, listChanged: () => {} } as unknown as Parameters<typeof finishAction>[0]['live']

everyEngine('an action', (open) => {
  test('over 40 agents ends as exactly what each of them did, and a retry reaches the rest', async () => {
    const { w, agents, report, page, send, settle } = await start(await open(), 40)
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
    expect((await actionsOf(w.store.db, w.workspace, { limit: 10 })).rows.map((row) => row.id)).toEqual([
      again.value.id,
      id,
    ])
    const retries = [{ id: again.value.id, by: 'Ada', at: w.clock.now() }]
    expect(await page(id)).toMatchObject({ counts: ended.counts, retries })
  })

  test('says before and after the press why an agent gets nothing', async () => {
    const { w, send, page, agents } = await start(await open(), 2)
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
    const { w, agents, reportAs } = await start(await open(), 3)
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
    const { w, send, page, report, agents, commandOf } = await start(await open(), 2)
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
    const { w } = await start(await open(), 1)
    const refused = await startAction(ctx(w), w.workspace, { type: 'pause', agents: ['a-0', 'nobody'] })
    expect(refused).toMatchObject({ ok: false, code: 'agent_unknown' })
    expect(await w.store.db.selectFrom('action').select('id').execute()).toEqual([])
  })

  test('joins a command that is already in progress, and then cancelling one action takes nothing from the other (D5)', async () => {
    const { w, send, page, report, agents, cancel } = await start(await open(), 3)
    const bea = await addPerson(w.store, 'Bea', w.workspace.id, 'admin', w.clock.now())
    const [first, second] = await Promise.all([send('pause'), send('pause', {}, [], bea)])
    expect(await w.store.db.selectFrom('command').select('id').execute()).toHaveLength(3)
    expect(await cancel(first)).toMatchObject({ ok: false, code: 'action_over' })
    await report(agents[0] as TestAgent)
    await report(agents[0] as TestAgent, { ok: true })
    for (const id of [first, second]) expect((await page(id)).counts).toEqual({ ...none, applied: 1, waiting: 2 })
  })

  test('of two that two people send at once, one is cancelled, and the other stays as it is', async () => {
    const { w, send, page, report, agents, cancel } = await start(await open(), 3)
    const bea = await addPerson(w.store, 'Bea', w.workspace.id, 'admin', w.clock.now())
    const [first, second] = await Promise.all([send('set', { every: 5 }), send('set', { every: 7 }, [], bea)])
    expect(await cancel(first)).toMatchObject({ ok: true, value: { cancelled: 3 } })
    await report(agents[0] as TestAgent)
    await report(agents[0] as TestAgent, { ok: true })
    expect(await page(first)).toMatchObject({ by: 'Ada', counts: { ...none, cancelled: 3 } })
    expect(await page(second)).toMatchObject({ by: 'Bea', counts: { ...none, applied: 1, waiting: 2 } })
  })

  test('leaves a command that somebody sent on the page of an agent, when it is cancelled', async () => {
    const { w, send, page, cancel, press } = await start(await open(), 2)
    const id = await send('pause')
    await press('a-1')
    expect(await cancel(id)).toMatchObject({ ok: true, value: { cancelled: 1 } })
    expect((await page(id)).agents).toEqual([
      { name: 'a-0', state: 'cancelled', message: 'Cancelled by Ada.' },
      { name: 'a-1', state: 'waiting', message: null },
    ])
    const lines = await w.store.db.selectFrom('audit').select('action').where('action', 'like', 'action.%').execute()
    expect(lines.map(({ action }) => action)).toEqual(['action.sent', 'action.cancelled'])
  })

  test('of which an agent was deleted meanwhile keeps its name, its outcome and its words', async () => {
    const { w, send, page, report, agents } = await start(await open(), 3)
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
    const { w, send, page } = await start(await open(), 1)
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
    const { w, send } = await start(await open(), 3)
    const id = await send('pause')
    expect(await w.store.db.selectFrom('audit').selectAll().execute()).toMatchObject([
      { action: 'action.sent', subject: '3 agents', details: JSON.stringify({ action: id, type: 'pause', agents: 3 }) },
    ])
  })

  test('is counted in a turn of its own while it is not over, so that a list of many stops nobody', async () => {
    const { w, send } = await start(await open(), 3)
    for (const type of ['pause', 'resume'] as const) await send(type)
    const turn = vi.spyOn(lists, 'next')
    onTestFinished(() => turn.mockRestore())
    const { rows } = await actionsOf(w.store.db, w.workspace, { limit: 10 })
    expect(rows.map(({ counts }) => counts.waiting)).toEqual([3, 3])
    expect(turn.mock.calls).toEqual([[w.workspace.id], [w.workspace.id]])
  })

  test('keeps its counts once it is over, and a late answer changes them (D3)', async () => {
    const { w, agents, report, page, send, settle } = await start(await open(), 3)
    const [one, two] = agents as [TestAgent, TestAgent]
    const id = await send('pause')
    const sent = await send('lift')
    const kept = async () => {
      const row = await w.store.db.selectFrom('action').select('counts').where('id', '=', id).executeTakeFirstOrThrow()
      return row.counts === null ? null : JSON.parse(row.counts)
    }
    const listed = async () =>
      (await actionsOf(w.store.db, w.workspace, { limit: 10 })).rows.find((row) => row.id === id)?.counts
    await report(one)
    await report(two)
    await report(one, { ok: true })
    expect(await keepCounts(w.store.db, '')).toBe('')
    expect(await kept()).toBe(null)
    w.clock.pass(601)
    await settle()
    await keepCounts(w.store.db, '')
    const over = { ...none, applied: 1, failed: 1, expired: 1 }
    expect([await kept(), await listed()]).toEqual([over, over])
    await report(two, { ok: true })
    expect([await kept(), await listed()]).toEqual([null, { ...over, applied: 2, failed: 0 }])
    await keepCounts(w.store.db, '')
    await w.store.db.deleteFrom('action_agent').where('action_id', '=', id).execute()
    expect(await listed()).toEqual({ ...over, applied: 2, failed: 0 })
    expect((await page(sent)).counts).toEqual({ ...none, skipped: 3 })
  })

  test('is erased after 30 days', async () => {
    const { w, send } = await start(await open(), 1)
    const id = await send('pause')
    await eraseOldAction(w.store.db, w.clock.now() + 29 * 86_400_000)
    expect(await actionPage(w.store.db, w.workspace, id)).toBeDefined()
    await eraseOldAction(w.store.db, w.clock.now() + 30 * 86_400_000)
    expect(await actionPage(w.store.db, w.workspace, id)).toBeUndefined()
    expect(await w.store.db.selectFrom('action_agent').select('name').execute()).toEqual([])
  })

  test('is erased before the newest 1,000 of its workspace, if it is over', async () => {
    const { w, begin, send } = await start(await open(), 1)
    const [open1, over] = [await begin('pause'), await send('lift')]
    await keepCounts(w.store.db, '')
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
    const { w, agents, report, send, page, settle } = await start(await open(), 1)
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
    const cancelled = Array.from({ length: maxCommands + 5 }, (_, i) => ({
      ...{ ...first, id: `zz${i}`, created_at: w.clock.now() + i, state: 'cancelled' as const },
    }))
    for (let i = 0; i < cancelled.length; i += 500)
      await w.store.db
        .insertInto('command')
        .values(cancelled.slice(i, i + 500))
        .execute()
    await boundHistories(w.store.db, '', w.clock.now())
    expect(await rows.execute()).toHaveLength(maxCommands + 2)
    await report(agent, { ok: true })
    expect((await page(late)).counts).toEqual({ ...none, applied: 1 })
    await boundHistories(w.store.db, '', w.clock.now() + answeredMs)
    expect(await rows.execute()).toHaveLength(maxCommands)
    expect((await page(id)).agents).toEqual([{ name: 'a-0', state: 'refused', message: 'not now' }])
    expect((await page(late)).counts).toEqual({ ...none, applied: 1 })
  })

  describe('in several slices', () => {
    test('goes on where a killed service stopped, and sends nothing twice', async () => {
      const { w, begin, page } = await start(await open(), agentsAtOnce + 10)
      const id = await begin('pause')
      await sendSlice(w.store.db, id, w.clock.now())
      expect(await w.store.db.selectFrom('command').select('id').execute()).toHaveLength(agentsAtOnce)
      await Promise.all([finishAction(needs(w), id), finishAction(needs(w), id)])
      const commands = await w.store.db.selectFrom('command').select('agent_id').execute()
      expect(new Set(commands.map(({ agent_id }) => agent_id)).size).toBe(agentsAtOnce + 10)
      expect(commands).toHaveLength(agentsAtOnce + 10)
      expect((await page(id)).counts).toEqual({ ...none, waiting: agentsAtOnce + 10 })
    })

    test('sends no further slice when the person who pressed is no longer an admin (I33)', async () => {
      const { w, begin, page } = await start(await open(), agentsAtOnce + 10)
      await addPerson(w.store, 'Bea', w.workspace.id, 'admin', w.clock.now())
      const id = await begin('pause')
      await sendSlice(w.store.db, id, w.clock.now())
      await w.store.db.deleteFrom('member').where('userId', '=', w.admin.id).execute()
      await finishAction(needs(w), id)
      const { counts, agents } = await page(id)
      expect(counts).toEqual({ ...none, waiting: agentsAtOnce, cancelled: 10 })
      expect(agents.find(({ state }) => state === 'cancelled')?.message).toBe(
        'Ada is no longer an admin of the workspace.',
      )
    })

    test('can be cancelled before all slices are sent', async () => {
      const { w, begin, page, cancel } = await start(await open(), agentsAtOnce + 10)
      const id = await begin('pause')
      await sendSlice(w.store.db, id, w.clock.now())
      expect(await cancel(id)).toMatchObject({ value: { cancelled: agentsAtOnce + 10 } })
      await finishAction(needs(w), id)
      expect((await page(id)).counts).toEqual({ ...none, cancelled: agentsAtOnce + 10 })
    })
  })
})

const none = { waiting: 0, sent: 0, applied: 0, refused: 0, expired: 0, failed: 0, skipped: 0, cancelled: 0 }

const ctx = (w: TestWorkspace) => ({ db: w.store.db, by: w.admin, now: w.clock.now() })
const needs = (w: TestWorkspace) => ({ store: w.store, live, now: w.clock.now })

/** Makes agents that have reported their controls, and the ways to press and to answer. */
async function start(store: Store, count: number) {
  const w = await newTestWorkspace(store)
  const { report: send } = reporting(w)
  const agents: TestAgent[] = []
  for (let i = 0; i < count; i++) agents.push(await w.addAgent(`a-${i}`))
  for (const agent of agents) await send(offering, { agent })
  const ids = new Map<string, string>()
  const begin = async (type: ActionType, values = {}, more: string[] = [], by = w.admin) => {
    const names = [...agents.map(({ name }) => name), ...more]
    const verdict = await startAction({ ...ctx(w), by }, w.workspace, { type, values, agents: names })
    if (!verdict.ok) throw new Error(verdict.message)
    return verdict.value.id
  }
  return {
    w,
    agents,
    begin,
    send: async (type: ActionType, values = {}, more: string[] = [], by = w.admin) => {
      const id = await begin(type, values, more, by)
      await finishAction(needs(w), id)
      return id
    },
    /** Sends a report of the agent, which answers the command that it got before. */
    report: async (agent: TestAgent, answer?: { ok: boolean; message?: string }) => {
      const known = ids.get(agent.id)
      const acks = answer && known ? [{ id: known, ...answer }] : []
      const [command] = await send({ ...offering, acks }, { agent })
      if (command) ids.set(agent.id, command.id)
    },
    reportAs: (agent: TestAgent, body: Record<string, unknown>) => send(body, { agent }),
    /** The id of the command that the agent got last. */
    commandOf: (agent: TestAgent) => ids.get(agent.id) ?? '',
    page: async (id: string) => {
      const page = await actionPage(w.store.db, w.workspace, id, { now: w.clock.now() })
      if (!page) throw new Error('There is no such action.')
      return page
    },
    cancel: (id: string) => cancelAction(ctx(w), w.workspace, id),
    press: async (name: string) => {
      const agent = agents.find((each) => each.name === name) as TestAgent
      return queueCommand(ctx(w), agent, { type: 'pause', payload: {} })
    },
    settle: () => timeOutCommands(w.store, w.clock.now(), () => undefined),
  }
}

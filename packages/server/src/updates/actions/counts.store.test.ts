import type { ActionType } from '@svc/api'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { eventually } from '../../../../../testing/eventually.ts'
import { byLevel } from '../../../../../testing/level.ts'
import { randomOf } from '../../../../protocol/testing/mutate.ts'
import { ctx, needs, none, startPressing } from '../../../testing/pressing.ts'
import { onEveryEngine } from '../../../testing/stores.ts'
import type { TestAgent } from '../../../testing/test-workspace.ts'
import { deleteAgent } from '../../fleet/agents/store.ts'
import { actionsOfWorkspace, countUnfinishedActions } from '../../web/queries/actions.ts'
import { workspaceTurns } from '../../web/queries/fleet.ts'
import { addChanges, countAgents, readActionCounts } from './counts.ts'
import { finishAction, sendSlice } from './runner.ts'
import { retryAction, sendAction } from './store.ts'

onEveryEngine('the counts of an action', (open, engine) => {
  test('are in its row and in the changes, so that a list reads no row of its agents', async () => {
    const { w, agents, report, send, settle } = await startPressing(await open(), 3)
    const [one, two] = agents as [TestAgent, TestAgent]
    const { db } = w.store
    await send('pause')
    const turn = vi.spyOn(workspaceTurns, 'next')
    onTestFinished(() => turn.mockRestore())
    const listed = async () => (await actionsOfWorkspace(db, w.workspace, { limit: 10 })).rows[0]?.counts
    const kept = async () => {
      const row = await db.selectFrom('action').select(['counts', 'open_agents']).executeTakeFirstOrThrow()
      return [JSON.parse(row.counts ?? 'null'), Number(row.open_agents)]
    }
    await report(one)
    await report(two)
    await report(one, { ok: true })
    const open1 = { ...none, applied: 1, sent: 1, waiting: 1 }
    expect([await listed(), await kept()]).toEqual([open1, [{ ...none, waiting: 3 }, 3]])
    await addChanges(db)
    expect([await listed(), await kept()]).toEqual([open1, [open1, 2]])
    expect(await countUnfinishedActions(db, w.workspace)).toBe(1)
    w.clock.pass(601)
    await settle()
    await report(two, { ok: true })
    const over = { ...none, applied: 2, expired: 1 }
    expect(await listed()).toEqual(over)
    expect(await countUnfinishedActions(db, w.workspace)).toBe(0)
    await addChanges(db)
    expect(await countUnfinishedActions(db, w.workspace)).toBe(0)
    expect(await kept()).toEqual([over, 0])
    expect(await db.selectFrom('action_change').select('seq').execute()).toEqual([])
    await db.deleteFrom('action_agent').execute()
    expect(await listed()).toEqual(over)
    expect(turn).not.toHaveBeenCalled()
  })

  test('are those of its rows while it has none, each in a turn of its own, until a round counts them', async () => {
    const { w, agents, report, send } = await startPressing(await open(), 3)
    const { db } = w.store
    for (const type of ['pause', 'resume'] as const) await send(type)
    await db.updateTable('action').set({ counts: null, open_agents: null }).execute()
    await report(agents[0] as TestAgent)
    const turn = vi.spyOn(workspaceTurns, 'next')
    onTestFinished(() => turn.mockRestore())
    const listed = async () =>
      (await actionsOfWorkspace(db, w.workspace, { limit: 10 })).rows.map(({ counts }) => counts)
    const counts = await listed()
    expect(counts).toEqual([
      { ...none, sent: 1, waiting: 2 },
      { ...none, sent: 1, waiting: 2 },
    ])
    expect(turn.mock.calls).toEqual([[w.workspace.id], [w.workspace.id]])
    await addChanges(db)
    expect([await listed(), turn.mock.calls.length]).toEqual([counts, 2])
  })

  test('are made although four older actions fail', async () => {
    const { w, send } = await startPressing(await open(), 1)
    const { db } = w.store
    for (let i = 0; i < 5; i++) await send(i % 2 ? 'resume' : 'pause')
    await db.updateTable('action').set({ counts: null, open_agents: null }).execute()
    const failing = new Set<string>()
    await addChanges(db, async (id, work) => {
      if (failing.size < 4 || failing.has(id)) return !failing.add(id)
      await work()
      return true
    })
    const counted = await db.selectFrom('action').select('id').where('open_agents', 'is not', null).execute()
    expect(counted.map(({ id }) => failing.has(id))).toEqual([false])
  })

  test('of an action that was erased are forgotten', async () => {
    const { w, agents, report, send } = await startPressing(await open(), 1)
    await send('pause')
    await report(agents[0] as TestAgent)
    await w.store.db.deleteFrom('action').execute()
    await addChanges(w.store.db)
    expect(await w.store.db.selectFrom('action_change').select('seq').execute()).toEqual([])
  })

  test.runIf(engine === 'PostgreSQL')('are right when a command ends while another action joins it (D5)', async () => {
    const { w, begin, send } = await startPressing(await open(), 1)
    if (w.store.engine === 'sqlite') throw new Error('This test is about PostgreSQL.')
    const { db } = w.store
    await send('pause')
    const id = await begin('pause')
    const ending = await w.store.pool.connect()
    await ending.query(`begin; update command set state = 'expired'`)
    const joining = sendSlice(db, id, w.clock.now())
    const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    const { pool } = w.store
    await eventually('the other action waits', async () => expect((await pool.query(waiting)).rowCount).toBe(1))
    await ending.query('commit')
    ending.release()
    await joining
    expect((await readActionCounts(db, [id])).get(id)).toEqual({ ...none, expired: 1 })
  })

  describe('are those of its agents, whatever happens at the same time', () => {
    test.each(Array.from({ length: byLevel(1, 3, 60) }, (_, i) => i))('history %i', async (seed) => {
      const random = randomOf(seed + 1)
      const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T
      const { w, agents, report, cancel, press, settle } = await startPressing(await open(), 8)
      const { db } = w.store
      const ids: string[] = []
      const begin = async (type: ActionType) => {
        const there = agents.filter(() => random() < 0.7).map(({ name }) => name)
        if (there.length === 0) return undefined
        const started = await sendAction(ctx(w), w.workspace, { type, values: {}, agents: there })
        if (!started.ok) return undefined
        ids.push(started.value.id)
        return started.value.id
      }
      const remove = async (act: (agent: TestAgent) => Promise<unknown>) => {
        if (agents.length > 3) await act(agents.splice(Math.floor(random() * agents.length), 1)[0] as TestAgent)
      }
      // An agent may be deleted at the same time.
      const reporting = (answer?: { ok: boolean }) => report(pick(agents), answer).catch(() => {})
      const acts: (() => Promise<unknown>)[] = [
        () => begin(pick(['pause', 'resume', 'lift', 'delete'])),
        async () => {
          const id = await begin('pause')
          if (id !== undefined) await finishAction(needs(w), id)
        },
        () => finishAction(needs(w), pick(ids)),
        () => reporting(),
        () => reporting({ ok: random() < 0.6 }),
        () => reporting({ ok: random() < 0.6 }),
        () => press(pick(agents).name),
        () => cancel(pick(ids)),
        () => retryAction(ctx(w), w.workspace, pick(ids)).then((again) => again.ok && ids.push(again.value.id)),
        () => settle(),
        async () => w.clock.pass(pick([1, 700])),
        () => remove((agent) => deleteAgent(ctx(w), agent)),
        // A node of an earlier version deletes an agent and keeps no outcomes, and an action that it started has no
        // counts.
        () => remove(({ id }) => db.deleteFrom('agent').where('id', '=', id).execute()),
        () => db.updateTable('action').set({ counts: null, open_agents: null }).where('id', '=', pick(ids)).execute(),
        // The sweeper of such a node writes the counts of an action that is over, and nothing else.
        async () => {
          const id = pick(ids)
          const counts = JSON.stringify(await countAgents(db, id))
          const uncounted = db.updateTable('action').set({ counts }).where('id', '=', id)
          await uncounted.where('open_agents', 'is', null).execute()
        },
        () => addChanges(db),
      ]
      for (const type of ['pause', 'resume'] as const) while ((await begin(type)) === undefined);
      for (let step = 0; step < 40; step++) {
        await Promise.all(Array.from({ length: 1 + Math.floor(random() * 4) }, () => pick(acts)()))
        if (step % 10 === 9) await addChanges(db)
        const counts = await readActionCounts(db, ids)
        for (const [id, kept] of counts) expect([step, kept]).toEqual([step, await countAgents(db, id)])
      }
      await addChanges(db)
      expect((await readActionCounts(db, ids)).size).toBeGreaterThan(1)
    })
  })
})

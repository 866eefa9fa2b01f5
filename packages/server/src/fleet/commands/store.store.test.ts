import { expect, test } from 'vitest'
import { reporting } from '../../../testing/reporting.ts'
import { offering } from '../../../testing/service.ts'
import { onBothEngines } from '../../../testing/stores.ts'
import { newTestWorkspace } from '../../../testing/test-workspace.ts'
import { listCommands, maxPendingCommands, readLogNames, sendAgain, sendCommand } from './store.ts'

const pause = { type: 'pause', payload: {} } as const

onBothEngines('queue of commands', (open) => {
  test('an agent that never reported offers nothing', async () => {
    const { store, agent, admin, clock } = await newTestWorkspace(await open())
    const queued = await sendCommand({ db: store.db, by: admin, now: clock.now() }, agent, pause)
    expect(queued).toEqual({ ok: false, code: 'command_not_offered', message: 'The agent does not offer "pause".' })
  })

  test('a command that the last report offers is queued for ten minutes, with a line in the audit trail', async () => {
    const w = await newTestWorkspace(await open())
    const { report } = reporting(w)
    await report(offering)
    const queued = await sendCommand({ db: w.store.db, by: w.admin, now: w.clock.now() }, w.agent, pause)
    expect(queued).toMatchObject({
      ok: true,
      value: {
        made: true,
        command: {
          type: 'pause',
          payload: '{}',
          state: 'queued',
          created_by: w.admin.id,
          created_by_name: 'Ada',
          due_at: w.clock.now() + 600_000,
        },
      },
    })
    expect(await w.store.db.selectFrom('audit').selectAll().execute()).toMatchObject([
      { actor: 'Ada', action: 'command.sent', subject: 'agent mail-triage', workspace_id: w.workspace.id },
    ])
  })

  test('a setting outside its bounds is refused with the bounds (2.7)', async () => {
    const w = await newTestWorkspace(await open())
    await reporting(w).report(offering)
    const body = { type: 'set', payload: { every: 500 } } as const
    expect(await sendCommand({ db: w.store.db, by: w.admin, now: w.clock.now() }, w.agent, body)).toEqual({
      ok: false,
      code: 'command_not_offered',
      message: 'every must be between 1 and 120: got 500.',
    })
    expect((await listCommands(w.store.db, w.agent)).total).toBe(0)
  })

  test('logs that a report or a kept run names can be requested, others cannot', async () => {
    const w = await newTestWorkspace(await open())
    const { report } = reporting(w)
    await report({ runs: [{ id: 'a', log: 'run-a' }] })
    await report(offering)
    expect([...(await readLogNames(w.store.db, w.agent))].sort()).toEqual(['run-a', 'work'])
    const asks = (name: string) =>
      sendCommand({ db: w.store.db, by: w.admin, now: w.clock.now() }, w.agent, { type: 'log', payload: { name } })
    expect(await asks('run-a')).toMatchObject({ ok: true })
    expect(await asks('/etc/passwd')).toMatchObject({ ok: false, code: 'command_not_offered' })
  })

  test('sending the same command while one is pending returns that one, queued or unanswered (D5)', async () => {
    const w = await newTestWorkspace(await open())
    const { report, press } = reporting(w)
    await report(offering)
    const first = await press('pause')
    expect((await press('pause')).id).toBe(first.id)
    await report(offering)
    expect((await press('pause')).id).toBe(first.id)
    await report({ ...offering, acks: [{ id: first.id, ok: true }] })
    expect((await press('pause')).id).not.toBe(first.id)
  })

  test('the same command sent several times at the same moment is queued once (D5)', async () => {
    const w = await newTestWorkspace(await open())
    const { report, press } = reporting(w)
    await report(offering)
    const presses = await Promise.all([press('run_now'), press('run_now'), press('run_now')])
    expect(new Set(presses.map(({ id }) => id)).size).toBe(1)
  })

  test('after the timeout of an unanswered command the same one is new, even before the old one was marked', async () => {
    const w = await newTestWorkspace(await open())
    const { report, press } = reporting(w)
    await report(offering)
    const first = await press('pause')
    w.clock.pass(600)
    expect((await press('pause')).id).not.toBe(first.id)
  })

  test('a log command is the same only for the same log, and set is always new and delivered in order (D5)', async () => {
    const w = await newTestWorkspace(await open())
    const { report, press } = reporting(w)
    const two = { ...offering, active: [{ log: 'work' }, { log: 'mail' }] }
    await report(two)
    const ids = [
      (await press('log', { name: 'work' })).id,
      (await press('log', { name: 'mail' })).id,
      (await press('set', { every: 1 })).id,
      (await press('set', { every: 1 })).id,
      (await press('set', { every: 2 })).id,
    ]
    expect((await press('log', { name: 'work' })).id).toBe(ids[0])
    expect((await report(two)).map(({ id }) => id)).toEqual(ids)
  })

  test('a finished command can be sent again as a new one; a pending one cannot', async () => {
    const w = await newTestWorkspace(await open())
    const { report, press } = reporting(w)
    await report(offering)
    const first = await press('set', { every: 3 })
    const again = () => sendAgain({ db: w.store.db, by: w.admin, now: w.clock.now() }, w.agent, first.id)
    expect(await again()).toMatchObject({ ok: false, code: 'command_under_way' })
    await report({ ...offering })
    await report({ ...offering, acks: [{ id: first.id, ok: false, message: 'not now' }] })
    const second = await again()
    expect(second).toMatchObject({ ok: true, value: { made: true, command: { type: 'set', payload: '{"every":3}' } } })
    expect(await sendAgain({ db: w.store.db, by: w.admin, now: w.clock.now() }, w.agent, 'nobody')).toMatchObject({
      ok: false,
      code: 'command_unknown',
    })
  })

  test('commands are listed newest first, in pages', async () => {
    const w = await newTestWorkspace(await open())
    const { report, press } = reporting(w)
    await report(offering)
    for (const every of [1, 2, 3]) await press('set', { every })
    const { total, rows } = await listCommands(w.store.db, w.agent, { limit: 2 })
    expect([total, ...rows.map(({ payload }) => payload)]).toEqual([3, '{"every":3}', '{"every":2}'])
  })

  test('the number of pending commands of an agent is limited', async () => {
    const w = await newTestWorkspace(await open())
    const { report } = reporting(w)
    await report(offering)
    const body = { type: 'set', payload: { every: 5 } } as const
    const queue = () => sendCommand({ db: w.store.db, by: w.admin, now: w.clock.now() }, w.agent, body)
    for (let i = 0; i < maxPendingCommands; i++) expect((await queue()).ok).toBe(true)
    expect(await queue()).toMatchObject({ ok: false, code: 'commands_too_many' })
  })
})

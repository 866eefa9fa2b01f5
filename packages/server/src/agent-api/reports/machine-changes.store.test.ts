import { expect, test } from 'vitest'
import { uploaded } from '../../../testing/bundles.ts'
import { reporting } from '../../../testing/reporting.ts'
import { onEveryEngine } from '../../../testing/stores.ts'
import { newTestWorkspace, type TestWorkspace } from '../../../testing/test-workspace.ts'
import { readLogNames, sendCommand } from '../../fleet/commands/store.ts'
import { readMachineChanges } from '../../web/queries/agent.ts'
import { maxMachineChanges } from '../report-store/written.ts'

const offer = { controls: ['pause', 'resume'] }
const set = (every: number) => ({
  settings: { schema: [{ key: 'every', type: 'number' }], values: { every } },
})

onEveryEngine('changes made on the machine', (open) => {
  const start = async () => {
    const w = await newTestWorkspace(await open())
    return { ...reporting(w), ...w, changes: () => readMachineChanges(w.store.db, w.agent, 50) }
  }
  const ofBlueprint = ({ store, agent }: TestWorkspace, installed: string) =>
    store.db
      .updateTable('agent')
      .set({ blueprint: 'mail', installed_version: installed })
      .where('id', '=', agent.id)
      .execute()
  const versions = async ({ store, agent }: TestWorkspace) =>
    store.db
      .selectFrom('agent')
      .select(['reported_version', 'previous_version'])
      .where('id', '=', agent.id)
      .executeTakeFirst()

  test('a pause and a setting changed on the machine are kept with their time; those changed by commands are not', async () => {
    const { report, press, clock, changes } = await start()
    await report({ ...offer, ...set(5), state: { label: 'Working' } })
    await press('pause')
    await press('set', { every: 7 })
    clock.pass(30)
    const [pause, wished] = await report({ ...offer, ...set(5), state: { label: 'Working' } })
    clock.pass(30)
    const acks = [pause, wished].map((command) => ({ id: command?.id, ok: true }))
    await report({ ...offer, ...set(7), state: { label: 'Paused' }, acks })
    expect(await changes()).toEqual([])
    clock.pass(30)
    await report({ ...offer, ...set(9), state: { label: 'Working' } })
    const at = clock.now()
    expect(await changes()).toEqual([
      { at, kind: 'setting', key: 'every', before: 7, after: 9 },
      { at, kind: 'pause', key: null, before: true, after: false },
    ])
  })

  test('a command that the agent refused does not explain a change', async () => {
    const { report, press, changes } = await start()
    await report({ ...offer, state: { label: 'Working' } })
    await press('pause')
    const [pause] = await report({ ...offer, state: { label: 'Working' } })
    await report({ ...offer, state: { label: 'Paused' }, acks: [{ id: pause?.id, ok: false, message: 'not now' }] })
    expect(await changes()).toMatchObject([{ kind: 'pause', after: true }])
  })

  test('if a late ack and the ack of a newer command come in one report, the newer value is expected', async () => {
    const { report, press, command, clock, monotonic, changes } = await start()
    await report(set(5))
    await press('set', { every: 7 })
    const [late] = await report(set(5))
    clock.pass(601)
    monotonic.pass(601)
    await report(set(5))
    expect(await command(late?.id ?? '')).toMatchObject({ state: 'failed' })
    await press('set', { every: 8 })
    const [newer] = await report(set(5))
    await report({ ...set(5), acks: [late, newer].map((command) => ({ id: command?.id, ok: true })) })
    await report(set(8))
    expect(await changes()).toEqual([])
    await report(set(7))
    expect(await changes()).toMatchObject([{ before: 8, after: 7 }])
  })

  test('a report that arrives after a later one changes nothing (D11)', async () => {
    const { report, changes } = await start()
    await report({ ...set(5), boot: 'b', seq: 1 })
    await report({ ...set(6), boot: 'b', seq: 3 })
    await report({ ...set(5), boot: 'b', seq: 2 })
    expect(await changes()).toMatchObject([{ before: 5, after: 6 }])
  })

  test('an agent that changes all the time does not fill the disk: only the newest changes are kept', async () => {
    const { report, store, changes, clock } = await start()
    for (let i = 0; i < maxMachineChanges + 12; i++) {
      clock.pass(1)
      await report(set(i))
    }
    const { count } = await store.db
      .selectFrom('machine_change')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
    expect(Number(count)).toBe(maxMachineChanges)
    expect((await changes())[0]).toMatchObject({ after: maxMachineChanges + 11 })
  })

  test('the row of an agent is written only when something in it changed', async () => {
    const { report, decide } = await start()
    await report({ ...set(5), state: { label: 'Working' } })
    const same = await decide({ ...set(5), state: { label: 'Working' }, health: [{ name: 'new', level: 'ok' }] })
    expect(same).toMatchObject({ write: { agent: undefined, machineChanges: [] } })
    expect(await decide({ ...set(6), state: { label: 'Working' } })).toMatchObject({
      write: { agent: expect.anything() },
    })
  })

  test('for an agent of a blueprint, the running version and the one before it are kept; a rollback swaps them', async () => {
    const w = await start()
    await ofBlueprint(w, '1.0.0')
    await w.report({ agent: { version: '1.0.0' } })
    expect(await versions(w)).toEqual({ reported_version: '1.0.0', previous_version: null })
    await w.report({ agent: { version: '1.1.0' }, applied: { version: '1.1.0', outcome: 'ok' } })
    expect(await versions(w)).toEqual({ reported_version: '1.1.0', previous_version: '1.0.0' })
    await w.report({ agent: { version: '1.0.0' }, applied: { version: '1.0.0', outcome: 'rolled_back' } })
    expect(await versions(w)).toEqual({ reported_version: '1.0.0', previous_version: '1.1.0' })
    expect(await w.changes()).toMatchObject([
      { kind: 'version', before: '1.1.0', after: '1.0.0' },
      { kind: 'version', before: '1.0.0', after: '1.1.0' },
    ])
  })

  test('logs that the manifest of the running version declares can be requested and are delivered', async () => {
    const w = await start()
    const { store, workspace, admin, clock, agent } = w
    await uploaded({ db: store.db, by: admin, now: clock.now() }, workspace, { logs: ['work', 'mail'] })
    await uploaded({ db: store.db, by: admin, now: clock.now() }, workspace, { version: '2.0.0', logs: ['deep'] })
    await ofBlueprint(w, '1.0.0')
    expect(await readLogNames(store.db, agent)).toEqual(new Set(['work', 'mail']))
    await w.press('log', { name: 'mail' })
    // The runs of the report name another log, but the log `mail` that the manifest declares is still offered (D6), so
    // the command is delivered.
    expect(await w.report({ agent: { version: '1.0.0' }, runs: [{ id: '1', log: 'run-1' }] })).toMatchObject([
      { type: 'log', payload: { name: 'mail' } },
    ])
    await w.report({ agent: { version: '2.0.0' } })
    expect(await readLogNames(store.db, agent)).toEqual(new Set(['run-1', 'deep']))
    const body = { type: 'log', payload: { name: 'mail' } } as const
    await store.db.deleteFrom('command').execute()
    expect(await sendCommand({ db: store.db, by: admin, now: clock.now() }, agent, body)).toMatchObject({
      code: 'command_not_offered',
    })
  })
})

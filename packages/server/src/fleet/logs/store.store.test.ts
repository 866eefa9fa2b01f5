import { pino } from 'pino'
import { expect, test } from 'vitest'
import { reporting } from '../../../testing/reporting.ts'
import { offering, testLive } from '../../../testing/service.ts'
import { onBothEngines } from '../../../testing/stores.ts'
import { newTestWorkspace } from '../../../testing/test-workspace.ts'
import { hashToken, newToken } from '../../platform/tokens.ts'
import { createSweeper } from '../../service/sweeper/sweeper.ts'
import { listSentLogs, logsOfCommands, readSentLog, storeLog } from './store.ts'

onBothEngines('logs', (open) => {
  const start = async () => {
    const w = await newTestWorkspace(await open())
    const r = reporting(w)
    await r.report(offering)
    const caller = { agentId: w.agent.id, tokenHash: hashToken(w.agent.token) }
    const upload = (command: string, name = 'work', text = 'hello', as = caller) =>
      storeLog(w.store.db, as, { command, name, text }, w.clock.now())
    const asked = async () => {
      const { id } = await r.press('log', { name: 'work' })
      await r.report(offering)
      return id
    }
    return { w, r, upload, asked, caller }
  }

  test('the first upload counts; a repeat gets the same success and stores nothing (D7)', async () => {
    const { w, upload, asked } = await start()
    const id = await asked()
    expect(await upload(id)).toEqual({ ok: true, workspaceId: w.workspace.id, made: true })
    expect(await upload(id, 'work', 'other')).toEqual({ ok: true, workspaceId: w.workspace.id, made: false })
    const [line] = await listSentLogs(w.store.db, w.agent, w.clock.now())
    expect(line).toMatchObject({ name: 'work', bytes: 5, asked_by: 'Ada', command_id: id })
    expect(await readSentLog(w.store.db, w.agent, line?.id ?? '', w.clock.now())).toMatchObject({ text: 'hello' })
    expect(await logsOfCommands(w.store.db, [id], w.clock.now())).toEqual(new Map([[id, line?.id]]))
  })

  test('unknown, foreign, queued and other commands get the same 404, and store nothing (D7)', async () => {
    const { w, r, upload, asked } = await start()
    const foreign = await asked()
    const other = await w.addAgent('other')
    const as = { agentId: other.id, tokenHash: hashToken(other.token) }
    const { id: paused } = await r.press('pause')
    await r.report(offering)
    await upload(foreign)
    const { id: queued } = await r.press('log', { name: 'work' })
    const unknown = { ok: false, code: 'command_unknown' }
    expect(await upload('nothing')).toEqual(unknown)
    expect(await upload(foreign, 'work', 'x', as)).toEqual(unknown)
    expect(await upload(queued)).toEqual(unknown)
    expect(await upload(paused)).toEqual(unknown)
    expect((await listSentLogs(w.store.db, w.agent, w.clock.now())).length).toBe(1)
  })

  test('another name than the requested one is 400', async () => {
    const { upload, asked } = await start()
    expect(await upload(await asked(), 'secret')).toEqual({ ok: false, code: 'body_invalid' })
  })

  test('an upload after the timeout counts as a late answer, until 24 hours after the delivery (D7)', async () => {
    const { w, r, upload, asked } = await start()
    const id = await asked()
    w.clock.pass(700)
    r.monotonic.pass(700)
    await r.report(offering)
    expect(await r.command(id)).toMatchObject({ state: 'failed' })
    w.clock.pass(86_400 - 701)
    expect(await upload(id)).toMatchObject({ ok: true, made: true })
    expect(await r.command(id)).toMatchObject({ state: 'applied_late', answered_at: w.clock.now() })
    const second = await asked()
    w.clock.pass(86_400)
    expect(await upload(second)).toEqual({ ok: false, code: 'command_unknown' })
  })

  test('an upload after an ack that refused is answered like a second one and stores nothing (3.2, D3)', async () => {
    const { w, r, upload, asked } = await start()
    const id = await asked()
    await r.report({ acks: [{ id, ok: false, message: 'There is no such log.' }] })
    expect(await upload(id)).toMatchObject({ ok: true, made: false })
    expect(await listSentLogs(w.store.db, w.agent, w.clock.now())).toEqual([])
    expect(await r.command(id)).toMatchObject({ state: 'refused', message: 'There is no such log.' })
  })

  test('a token that was rotated meanwhile stores nothing (D22)', async () => {
    const { w, upload, asked } = await start()
    const id = await asked()
    await w.store.db
      .updateTable('agent')
      .set({ token_hash: hashToken(newToken('agent')) })
      .execute()
    expect(await upload(id)).toEqual({ ok: false, code: 'token_unknown' })
  })

  test('two uploads at the same moment store one (D7)', async () => {
    const { upload, asked } = await start()
    const id = await asked()
    const made = await Promise.all([upload(id), upload(id), upload(id)])
    expect(made.filter((one) => one.ok && one.made).length).toBe(1)
    expect(made.every((one) => one.ok)).toBe(true)
  })

  test('after 30 days a log cannot be read, and the next round of the sweeper erases it (I32, D56)', async () => {
    const { w, upload, asked } = await start()
    await upload(await asked())
    const [line] = await listSentLogs(w.store.db, w.agent, w.clock.now())
    w.clock.pass(30 * 86_400 - 1)
    expect((await listSentLogs(w.store.db, w.agent, w.clock.now())).length).toBe(1)
    w.clock.pass(1)
    expect(await listSentLogs(w.store.db, w.agent, w.clock.now())).toEqual([])
    expect(await readSentLog(w.store.db, w.agent, line?.id ?? '', w.clock.now())).toBeUndefined()
    const deps = { store: w.store, live: testLive(), log: pino({ level: 'silent' }), now: w.clock.now }
    await createSweeper(deps, () => undefined).sweep()
    expect(await w.store.db.selectFrom('log').select('id').execute()).toEqual([])
  })
})

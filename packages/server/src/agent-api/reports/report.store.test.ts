import { expect, test } from 'vitest'
import { sampleReport } from '../../../../protocol/testing/sample.ts'
import { reporting, submission } from '../../../testing/reporting.ts'
import { offering } from '../../../testing/service.ts'
import { onBothEngines } from '../../../testing/stores.ts'
import { addAgent, addWorkspace, newTestWorkspace, type TestAgent } from '../../../testing/test-workspace.ts'
import { storedReport } from '../../fleet/reports/body.ts'
import { hasTwoReporters } from '../../fleet/reports/reporters.ts'
import { dayNumber } from '../../platform/limits/units.ts'
import { hashToken, newToken } from '../../platform/tokens.ts'
import { fleetRows } from '../../web/queries/fleet-rows.ts'

const late = { name: 'Status file', level: 'warn' }
const ages: [says: string, minutes: number, more: object, age: object][] = [
  ['new', 4, {}, { statusOld: false, statusLate: false }],
  ['of a reporter that does not know what is usual', 6, {}, { statusOld: true, statusLate: false }],
  ['not old for this agent', 14, { status_old: false }, { statusOld: false, statusLate: false }],
  ['old by the clock of its machine', 1, { status_old: true }, { statusOld: true, statusLate: false }],
  ['late', 14, { status_old: true, health: [late] }, { statusOld: true, statusLate: true }],
  ['unreadable for long', 14, { status_old: false, health: [late] }, { statusOld: true, statusLate: true }],
  ['without a time', 0, { status_at: null, status_old: true }, { statusOld: false, statusLate: false }],
]

onBothEngines('a report', (open) => {
  test('a report is kept as received, along with its runs and the columns of the fleet list', async () => {
    const w = await newTestWorkspace(await open())
    await reporting(w).report(sampleReport)
    const row = await w.store.db.selectFrom('agent_report').selectAll().executeTakeFirstOrThrow()
    const { runs: _, acks: __, ...body } = sampleReport
    expect(storedReport(row.body)).toEqual(body)
    expect(row).toMatchObject({
      agent_id: w.agent.id,
      received_at: w.clock.now(),
      level: 'ok',
      label: 'Working',
      version: '1.4.0',
      doing: 'triage: Reading the attachments',
      controls: '["pause","resume","run_now"]',
      interval_s: 30,
      runs_kept: 6,
    })
  })

  test('a report replaces the one before completely: what it leaves out is gone (I9)', async () => {
    const w = await newTestWorkspace(await open())
    const { report } = reporting(w)
    await report(sampleReport)
    await report({ state: { level: 'warn' } })
    const row = await w.store.db.selectFrom('agent_report').selectAll().executeTakeFirstOrThrow()
    expect(JSON.parse(row.body)).toEqual({ protocol: 1, state: { level: 'warn' } })
    expect(row).toMatchObject({ label: null, doing: null, version: null, controls: '[]', level: 'warn', runs_kept: 6 })
  })

  test('a status that the runtime calls too old is a warning in the list, but never before ten minutes (D65)', async () => {
    const w = await newTestWorkspace(await open())
    const { report } = reporting(w)
    const list = async () => {
      const rows = await fleetRows(w.store.db, w.workspace.id, dayNumber(w.clock.now()))
      const { level, statusAt, statusLate } = rows.get(w.agent.id) ?? {}
      return { level, statusAt, statusLate }
    }
    const old = (minutes: number, item: 'warn' | 'info') => ({
      status_at: Math.floor(w.clock.now() / 1000) - minutes * 60,
      state: { level: 'ok' },
      health: [{ name: 'Status file', level: item, detail: 'Written some time ago.' }],
    })
    const at = (minutes: number) => (Math.floor(w.clock.now() / 1000) - minutes * 60) * 1000
    await report(old(60, 'info'))
    expect(await list()).toEqual({ level: 'ok', statusAt: at(60), statusLate: false })
    await report(old(60, 'warn'))
    expect(await list()).toEqual({ level: 'ok', statusAt: at(60), statusLate: true })
    await report(old(9, 'warn'))
    expect(await list()).toMatchObject({ statusLate: false })
    await report({ state: { level: 'ok' } })
    expect(await list()).toEqual({ level: 'ok', statusAt: null, statusLate: false })
  })

  test('a status is old if its reporter says so, or by its age if the reporter does not know (D67)', async () => {
    const w = await newTestWorkspace(await open())
    const { report } = reporting(w)
    for (const [says, minutes, more, age] of ages) {
      const status_at = Math.floor(w.clock.now() / 1000) - minutes * 60
      await report({ status_at, state: { level: 'ok' }, health: [], ...more })
      const rows = await fleetRows(w.store.db, w.workspace.id, dayNumber(w.clock.now()))
      expect(rows.get(w.agent.id), says).toMatchObject(age)
    }
  })

  test('an agent that runs without its secrets is a warning in the list', async () => {
    const w = await newTestWorkspace(await open())
    const { report } = reporting(w)
    const missing = async () =>
      (await fleetRows(w.store.db, w.workspace.id, dayNumber(w.clock.now()))).get(w.agent.id)?.secretsMissing
    await report({ health: [{ name: 'Missing secrets', level: 'warn', detail: 'NOTIFY_TOKEN not set.' }] })
    expect(await missing()).toBe(true)
    await report({ health: [{ name: 'Process', level: 'ok' }] })
    expect(await missing()).toBe(false)
  })

  test.each([
    ['Space on disk', 'warn', 'disk'],
    ['Space on disk', 'bad', 'disk'],
    ['Space on disk', 'ok', null],
    ['Missing secrets', 'bad', null],
    ['Disk', 'bad', null],
  ] as const)(
    'the health item "%s" at the level %s is the warning %s, by which alerts judge',
    async (name, level, word) => {
      const w = await newTestWorkspace(await open())
      const { report } = reporting(w)
      await report({ health: [{ name, level }] })
      const row = await w.store.db.selectFrom('agent_report').select('warnings').executeTakeFirstOrThrow()
      expect(row.warnings).toBe(word)
    },
  )

  test('an agent that was stopped on its machine is shown as stopped until its next report, and gets no commands with its last one (D66)', async () => {
    const w = await newTestWorkspace(await open())
    const { report, press } = reporting(w)
    const list = async () => (await fleetRows(w.store.db, w.workspace.id, dayNumber(w.clock.now()))).get(w.agent.id)
    await report(offering)
    await press('run_now')
    expect(await report({ ...offering, stopped: 'person' })).toEqual([])
    expect(await list()).toMatchObject({ stopped: 'person', silentAt: w.clock.now() })
    w.clock.pass(60)
    expect(await report(offering)).toMatchObject([{ type: 'run_now' }])
    expect(await list()).toMatchObject({ stopped: null, silentAt: w.clock.now() + 90_000 })
  })

  test('level changes are kept as a history; repeated levels are not', async () => {
    const w = await newTestWorkspace(await open())
    const { report } = reporting(w)
    for (const level of ['ok', 'ok', 'bad', 'bad', 'ok']) {
      w.clock.pass(30)
      await report({ state: { level, label: `is ${level}` } })
    }
    const rows = await w.store.db.selectFrom('level_change').select(['level', 'label', 'at']).orderBy('seq').execute()
    expect(rows.map(({ level }) => level)).toEqual(['ok', 'bad', 'ok'])
    expect(rows.at(-1)).toEqual({ level: 'ok', label: 'is ok', at: w.clock.now() })
  })

  test('a pause is kept, and a time offline by the report that ends it, whichever node gets it', async () => {
    const w = await newTestWorkspace(await open())
    const nodes = [reporting(w), reporting(w)] as const
    const start = w.clock.now()
    const send = async (node: 0 | 1, after: number, parts: object) => {
      w.clock.pass(after)
      await nodes[node].report(parts)
    }
    const ok = { state: { level: 'ok', label: 'Idle' } }
    const paused = { state: { level: 'ok', label: 'Paused' } }
    await send(0, 0, ok)
    await send(1, 30, ok)
    await send(0, 30, paused)
    await send(1, 30, paused)
    await send(0, 30, ok)
    await send(1, 120, ok)
    await send(1, 30, { ...ok, stopped: 'person' })
    await send(0, 10, ok)
    const at = (rows: readonly object[]) =>
      rows.map((row) => Object.values(row).map((v) => (typeof v === 'number' && v > start ? (v - start) / 1000 : v)))
    const { db } = w.store
    const changes = await db.selectFrom('level_change').select(['at', 'level', 'paused']).orderBy('seq').execute()
    expect(at(changes.slice(1))).toEqual([
      [60, 'ok', 1],
      [120, 'ok', 0],
    ])
    const offline = await db
      .selectFrom('agent_offline')
      .select(['from_at', 'until_at', 'stopped'])
      .orderBy('seq')
      .execute()
    expect(at(offline)).toEqual([
      [210, 240, null],
      [270, 280, 'person'],
    ])
    const agent = await db.selectFrom('agent').select('first_report_at').executeTakeFirst()
    expect(agent).toEqual({ first_report_at: start })
  })

  test('a report with a token that was rotated meanwhile is refused inside the transaction and changes nothing (D22, I7)', async () => {
    const w = await newTestWorkspace(await open())
    const { decide, report } = reporting(w)
    const next = newToken('agent')
    await w.store.db
      .updateTable('agent')
      .set({ token_hash: hashToken(next) })
      .where('id', '=', w.agent.id)
      .execute()
    expect(await decide(sampleReport)).toEqual({ ok: false, code: 'token_unknown' })
    expect(await w.store.db.selectFrom('agent_report').selectAll().execute()).toEqual([])
    expect(await w.store.db.selectFrom('run').selectAll().execute()).toEqual([])
    await report(sampleReport, { token: next })
  })

  test('a report of an agent that was deleted meanwhile is refused', async () => {
    const w = await newTestWorkspace(await open())
    const { decide, report } = reporting(w)
    await report(sampleReport)
    await w.store.db.deleteFrom('agent').where('id', '=', w.agent.id).execute()
    expect(await decide(sampleReport)).toEqual({ ok: false, code: 'token_unknown' })
    expect(await w.store.db.selectFrom('run').selectAll().execute()).toEqual([])
  })

  test('a report to a workspace that is not activated stores nothing (D56)', async () => {
    const w = await newTestWorkspace(await open(), { activated: false })
    expect(await reporting(w).decide(sampleReport)).toEqual({ ok: false, code: 'workspace_inactive' })
    expect(await w.store.db.selectFrom('agent_report').selectAll().execute()).toEqual([])
  })

  test('a report that a later one overtook may bring acks, but changes nothing else and claims nothing (D11)', async () => {
    const w = await newTestWorkspace(await open())
    const { report, press, command } = reporting(w)
    await report({ ...offering, boot: 'b1', seq: 7 })
    const first = await press('pause')
    await report({ ...offering, boot: 'b1', seq: 9, state: { level: 'ok' } })
    const second = await press('resume')
    w.clock.pass(10)
    const late = {
      boot: 'b1',
      seq: 8,
      state: { level: 'bad' },
      runs: [{ id: 'x' }],
      acks: [{ id: first.id, ok: true }],
    }
    expect(await report(late)).toEqual([])
    expect(await command(first.id)).toMatchObject({ state: 'applied' })
    expect(await command(second.id)).toMatchObject({ state: 'queued' })
    const row = await w.store.db.selectFrom('agent_report').selectAll().executeTakeFirstOrThrow()
    expect(row).toMatchObject({ level: 'ok', seq: 9, received_at: w.clock.now() - 10_000, runs_kept: 0 })
    expect(await w.store.db.selectFrom('run').selectAll().execute()).toEqual([])
  })

  test('after a restart of the reporter, reports count again from its first number (D11)', async () => {
    const w = await newTestWorkspace(await open())
    const { report } = reporting(w)
    await report({ boot: 'b1', seq: 7 })
    await report({ boot: 'b2', seq: 0, state: { level: 'info' } })
    const row = await w.store.db.selectFrom('agent_report').selectAll().executeTakeFirstOrThrow()
    expect(row).toMatchObject({ boot: 'b2', seq: 0, level: 'info' })
  })

  test('two reporters with one token are noticed; a restart or a crash loop is not mistaken for them (D8)', async () => {
    const w = await newTestWorkspace(await open())
    const { report } = reporting(w)
    const flag = async () =>
      hasTwoReporters(
        (await w.store.db.selectFrom('agent_report').select('reporters').executeTakeFirstOrThrow()).reporters,
      )
    for (const boot of ['a', 'a', 'b', 'b', 'c', 'd', 'e']) await report({ boot, agent: { host: 'one' } })
    expect(await flag()).toBe(false)
    for (const host of ['one', 'two', 'one', 'two']) await report({ boot: 'e', agent: { host } })
    expect(await flag()).toBe(true)
    for (let i = 0; i < 10; i++) await report({ boot: 'e', agent: { host: 'two' } })
    expect(await flag()).toBe(false)
  })

  test('in a batch of many agents each report gets its own decision, and refused ones store nothing', async () => {
    const w = await newTestWorkspace(await open())
    const r = reporting(w)
    const inactive = await addWorkspace(w.store, 'south', false, w.clock.now())
    const good = await Promise.all(Array.from({ length: 20 }, (_, i) => w.addAgent(`agent-${i}`)))
    const asleep = await addAgent(w.store, inactive.id, 'asleep', w.clock.now())
    const sent = [...good, asleep].map((agent, i) =>
      submission(
        w,
        { runs: [{ id: `r${i}`, started: 100 + i }], state: { level: 'ok', label: agent.name } },
        { agent },
      ),
    )
    const stranger = submission(w, sampleReport, { agent: { ...w.agent, id: 'nobody' } })
    const decisions = await r.store([...sent, stranger], w.clock.now(), r.deliveries.age)
    expect(decisions.map((d) => (d.ok ? 'ok' : d.code))).toEqual([
      ...good.map(() => 'ok'),
      'workspace_inactive',
      'token_unknown',
    ])
    const rows = await w.store.db.selectFrom('agent_report').select(['agent_id', 'label']).execute()
    expect(new Map(rows.map((row) => [row.agent_id, row.label]))).toEqual(new Map(good.map((a) => [a.id, a.name])))
  })

  test('a report finds its own rows, even if the remembered row numbers belong to others by now', async () => {
    const w = await newTestWorkspace(await open())
    const { store, deliveries } = reporting(w)
    const other = await w.addAgent('other')
    const rowNumbers = new Map([w.agent, other].map(({ id }) => [id, { agent: 0, report: 0, runs: [] as number[] }]))
    const reports = async (agent: TestAgent, label: string, ...ids: string[]) => {
      const parts = { state: { level: 'ok', label }, runs: ids.map((id) => ({ id, status: label })) }
      const sent = { ...submission(w, parts, { agent }), rowNumbers: rowNumbers.get(agent.id) }
      expect(await store([sent], w.clock.now(), deliveries.age)).toMatchObject([{ ok: true }])
    }
    const kept = async ({ id }: TestAgent) => {
      const { db } = w.store
      const report = db.selectFrom('agent_report').select(['label', 'runs_kept']).where('agent_id', '=', id)
      const runs = db.selectFrom('run').select(['id', 'status']).where('agent_id', '=', id).orderBy('id')
      return [await report.executeTakeFirst(), ...(await runs.execute()).map((run) => `${run.id} ${run.status}`)]
    }
    for (const label of ['first', 'second']) {
      await reports(w.agent, label, 'a', 'b')
      await reports(other, label, 'a', 'b')
    }
    const [mine, its] = [...rowNumbers.values()].map((one) => ({ ...one, runs: [...one.runs] }))
    Object.assign(rowNumbers.get(w.agent.id) ?? {}, its, { agent: mine?.agent })
    Object.assign(rowNumbers.get(other.id) ?? {}, mine)
    await reports(w.agent, 'third', 'a', 'b')
    expect(await kept(w.agent)).toEqual([{ label: 'third', runs_kept: 2 }, 'a third', 'b third'])
    expect(await kept(other)).toEqual([{ label: 'second', runs_kept: 2 }, 'a second', 'b second'])
    await reports(other, 'fourth', 'b', 'a')
    await reports(other, 'fifth', 'a')
    expect(await kept(other)).toEqual([{ label: 'fifth', runs_kept: 2 }, 'a fifth', 'b fourth'])
    expect(await kept(w.agent)).toEqual([{ label: 'third', runs_kept: 2 }, 'a third', 'b third'])
  })
})

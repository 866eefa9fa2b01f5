/**
 * Tests of alerts together with backups: the time of the last backup is recorded, and a restored service sends no
 * messages that are days old.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { testConfig } from '../../../testing/service.ts'
import { openTestSqlite } from '../../../testing/stores.ts'
import { newTestWorkspace, type TestAgent, type TestWorkspace } from '../../../testing/test-workspace.ts'
import { evaluateScope } from '../../alerts/evaluation/evaluate.ts'
import { createServiceFacts } from '../../alerts/evaluation/service-facts.ts'
import type { AlertChange } from '../../alerts/messages/message.ts'
import { scopeOf, serviceScope } from '../../alerts/scope.ts'
import { databaseFile, secretOf } from '../../platform/data-folder.ts'
import { openEmbedded, type Store } from '../../platform/db/open.ts'
import { newId } from '../../platform/ids.ts'
import { noteRunning } from '../../updates/wishes/away.ts'
import { writeBackup } from './backup.ts'
import { restoreBackup } from './restore.ts'

const day = 86_400
const baseUrl = 'https://svc.example.org'

test('the service says that there was no backup for seven days, and says so no longer after the next one', async () => {
  const { w, folder } = await opened()
  await addChannel(w, null)
  const clocks = () => ({ wall: w.clock.now(), mono: w.clock.now() })
  const facts = createServiceFacts({ dataDir: undefined, clocks })
  const place = { ...scopeOf({ id: serviceScope }), slug: serviceScope, active: true }
  const evaluate = async (seconds: number) => {
    w.clock.pass(seconds)
    await evaluateScope(w.store, place, { baseUrl, now: w.clock.now(), service: await facts(w.store.db) })
    return messages(w.store)
  }
  expect(await evaluate(30 * day)).toEqual([])
  expect(await backUp(w, folder, 'first')).toMatchObject({ ok: true })
  expect(await evaluate(7 * day)).toEqual([])
  expect(await evaluate(1)).toEqual(['alert.opened The backup of the service'])
  expect(await backUp(w, folder, 'second')).toMatchObject({ ok: true })
  await evaluate(15)
  expect((await evaluate(120)).slice(1)).toEqual(['alert.ended The backup of the service'])
})

test('after a restore, waiting messages are dead, and alerts are judged again once agents had time to report', async () => {
  const { w, folder } = await opened()
  await addChannel(w, w.workspace.id)
  const other = await w.addAgent('calendar')
  const place = { ...scopeOf(w.workspace), slug: w.workspace.slug, active: true }
  await report(w, w.agent)
  await noteRunning(w.store.db, w.clock.now())
  for (let minutes = 0; minutes < 14; minutes++) {
    await report(w, other)
    await evaluateScope(w.store, place, { baseUrl, now: w.clock.now() })
    w.clock.pass(60)
  }
  const before = ['alert.opened mail-triage']
  expect(await messages(w.store)).toEqual(before)
  await noteRunning(w.store.db, w.clock.now())
  await backUp(w, folder, 'backup')

  w.clock.pass(3 * day)
  const elsewhere = newFolder()
  expect(await restoreBackup(elsewhere, join(folder, 'backup'), undefined, w.clock.now())).toMatchObject({ ok: true })
  const store = openEmbedded(databaseFile(elsewhere))
  onTestFinished(() => store.close())
  expect(await store.db.selectFrom('alert_delivery').select(['state', 'last_answer']).execute()).toEqual([
    { state: 'dead', last_answer: 'restored' },
  ])
  const restored = { ...w, store }
  await noteRunning(store.db, w.clock.now())
  const said: string[] = []
  for (let seconds = 0; seconds < 20 * 60; seconds += 15) {
    if (seconds >= 60) await report(restored, w.agent)
    await evaluateScope(store, place, { baseUrl, now: w.clock.now() })
    const all = await messages(store)
    said.push(...all.slice(before.length + said.length).map((message) => `${seconds / 60} ${message}`))
    w.clock.pass(15)
  }
  expect(said).toEqual(['3 alert.ended mail-triage', '13 alert.opened calendar'])
})

async function opened() {
  const w = await newTestWorkspace(await openTestSqlite())
  onTestFinished(() => w.store.close())
  return { w, folder: newFolder() }
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-restored-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

function backUp({ store, clock }: TestWorkspace, folder: string, name: string) {
  secretOf(folder)
  return writeBackup({ store, config: testConfig({ dataDir: folder }) }, join(folder, name), clock.now())
}

/** All messages that were ever queued, each as its kind and the name of its subject. */
async function messages({ db }: Store): Promise<string[]> {
  const rows = await db.selectFrom('alert_delivery').select('changes').orderBy('id').execute()
  const changes = rows.flatMap((row) => JSON.parse(row.changes) as AlertChange[])
  return changes.map(({ type, subject }) => `${type} ${subject.name}`)
}

async function report({ store, clock }: Pick<TestWorkspace, 'store' | 'clock'>, { id }: TestAgent): Promise<void> {
  const received_at = clock.now()
  const row = { agent_id: id, received_at, level: 'ok', interval_s: 30 }
  await store.db
    .insertInto('agent_report')
    .values({ ...row, controls: '[]', reporters: '', runs_kept: 0, body: '{}' } as never)
    .onConflict((oc) => oc.column('agent_id').doUpdateSet({ received_at }))
    .execute()
}

/** Adds a channel of a workspace, or with null one of the service itself. */
async function addChannel({ store, clock }: TestWorkspace, workspaceId: string | null): Promise<void> {
  const now = clock.now()
  await store.db
    .insertInto('alert_channel')
    .values({
      ...{ id: newId(now), scope: workspaceId ?? serviceScope, workspace_id: workspaceId, person_id: null, owner: '' },
      ...{ name: 'ops', kind: 'webhook', format: 'single', enabled: 1, disabled_why: null, shown: '', sealed: '' },
      ...{ created_at: now, created_by_name: 'Ada', last_answer: null, last_at: null, grouped_at: null },
      ...{ failing_since: null, dead: 0 },
    })
    .execute()
}

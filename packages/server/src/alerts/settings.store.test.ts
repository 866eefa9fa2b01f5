import { expect, test } from 'vitest'
import { onEveryEngine } from '../../testing/stores.ts'
import { newTestWorkspace } from '../../testing/test-workspace.ts'
import { newId } from '../platform/ids.ts'
import { evaluateScope } from './evaluation/evaluate.ts'
import type { AlertChange } from './messages/message.ts'
import { scopeOf } from './scope.ts'
import { readAlertSettings, readExpectedHours, setAgentHours, setAlertSettings } from './settings.ts'

const baseUrl = 'https://svc.example.org'

onEveryEngine('the settings of alerts', (open) => {
  const lived = async () => {
    const w = await newTestWorkspace(await open())
    const place = { ...scopeOf(w.workspace), slug: w.workspace.slug, active: true }
    const now = w.clock.now()
    await w.store.db
      .insertInto('alert_channel')
      .values({
        ...{ id: newId(now), scope: w.workspace.id, workspace_id: w.workspace.id, person_id: null, owner: '' },
        ...{ name: 'ops', kind: 'webhook', format: 'single', enabled: 1, disabled_why: null, shown: '', sealed: '' },
        ...{ created_at: now, created_by_name: 'Ada', last_answer: null, last_at: null, grouped_at: null },
        ...{ failing_since: null, dead: 0 },
      })
      .execute()
    const body = JSON.stringify({ protocol: 1, state: { level: 'bad', label: 'Stuck', detail: 'the mailbox is full' } })
    const report = async (level: 'bad' | 'ok') => {
      const row = { received_at: w.clock.now(), level, label: 'Stuck', interval_s: 30, body }
      await w.store.db
        .insertInto('agent_report')
        .values({ agent_id: w.agent.id, ...row, controls: '[]', reporters: '', runs_kept: 0 })
        .onConflict((oc) => oc.column('agent_id').doUpdateSet(row))
        .execute()
    }
    const sent = async () => {
      const rows = await w.store.db.selectFrom('alert_delivery').select('changes').orderBy('id').execute()
      return rows.flatMap(({ changes }) => JSON.parse(changes) as AlertChange[])
    }
    /**
     * Evaluates every 15 s for this many minutes. Before each evaluation the agent reports this level; without a level
     * the agent does not report.
     */
    const pass = async (minutes: number, level?: 'bad' | 'ok') => {
      for (let i = 0; i < minutes * 4; i++) {
        w.clock.pass(15)
        if (level) await report(level)
        await evaluateScope(w.store, place, { baseUrl, now: w.clock.now() })
      }
    }
    return { w, pass, sent, ctx: () => ({ db: w.store.db, by: w.admin, now: w.clock.now() }) }
  }

  test('messages contain an agent’s own words only if an admin allowed it', async () => {
    const { w, pass, sent, ctx } = await lived()
    expect(await readAlertSettings(w.store.db, w.workspace)).toEqual({ detail: false })
    await pass(3, 'bad')
    await pass(3, 'ok')
    expect(await setAlertSettings(ctx(), w.workspace, { detail: true })).toEqual({ ok: true, value: { detail: true } })
    await setAlertSettings(ctx(), w.workspace, { detail: true })
    expect(await readAlertSettings(w.store.db, w.workspace)).toEqual({ detail: true })
    await pass(3, 'bad')
    expect((await sent()).map(({ type, label, detail }) => [type, label, detail])).toEqual([
      ['alert.opened', 'Stuck', null],
      ['alert.ended', 'Stuck', null],
      ['alert.opened', 'Stuck', 'the mailbox is full'],
    ])
    const lines = await w.store.db.selectFrom('audit').select(['action', 'subject', 'details']).execute()
    expect(lines).toEqual([
      { action: 'alert.settings_changed', subject: 'workspace north', details: '{"detail":true}' },
    ])
  })

  test('outside of its expected hours the silence of an agent causes no message', async () => {
    const { w, pass, sent, ctx } = await lived() // The tests' clock starts on a Saturday at 12:00 UTC.
    const set = (hours: string | null) => setAgentHours(ctx(), w.agent, hours)
    expect(await readExpectedHours(w.store.db, w.agent)).toEqual({ hours: null })
    expect(await set('mo-fr 8-19')).toMatchObject({ ok: false, code: 'hours_invalid' })
    expect(await set('Mon-Fri 08:00-19:00 Europe/Berlin')).toEqual({
      ok: true,
      value: { hours: 'weekdays 08:00-19:00 Europe/Berlin' },
    })
    await set('weekdays 08:00-19:00 Europe/Berlin')
    expect(await readExpectedHours(w.store.db, w.agent)).toEqual({ hours: 'weekdays 08:00-19:00 Europe/Berlin' })
    await pass(0.25, 'ok')
    await pass(15)
    expect(await sent()).toEqual([])
    expect(await set(null)).toEqual({ ok: true, value: { hours: null } })
    await pass(0.25)
    expect(await sent()).toMatchObject([{ type: 'alert.opened', rule: 'silent' }])
    const lines = await w.store.db.selectFrom('audit').select(['action', 'subject']).execute()
    expect(lines).toEqual([
      { action: 'agent.hours_changed', subject: 'agent mail-triage' },
      { action: 'agent.hours_changed', subject: 'agent mail-triage' },
    ])
  })
})

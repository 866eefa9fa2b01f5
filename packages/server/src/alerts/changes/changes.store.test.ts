import { ruleNames } from '@svc/api'
import { expect, test } from 'vitest'
import { alertRow } from '../../../testing/alert-row.ts'
import { onEveryEngine } from '../../../testing/stores.ts'
import { newTestWorkspace, type TestWorkspace } from '../../../testing/test-workspace.ts'
import { endWaiting } from '../../deliveries/settling.ts'
import { insertDelivery } from '../../deliveries/store.ts'
import { sealKeyOf, unseal } from '../../platform/seal.ts'
import { judgeRule } from '../rules/judge.ts'
import { defaultRule } from '../rules/rules.ts'
import { scopeOf } from '../scope.ts'
import { insertAlert, knownAlerts } from '../store.ts'
import { acknowledgeAlert, acknowledgeAlerts } from './acknowledging.ts'
import {
  addChannel,
  disableChannel,
  enableChannel,
  listChannels,
  removeChannel,
  testAnswer,
  testChannel,
} from './channels.ts'
import { listDeliveries, retryDelivery } from './deliveries.ts'
import { listAlerts, listMutes, listRules, serviceAsWorkspace, workspaceOfRow } from './listing.ts'
import { liftMute, maxMutes, muteAlerts } from './muting.ts'
import { setRule } from './rules.ts'

const key = sealKeyOf('a secret of at least thirty-two characters')
const baseUrl = 'https://svc.example.org'
const hook = { name: 'ops', kind: 'webhook', url: 'https://example.org/hook?token=shown-never' }

onEveryEngine('what people do with alerts', (open) => {
  const started = async () => {
    const w = await newTestWorkspace(await open())
    const ctx = () => ({ db: w.store.db, by: w.admin, now: w.clock.now() })
    const add = (more: object = {}) =>
      addChannel({ ...ctx(), key, allowed: [], mails: true }, w.workspace, { ...hook, ...more })
    const actions = async () => {
      const rows = await w.store.db.selectFrom('audit').select(['action', 'subject']).orderBy('id').execute()
      return rows.map(({ action, subject }) => `${action} ${subject}`)
    }
    return { w, ctx, add, actions }
  }
  const openAlert = async (w: TestWorkspace) => {
    const situation = { now: w.clock.now(), muted: false }
    const { alert } = judgeRule({ ...defaultRule('bad'), after: 0 }, { is: 'holds' }, undefined, situation)
    if (!alert) throw new Error('No alert opened.')
    const about = { kind: 'agent', id: w.agent.id, name: w.agent.name } as const
    const row = await insertAlert(w.store.db, { scope: scopeOf(w.workspace), rule: 'bad', about }, alert, w.clock.now())
    return row?.id ?? ''
  }

  test('an alert is acknowledged once, with a line in the activity and a message; a second time changes nothing', async () => {
    const { w, ctx, add, actions } = await started()
    await add()
    const id = await openAlert(w)
    const wanted = { id, note: 'I look at it', baseUrl }
    expect(await acknowledgeAlert(ctx(), w.workspace, wanted)).toMatchObject({ ok: true })
    expect(await acknowledgeAlert({ ...ctx(), by: { id: 'x', name: 'Bob' } }, w.workspace, wanted)).toMatchObject({
      ok: true,
    })
    const [listed] = await listAlerts(w.store.db, w.workspace, { all: false, limit: 10 })
    expect(listed).toMatchObject({
      id,
      state: 'open',
      acknowledged: { by: 'Ada', at: w.clock.now(), note: 'I look at it' },
    })
    expect(await actions()).toEqual(['channel.added channel ops', 'alert.acknowledged agent mail-triage'])
    expect(await listDeliveries(w.store.db, w.workspace, { state: undefined, limit: 10 })).toHaveLength(1)
    expect(await acknowledgeAlert(ctx(), { id: 'other', slug: 'other' }, wanted)).toMatchObject({
      code: 'alert_unknown',
    })
  })

  test('many alerts are acknowledged in one press with one note; ended ones stay, and an unknown one stops all', async () => {
    const { w, ctx, actions } = await started()
    const open = await openAlert(w)
    const wanted = { note: 'the mailbox moved', baseUrl }
    const press = (ids: string[]) => acknowledgeAlerts(ctx(), w.workspace, { ids, ...wanted })
    expect(await press([open, 'none'])).toMatchObject({ ok: false, code: 'alert_unknown' })
    expect(await actions()).toEqual([])
    expect(await press([open, open])).toEqual({ ok: true, value: { acknowledged: 1 } })
    expect(await press([open])).toEqual({ ok: true, value: { acknowledged: 0 } })
    const [listed] = await listAlerts(w.store.db, w.workspace, { all: false, limit: 10 })
    expect(listed?.acknowledged).toMatchObject({ by: 'Ada', note: 'the mailbox moved' })
    await w.store.db
      .updateTable('alert')
      .set({ ended_at: w.clock.now(), acknowledged_at: null, acknowledged_by: null })
      .execute()
    expect(await press([open])).toEqual({ ok: true, value: { acknowledged: 0 } })
    expect(await acknowledgeAlerts(ctx(), { id: 'other', slug: 'other' }, { ids: [open], ...wanted })).toMatchObject({
      code: 'alert_unknown',
    })
    expect(await actions()).toEqual(['alert.acknowledged agent mail-triage'])
  })

  test('an evaluation that read the alert before its acknowledgement does not undo the acknowledgement', async () => {
    const { w, ctx } = await started()
    const id = await openAlert(w)
    const [before] = (await knownAlerts(w.store.db, scopeOf(w.workspace), w.clock.now())).current
    await acknowledgeAlert(ctx(), w.workspace, { id, note: undefined, baseUrl })
    const [after] = (await knownAlerts(w.store.db, scopeOf(w.workspace), w.clock.now())).current
    expect(after?.row.version).toBe((before?.row.version ?? 0) + 1)
  })

  test('a workspace has at most 200 mutes that have not ended', async () => {
    const { w, ctx } = await started()
    const member = () => ({ ...ctx(), role: 'member' as const })
    const add = (from?: number) => muteAlerts(member(), w.workspace, { agent: 'mail-triage', seconds: 60, from })
    for (let i = 0; i < maxMutes; i++) expect((await add(w.clock.now() + i)).ok).toBe(true)
    expect(await add()).toMatchObject({ code: 'mutes_too_many', message: expect.stringContaining('200 mutes') })
    const [first] = await listMutes(w.store.db, w.workspace)
    await liftMute(member(), w.workspace, first?.id ?? '')
    const both = await Promise.all([add(), add()])
    expect(both.filter(({ ok }) => ok)).toHaveLength(1)
    w.clock.pass(3600)
    expect((await add()).ok).toBe(true)
  })

  test('members mute an agent, and admins anything; both kinds of mutes can be lifted', async () => {
    const { w, ctx, actions } = await started()
    const member = () => ({ ...ctx(), role: 'member' as const })
    const admin = () => ({ ...ctx(), role: 'admin' as const })
    const muted = await muteAlerts(member(), w.workspace, { agent: 'mail-triage', seconds: 3600 })
    expect(muted).toMatchObject({
      ok: true,
      value: { agent: 'mail-triage', rule: null, until: w.clock.now() + 3_600_000 },
    })
    expect(await muteAlerts(member(), w.workspace, { rule: 'bad', seconds: 60 })).toMatchObject({ code: 'not_allowed' })
    const all = await muteAlerts(admin(), w.workspace, { rule: 'bad', seconds: null })
    expect(await muteAlerts(admin(), w.workspace, { agent: 'nobody', seconds: 60 })).toMatchObject({
      code: 'agent_unknown',
    })
    expect(await muteAlerts(admin(), w.workspace, { seconds: 0 })).toMatchObject({ code: 'mute_invalid' })
    expect((await listMutes(w.store.db, w.workspace)).map(({ agent, rule }) => [agent, rule])).toEqual([
      ['mail-triage', null],
      [null, 'bad'],
    ])
    const [one, two] = [muted, all].map((verdict) => (verdict.ok ? verdict.value.id : ''))
    expect(await liftMute(member(), w.workspace, two ?? '')).toMatchObject({ code: 'not_allowed' })
    expect(await liftMute(member(), w.workspace, one ?? '')).toMatchObject({ ok: true })
    expect(await liftMute(admin(), w.workspace, two ?? '')).toMatchObject({ ok: true })
    expect(await liftMute(admin(), w.workspace, two ?? '')).toMatchObject({ code: 'mute_unknown' })
    expect(await listMutes(w.store.db, w.workspace)).toEqual([])
    expect(await actions()).toEqual([
      'alert.muted agent mail-triage',
      'alert.muted workspace north',
      'alert.unmuted agent mail-triage',
      'alert.unmuted workspace north',
    ])
  })

  test('the named settings of a rule change, with one line in the activity, and the others stay', async () => {
    const { w, ctx, add, actions } = await started()
    await add()
    const set = (change: Parameters<typeof setRule>[2]) => setRule(ctx(), w.workspace, change)
    await set({ rule: 'silent', after: 2, channels: ['ops'] })
    await set({ rule: 'silent', after: 2 })
    await set({ rule: 'cost_day', limit: 2.5 })
    const rules = await listRules(w.store.db, w.workspace, w.clock.now())
    expect(rules.map(({ rule }) => rule)).toEqual(ruleNames)
    expect(rules.find(({ rule }) => rule === 'silent')).toEqual({
      rule: 'silent',
      on: true,
      after: 2,
      level: 'bad',
      limit: null,
      statuses: null,
      channels: ['ops'],
      filter: null,
      reminds: true,
      escalation: null,
    })
    expect(rules.find(({ rule }) => rule === 'cost_day')).toMatchObject({ on: true, limit: 2.5, channels: null })
    expect((await actions()).slice(1)).toEqual(['rule.changed rule silent', 'rule.changed rule cost_day'])
    expect(await set({ rule: 'loud', on: true })).toMatchObject({ code: 'rule_unknown' })
    expect(await set({ rule: 'bad', limit: 5 })).toMatchObject({ code: 'rule_invalid' })
    expect(await set({ rule: 'bad', channels: ['nowhere'] })).toMatchObject({ code: 'channel_unknown' })
    expect(await setRule(ctx(), serviceAsWorkspace, { rule: 'bad', on: true })).toMatchObject({ code: 'rule_invalid' })
    expect((await listRules(w.store.db, serviceAsWorkspace, w.clock.now())).map(({ rule }) => rule)).toEqual([
      'service',
    ])
  })

  test('a channel is added, disabled, enabled and removed; its secret is sealed and its address is not shown whole', async () => {
    const { w, ctx, add, actions } = await started()
    const added = await add()
    expect(added).toMatchObject({
      ok: true,
      value: { name: 'ops', kind: 'webhook', secret: expect.stringMatching(/^whsec_/) },
    })
    expect(await add()).toMatchObject({ code: 'channel_taken' })
    expect(await add({ name: 'two', url: 'http://10.0.0.1/' })).toMatchObject({ code: 'channel_invalid' })
    const row = await w.store.db.selectFrom('alert_channel').selectAll().executeTakeFirstOrThrow()
    expect(JSON.stringify(row)).not.toMatch(/shown-never|whsec_/)
    expect(JSON.parse(unseal(key, row.id, row.sealed) ?? '')).toMatchObject({ url: hook.url })
    expect(await listChannels(w.store.db, w.workspace, 'admin')).toMatchObject([
      { name: 'ops', enabled: true, address: 'https://example.org/hook?…' },
    ])
    for (const change of [disableChannel, disableChannel, enableChannel, enableChannel, removeChannel])
      expect(await change(ctx(), { scope: w.workspace }, 'ops')).toMatchObject({ ok: true })
    expect(await removeChannel(ctx(), { scope: w.workspace }, 'ops')).toMatchObject({ code: 'channel_unknown' })
    expect(await actions()).toEqual(
      ['added', 'disabled', 'enabled', 'removed'].map((done) => `channel.${done} channel ops`),
    )
  })

  test('the answer of a test is found by its delivery, and a dead delivery can be sent again', async () => {
    const { w, ctx, add, actions } = await started()
    await add()
    const tested = await testChannel(ctx(), { scope: w.workspace }, 'ops')
    const id = tested.ok ? tested.value.deliveryId : ''
    expect(await testAnswer(w.store.db, id)).toMatchObject({ state: 'waiting', ok: false })
    expect(await retryDelivery(ctx(), w.workspace, id)).toMatchObject({ code: 'delivery_not_dead' })
    await endWaiting(w.store.db, { why: '404: no such hook' }, w.clock.now())
    expect(await testAnswer(w.store.db, id)).toEqual({
      state: 'dead',
      ok: false,
      status: 404,
      message: '404: no such hook',
    })
    expect(await retryDelivery(ctx(), w.workspace, id)).toMatchObject({ ok: true })
    expect(await retryDelivery(ctx(), { id: 'other', slug: 'other' }, id)).toMatchObject({ code: 'delivery_unknown' })
    expect((await actions()).at(-1)).toBe('delivery.retried channel ops')
    expect(await listDeliveries(w.store.db, w.workspace, { state: 'waiting', limit: 5 })).toMatchObject([
      { id, channel: 'ops', kind: 'test' },
    ])
  })

  test('a message that is no longer true is not sent again', async () => {
    const { w, ctx, add } = await started()
    await add()
    const { db } = w.store
    const [channel] = await db.selectFrom('alert_channel').selectAll().execute()
    const alert = (id: string, ended: boolean) =>
      db
        .insertInto('alert')
        .values(alertRow(w.workspace, { id, name: id }, { id, ended_at: ended ? 1 : null }))
        .execute()
    await alert('over', true)
    await alert('open', false)
    const dead = async (id: string, type: string, state: 'dead' | 'sent' = 'dead') => {
      const changes = JSON.stringify([{ id, type, subject: { kind: 'agent', name: id } }])
      const row = await insertDelivery(db, channel?.id ?? '', { changes, due_at: null, state }, w.clock.now())
      return row.id
    }
    const again = async (id: string) => {
      const verdict = await retryDelivery(ctx(), w.workspace, id)
      return verdict.ok || verdict.message
    }
    expect(await again(await dead('over', 'alert.opened'))).toBe(
      'The message says that an alert about over is open, but that alert has ended.',
    )
    expect(await again(await dead('over', 'alert.ended'))).toBe(true)
    const opened = await dead('open', 'alert.opened')
    const reminded = await dead('open', 'alert.reminder')
    expect(await again(reminded)).toBe(true)
    expect(await again(opened)).toBe('A newer message about open was sent to this channel, or is waiting for it.')
  })

  test('an object that is named by its id alone is found in its workspace, or in the service', async () => {
    const { w, ctx } = await started()
    const id = await openAlert(w)
    const muted = await muteAlerts({ ...ctx(), role: 'admin' }, serviceAsWorkspace, { seconds: 60 })
    expect(await workspaceOfRow(w.store.db, 'alert', id)).toEqual(w.workspace)
    expect(await workspaceOfRow(w.store.db, 'mute', muted.ok ? muted.value.id : '')).toEqual(serviceAsWorkspace)
    expect(await workspaceOfRow(w.store.db, 'delivery', 'x')).toBeUndefined()
  })
})

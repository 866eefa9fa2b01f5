import { expect, test } from 'vitest'
import { onEveryEngine } from '../../../testing/stores.ts'
import {
  addPerson,
  addWorkspace,
  newTestWorkspace,
  type TestAgent,
  type TestWorkspace,
} from '../../../testing/test-workspace.ts'
import { openAlert } from '../../../testing/typing.ts'
import { acknowledgeAlert } from '../../alerts/changes/acknowledging.ts'
import { addChannel, disableChannel, enableChannel } from '../../alerts/changes/channels.ts'
import { liftMute, muteAlerts } from '../../alerts/changes/muting.ts'
import { addPersonalChannel } from '../../alerts/changes/personal.ts'
import { evaluateScope } from '../../alerts/evaluation/evaluate.ts'
import { type Alert, judgeRule } from '../../alerts/rules/judge.ts'
import { defaultRule } from '../../alerts/rules/rules.ts'
import { scopeOf, serviceScope } from '../../alerts/scope.ts'
import { insertAlert } from '../../alerts/store.ts'
import type { AgentRow } from '../../platform/db/tables.ts'
import { sealKeyOf } from '../../platform/seal.ts'
import { agentAlerts, alertCounts, alertLines } from './alerts.ts'

const day = 86_400
const baseUrl = 'https://svc.example.org'
const sealing = { key: sealKeyOf('a secret of at least thirty-two characters'), allowed: [], mails: true }
const hook = { name: 'ops', kind: 'webhook', url: 'https://example.org/hook' }

onEveryEngine('alerts on the page', (open) => {
  const started = async () => {
    const w = await newTestWorkspace(await open())
    const { db } = w.store
    const ctx = () => ({ db, by: w.admin, now: w.clock.now() })
    const lines = async (ended = false, more: { before?: string; limit?: number; workspace?: { id: string } } = {}) => {
      const { workspace = w.workspace, before, limit = 50 } = more
      return alertLines(db, workspace, { ended, before, limit, now: w.clock.now() })
    }
    const namesOf = async (...asked: Parameters<typeof lines>) =>
      (await lines(...asked)).rows.map(({ subject }) => subject.name)
    const standing = (workspace: { id: string } = w.workspace) => alertCounts(db, workspace)
    const ofAgent = async ({ id }: { id: string }, limit = 100) => {
      const row: AgentRow = await db.selectFrom('agent').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
      return agentAlerts(db, row, limit, w.clock.now())
    }
    return { w, db, ctx, lines, namesOf, standing, ofAgent }
  }

  test('open alerts are listed newest first, each with exactly the facts that a line shows; pending ones are not', async () => {
    const { w, lines } = await started()
    await openAlert(w, { ...(await w.addAgent('pending')), alert: { phase: 'pending', openedAt: null } })
    const id = await openAlert(w, { ...w.agent, alert: { label: 'stuck' } })
    w.clock.pass(1)
    await openAlert(w, { ...(await w.addAgent('closing')), alert: { phase: 'closing' } })
    await openAlert(w, { ...(await w.addAgent('flapping')), alert: { unsteadySince: w.clock.now() } })
    await openAlert(w, { ...(await w.addAgent('over')), alert: { endedAt: w.clock.now() } })
    const { rows, more } = await lines()
    expect(more).toBe(false)
    expect(rows.map(({ subject, state }) => [subject.name, state])).toEqual([
      ['flapping', 'unsteady'],
      ['closing', 'closing'],
      ['mail-triage', 'open'],
    ])
    const at = w.clock.now() - 1000
    expect(rows[2]).toEqual({
      ...{ id, rule: 'bad', level: 'bad', subject: { kind: 'agent', name: 'mail-triage' }, state: 'open' },
      ...{ since: at, openedAt: at, endedAt: null, acknowledged: null, muted: false },
      ...{ label: 'stuck', agent: 'mail-triage', rollout: null, agents: null },
    })
  })

  test('an alert has the present name of its agent, and after the agent was deleted the last one, without a link', async () => {
    const { w, db, lines } = await started()
    await openAlert(w, w.agent)
    const line = async () => (await lines()).rows.map(({ subject, agent }) => [subject.name, agent])
    await db.updateTable('agent').set({ name: 'post' }).where('id', '=', w.agent.id).execute()
    expect(await line()).toEqual([['post', 'post']])
    await db.deleteFrom('agent').where('id', '=', w.agent.id).execute()
    expect(await line()).toEqual([['mail-triage', null]])
  })

  test('an alert about a rollout has its id, and one about many agents their names', async () => {
    const { w, lines } = await started()
    await insert(w, 'rollout', { kind: 'rollout', id: 'r1', name: 'mail@2.0.0' })
    await massOutage(w, ['mail-triage', 'other'])
    const { rows } = await lines()
    expect(rows.map(({ rule, rollout, agents, agent }) => ({ rule, rollout, agents, agent }))).toEqual([
      { rule: 'silent', rollout: null, agents: { names: ['mail-triage', 'other'], of: 7, offline: 0 }, agent: null },
      { rule: 'rollout', rollout: 'r1', agents: null, agent: null },
    ])
  })

  test('a failed update names the halted rollout that it belongs to while both alerts are open', async () => {
    const { w, db, lines } = await started()
    const other = await w.addAgent('other')
    await db
      .insertInto('rollout')
      .values({
        ...{
          id: 'r1',
          workspace_id: w.workspace.id,
          kind: 'blueprint',
          blueprint: 'mail',
          version: '2.0.0',
          why: null,
        },
        ...{ waves: '["all"]', by_hand: 0, watch_seconds: 0, state: 'halted', wave: 1, wave_kept_at: null },
        ...{ created_at: 1, changed_at: 1, created_by: null, created_by_name: 'Ada' },
        ...{ continued_by: null, continued_by_name: null },
      })
      .execute()
    const member = { rollout_id: 'r1', wave: 1, reason: null, level_before: null, wished_at: 1, worse_at: null }
    const left = { forgiven: 0, at: 1, left_out_for: null }
    await db
      .insertInto('rollout_agent')
      .values([
        { ...member, ...left, agent_id: w.agent.id, state: 'rolled_back' },
        { ...member, ...left, agent_id: other.id, state: 'kept' },
      ])
      .execute()
    for (const { id, name } of [w.agent, other]) await insert(w, 'update', { kind: 'agent', id, name })
    const within = async () => (await lines()).rows.map((line) => [line.subject.name, line.within])
    expect(await within()).toEqual([
      ['other', undefined],
      ['mail-triage', undefined],
    ])
    await insert(w, 'rollout', { kind: 'rollout', id: 'r1', name: 'mail@2.0.0' })
    expect(await within()).toEqual([
      ['mail@2.0.0', undefined],
      ['other', undefined],
      ['mail-triage', 'r1'],
    ])
  })

  test('the history has the ended alerts, newest first, page by page, each once', async () => {
    const { w, lines, namesOf } = await started()
    await openAlert(w, w.agent)
    for (let i = 1; i <= 5; i++) {
      w.clock.pass(1)
      await openAlert(w, { ...(await w.addAgent(`ended-${i}`)), alert: { endedAt: w.clock.now() } })
    }
    await openAlert(w, {
      ...(await w.addAgent('never-opened')),
      alert: { openedAt: null, endedAt: w.clock.now() },
    })
    const first = await lines(true, { limit: 2 })
    expect([first.rows.map(({ subject }) => subject.name), first.more]).toEqual([['ended-5', 'ended-4'], true])
    const second = await lines(true, { limit: 3, before: first.rows[1]?.id ?? '' })
    expect([second.rows.map(({ subject }) => subject.name), second.more]).toEqual([
      ['ended-3', 'ended-2', 'ended-1'],
      false,
    ])
    expect(await namesOf(true, { before: second.rows[2]?.id ?? '' })).toEqual([])
  })

  test('at most 500 open alerts are listed, and the page learns that there are more', async () => {
    const { w, lines, standing } = await started()
    const opened = async (from: number, to: number) => {
      for (let i = from; i < to; i++) await openAlert(w, { id: `agent-${i}`, name: `agent-${i}` })
    }
    await opened(0, 500)
    const all = await lines(false, { limit: 1 })
    expect([all.rows.length, all.more]).toEqual([500, false])
    await opened(500, 501)
    const cut = await lines()
    expect([cut.rows.length, cut.rows[0]?.subject.name, cut.more]).toEqual([500, 'agent-500', true])
    expect((await standing()).unacknowledged).toBe(501)
  })

  test('the count has the open alerts that nobody acknowledged', async () => {
    const { w, ctx, lines, standing } = await started()
    expect(await standing()).toEqual({ unacknowledged: 0, notified: false })
    await openAlert(w, { ...(await w.addAgent('pending')), alert: { phase: 'pending', openedAt: null } })
    await openAlert(w, { ...(await w.addAgent('over')), alert: { endedAt: w.clock.now() } })
    await openAlert(w, { ...(await w.addAgent('flapping')), alert: { unsteadySince: w.clock.now() } })
    const id = await openAlert(w, w.agent)
    expect(await standing()).toMatchObject({ unacknowledged: 2 })
    await acknowledgeAlert(ctx(), w.workspace, { id, note: 'I look at it', baseUrl })
    expect(await standing()).toMatchObject({ unacknowledged: 1 })
    expect((await lines()).rows[0]).toMatchObject({
      id,
      acknowledged: { by: 'Ada', at: w.clock.now(), note: 'I look at it' },
    })
  })

  test('somebody is notified if any channel is enabled, that of a workspace or of a person', async () => {
    const { w, ctx, standing } = await started()
    const notified = async () => (await standing()).notified
    const bob = await addPerson(w.store, 'Bob', w.workspace.id, 'member', w.clock.now())
    await addChannel({ ...ctx(), ...sealing }, w.workspace, hook)
    expect(await notified()).toBe(true)
    await disableChannel(ctx(), { scope: w.workspace }, 'ops')
    expect(await notified()).toBe(false)
    const mine = { name: 'my-email', kind: 'email', zone: 'Europe/Berlin' } as const
    await addPersonalChannel({ ...ctx(), by: bob, ...sealing }, w.workspace, mine)
    expect(await notified()).toBe(true)
    await enableChannel(ctx(), { scope: w.workspace }, 'ops')
    expect(await notified()).toBe(true)
  })

  test('a muted alert says so from the next evaluation until its mute is lifted, and still counts', async () => {
    const { w, ctx, db, lines, standing } = await started()
    await openAlert(w, w.agent)
    await report(w, w.agent)
    const looks = () =>
      evaluateScope(w.store, { ...scopeOf(w.workspace), slug: 'north', active: true }, { baseUrl, now: w.clock.now() })
    const muted = async () => (await lines()).rows.map((row) => row.muted)
    const wanted = { agent: w.agent.name, rule: undefined, seconds: 3600, from: undefined }
    const made = await muteAlerts({ ...ctx(), role: 'admin' }, w.workspace, wanted)
    await looks()
    expect(await muted()).toEqual([true])
    expect(await standing()).toMatchObject({ unacknowledged: 1 })
    await liftMute({ ...ctx(), role: 'admin' }, w.workspace, made.ok ? made.value.id : '')
    await looks()
    expect(await muted()).toEqual([false])
    expect(await db.selectFrom('alert').select('id').execute()).toHaveLength(1)
  })

  test('the page of an agent has its open alerts and those of 30 days, also mass outages that name it, and no others', async () => {
    const { w, ofAgent } = await started()
    const other = await w.addAgent('mail')
    const began = w.clock.now()
    await openAlert(w, { ...w.agent, alert: { endedAt: began, label: 'old' } })
    await insert(w, 'gauge', { kind: 'agent', id: w.agent.id, name: w.agent.name }, { label: 'still open' })
    w.clock.pass(30 * day + 1)
    await openAlert(w, { ...w.agent, alert: { label: 'new' } })
    await massOutage(w, ['mail-triage', 'some-other'])
    const labels = async (agent: TestAgent, limit?: number) =>
      (await ofAgent(agent, limit)).map(({ rule, label }) => label ?? rule)
    expect(await labels(w.agent)).toEqual(['silent', 'new', 'still open'])
    expect(await labels(w.agent, 2)).toEqual(['silent', 'new'])
    expect(await labels(other)).toEqual([])
  })

  test('alerts of another workspace, and those of the service, are in nothing that a workspace sees', async () => {
    const { w, ctx, lines, standing, ofAgent } = await started()
    const south = await addWorkspace(w.store, 'south', true, w.clock.now())
    const their = { ...w, workspace: south }
    await openAlert(their, { id: 'a2', name: w.agent.name })
    await openAlert(their, { id: 'a3', name: 'over', alert: { endedAt: w.clock.now() } })
    await massOutage(their, [w.agent.name])
    await openAlert(w, { id: 'disk', name: 'Disk', kind: 'service', scope: { id: serviceScope } })
    await addChannel({ ...ctx(), ...sealing }, south, hook)
    expect(await lines()).toEqual({ rows: [], more: false })
    expect(await lines(true)).toEqual({ rows: [], more: false })
    expect(await ofAgent(w.agent)).toEqual([])
    expect(await standing()).toEqual({ unacknowledged: 0, notified: false })
    expect((await lines(false, { workspace: south })).rows).toHaveLength(2)
    expect((await lines(true, { workspace: south })).rows).toHaveLength(1)
    expect(await standing(south)).toEqual({ unacknowledged: 2, notified: true })
  })
})

/** Inserts an open alert of a rule about any subject. */
async function insert(
  w: TestWorkspace,
  rule: 'rollout' | 'gauge' | 'silent' | 'update',
  about: { kind: 'rollout' | 'agent' | 'workspace'; id: string; name: string },
  { agents, ...more }: Partial<Alert> & { agents?: string } = {},
): Promise<void> {
  const now = w.clock.now()
  const { alert } = judgeRule({ ...defaultRule(rule), after: 0, on: true }, { is: 'holds' }, undefined, {
    now,
    muted: false,
  })
  if (!alert) throw new Error('No alert opened.')
  const wanted = { scope: scopeOf(w.workspace), rule, about, ...(agents !== undefined && { agents }) }
  await insertAlert(w.store.db, wanted, { ...alert, ...more }, now)
}

const massOutage = (w: TestWorkspace, names: readonly string[]) =>
  insert(
    w,
    'silent',
    { kind: 'workspace', id: w.workspace.id, name: w.workspace.slug },
    { agents: JSON.stringify({ names, of: 7 }) },
  )

async function report(w: TestWorkspace, { id }: TestAgent): Promise<void> {
  const row = { agent_id: id, received_at: w.clock.now(), level: 'bad', controls: '[]', interval_s: 30 }
  await w.store.db
    .insertInto('agent_report')
    .values({ ...row, reporters: '', runs_kept: 0, body: '{"protocol":1}' } as never)
    .execute()
}

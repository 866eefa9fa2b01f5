import { expect, test } from 'vitest'
import { onBothEngines } from '../../testing/stores.ts'
import { newTestWorkspace, type TestWorkspace } from '../../testing/test-workspace.ts'
import { evaluationLeaseMs, returnLease, takeLease } from './evaluation/lease.ts'
import type { ConditionFinding } from './rules/conditions.ts'
import { judgeRule } from './rules/judge.ts'
import { scopeOf } from './scope.ts'
import { rulesOfScope } from './scoped-rules.ts'
import {
  endMutes,
  insertAlert,
  isChanged,
  knownAlerts,
  mutesOfScope,
  removePending,
  storedAlert,
  updateAlert,
} from './store.ts'

const hour = 3_600_000

onBothEngines('alerts as rows', (open) => {
  const begin = async (w: TestWorkspace) => {
    const rule = { ...(await rulesOfScope(w.store.db, scopeOf(w.workspace)))('bad'), after: 0 }
    const holds: ConditionFinding = { is: 'holds', label: 'queue stuck' }
    const about = { kind: 'agent', id: w.agent.id, name: w.agent.name } as const
    const { alert } = judgeRule(rule, holds, undefined, { now: w.clock.now(), muted: false })
    if (!alert) throw new Error('There is no alert.')
    const wanted = { scope: scopeOf(w.workspace), rule: 'bad', about } as const
    return { rule, wanted, alert, insert: () => insertAlert(w.store.db, wanted, alert, w.clock.now()) }
  }
  const known = (w: TestWorkspace) => knownAlerts(w.store.db, scopeOf(w.workspace), w.clock.now())

  test('an alert is read as it was written', async () => {
    const w = await newTestWorkspace(await open())
    const { alert, insert } = await begin(w)
    const row = await insert()
    expect(row && storedAlert(row)).toEqual(alert)
    expect((await known(w)).current.map((one) => one.alert)).toEqual([alert])
    expect(isChanged(alert, alert)).toBe(false)
    expect(isChanged(alert, { ...alert, muted: true })).toBe(true)
  })

  test('of two nodes that open or change the same alert, one succeeds', async () => {
    const w = await newTestWorkspace(await open())
    const { rule, alert, insert } = await begin(w)
    const rows = await Promise.all([insert(), insert()])
    const [row, ...more] = rows.filter((one) => one !== undefined)
    expect(more).toEqual([])
    if (!row) throw new Error('No node opened it.')
    w.clock.pass(1)
    const ended = judgeRule(rule, { is: 'clear' }, alert, { now: w.clock.now(), muted: false })
    if (!ended.alert) throw new Error('It is gone.')
    const after = ended.alert
    const written = await Promise.all([updateAlert(w.store.db, row, after), updateAlert(w.store.db, row, after)])
    expect(written.filter(Boolean)).toHaveLength(1)
    expect(await removePending(w.store.db, { ...row, version: 2 })).toBe(false)
    expect(await insert()).toBeDefined()
  })

  test('the openings of the last hour are known after the end of an alert, and no longer', async () => {
    const w = await newTestWorkspace(await open())
    const { rule, alert, insert } = await begin(w)
    const row = await insert()
    const { alert: after } = judgeRule(rule, { is: 'clear' }, alert, { now: w.clock.now() + 1, muted: false })
    if (!row || !after) throw new Error('There is no alert.')
    await updateAlert(w.store.db, row, after)
    const openings = async () => (await known(w)).openingsOf('bad', { kind: 'agent', id: w.agent.id })
    expect(await openings()).toEqual([w.clock.now()])
    expect((await known(w)).current).toEqual([])
    w.clock.pass(3602)
    expect(await openings()).toEqual([])
  })

  test('an alert that ended during a mute is known until its end is sent', async () => {
    const w = await newTestWorkspace(await open())
    const { rule, alert, insert } = await begin(w)
    const row = await insert()
    const { alert: after } = judgeRule(rule, { is: 'clear' }, alert, { now: w.clock.now() + 1, muted: true })
    if (!row || !after) throw new Error('There is no alert.')
    await updateAlert(w.store.db, row, after)
    w.clock.pass(24 * 3600)
    const [owed] = (await known(w)).owed
    if (!owed) throw new Error('It is forgotten.')
    const judged = judgeRule(rule, { is: 'clear' }, owed.alert, { now: w.clock.now(), muted: false })
    expect(judged.message).toBe('alert.ended')
    if (judged.alert) await updateAlert(w.store.db, owed.row, judged.alert)
    expect((await known(w)).owed).toEqual([])
  })

  test('a single event makes an alert once, also after that ended', async () => {
    const w = await newTestWorkspace(await open())
    const { wanted, alert } = await begin(w)
    const once = () =>
      insertAlert(w.store.db, { ...wanted, cause: 'command 1' }, { ...alert, endedAt: 1 }, w.clock.now())
    expect([(await once()) === undefined, (await once()) === undefined]).toEqual([false, true])
  })

  test('changed settings of a rule are used, and the defaults of the others', async () => {
    const w = await newTestWorkspace(await open())
    const scope = scopeOf(w.workspace)
    const nothing = { is_on: null, after_s: null, limit_micro: null, statuses: null, channels: null, reminds: null }
    const row = { scope: scope.id, workspace_id: scope.workspaceId, ...nothing }
    await w.store.db
      .insertInto('alert_rule')
      .values([
        { ...row, rule: 'silent', after_s: 2, reminds: 0 },
        { ...row, rule: 'run_failed', is_on: 1, statuses: '["crashed"]', channels: '["c1"]' },
      ])
      .execute()
    const rules = await rulesOfScope(w.store.db, scope)
    expect(rules('silent')).toMatchObject({ on: true, after: 2000, level: 'bad', reminds: false, channels: null })
    expect(rules('run_failed')).toMatchObject({
      on: true,
      after: 0,
      statuses: ['crashed'],
      channels: ['c1'],
      reminds: true,
    })
    expect(rules('warning')).toMatchObject({ on: false, after: 1_800_000, channels: null })
  })

  test('mutes are known until they end', async () => {
    const w = await newTestWorkspace(await open())
    const [scope, now] = [scopeOf(w.workspace), w.clock.now()]
    const mute = { id: 'm', agentId: w.agent.id, rule: null, item: null, from: now, until: now + hour }
    await w.store.db
      .insertInto('alert_mute')
      .values({
        id: mute.id,
        scope: scope.id,
        workspace_id: scope.workspaceId,
        agent_id: mute.agentId,
        rule: null,
        from_at: mute.from,
        until_at: mute.until,
        created_at: now,
        created_by: null,
        created_by_name: 'Ada',
        ended_at: null,
      })
      .execute()
    expect(await mutesOfScope(w.store.db, scope)).toEqual([mute])
    await endMutes(w.store.db, ['m'], now)
    expect(await mutesOfScope(w.store.db, scope)).toEqual([])
  })

  test('one node evaluates; another takes over when it has not for 30 s, or when it ends', async () => {
    const w = await newTestWorkspace(await open())
    const take = (node: string) => takeLease(w.store.db, node, w.clock.now())
    expect([await take('a'), await take('b'), await take('a')]).toEqual([true, false, true])
    w.clock.pass(evaluationLeaseMs / 1000 - 1)
    expect(await take('b')).toBe(false)
    w.clock.pass(1)
    expect([await take('b'), await take('a')]).toEqual([true, false])
    await returnLease(w.store.db, 'a')
    expect(await take('a')).toBe(false)
    await returnLease(w.store.db, 'b')
    expect(await take('a')).toBe(true)
  })

  test('a lease from a clock that was an hour ahead can be taken at once', async () => {
    const w = await newTestWorkspace(await open())
    expect(await takeLease(w.store.db, 'a', w.clock.now() + hour)).toBe(true)
    expect(await takeLease(w.store.db, 'b', w.clock.now())).toBe(true)
  })
})

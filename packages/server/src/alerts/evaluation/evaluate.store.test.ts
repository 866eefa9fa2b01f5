import { expect, test } from 'vitest'
import { onEveryEngine } from '../../../testing/stores.ts'
import { newTestWorkspace, type TestAgent, type TestWorkspace } from '../../../testing/test-workspace.ts'
import { newId } from '../../platform/ids.ts'
import { dayMs, dayNumber } from '../../platform/limits/units.ts'
import type { AlertChange } from '../messages/message.ts'
import { scopeOf } from '../scope.ts'
import { evaluateScope } from './evaluate.ts'

onEveryEngine('an evaluation of a workspace', (open) => {
  const lived = async () => {
    const w = await newTestWorkspace(await open())
    const place = { ...scopeOf(w.workspace), slug: w.workspace.slug, active: true }
    await addChannel(w)
    const looks = () => evaluateScope(w.store, place, { baseUrl: 'https://svc.example.org', now: w.clock.now() })
    return {
      w,
      place,
      looks,
      reports: (agent: TestAgent = w.agent, more = {}) => report(w, agent, more),
      /** Evaluates every 15 s for this many minutes. */
      pass: async (minutes: number) => {
        for (let i = 0; i < minutes * 4; i++) {
          w.clock.pass(15)
          await looks()
        }
      },
      sent: async () => {
        const rows = await w.store.db.selectFrom('alert_delivery').select('changes').orderBy('id').execute()
        return rows.flatMap(({ changes }) => JSON.parse(changes) as AlertChange[])
      },
    }
  }

  test('an agent that stops reporting causes one message, ten minutes after it counts as offline, and one at its return', async () => {
    const { w, reports, pass, sent } = await lived()
    await reports()
    await pass(11.25)
    expect(await sent()).toEqual([])
    await pass(10)
    const [opened, ...more] = await sent()
    expect(more).toEqual([])
    expect(opened).toMatchObject({
      type: 'alert.opened',
      at: w.clock.now() - 9.75 * 60_000,
      since: w.clock.now() - 19.75 * 60_000,
      rule: 'silent',
      subject: { kind: 'agent', name: 'mail-triage' },
      url: 'https://svc.example.org/w/north/agents/mail-triage',
    })
    for (let i = 0; i < 6; i++) {
      await reports()
      await pass(0.5)
    }
    expect((await sent()).map(({ type, id }) => [type, id === opened?.id])).toEqual([
      ['alert.opened', true],
      ['alert.ended', true],
    ])
  })

  test('many agents that go offline at once cause one message, which names them, and one at the end', async () => {
    const { w, reports, pass, sent } = await lived()
    const agents = [w.agent, ...(await Promise.all(Array.from({ length: 9 }, (_, i) => w.addAgent(`agent-${i}`))))]
    for (const agent of agents) await reports(agent)
    await pass(20)
    const [opened, ...more] = await sent()
    expect(more).toEqual([])
    expect(opened).toMatchObject({ rule: 'silent', subject: { kind: 'workspace', name: 'north' }, agents: { of: 10 } })
    expect(opened?.agents?.names).toHaveLength(10)
    expect(await w.store.db.selectFrom('alert').select('rule').where('ended_at', 'is', null).execute()).toHaveLength(1)
    for (let i = 0; i < 6; i++) {
      for (const agent of agents) await reports(agent)
      await pass(0.5)
    }
    const all = await sent()
    expect(all.map(({ type }) => type)).toEqual(['alert.opened', 'alert.ended'])
    expect(all[1]?.agents).toEqual(opened?.agents)
  })

  test('no alert of a new rule opens while a node of the version before may still run, which could not word it', async () => {
    const { w, reports, pass } = await lived()
    const rules = async () =>
      (await w.store.db.selectFrom('alert').select('rule').where('ended_at', 'is', null).execute()).map(
        ({ rule }) => rule,
      )
    const until = w.clock.now() + 2 * 60_000
    await w.store.db
      .insertInto('agreed')
      .values({ name: 'alerts from disk', value: String(until) })
      .execute()
    await reports(w.agent, { warnings: 'status disk' })
    await pass(1)
    expect(await rules()).toEqual(['status_stale'])
    await pass(0.75)
    await reports(w.agent, { warnings: 'status disk' })
    await pass(0.25)
    expect((await rules()).sort()).toEqual(['disk', 'status_stale'])
  })

  test('after a short outage that many agents had, one that is really gone has an alert of its own', async () => {
    const { w, reports, pass, sent } = await lived()
    const others = await Promise.all(Array.from({ length: 9 }, (_, i) => w.addAgent(`agent-${i}`)))
    for (const agent of [w.agent, ...others]) await reports(agent)
    await pass(3)
    for (let i = 0; i < 20; i++) {
      for (const agent of others) await reports(agent)
      await pass(0.5)
    }
    expect((await sent()).map(({ subject }) => subject)).toEqual([{ kind: 'agent', name: 'mail-triage' }])
  })

  test('a mass outage does not end because the service itself was down', async () => {
    const { w, reports, pass, sent } = await lived()
    const agents = [w.agent, ...(await Promise.all(Array.from({ length: 9 }, (_, i) => w.addAgent(`agent-${i}`))))]
    for (const agent of agents) await reports(agent)
    await pass(20)
    const from_at = w.clock.now()
    w.clock.pass(60)
    await w.store.db.insertInto('service_away').values({ from_at, until_at: w.clock.now() }).execute()
    await pass(10)
    expect((await sent()).map(({ type }) => type)).toEqual(['alert.opened'])
  })

  test('an alert that ended during a mute is sent as ended after it, besides the alerts that opened since', async () => {
    const { w, place, reports, pass, sent } = await lived()
    await reports()
    await pass(12)
    const mute = { id: 'm', scope: place.id, workspace_id: place.id, agent_id: w.agent.id, rule: null, until_at: null }
    const made = { from_at: w.clock.now(), created_at: 0, created_by: null, created_by_name: 'Ada', ended_at: null }
    await w.store.db
      .insertInto('alert_mute')
      .values({ ...mute, ...made })
      .execute()
    for (let i = 0; i < 8; i++) {
      await reports()
      await pass(0.5)
    }
    await reports()
    await pass(1)
    expect((await sent()).map(({ type }) => type)).toEqual(['alert.opened', 'alert.ended'])
    expect(await w.store.db.selectFrom('alert_mute').select('ended_at').execute()).not.toEqual([{ ended_at: null }])
  })

  test('a message names an agent as it is called now', async () => {
    const { w, reports, pass, sent } = await lived()
    await reports()
    await pass(12)
    await w.store.db.updateTable('agent').set({ name: 'post' }).execute()
    for (let i = 0; i < 8; i++) {
      await reports()
      await pass(0.5)
    }
    expect((await sent()).map(({ subject, url }) => [subject.name, url.split('/').at(-1)])).toEqual([
      ['mail-triage', 'mail-triage'],
      ['post', 'post'],
    ])
  })

  test('a command that was refused causes one message, however often it is found', async () => {
    const { w, place, reports, pass, sent } = await lived()
    await reports()
    const command = {
      id: 'c1',
      agent_id: w.agent.id,
      type: 'pause',
      payload: '{}',
      state: 'refused',
      created_at: 1,
    } as const
    const times = { delivered_at: 2, failed_at: null, answered_at: w.clock.now(), message: 'no', due_at: null }
    const by = { created_by: null, created_by_name: 'Ada' }
    await w.store.db
      .insertInto('command')
      .values({ ...command, ...times, ...by })
      .execute()
    await pass(0.5)
    expect(await sent()).toEqual([])
    const nothing = { after_s: null, limit_micro: null, statuses: null, channels: null, reminds: null }
    const rule = { scope: place.id, workspace_id: place.id, rule: 'command', is_on: 1, ...nothing } as const
    await w.store.db.insertInto('alert_rule').values(rule).execute()
    await pass(1)
    expect((await sent()).map(({ type, rule: name, label }) => [type, name, label])).toEqual([
      ['alert.opened', 'command', 'pause: refused'],
    ])
  })

  test('a message about a disabled channel goes to the other channels', async () => {
    const { w, reports, pass } = await lived()
    await addChannel(w, 'other')
    await w.store.db
      .updateTable('alert_channel')
      .set({ enabled: 0, disabled_why: 'The receiver is gone (410).' })
      .where('name', '=', 'ops')
      .execute()
    await reports()
    await pass(0.5)
    const rows = await w.store.db
      .selectFrom('alert_delivery')
      .innerJoin('alert_channel', 'alert_channel.id', 'channel_id')
      .select(['name', 'changes'])
      .execute()
    expect(rows.map(({ name }) => name)).toEqual(['other'])
    expect(rows[0]?.changes).toContain('The channel ops')
  })

  test('two nodes that evaluate at the same time send one message', async () => {
    const { w, looks, reports, sent } = await lived()
    await reports()
    w.clock.pass(100)
    await looks()
    w.clock.pass(700)
    const both = await Promise.all([looks(), looks()])
    expect(both.map(({ messages }) => messages).sort()).toEqual([0, 1])
    expect(await sent()).toHaveLength(1)
  })

  test('a fault in a report causes a message, and its alert ends without one when the agent is deleted', async () => {
    const { w, reports, pass, sent } = await lived()
    const health = [
      { name: 'Process', level: 'bad' },
      { name: 'Binding mail', level: 'bad' },
    ]
    for (let i = 0; i < 24; i++) {
      await reports(w.agent, {
        level: 'bad',
        label: 'stuck',
        warnings: 'status disk',
        body: JSON.stringify({ protocol: 1, health }),
      })
      await pass(0.5)
    }
    expect((await sent()).map(({ rule, label }) => [rule, label])).toEqual([
      ['status_stale', null],
      ['disk', null],
      ['bad', 'stuck'],
      ['process', null],
      ['binding', 'mail'],
    ])
    await w.store.db.deleteFrom('agent').where('id', '=', w.agent.id).execute()
    await pass(1)
    expect(await sent()).toHaveLength(5)
    expect(await w.store.db.selectFrom('alert').select('id').where('ended_at', 'is', null).execute()).toEqual([])
  })

  test('an alert about a day of too many runs ends with the day (UTC), without a message, like one about its cost', async () => {
    const { w, looks, reports, sent } = await lived()
    const { db } = w.store
    const scope = { scope: w.workspace.id, workspace_id: w.workspace.id }
    await db
      .insertInto('alert_rule')
      .values({ ...scope, rule: 'cost_day', is_on: 1, limit_micro: 1000 })
      .execute()
    const today = dayNumber(w.clock.now())
    const sum = { agent_id: w.agent.id, model: '', output_tokens: 0 }
    await db
      .insertInto('usage_day')
      .values([
        ...[1, 2, 3].map((back) => ({ ...sum, day: today - back, runs: 16, cost_micro: 10 })),
        { ...sum, day: today, runs: 51, cost_micro: 2000 },
      ])
      .execute()
    await reports()
    await looks()
    // The limit of a day is exceeded by the agent and by its workspace.
    const rules = ['cost_day', 'cost_day', 'runaway']
    const opened = rules.map((rule) => `alert.opened ${rule}`)
    const told = async () => (await sent()).map(({ type, rule }) => `${type} ${rule}`).toSorted()
    expect(await told()).toEqual(opened)
    const open = () => db.selectFrom('alert').select('rule').where('ended_at', 'is', null).orderBy('rule').execute()
    const midnight = (today + 1) * dayMs
    w.clock.pass((midnight - w.clock.now()) / 1000 - 1)
    await reports()
    await looks()
    expect((await open()).map(({ rule }) => rule)).toEqual(rules)
    w.clock.pass(1)
    await looks()
    expect([await open(), await told()]).toEqual([[], opened])
  })

  test('a workspace that is not active is not judged, and its open alerts end without a message', async () => {
    const { w, place, reports, pass, sent } = await lived()
    await reports()
    await pass(20)
    place.active = false
    await pass(1)
    expect(await sent()).toHaveLength(1)
    expect(await w.store.db.selectFrom('alert').select('id').where('ended_at', 'is', null).execute()).toEqual([])
  })

  test('no agent counts as offline after the service itself was down', async () => {
    const { w, reports, pass, sent } = await lived()
    await reports()
    const from_at = w.clock.now() + 10_000
    w.clock.pass(20 * 60)
    await w.store.db.insertInto('service_away').values({ from_at, until_at: w.clock.now() }).execute()
    await pass(2)
    await reports()
    await pass(1)
    expect(await sent()).toEqual([])
    expect(await w.store.db.selectFrom('alert').select('id').execute()).toEqual([])
  })
})

async function report(w: TestWorkspace, agent: TestAgent, more: object): Promise<void> {
  const row = {
    agent_id: agent.id,
    received_at: w.clock.now(),
    level: 'ok' as const,
    controls: '[]',
    interval_s: 30,
    reporters: '',
    runs_kept: 0,
    body: '{"protocol":1}',
    ...more,
  }
  const insert = w.store.db.insertInto('agent_report').values(row as never)
  await insert.onConflict((oc) => oc.column('agent_id').doUpdateSet(row as never)).execute()
}

async function addChannel(w: TestWorkspace, name = 'ops'): Promise<void> {
  const now = w.clock.now()
  await w.store.db
    .insertInto('alert_channel')
    .values({
      id: newId(now),
      scope: w.workspace.id,
      workspace_id: w.workspace.id,
      person_id: null,
      owner: '',
      name,
      kind: 'webhook',
      format: 'single',
      enabled: 1,
      disabled_why: null,
      shown: '',
      sealed: '',
      created_at: now,
      created_by_name: 'Ada',
      last_answer: null,
      last_at: null,
      grouped_at: null,
      failing_since: null,
      dead: 0,
    })
    .execute()
}

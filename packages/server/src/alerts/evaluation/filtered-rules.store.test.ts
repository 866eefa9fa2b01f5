/** Tests rules that a filter limits to some agents. */
import { expect, test } from 'vitest'
import { onEveryEngine } from '../../../testing/stores.ts'
import { newTestWorkspace, type TestAgent } from '../../../testing/test-workspace.ts'
import { newId } from '../../platform/ids.ts'
import { setRule } from '../changes/rules.ts'
import { countFits } from '../rule-agents.ts'
import { scopeOf } from '../scope.ts'
import { evaluateScope } from './evaluate.ts'
import { filteredRules } from './filtered-rules.ts'

onEveryEngine('a rule that a filter limits', (open) => {
  const lived = async () => {
    const w = await newTestWorkspace(await open())
    const { db } = w.store
    const place = { ...scopeOf(w.workspace), slug: w.workspace.slug, active: true }
    const set = (change: Parameters<typeof setRule>[2]) =>
      setRule({ db, by: w.admin, now: w.clock.now() }, w.workspace, change)
    const report = async (agent: TestAgent, more: object = {}) => {
      const row = {
        ...{ agent_id: agent.id, received_at: w.clock.now(), level: 'bad' as const, label: 'stuck' },
        ...{ controls: '[]', interval_s: 30, reporters: '', runs_kept: 0, body: '{"protocol":1}', host: 'build-1' },
        ...more,
      }
      const insert = db.insertInto('agent_report').values(row as never)
      await insert.onConflict((oc) => oc.column('agent_id').doUpdateSet(row as never)).execute()
    }
    const tag = (agent: TestAgent, name: string) =>
      db.insertInto('agent_tag').values({ agent_id: agent.id, tag: name }).execute()
    const pass = async (minutes: number, agents: readonly TestAgent[]) => {
      for (let i = 0; i < minutes * 4; i++) {
        w.clock.pass(15)
        for (const agent of agents) await report(agent)
        await evaluateScope(w.store, place, { baseUrl: 'https://svc.example.org', now: w.clock.now() })
      }
    }
    const alerts = async () => {
      const rows = await db.selectFrom('alert').selectAll().where('opened_at', 'is not', null).orderBy('id').execute()
      return rows.map(
        ({ rule, subject_name, ended_at }) => `${rule} ${subject_name}${ended_at === null ? '' : ' ended'}`,
      )
    }
    return { w, db, set, report, tag, pass, alerts }
  }

  test('opens alerts about agents that fit; one that no longer fits ends its alert without a message, and may fit again', async () => {
    const { w, db, set, tag, pass, alerts } = await lived()
    const agents = [w.agent, await w.addAgent('web')]
    await tag(w.agent, 'prod')
    await addChannel()
    expect(await set({ rule: 'bad', filter: ' tag:prod ' })).toMatchObject({ ok: true, value: { filter: 'tag:prod' } })
    await pass(3, agents)
    expect(await alerts()).toEqual(['bad mail-triage'])
    const sent = async () => (await db.selectFrom('alert_delivery').select('changes').execute()).length
    expect(await sent()).toBe(1)
    await db.deleteFrom('agent_tag').execute()
    await pass(0.25, agents)
    expect([await alerts(), await sent()]).toEqual([['bad mail-triage ended'], 1])
    await tag(w.agent, 'prod')
    await pass(3, agents)
    expect(await alerts()).toEqual(['bad mail-triage ended', 'bad mail-triage'])
    await set({ rule: 'bad', on: false })
    await pass(0.25, agents)
    expect(await alerts()).toEqual(['bad mail-triage ended', 'bad mail-triage ended'])
    await set({ rule: 'bad', on: true, filter: null })
    await pass(3, agents)
    expect((await alerts()).slice(2).toSorted()).toEqual(['bad mail-triage', 'bad web'])

    async function addChannel() {
      const now = w.clock.now()
      const empty = { disabled_why: null, last_answer: null, last_at: null, grouped_at: null, failing_since: null }
      await db
        .insertInto('alert_channel')
        .values({
          ...{ id: newId(now), scope: w.workspace.id, workspace_id: w.workspace.id, person_id: null, owner: '' },
          ...{ name: 'ops', kind: 'webhook', format: 'single', enabled: 1, shown: '', sealed: '', dead: 0 },
          ...{ created_at: now, created_by_name: 'Ada', ...empty },
        })
        .execute()
    }
  })

  test('ends its alert about an agent that is renamed, moves to another host, or is deleted', async () => {
    const { w, db, set, report, pass, alerts } = await lived()
    await set({ rule: 'bad', filter: 'name:mail-*' })
    await pass(3, [w.agent])
    expect(await alerts()).toEqual(['bad mail-triage'])
    await db.updateTable('agent').set({ name: 'post' }).where('id', '=', w.agent.id).execute()
    await pass(0.25, [w.agent])
    expect(await alerts()).toEqual(['bad post ended'])
    await set({ rule: 'bad', filter: 'host:build-1' })
    await pass(3, [w.agent])
    expect(await alerts()).toEqual(['bad post ended', 'bad post'])
    await report(w.agent, { host: 'other' })
    await pass(0, [])
    w.clock.pass(1)
    const place = { ...scopeOf(w.workspace), slug: 'north', active: true }
    const evaluate = () => evaluateScope(w.store, place, { baseUrl: 'https://svc.example.org', now: w.clock.now() })
    await evaluate()
    expect(await alerts()).toEqual(['bad post ended', 'bad post ended'])
    await pass(3, [w.agent])
    await db.deleteFrom('agent').where('id', '=', w.agent.id).execute()
    await evaluate()
    expect((await alerts()).at(-1)).toBe('bad post ended')
  })

  test('leaves other rules as they are, and does not judge the cost of the workspace', async () => {
    const { w, db, set, pass, alerts } = await lived()
    await set({ rule: 'bad', filter: 'tag:prod' })
    await set({ rule: 'item', filter: 'tag:prod' })
    await set({ rule: 'warning', on: true, after: 0 })
    await set({ rule: 'cost_day', limit: 1, filter: 'name:web' })
    const web = await w.addAgent('web')
    const day = Math.floor(w.clock.now() / 86_400_000)
    for (const { id } of [w.agent, web])
      await db
        .insertInto('usage_day')
        .values({ agent_id: id, day, model: '', runs: 1, cost_micro: 5_000_000, output_tokens: 0 } as never)
        .execute()
    await pass(3, [w.agent, web])
    expect(await alerts()).toEqual(['cost_day web'])
    await set({ rule: 'cost_day', filter: null })
    await pass(1, [w.agent, web])
    expect((await alerts()).toSorted()).toEqual(['cost_day mail-triage', 'cost_day north', 'cost_day web'])
  })

  test('says how many agents a filter fits, and which terms exclude none', async () => {
    const { w, db, report, tag } = await lived()
    for (const agent of [w.agent, await w.addAgent('web'), await w.addAgent('new')])
      if (agent.name !== 'new') await report(agent)
    await tag(w.agent, 'prod')
    const filters = ['tag:prd', 'tag:prod', '-host:build-1', 'name:old -tag:eu', '-name:web -host:biuld-1', 'level:bad']
    expect([...(await countFits(db, w.workspace.id, filters, w.clock.now()))]).toEqual([
      ['tag:prd', { agents: 0 }],
      ['tag:prod', { agents: 1 }],
      ['-host:build-1', { agents: 1 }],
      ['name:old -tag:eu', { agents: 0, idle: [{ at: 9, length: 7 }] }],
      ['-name:web -host:biuld-1', { agents: 2, idle: [{ at: 10, length: 13 }] }],
    ])
  })

  test('reads nothing about agents while no rule that is on has a filter', async () => {
    const { w } = await lived()
    const rule = { name: 'bad', on: false, filter: 'tag:prod' } as never
    const statements: string[] = []
    const db = w.store.db.withPlugin({
      transformQuery: ({ node }) => {
        statements.push(node.kind)
        return node
      },
      transformResult: async ({ result }) => result,
    })
    const read = filteredRules(db, () => rule, 0)
    expect((await read([w.agent.id]))(rule, w.agent.id)).toBe(rule)
    expect(statements).toEqual([])
    const limited = filteredRules(db, (name) => ({ name, on: true, filter: 'tag:prod' }) as never, 0)
    const on = { name: 'bad', on: true, filter: 'tag:prod' } as never
    expect((await limited([w.agent.id]))(on, w.agent.id).on).toBe(false)
    expect(statements).toHaveLength(2)
  })

  test('can be limited only while all nodes that run know filters', async () => {
    const { w, db, set } = await lived()
    const nodes = (rule_filters: number | null, at = w.clock.now()) =>
      db
        .insertInto('factor_node')
        .values({ node: newId(at), at, rule_filters })
        .execute()
    await nodes(1)
    await nodes(null, w.clock.now() - 121_000)
    expect(await set({ rule: 'bad', filter: 'tag:prod' })).toMatchObject({ ok: true })
    await nodes(null)
    const refused = w.store.engine === 'postgres' ? { ok: false, code: 'nodes_mixed' } : { ok: true }
    expect(await set({ rule: 'silent', filter: 'tag:prod' })).toMatchObject(refused)
    expect(await set({ rule: 'bad', filter: 'tag:prod', after: 7 }), 'the same filter').toMatchObject({ ok: true })
    expect(await set({ rule: 'bad', filter: null, after: 5 })).toMatchObject({ ok: true })
    w.clock.pass(121)
    expect(await set({ rule: 'silent', filter: 'tag:prod' })).toMatchObject({ ok: true })
    // A node of a version before second factors writes no row: only its announcements show that it runs.
    const heard = { db, by: w.admin, now: w.clock.now(), heard: ['old'] }
    expect(await setRule(heard, w.workspace, { rule: 'bad', filter: 'tag:eu' })).toMatchObject(refused)
  })

  test('is refused if it is not about agents, or if the filter has another key, with nothing changed', async () => {
    const { db, set } = await lived()
    for (const rule of ['rollout', 'service'])
      expect(await set({ rule, filter: 'tag:prod' })).toMatchObject({ ok: false, code: 'rule_invalid' })
    for (const filter of ['level:bad', 'prod', 'tag:prod is:offline', 'tag:'])
      expect(await set({ rule: 'bad', filter })).toMatchObject({ ok: false, code: 'filter_invalid' })
    expect(await db.selectFrom('alert_rule').selectAll().execute()).toEqual([])
    expect(await set({ rule: 'command', on: true, filter: 'tag:prod' })).toMatchObject({ ok: true })
  })
})

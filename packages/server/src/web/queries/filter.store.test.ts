import type { Fleet, FleetFacets, FleetGroups, FleetMap, FleetNames } from '@svc/api'
import { describe, expect, test } from 'vitest'
import { caseAgents, selections, wrongFilters } from '../../../../api/src/filter/testing/table.ts'
import { alertRow } from '../../../testing/alert-row.ts'
import { operator, serve } from '../../../testing/page/service.ts'
import { everyEngine } from '../../../testing/stores.ts'
import { serveRelease } from '../../../testing/wishes.ts'
import { tagAgents } from '../../fleet/agents/tags.ts'
import { commands } from '../../operator/commands/all.ts'
import type { ServiceParts as CommandService } from '../../operator/shared/request.ts'
import { runOperatorCommand } from '../../operator/socket/socket.ts'
import type { Store } from '../../platform/db/open.ts'
import { columnsOfWishes, type Wishes } from '../../updates/wishes/kept.ts'

const address = (route: string, asked: Record<string, string>) =>
  `/api/web/w/north/${route}?${new URLSearchParams(asked)}`

/** Makes the agents of the cases: those that have reported report what the cases say. */
async function withCases(store: Store) {
  const service = await serve({ postgres: store })
  const north = await service.workspace('north')
  const ann = await service.person('Ann', 'north', 'member')
  const ids = new Map<string, string>()
  const tokens = new Map<string, string>()
  for (const facts of Object.values(caseAgents)) {
    const { agent, token } = await service.agent(north, facts.name)
    ids.set(agent.name, agent.id)
    tokens.set(agent.name, token)
    if (facts.tags.length > 0) await tagged(store, north, { agents: [agent.name], add: facts.tags })
    if (facts.seenAt === null) continue
    await service.reports(token, reportOf(facts, service.now()))
  }
  const found = async (asked: Record<string, string>) => (await ann.get<Fleet>(address('fleet', asked))).body
  return { service, north, ann, ids, tokens, found }
}

async function tagged(store: Store, workspace: { id: string }, wanted: Parameters<typeof tagAgents>[2]) {
  const verdict = await tagAgents({ db: store.db, by: operator, now: 0 }, workspace, wanted)
  if (!verdict.ok) throw new Error(verdict.message)
}

function reportOf(facts: (typeof caseAgents)['M1'], now: number): object {
  const { level, label, detail, doing, host, version, controls, costToday } = facts
  const cost = { id: 'r', started: Math.floor(now / 1000), cost_usd: costToday }
  return {
    state: { level, label, ...(detail !== null && { detail }) },
    agent: { version, host },
    controls,
    ...(doing !== null && { active: [{ id: 'a', kind: doing }] }),
    ...(costToday !== null && { runs: [cost] }),
  }
}

const namesOf = (selects: string) =>
  selects
    .split(' ')
    .filter((id) => id !== '')
    .map((id) => caseAgents[id as keyof typeof caseAgents].name)
    .sort()

// The service closes its store, so the tests open their stores themselves.
describe.each(everyEngine)('the filter of agents (%s)', (_engine, open) => {
  test('every case is the same by the list, by the names and by the command line; a wrong one says where', async () => {
    const { service, ann, found } = await withCases(await open())
    const run = (filter: string) =>
      runOperatorCommand(
        'agent list',
        { args: ['north'], options: { filter }, input: '' },
        service as unknown as CommandService,
      )
    for (const [q, selects] of selections) {
      const { rows, total, of } = await found({ q })
      const byName = (await ann.get<FleetNames>(address('fleet/names', { q }))).body
      const listed = await run(q)
      const names = listed.ok ? (listed.value as { name: string }[]).map(({ name }) => name).sort() : listed.message
      expect([q, rows.map(({ name }) => name).sort(), names]).toEqual([q, namesOf(selects), namesOf(selects)])
      expect([q, byName.names.sort(), byName.total, total, of]).toEqual([
        ...[q, namesOf(selects), rows.length, rows.length],
        Object.keys(caseAgents).length,
      ])
    }
    for (const [q, at] of wrongFilters) {
      for (const route of ['fleet', 'fleet/names', 'fleet/facets', 'fleet/groups', 'fleet/map']) {
        const { status, body } = await ann.get(address(route, { q }))
        expect([q, status, body]).toMatchObject([q, 400, { error: { code: 'filter_invalid', at } }])
      }
      const refused = await run(q)
      expect(refused).toMatchObject({ ok: false, kind: 'refused' })
      const [, , mark = ''] = refused.ok ? [] : refused.message.split('\n')
      expect([q, mark.indexOf('^')]).toEqual([q, at + 2])
    }
    expect(service.errors).toEqual([])
  })

  test('the counts have what a press on each chip would show', async () => {
    const { found } = await withCases(await open())
    const none = { ok: 0, info: 0, warn: 0, bad: 0, silent: 0, stopped: 0, never: 0 }
    expect((await found({ q: '' })).counts).toEqual({ ...none, ok: 2, info: 1, warn: 1, bad: 1, never: 1, all: 6 })
    expect((await found({ q: 'mail level:ok is:running' })).counts).toEqual({ ...none, ok: 1, bad: 1, all: 2 })
    expect((await found({ q: '-level:ok' })).counts).toEqual({ ...none, info: 1, warn: 1, bad: 1, never: 1, all: 4 })
  })

  test('parameters of earlier versions work alone and beside a filter', async () => {
    const { found } = await withCases(await open())
    const names = async (asked: Record<string, string>) => (await found(asked)).rows.map(({ name }) => name)
    expect(await names({ search: 'MAIL' })).toEqual(['mail-1', 'mail-2'])
    expect(await names({ search: 'HTTP 401' })).toEqual(['mail-2'])
    expect(await names({ search: 'level:bad' })).toEqual([])
    expect(await names({ level: 'never' })).toEqual(['disk-1'])
    expect(await names({ level: 'bad', q: 'link' })).toEqual([])
    expect(await names({ silent: 'true' })).toEqual([])
    expect(await names({ stopped: 'false', q: 'tag:us' })).toEqual(['disk-1', 'link-1'])
    expect(await names({ level: 'unknown' })).toHaveLength(6)
  })

  test('groups are the same by their route and by the command line, and follow the filter', async () => {
    const { service, ann } = await withCases(await open())
    const { body } = await ann.get<FleetGroups>(address('fleet/groups', { by: 'tag', q: '-link' }))
    expect(body.groups.map(({ value, agents }) => [value, agents])).toEqual([
      ['eu', 2],
      ['prod', 1],
      ['us', 1],
      [null, 1],
    ])
    const run = (options: Record<string, string>) =>
      runOperatorCommand('agent list', { args: ['north'], options, input: '' }, service as unknown as CommandService)
    const listed = await run({ group: 'tag', filter: '-link' })
    expect(listed.ok && listed.value).toEqual(body.groups)
    expect(listed.ok && commands['agent list']?.show(listed.value)).toMatch(
      /^GROUP +AGENTS +WORST +BAD +OFFLINE +WARNING\n/,
    )
    expect(await run({ group: 'colour' })).toMatchObject({ ok: false, kind: 'misused' })
    const { body: map } = await ann.get<FleetMap>(address('fleet/map', { q: 'link' }))
    expect(map).toMatchObject({ total: map.squares.length, groups: [] })
    const one = await ann.get<Fleet>(address('fleet', { group: 'tag', in: 'eu', q: '-link' }))
    expect(one.body.total).toBe(body.groups.find(({ value }) => value === 'eu')?.agents)
    const names = await ann.get<FleetNames>(address('fleet/names', { group: 'tag', in: 'eu', q: '-link' }))
    expect(names.body).toEqual({ names: one.body.rows.map(({ name }) => name), total: one.body.total })
  })

  test('the most frequent values are counted among the agents that the filter selects', async () => {
    const { ann } = await withCases(await open())
    const { body } = await ann.get<FleetFacets>(address('fleet/facets', { q: '-link' }))
    expect(body).toEqual({
      tag: [
        { value: 'eu', agents: 2 },
        { value: 'prod', agents: 1 },
        { value: 'us', agents: 1 },
      ],
      host: ['build-1', 'build-2', 'db-1'].map((value) => ({ value, agents: 1 })),
      blueprint: [],
      version: ['1.3.9', '1.4.0', '1.10.0'].map((value) => ({ value, agents: 1 })),
    })
  })

  test('what was committed before a request is in its answer: reports, their costs, alerts and tags', async () => {
    const store = await open()
    const { service, north, ids, tokens, found } = await withCases(store)
    const total = async (q: string) => (await found({ q })).total
    expect([await total('host:new'), await total('cost:7'), await total('alert:open')]).toEqual([0, 0, 0])
    const report = reportOf({ ...caseAgents.M2, host: 'new', costToday: 7 }, service.now())
    await service.reports(tokens.get('mail-2') ?? '', report)
    expect([await total('host:new'), await total('cost:7'), await total('cost:6')]).toEqual([1, 1, 0])
    service.live.listChanged(north.id)
    expect([await total('host:new'), await total('cost:7'), await total('cost:0.5')]).toEqual([1, 1, 1])

    const agent_id = ids.get('link-2') ?? ''
    const id = '01900000-0000-7000-8000-000000000001'
    const alert = alertRow(north, { id: agent_id, name: 'link-2' }, { id })
    await store.db.insertInto('alert').values(alert).execute()
    service.live.alertsChanged(north.id)
    expect([await total('alert:open'), await total('alert:none')]).toEqual([1, 5])
    await store.db.updateTable('alert').set({ acknowledged_at: 2 }).where('id', '=', id).execute()
    service.live.alertsChanged(north.id)
    expect([await total('alert:open'), await total('alert:acknowledged')]).toEqual([0, 1])

    await tagged(store, north, { agents: ['link-2'], add: ['fresh'] })
    service.live.reported(north.id, agent_id)
    expect(await total('tag:fresh')).toBe(1)
  })

  test('what reports and wishes say is selected', async () => {
    const store = await open()
    const service = await serve({ postgres: store })
    const north = await service.workspace('north')
    const ann = await service.person('Ann', 'north', 'member')
    const place = { store, clock: service, workspace: north }
    await serveRelease(place, '0.9.1')
    const state = { level: 'ok', label: 'Working' }
    const wish = { version: '1.1.0', at: 1, by: 'Ann', mark: null }
    const failed = { version: '1.1.0', outcome: 'failed', message: null, at: 2 }
    const facts: Record<string, { report?: object; wishes?: object }> = {
      late: {
        report: {
          status_at: Math.floor(service.now() / 1000) - 1200,
          health: [{ name: 'Status file', level: 'warn' }],
        },
      },
      stopped: { report: { stopped: 'person' } },
      paused: { report: { state: { label: 'Paused' }, controls: ['resume'] } },
      outdated: { report: { runtime: { version: '0.9.0' } } },
      newest: { report: { runtime: { version: '0.9.1' } } },
      pending: { wishes: { blueprint: wish } },
      offered: { wishes: { runtime: { ...wish, offeredAt: 2 } } },
      trying: { wishes: { blueprint: { ...wish, offeredAt: 2, fetchedAt: 3 } } },
      failed: { wishes: { blueprint: { ...wish, offeredAt: 1 }, blueprintHold: failed } },
      back: { wishes: { blueprint: { ...wish, offeredAt: 1 }, blueprintHold: { ...failed, outcome: 'rolled_back' } } },
      held: { wishes: { blueprint: { ...wish, at: 3, offeredAt: 4 }, blueprintHold: failed } },
    }
    for (const [name, { report = {}, wishes }] of Object.entries(facts)) {
      const { agent, token } = await service.agent(north, name)
      await service.reports(token, { state, ...report })
      if (wishes)
        await store.db
          .updateTable('agent')
          .set(columnsOfWishes(wishes as Wishes))
          .where('id', '=', agent.id)
          .execute()
    }
    await service.agent(north, 'new')
    service.live.listChanged(north.id)
    const rows: readonly (readonly [q: string, selects: string])[] = [
      ['is:late', 'late'],
      ['level:warn', 'late'],
      ['is:stopped', 'stopped'],
      ['is:paused', 'paused'],
      ['can:resume', 'paused'],
      ['can:run_now', ''],
      ['is:outdated', 'outdated'],
      ['runtime:<0.9.1', 'outdated'],
      ['runtime:0.9.*', 'newest outdated'],
      ['update:pending', 'offered pending'],
      ['update:trying', 'trying'],
      ['update:failed', 'failed'],
      ['update:rolled_back', 'back'],
      ['update:held', 'held'],
      ['update:none -is:never', 'late newest outdated paused stopped'],
      ['alert:open', ''],
      ['alert:none is:never', 'new'],
      ['seen:>1h', ''],
      ['seen:<=1m -level:ok', 'late paused'],
    ]
    const named = async (q: string) =>
      (await ann.get<FleetNames>(address('fleet/names', { q }))).body.names.sort().join(' ')
    for (const [q, selects] of rows) expect([q, await named(q)]).toEqual([q, selects])
    service.pass(3601)
    const away = Object.keys(facts)
      .filter((name) => name !== 'stopped')
      .sort()
      .join(' ')
    expect([await named('is:offline'), await named('is:online'), await named('seen:>1h -is:stopped')]).toEqual([
      away,
      '',
      away,
    ])
    expect(service.errors).toEqual([])
  })

  test('the longest filters are read from an address, and longer ones are refused', async () => {
    const { found, ann } = await withCases(await open())
    const terms = (count: number) => Array.from({ length: count }, (_, i) => `-name:x${i}`).join(' ')
    const word = (length: number) => 'ü'.repeat(length)
    expect((await found({ q: terms(20) })).total).toBe(6)
    expect((await found({ q: `-${word(499)}` })).total).toBe(6)
    for (const [q, at] of [
      [terms(21), terms(20).length + 1],
      [word(501), 500],
    ] as const)
      expect((await ann.get(address('fleet', { q }))).body).toMatchObject({ error: { code: 'filter_invalid', at } })
  })

  test('the host of an agent that reported to an earlier version is read from its report', async () => {
    const store = await open()
    const { service, north, ids, tokens, found } = await withCases(store)
    await store.db.updateTable('agent_report').set({ host: null }).execute()
    for (let i = 0; i < 2; i++) {
      service.live.listChanged(north.id)
      expect((await found({ q: 'host:build-*' })).total).toBe(3)
    }
    // A node of an earlier version beside this one stores reports without the column.
    const agent = ids.get('mail-2') ?? ''
    await store.db
      .updateTable('agent_report')
      .set({ body: JSON.stringify({ protocol: 1, agent: { host: 'moved' } }), received_at: service.now() + 1 })
      .where('agent_id', '=', agent)
      .execute()
    service.live.reported(north.id, agent)
    expect([(await found({ q: 'host:moved' })).total, (await found({ q: 'host:build-*' })).total]).toEqual([1, 2])
    await service.reports(tokens.get('mail-2') ?? '', reportOf({ ...caseAgents.M2, host: 'build-3' }, service.now()))
    const { host } = await store.db
      .selectFrom('agent_report')
      .select('host')
      .where('agent_id', '=', agent)
      .executeTakeFirstOrThrow()
    expect([host, (await found({ q: 'host:build-3' })).total]).toEqual(['build-3', 1])
  })
})

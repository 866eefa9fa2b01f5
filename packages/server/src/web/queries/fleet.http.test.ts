import type { Fleet } from '@svc/api'
import { expect, test } from 'vitest'
import { serve } from '../../../testing/page/service.ts'
import { streamOf } from '../../../testing/page/stream.ts'
import { dayNumber } from '../../platform/limits/units.ts'

const agents = 2000
const days = 30

test('the list of 2,000 agents with 30 days of costs is answered before its costs, which a frame announces', async () => {
  const service = await serve()
  const north = await service.workspace('north')
  const ann = await service.person('Ann', 'north', 'admin')
  const { store } = service
  if (store.engine !== 'sqlite') throw new Error('This test fills the embedded engine.')
  const today = dayNumber(service.now())
  const agent = store.sqlite.prepare(
    'insert into agent (id, workspace_id, name, token_hash, created_at) values (?, ?, ?, ?, 1)',
  )
  const report = store.sqlite.prepare(
    `insert into agent_report (agent_id, received_at, level, controls, interval_s, reporters, runs_kept, body)
     values (?, ?, 'ok', '["pause"]', 30, '', 0, ?)`,
  )
  const usage = store.sqlite.prepare(
    'insert into usage_day (agent_id, day, model, runs, cost_micro, output_tokens) values (?, ?, ?, 1, 1000, 1)',
  )
  store.sqlite.exec('begin')
  for (let i = 0; i < agents; i++) {
    agent.run(`id-${i}`, north.id, `agent-${i}`, `hash-${i}`)
    report.run(`id-${i}`, service.now(), 'x'.repeat(3000))
    for (let day = 0; day <= days; day++) {
      for (const model of ['', 'large']) usage.run(`id-${i}`, today - day, model)
    }
  }
  store.sqlite.exec('commit')

  const list = '/api/web/w/north/fleet?limit=200'
  const stream = await streamOf(`${service.origin}/api/web/w/north/events`, ann.cookie)
  const first = (await ann.get<Fleet>(list)).body
  expect(first).toMatchObject({ total: agents, costsPending: true, costToday: null, cost30: null })
  expect(first.rows[1]).toMatchObject({ name: 'agent-1', costToday: null })
  await stream.frame(({ more }) => more)
  expect((await ann.get<Fleet>(list)).body).not.toHaveProperty('costsPending')

  const fleet = (await ann.get<Fleet>(`${list}&sort=cost_30`)).body
  expect(fleet).toMatchObject({ total: agents, costToday: 2, cost30: 60, counts: { ok: agents, all: agents } })
  expect(fleet.rows).toHaveLength(200)
  expect(fleet.rows[1]).toMatchObject({ name: 'agent-1', costToday: 0.001, cost30: 0.03 })
})

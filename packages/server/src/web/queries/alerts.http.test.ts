import type { AlertLines, AlertTimeline } from '@svc/api'
import { expect, test } from 'vitest'
import { serve } from '../../../testing/page/service.ts'
import { judgeRule } from '../../alerts/rules/judge.ts'
import { defaultRule } from '../../alerts/rules/rules.ts'
import { scopeOf } from '../../alerts/scope.ts'
import { insertAlert } from '../../alerts/store.ts'

test('every member of a workspace sees its alerts, and nobody else does', async () => {
  const service = await serve()
  const [north] = [await service.workspace('north'), await service.workspace('south')]
  const { agent } = await service.agent(north, 'mail')
  const situation = { now: service.now(), muted: false }
  const { alert } = judgeRule({ ...defaultRule('bad'), after: 0 }, { is: 'holds' }, undefined, situation)
  if (!alert) throw new Error('No alert opened.')
  const about = { kind: 'agent', id: agent.id, name: agent.name } as const
  await insertAlert(service.store.db, { scope: scopeOf(north), rule: 'bad', about }, alert, service.now())

  const lines = '/api/web/w/north/alerts/lines'
  const timeline = '/api/web/w/north/alerts/timeline?days=1'
  const ofAgent = '/api/web/w/north/agents/mail/alerts'
  for (const [name, role] of [
    ['Ann', 'admin'],
    ['Bob', 'member'],
  ] as const) {
    const person = await service.person(name, 'north', role)
    expect((await person.get<AlertLines>(lines)).body.rows.map(({ agent }) => agent)).toEqual(['mail'])
    expect((await person.get<unknown[]>(ofAgent)).body).toHaveLength(1)
    expect((await person.get<AlertTimeline>(timeline)).body.rows).toMatchObject([
      { subject: { name: 'mail' }, endedAt: null },
    ])
    expect((await person.get<AlertLines>(`${lines}?level=warn`)).body.rows).toEqual([])
  }
  const eve = await service.person('Eve', 'south', 'admin')
  for (const path of [lines, ofAgent, timeline]) {
    expect((await eve.get(path)).status).toBe(404)
    expect((await service.browser().get(path)).status).toBe(401)
  }
  expect((await eve.get('/api/web/w/south/alerts/lines')).body).toEqual({ rows: [], more: false })
})

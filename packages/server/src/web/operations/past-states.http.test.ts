/**
 * Tests the routes and the commands about the past of agents: their states, changes and trends, and what is refused.
 */
import type { AgentTrend, HistoryChange, PastAgentState, StateSpan, StateStrips } from '@svc/api'
import { expect, test } from 'vitest'
import { serve } from '../../../testing/page/service.ts'
import { offering } from '../../../testing/service.ts'

const w = '/api/web/w/north'
const of = `${w}/agents/mail/history`

/**
 * Returns a function that rounds the time since `began` to 10 s, since the clock goes on while the test runs. All times
 * are in milliseconds.
 */
const after = (began: number) => (at: number) => Math.round((at - began) / 10_000) * 10

async function start() {
  const service = await serve({})
  const north = await service.workspace('north')
  const { agent, token } = await service.agent(north, 'mail')
  const ann = await service.person('Ann', 'north', 'admin')
  const ben = await service.person('Ben', 'north', 'member')
  return { service, north, agent, token, ann, ben, began: service.now() }
}

test('members read the states, the changes, the fleet at a time and a trend', async () => {
  const { service, token, ann, ben, began } = await start()
  const ok = { ...offering, state: { level: 'ok', label: 'Idle' } }
  await service.reports(token, ok)
  service.pass(30)
  const sent = await ann.send<{ id: string }>('POST', `${w}/agents/mail/commands`, { type: 'pause', payload: {} })
  service.pass(30)
  await service.reports(token, { ...offering, state: { level: 'info', label: 'Paused' } })
  service.pass(200)
  const failed = {
    id: 'run-7',
    started: Math.floor(began / 1000),
    ended: Math.floor(began / 1000) + 40,
    status: 'failed',
  }
  await service.reports(token, { ...ok, runs: [failed] })

  const { body: spans } = await ben.get<StateSpan[]>(`${of}/states?since=${Math.floor(began / 1000)}`)
  const seconds = after(began)
  expect(spans.filter(({ is }) => is !== 'unknown').map(({ from, is, level }) => [seconds(from), is, level])).toEqual([
    [0, 'reporting', 'ok'],
    [60, 'paused', 'info'],
    [150, 'offline', 'info'],
    [260, 'reporting', 'ok'],
  ])
  const { body: changes } = await ben.get<HistoryChange[]>(`${of}/changes`)
  expect(changes.map(({ at, what, from, to, text }) => [seconds(at), what, from, to, text])).toEqual([
    [0, 'level', null, 'ok', 'Idle'],
    [30, 'command', null, 'delivered', 'pause'],
    [40, 'run', null, 'failed', 'run-7'],
    [60, 'level', 'ok', 'info', 'Paused'],
    [60, 'paused', false, true, null],
    [150, 'offline', false, true, null],
    [260, 'level', 'info', 'ok', 'Idle'],
    [260, 'paused', true, false, null],
    [260, 'offline', true, false, null],
  ])
  expect(changes.find(({ what }) => what === 'command')?.id).toBe(sent.body.id)
  const { body: newest } = await ben.get<HistoryChange[]>(`${of}/changes?limit=2`)
  expect(newest).toEqual(changes.slice(-2))
  const { body: fleet } = await ben.get<PastAgentState[]>(
    `${w}/history/fleet?at=${Math.floor(began / 1000) + 100}&level=info`,
  )
  expect(fleet).toEqual([{ name: 'mail', is: 'paused', level: 'info', label: 'Paused' }])
  const { body: last } = await ben.get<StateStrips>(`${w}/history/strips?names=mail,nobody`)
  expect(Object.keys(last.strips)).toEqual(['mail'])
  expect(last.strips.mail).toMatch(/^u\d+o6\dp90x110(o\d+)?$/)
  const { body: trend } = await ben.get<AgentTrend>(`${of}/trend?days=30`)
  // If the test runs at midnight, the run started on the day before.
  const runs = trend.usage.reduce((sum, day) => sum + (day?.runs ?? 0), 0)
  expect([trend.step, trend.time.length, runs, trend.gauges]).toEqual([86_400, 30, 1, []])
})

test.each([
  `${of}/states?since=yesterday`,
  `${of}/states?since=`,
  `${of}/states?until=2026-11-22T14:03`,
  `${of}/states?since=2026-11-21T13:00Z&until=2026-11-21T12:00Z`,
  `${of}/states?since=9999999999`,
  `${of}/changes?limit=0`,
  `${of}/changes?limit=1001`,
  `${of}/changes?limit=many`,
  `${of}/trend?days=2`,
  `${w}/history/fleet`,
  `${w}/history/fleet?at=9999999999`,
  `${w}/history/strips`,
  `${w}/history/strips?names=,`,
  `${w}/history/strips?names=${Array.from({ length: 201 }, (_, i) => `a${i}`)}`,
  `${w}/history/strips?names=${'a'.repeat(64)}`,
  `${w}/history/fleet?at=2026-11-21&level=dreadful`,
])('a value that is none is refused: %s', async (path) => {
  const { ben } = await start()
  expect(await ben.get(path)).toMatchObject({ status: 400, body: { error: { code: 'body_invalid' } } })
})

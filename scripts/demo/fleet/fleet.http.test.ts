/** Tests that the simulated fleet reports to a real service and obeys its commands. */
import type { Report } from '@svc/protocol'
import { expect, onTestFinished, test } from 'vitest'
import { serve } from '../../../packages/server/testing/page/service.ts'
import { membersOf } from './members.ts'
import { SimulatedAgent, startReporting } from './reporting.ts'
import { fleetViews } from './views.ts'

const count = 100
const w = '/api/web/w/demo'

/** The parts of the page's answers that this test looks at. */
interface Fleet {
  counts: { all: number; never: number; stopped: number; bad: number }
  cost30: number | null
  rows: { label: string | null }[]
}
interface AgentPage {
  report: Report | null
}

test('a fleet reports, shows trouble and costs, and pauses, resumes and runs on request', async () => {
  const service = await serve()
  const place = await service.workspace('demo')
  const ann = await service.person('Ann', 'demo', 'admin')
  const members = membersOf(count, 1)
  const port = Number(new URL(service.origin).port)
  const agents: SimulatedAgent[] = []
  for (const member of members)
    agents.push(new SimulatedAgent(member, (await service.agent(place, member.name)).token, port))
  const stopping = new AbortController()
  onTestFinished(() => stopping.abort())
  await startReporting(agents, () => {}, stopping.signal)

  const fleet = (await ann.get<Fleet>(`${w}/fleet?limit=200`)).body
  const { all, never, stopped, bad } = fleet.counts
  expect({ all, never, stopped, bad }).toEqual({ all: count, never: 1, stopped: 1, bad: 4 })
  expect(fleet.rows.filter(({ label }) => label === 'HTTP 401 from the mailbox')).toHaveLength(2)
  expect(fleet.cost30).toBeGreaterThan(0)

  for (const { name, filter: q } of fleetViews)
    expect((await ann.send('PUT', `${w}/views`, { name, q, shared: true })).status).toBe(201)

  const at = members.findIndex(
    ({ condition }) => condition.state === undefined && !condition.reports && !condition.isPaused,
  )
  const [agent, name] = [agents[at], members[at]?.name]
  const label = async () => (await ann.get<AgentPage>(`${w}/agents/${name}`)).body.report?.state?.label
  const send = async (type: string) => {
    expect((await ann.send('POST', `${w}/agents/${name}/commands`, { type })).status).toBe(201)
    await agent?.report()
    await agent?.report()
  }
  const states = async () =>
    (await ann.get<{ rows: { type: string; state: string }[] }>(`${w}/agents/${name}/commands`)).body.rows.map(
      ({ type, state }) => `${type} ${state}`,
    )
  await send('pause')
  expect(await label()).toBe('Paused')
  await send('resume')
  await send('run_now')
  expect(await states()).toEqual(['run_now applied', 'resume applied', 'pause applied'])
  expect((await ann.get<AgentPage>(`${w}/agents/${name}`)).body.report?.active).toHaveLength(1)
})

import type { Manifest } from '@svc/blueprint'
import { limits, readPauseText } from '@svc/protocol'
import { expect, test } from 'vitest'
import { composeReport, type ReportParts } from './compose.ts'

const parts: ReportParts = {
  manifest: { name: 'mail', version: '1.0.0', settings: [], controls: [] } as unknown as Manifest,
  status: {},
  health: [],
  values: {},
  acks: [],
  host: 'box',
  runtime: { version: '1.0.0' },
  boot: 'b',
  seq: 1,
}
const item = (name: string) => ({ name, level: 'ok' }) as const

test("the runtime's items about process and bindings are among those that the service keeps, however many the agent has (2.1, 3.7)", () => {
  const { health = [] } = composeReport({
    ...parts,
    process: { is: 'waiting', crashes: 0, startAt: 0 },
    health: [item('Status file')],
    bindings: [item('Binding tasks')],
    status: { health: Array.from({ length: 60 }, (_, i) => item(`own ${i}`)) },
  })
  const kept = health.slice(0, limits.health).map(({ name }) => name)
  expect(kept.slice(0, 4)).toEqual(['Process', 'Status file', 'Binding tasks', 'own 0'])
})

test('the page can read who paused the agent, and when, from the detail of its state', () => {
  const author = { by: 'service', at: 1_790_000_000, command: '01a2-4c44' } as const
  const paused = (pause: NonNullable<ReportParts['pause']>, status: ReportParts['status'] = {}) =>
    readPauseText(composeReport({ ...parts, pause, status }).state?.detail ?? '')
  const since = 1_790_000_000
  expect(paused({ since, author })).toEqual({ at: since * 1000, by: 'service', command: '01a2-4c44', rest: '' })
  expect(paused({ since, author: { by: 'machine', at: since, user: 'ada' } }, { active: [{}] })).toEqual({
    at: since * 1000,
    by: 'machine',
    user: 'ada',
    rest: 'One run is still finishing.',
  })
})

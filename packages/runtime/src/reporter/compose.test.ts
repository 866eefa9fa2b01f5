import type { Manifest } from '@svc/blueprint'
import { limits } from '@svc/protocol'
import { expect, test } from 'vitest'
import { compose, type ReportParts } from './compose.ts'

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
  const { health = [] } = compose({
    ...parts,
    process: { is: 'waiting', crashes: 0, startAt: 0 },
    health: [item('Status file')],
    bindings: [item('Binding tasks')],
    status: { health: Array.from({ length: 60 }, (_, i) => item(`own ${i}`)) },
  })
  const kept = health.slice(0, limits.health).map(({ name }) => name)
  expect(kept.slice(0, 4)).toEqual(['Process', 'Status file', 'Binding tasks', 'own 0'])
})

import { Agent } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { mutated, mutatedBytes, randomOf } from '../../../protocol/testing/mutate.ts'
import { sampleReport } from '../../../protocol/testing/sample.ts'
import { send, startService, type TestService } from '../../testing/service.ts'
import { openTestSqlite } from '../../testing/stores.ts'
import { type World, world } from '../../testing/world.ts'

const long = process.env.SVC_TEST_LONG !== undefined
const reports = long ? 100_000 : 5_000
const clients = 16

let w: World
let service: TestService

beforeAll(async () => {
  w = await world(await openTestSqlite())
  // Time passes with every look at the clock, so that no rate limit hides the reports.
  let at = w.clock.now()
  service = await startService(w.store, {
    now: () => {
      at += 500
      return at
    },
  })
})
afterAll(async () => {
  await service.stop()
  await w.store.close()
})

test(`${reports} reports with faults in every part give 200 or 400, never a 5xx, and the service goes on (I10)`, {
  timeout: long ? 1_800_000 : 120_000,
}, async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: clients })
  const random = randomOf(20261121)
  const callers = await Promise.all(Array.from({ length: 40 }, (_, i) => w.addAgent(`a${i}`)))
  const statuses = new Map<number, number>()
  let left = reports
  const client = async () => {
    while (left-- > 0) {
      const faults = 1 + Math.floor(random() * 4)
      const body = Buffer.from(JSON.stringify(mutated(sampleReport, random, faults)) ?? '')
      const bytes = random() < 0.3 ? mutatedBytes(body, random, faults) : body
      const { token } = callers[left % callers.length] ?? w.agent
      const { status } = await send(service, { token, body: bytes, agent })
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
  }
  await Promise.all(Array.from({ length: clients }, client))
  agent.destroy()
  expect([...statuses.keys()].filter((status) => ![200, 400, 413].includes(status))).toEqual([])
  expect(statuses.get(200)).toBeGreaterThan(reports / 4)
  expect(statuses.get(400)).toBeGreaterThan(0)
  expect(service.errors).toEqual([])
  expect((await send(service, { token: w.agent.token, body: '{"protocol":1}' })).status).toBe(200)
})

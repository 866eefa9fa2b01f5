import { expect, test } from 'vitest'
import { serve } from '../../../testing/page/service.ts'
import { openTestPostgres } from '../../../testing/stores.ts'

test.each([
  ['SQLite', async () => undefined],
  ['PostgreSQL', openTestPostgres],
])('on %s, a text that the database cannot store never causes a 5xx (I10)', async (_engine, open) => {
  const postgres = await open()
  const service = await serve(postgres ? { postgres } : {})
  await service.workspace('north')
  const ann = await service.person('Ann', 'north', 'admin')
  const w = '/api/web/w/north'
  for (const path of [
    '/api/web/w/%00/fleet',
    `${w}/agents/%00`,
    `${w}/fleet?text=%00`,
    `${w}/rollouts?before=%00`,
    `${w}/rollouts/%00`,
    `${w}/blueprints/%00`,
    '/api/web/start?token=%00',
  ])
    expect([path, (await ann.get(path)).status < 500]).toEqual([path, true])
  const { status } = await ann.send('POST', `${w}/rollouts`, { kind: 'blueprint', blueprint: 'a\0', version: '1.0.0' })
  expect(status < 500).toBe(true)
  expect((await ann.send('POST', `${w}/rollouts/%00/cancel`, {})).status).toBeLessThan(500)
  expect((await ann.send('POST', `${w}/agents`, { name: 'a\0b' })).status).toBe(400)
  expect(service.errors).toEqual([])
  expect((await ann.get(`${w}/rollouts`)).status).toBe(200)
})

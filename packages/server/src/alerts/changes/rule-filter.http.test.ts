import { expect, test } from 'vitest'
import { serve } from '../../../testing/page/service.ts'

test('admins limit a rule to the agents of a filter, and members see it', async () => {
  const service = await serve()
  await service.workspace('north')
  const ann = await service.person('Ann', 'north', 'admin')
  const bob = await service.person('Bob', 'north', 'member')
  const address = '/api/web/w/north/rules'
  type Rules = { rule: string; filter: string | null }[]
  const filters = async () => (await bob.get<Rules>(address)).body.flatMap(({ filter }) => filter ?? [])
  const limited = { rule: 'silent', filter: 'tag:prod -host:build-*' }
  expect((await bob.send('PATCH', address, limited)).status).toBe(403)
  expect(await filters()).toEqual([])
  const idle = [{ at: 9, length: 13 }]
  const fits = { agents: 0, idle }
  expect((await ann.send('PATCH', address, limited)).body).toMatchObject({ ...limited, fits })
  expect((await bob.get<{ fits?: object }[]>(address)).body.flatMap((rule) => rule.fits ?? [])).toEqual([fits])
  expect(await filters()).toEqual([limited.filter])
  const refused = await ann.send('PATCH', address, { rule: 'bad', filter: 'level:bad' })
  expect(refused).toMatchObject({ status: 400, body: { error: { code: 'filter_invalid' } } })
  expect(await ann.send('PATCH', address, { rule: 'rollout', filter: 'tag:a' })).toMatchObject({ status: 400 })
  const activity = JSON.stringify((await bob.get('/api/web/w/north/activity')).body)
  expect(activity).toContain('tag:prod -host:build-*')
  expect((await ann.send('PATCH', address, { rule: 'silent', filter: '' })).body).toMatchObject({ filter: null })
  expect(await filters()).toEqual([])
})

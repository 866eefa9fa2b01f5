import type { Me, Workspace } from '@svc/api'
import { expect, test } from 'vitest'
import { uploaded } from '../../../testing/bundles.ts'
import { type Browser, operator, serve } from '../../../testing/page/service.ts'

const seenBy = async (browser: Browser) => [
  (await browser.get<Me>('/api/web/me')).body.onboarding,
  (await browser.get<Workspace>('/api/web/w/north')).body.firstSteps,
]
const none = { agent: false, notified: false, people: false, blueprint: false }

test('each first step is done when its fact is there, and the steps end when all are done', async () => {
  const service = await serve()
  const north = await service.workspace('north')
  const ann = await service.person('Ann', 'north', 'admin')
  expect(await seenBy(ann)).toEqual([true, none])
  await ann.send('PATCH', '/api/web/me', { onboarding: true })
  const { token } = await service.agent(north, 'mail')
  expect(await seenBy(ann)).toEqual([true, none])
  await service.reports(token, {})
  expect(await seenBy(ann)).toEqual([true, { ...none, agent: true }])
  await ann.send('POST', '/api/web/w/north/invitations', { email: 'bob@example.org', role: 'admin' })
  expect(await seenBy(ann)).toEqual([true, { ...none, agent: true, people: true }])
  await ann.send('POST', '/api/web/w/north/channels', {
    name: 'ops',
    kind: 'webhook',
    url: 'https://hooks.example.org/',
  })
  expect(await seenBy(ann)).toEqual([true, { agent: true, notified: true, people: true, blueprint: false }])
  await uploaded({ db: service.store.db, by: operator, now: service.now() }, north, { version: '1.0.0' })
  expect(await seenBy(ann)).toEqual([false, null])
})

test('a person dismisses the first steps for themselves, and keeps their name', async () => {
  const service = await serve()
  await service.workspace('north')
  const ann = await service.person('Ann', 'north', 'admin')
  const answer = await ann.send<Me>('PATCH', '/api/web/me', { onboarding: false })
  expect(answer.body).toMatchObject({ name: 'Ann', onboarding: false })
  expect(await seenBy(ann)).toEqual([false, null])
  expect((await ann.send<Me>('PATCH', '/api/web/me', { name: 'Ann Q' })).body).toMatchObject({ onboarding: false })
  for (const body of [{}, { onboarding: 'no' }, { onboarding: null }])
    expect((await ann.send('PATCH', '/api/web/me', body)).status).toBe(400)
})

test('a window that says late that it showed the first steps does not bring dismissed steps back', async () => {
  const service = await serve()
  await service.workspace('north')
  const ann = await service.person('Ann', 'north', 'admin')
  for (const onboarding of [true, false, true]) await ann.send('PATCH', '/api/web/me', { onboarding })
  expect(await seenBy(ann)).toEqual([false, null])
})

test('members see no first steps, nor do admins where agents report and people are invited already', async () => {
  const service = await serve()
  const north = await service.workspace('north')
  const bob = await service.person('Bob', 'north', 'member')
  expect(await seenBy(bob)).toEqual([false, null])
  const ann = await service.person('Ann', 'north', 'admin')
  expect(await seenBy(ann)).toEqual([true, { ...none, people: true }])
  const { token } = await service.agent(north, 'mail')
  await service.reports(token, {})
  expect(await seenBy(ann)).toEqual([false, null])
})

import type { Bots, InstallCode, Members, NewCode, ShownCommand } from '@svc/api'
import { expect, test, vi } from 'vitest'
import { bundle } from '../../../testing/bundles.ts'
import { operator, password, serve, value } from '../../../testing/page/service.ts'
import { addProduct } from '../../fleet/products/store.ts'
import { activate } from '../../people/workspaces/store.ts'

const w = '/api/web/w/north'

test('open pages are notified of whatever people change: the agent, the list, or both', async () => {
  const service = await serve()
  const north = await service.workspace('north')
  const ada = await service.person('Ada', 'north', 'admin')
  await service.person('Bob', 'north', 'member')
  const product = { id: 'tasks', origin: 'https://tasks.example.org' }
  value(await addProduct({ db: service.store.db, by: operator, now: service.now() }, product))
  value(await activate({ db: service.store.db, by: operator, now: service.now() }, 'north', 'tasks'))
  const hand = await service.agent(north, 'hand')
  await service.reports(hand.token, { controls: ['pause', 'resume'] })

  const said = new Set<string>()
  for (const call of ['reported', 'changed', 'listChanged'] as const)
    vi.spyOn(service.live, call).mockImplementation(() => void said.add(call))
  const heard = async (method: string, path: string, body: unknown, ...calls: string[]) => {
    said.clear()
    const answer = await ada.send<never>(method, w + path, body)
    expect([method, path, answer.status < 300, [...said].sort()]).toEqual([method, path, true, calls.sort()])
    return answer.body
  }
  const uploads = async (version: string) => {
    said.clear()
    const headers = { cookie: ada.cookie, origin: service.origin, 'content-type': 'application/zip' }
    const zip = await bundle({ version, bindings: ['tasks:editor:tasks.write'] })
    const answer = await fetch(`${service.origin}${w}/blueprints`, { method: 'POST', headers, body: Buffer.from(zip) })
    expect([answer.status, [...said]]).toEqual([201, ['listChanged']])
  }

  await uploads('1.0.0')
  await uploads('1.1.0')
  await heard('DELETE', '/blueprints/mail/versions/1.1.0', undefined, 'listChanged')
  await uploads('1.2.0')
  const unused: InstallCode = await heard('POST', '/codes', { blueprint: 'mail', version: '1.0.0' }, 'listChanged')
  await heard('DELETE', `/codes/${unused.id}`, undefined, 'listChanged')
  const { code }: NewCode = await heard('POST', '/codes', { blueprint: 'mail', version: '1.0.0' }, 'listChanged')
  said.clear()
  await fetch(`${service.origin}/api/agent/v1/install`, { method: 'POST', body: JSON.stringify({ code }) })
  expect([...said]).toEqual(['listChanged'])

  await heard('POST', '/agents', { name: 'new' }, 'listChanged')
  await heard('PATCH', '/agents/new', { name: 'newer' }, 'listChanged')
  await heard('POST', '/agents/newer/token', undefined, 'changed')
  await heard('DELETE', '/agents/newer', undefined, 'listChanged')
  const command: ShownCommand = await heard('POST', '/agents/hand/commands', { type: 'pause' }, 'changed')
  await service.store.db.updateTable('command').set({ state: 'failed', due_at: null }).execute()
  await heard('POST', `/agents/hand/commands/${command.id}/again`, undefined, 'changed')
  await heard('POST', '/commands', { agents: ['hand'], type: 'resume' }, 'changed')
  await heard('PUT', '/agents/mail/wishes/blueprint', { version: '1.2.0' }, 'changed', 'reported')
  await heard('DELETE', '/agents/mail/wishes/blueprint', undefined, 'changed', 'reported')
  const many = { kind: 'blueprint', agents: ['mail'], blueprint: 'mail', version: '1.2.0' }
  await heard('POST', '/wishes', many, 'changed', 'reported')
  await heard('POST', '/wishes', { ...many, version: null }, 'changed', 'reported')

  const { rows }: Bots = (await ada.get<Bots>(`${w}/bots`)).body
  const [bot] = rows
  await heard('POST', `/bots/${bot?.id}/tokens/${bot?.tokens[0]?.id}/revoke`, undefined, 'changed', 'listChanged')
  await heard('POST', `/bots/${bot?.id}/revoke`, undefined, 'listChanged')
  await heard('DELETE', `/bots/${bot?.id}`, undefined, 'changed', 'listChanged')

  const { members } = (await ada.get<Members>(`${w}/members`)).body
  const bob = members.find(({ name }) => name === 'Bob')?.id
  await heard('PATCH', `/members/${bob}`, { role: 'admin' }, 'listChanged')
  await heard('DELETE', `/members/${bob}`, undefined, 'listChanged')
})

const newcomer = { name: 'Eve', password: 'an unusual sentence of words' }
test.each([
  ['GET', '/api/web/start?token=wrong', undefined],
  [
    'POST',
    '/api/web/start',
    { token: 'wrong', ...newcomer, email: 'eve@example.org', workspace: 'Shop', slug: 'shop' },
  ],
  ['POST', '/api/web/link', { token: 'wrong' }],
  ['GET', '/api/web/claim?token=wrong', undefined],
  ['POST', '/api/web/claim', { token: 'wrong', ...newcomer }],
  ['GET', '/api/web/invitations/wrong', undefined],
  ['POST', '/api/web/invitations/wrong', {}],
])(
  '%s %s: one address may try 60 links that do not exist and then has to wait; other addresses need not',
  async (method, path, body) => {
    const service = await serve({ proxies: ['127.0.0.1'] })
    const tries = (address: string) => service.browser().send(method, path, body, { 'x-forwarded-for': address })
    for (let i = 0; i < 60; i++) expect((await tries('203.0.113.5')).status).toBe(404)
    const refused = await tries('203.0.113.5')
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await tries('203.0.113.6')).status).toBe(404)
    service.pass(301)
    expect((await tries('203.0.113.5')).status).toBe(404)
  },
)

test('a session may guess its current password eight times; then even the right one has to wait', async () => {
  const service = await serve()
  await service.workspace('north')
  const ada = await service.person('Ada', 'north', 'admin')
  const tries = (current: string) => ada.send('POST', '/api/web/password', { current, next: 'another good password' })
  for (let i = 0; i < 8; i++) expect((await tries('wrong password')).status).toBe(400)
  expect((await tries(password)).status).toBe(429)
})

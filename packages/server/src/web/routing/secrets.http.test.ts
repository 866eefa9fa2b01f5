/**
 * Reading a secret that stands for an operation needs what the operation needs. An admin does everything that makes a
 * secret. Then every answer that the same session gets without a proof is searched for each of the secrets.
 */
import { type NewTotp, type Operation, operations, type RecoveryCodes } from '@svc/api'
import { Secret, TOTP } from 'otpauth'
import { expect, test } from 'vitest'
import { bundle } from '../../../testing/bundles.ts'
import { type Browser, operator, type Service, serve, value } from '../../../testing/page/service.ts'
import { createLink } from '../../people/accounts/links.ts'
import { inviteAsOperator } from '../../people/workspaces/invitations.ts'

const w = '/api/web/w/north'
const idOf = (url: string) => url.split('/').at(-1) ?? ''

/** The secrets that are made, each with what it stands for. The next secret of the service is a row here. */
async function secretsOf(service: Service, ann: Browser): Promise<Record<string, string>> {
  const made = async <T>(
    method: string,
    path: string,
    body: unknown,
    field: (answer: T) => string,
  ): Promise<string> => {
    const answer = await ann.send<T>(method, path, body)
    expect([path, answer.status < 300]).toEqual([path, true])
    return field(answer.body)
  }
  const db = service.store.db
  const by = { db, people: service, by: operator, now: service.now() }
  const north = await db.selectFrom('workspace').select(['id', 'slug', 'name']).executeTakeFirstOrThrow()
  const invited = { email: 'cy@example.org', role: 'admin' } as const
  const uploaded = await fetch(`${service.origin}${w}/blueprints`, {
    method: 'POST',
    headers: { cookie: ann.cookie, origin: service.origin, 'content-type': 'application/zip' },
    body: Buffer.from(await bundle()),
  })
  expect(uploaded.status).toBe(201)
  const agent = await made<{ token: string }>('POST', `${w}/agents`, { name: 'a1' }, ({ token }) => token)
  const totp = await made<NewTotp>('POST', '/api/web/factors/totp', {}, ({ secret }) => secret)
  const code = new TOTP({ secret: Secret.fromBase32(totp) }).generate({ timestamp: service.now() })
  const confirm = '/api/web/factors/totp/confirm'
  return {
    'the token of an agent': agent,
    'the secret of an authenticator app': totp,
    'a recovery code': await made<RecoveryCodes>('POST', confirm, { code }, ({ recovery }) => recovery[0] ?? ''),
    'an invitation of an admin to become admin': await made<{ url: string }>(
      'POST',
      `${w}/invitations`,
      { email: 'bo@example.org', role: 'admin' },
      ({ url }) => idOf(url),
    ),
    'an invitation of the operator to become admin': idOf(value(await inviteAsOperator(by, north, invited)).url),
    'an install code': await made<{ code: string }>(
      'POST',
      `${w}/codes`,
      { blueprint: 'mail', version: '1.0.0' },
      (issued) => issued.code,
    ),
    'a link that signs in': value(await createLink(by, 'sign_in', 'ann@example.org')),
    'the address of a channel that is a secret': await made<unknown>(
      'POST',
      `${w}/channels`,
      { name: 'hook', kind: 'slack', url: 'https://hooks.slack.com/services/T0/B0/a-secret-path' },
      () => 'a-secret-path',
    ),
  }
}

test('no answer of a session without a proof holds a secret that stands for an operation with one', async () => {
  const service = await serve()
  await service.workspace('north')
  const ann = await service.person('Ann', 'north', 'admin')
  const secrets = await secretsOf(service, ann)
  service.pass(660)
  const reads = operations.filter(({ route, right }) => route.startsWith('GET ') && right !== 'link')
  let answered = 0
  for (const { route } of reads.filter(({ route }) => !route.endsWith('/events'))) {
    const { status, text } = await ann.get<Operation>(
      `/api/web${route.slice(4)}`.replace(':slug', 'north').replace(':name', 'a1'),
    )
    if (status === 200) answered++
    const found = Object.entries(secrets).filter(([, secret]) => text.includes(secret))
    expect([route, found]).toEqual([route, []])
  }
  expect(answered).toBeGreaterThan(20)
})

test('the link of an invitation to become admin is shown again after a proof, and the activity says so', async () => {
  const service = await serve()
  await service.workspace('north')
  await service.workspace('south')
  const ann = await service.person('Ann', 'north', 'admin')
  const sue = await service.person('Sue', 'south', 'admin')
  const asked = { email: 'bo@example.org', role: 'admin' }
  const { id, url } = (await ann.send<{ id: string; url: string }>('POST', `${w}/invitations`, asked)).body
  const link = `${w}/invitations/${id}/link`
  expect(await ann.send('POST', link, {})).toMatchObject({ status: 200, body: { url } })
  expect((await sue.send('POST', link.replace('north', 'south'), {})).status).toBe(404)
  service.pass(660)
  expect(await ann.send('POST', link, {})).toMatchObject({ status: 403, body: { error: { code: 'proof_required' } } })
  const { text } = await ann.get(`${w}/activity`)
  expect(text.match(/member\.invitation_shown/g)).toHaveLength(1)
  expect((await ann.send('DELETE', `${w}/invitations/${id}`)).status).toBe(200)
  expect((await sue.send('POST', link, {})).status).toBe(404)
})

import { type Members, type NewTotp, type Operation, operations, type RecoveryCodes } from '@svc/api'
import { refusedHeader } from '@svc/api/refused'
import { sql } from 'kysely'
import { Secret, TOTP } from 'otpauth'
import { describe, expect, test } from 'vitest'
import { bundle } from '../../../testing/bundles.ts'
import { type Browser, password, type Service, serve } from '../../../testing/page/service.ts'
import { maxEvidence } from '../../people/audit/fold.ts'
import { actText } from './proof.ts'

const dangerous = operations.filter(({ proof }) => proof !== undefined)
/** The operations that add, remove or change a factor. */
const ofFactors = dangerous.filter(({ route }) => /^(POST|DELETE) \/factors\//.test(route))

const noPasskey = { id: 'x', rawId: 'x', response: { clientDataJSON: 'x', attestationObject: 'x' } }

/**
 * For each dangerous operation: the bodies of requests that need a proof (`needs`), each with the answer after a proof
 * was given, and the bodies of requests that need none (`free`). A refusal in an answer comes from the operation
 * itself, which finds nothing to act on here.
 */
const requests: Record<string, { needs: [body: unknown, answer: number | string][]; free?: unknown[] }> = {
  'POST /password': { needs: [[{ current: password, next: 'another good password' }, 200]] },
  'POST /factors/totp': { needs: [[{}, 200]] },
  'POST /factors/totp/confirm': { needs: [[{ code: '123456' }, 'factor_unknown']] },
  'POST /factors/recovery': { needs: [[{}, 'factor_unknown']] },
  'DELETE /factors/totp': { needs: [[undefined, 'factor_unknown']] },
  'POST /factors/passkeys/options': { needs: [[{}, 200]] },
  'POST /factors/passkeys': { needs: [[{ name: 'Laptop', response: noPasskey }, 'passkey_wrong']] },
  'DELETE /factors/passkeys/:id': { needs: [[undefined, 'factor_unknown']] },
  'POST /factors/oidc': { needs: [[{}, 'oidc_off']] },
  'DELETE /factors/oidc': { needs: [[undefined, 'factor_unknown']] },
  'PATCH /w/:slug': {
    needs: [
      [{ name: 'X', factorFrom: null }, 200],
      [{ factorFrom: 0 }, 200],
    ],
    free: [{ name: 'South' }],
  },
  'DELETE /w/:slug': { needs: [[undefined, 200]] },
  'PATCH /w/:slug/members/:id': { needs: [[{ role: 'admin' }, 200]] },
  'DELETE /w/:slug/members/:id': { needs: [[undefined, 200]] },
  'POST /w/:slug/invitations': {
    needs: [[{ email: 'x@example.org', role: 'admin' }, 201]],
    free: [{ email: 'y@example.org', role: 'member' }],
  },
  'POST /w/:slug/invitations/:id/link': { needs: [[{}, 'invitation_unknown']] },
  'DELETE /w/:slug/agents/:name': { needs: [[undefined, 200]] },
  'POST /w/:slug/agents/:name/token': { needs: [[{}, 200]] },
  'PUT /w/:slug/agents/:name/wishes/blueprint': { needs: [[{ version: '1.0.0' }, 'no_blueprint']] },
  'POST /w/:slug/agents/:name/wishes/runtime': { needs: [[{}, 'runtime_not_served']] },
  'POST /w/:slug/wishes': {
    needs: [
      [{ kind: 'runtime', agents: ['a1'] }, 200],
      [{ kind: 'blueprint', agents: ['a1'], blueprint: 'mail', version: '1.0.0' }, 200],
    ],
    free: [
      { kind: 'runtime', agents: ['a1'], withdraw: true },
      { kind: 'blueprint', agents: ['a1'], blueprint: 'mail', version: null },
    ],
  },
  'POST /w/:slug/actions': {
    needs: [[{ type: 'delete', agents: ['a1'] }, 201]],
    free: [{ type: 'pause', agents: ['a1'] }],
  },
  'POST /w/:slug/rollouts': { needs: [[{ kind: 'runtime' }, 'runtime_not_served']] },
  'POST /w/:slug/rollouts/:id/now': { needs: [[{}, 'rollout_unknown']] },
  'POST /w/:slug/agents/:name/wishes/blueprint/now': { needs: [[{}, 'nothing_waits']] },
  'POST /w/:slug/rollouts/:id/continue': { needs: [[{}, 'rollout_unknown']] },
  'POST /w/:slug/blueprints': { needs: [[bundle(), 201]] },
  'POST /w/:slug/codes': { needs: [[{ blueprint: 'mail', version: '1.0.0' }, 'version_unknown']] },
}

async function begun() {
  const service = await serve({ hostname: 'localhost' })
  const place = await service.workspace('north')
  await service.agent(place, 'a1')
  const ann = await service.person('Ann', 'north', 'admin')
  await service.person('Bob', 'north', 'member')
  const { body } = await ann.get<Members>('/api/web/w/north/members')
  const bob = body.members.find(({ self }) => !self)?.id ?? ''
  const self = body.members.find((member) => member.self)?.id ?? ''
  return { service, ann, bob, self }
}
interface Sending {
  operation: Operation
  body: unknown
  member: string
  origin?: string
  headers?: Record<string, string>
}

/** Sends a request of an operation, and returns the code of its refusal, or else its status. */
const codeOf = async (browser: Browser, { operation, body, member, origin = '', headers: more = {} }: Sending) => {
  const [method = '', path = ''] = operation.route.split(' ')
  const filled = `/api/web${path.replace(':slug', 'north').replace(':name', 'a1').replace(':id', member)}`
  const given = await body
  if (given instanceof Uint8Array) {
    const headers = { cookie: browser.cookie, origin, 'content-type': 'application/zip', ...more }
    const answer = await fetch(origin + filled, { method, headers, body: Buffer.from(given) })
    return ((await answer.json()) as { error?: { code: string } }).error?.code ?? answer.status
  }
  const answer = await browser.send<{ error?: { code: string } }>(method, filled, given, more)
  return answer.body?.error?.code ?? answer.status
}
const prove = (browser: Browser, body: object) => browser.send('POST', '/api/web/proof', body)

test('every operation that needs a proof is tried here, and every change of a factor needs one', () => {
  const changes = operations.filter(({ route }) => /\/factors/.test(route) && !route.startsWith('GET '))
  expect(ofFactors).toEqual(changes)
  expect(dangerous.map(({ route }) => route).sort()).toEqual(Object.keys(requests).sort())
})

/** Refuses the requests of these operations eleven minutes after the sign-in, and answers them after a proof. */
async function tryAll(all: readonly Operation[]): Promise<void> {
  const { service, ann, bob } = await begun()
  service.pass(660)
  const { origin } = service
  const needed = all.flatMap((operation) =>
    (requests[operation.route]?.needs ?? []).map(([body, answer]) => ({ operation, body, answer })),
  )
  for (const { operation, body } of needed)
    for (const headers of [{}, { [refusedHeader]: '200' }])
      expect(await codeOf(ann, { operation, body, member: bob, origin, headers }), operation.route).toBe(
        'proof_required',
      )
  expect((await prove(ann, { password })).status).toBe(200)
  for (const { operation, body, answer } of needed)
    expect(await codeOf(ann, { operation, body, member: bob, origin }), operation.route).toBe(answer)
}

test.each([
  ['DELETE /w/:slug/agents/:name', 'delete an agent with its reports, runs, commands and logs'],
  ['POST /w/:slug/invitations', 'invite somebody'],
  ['POST /w/:slug/actions', 'delete agents'],
  ['PATCH /w/:slug', 'change from when admins of the workspace need a second factor'],
  ['POST /password', 'change your own password'],
])('the refusal of %s says that the proof is needed to %s', async (route, act) => {
  const { service, ann } = await begun()
  service.pass(660)
  const [method = '', path = ''] = route.split(' ')
  const [[body] = []] = requests[route]?.needs ?? []
  const answer = await ann.send(method, `/api/web${path.replace(':slug', 'north').replace(':name', 'a1')}`, body)
  expect(answer).toMatchObject({ status: 403, body: { error: { code: 'proof_required', act } } })
})
test('what needs a proof is named in one line, which goes on after "To"', () => {
  for (const operation of dangerous) expect(actText(operation)).toMatch(/^[a-z][^;:(]{3,109}$/)
})

/** The operations that find nothing to act on here, so that one does not disturb another. */
const idle = dangerous.filter(({ route }) => requests[route]?.needs.every(([, answer]) => typeof answer === 'string'))
const doing = dangerous.filter((operation) => !idle.includes(operation))

test.each(doing.map((operation) => [operation.route, operation] as const))(
  '%s is refused eleven minutes after the sign-in, and done after a proof',
  (_, operation) => tryAll([operation]),
)
test('so are those that find nothing to act on', () => tryAll(idle))

const freely = dangerous.flatMap((operation) =>
  (requests[operation.route]?.free ?? []).map((body) => ({ body, operation })),
)
test(`some requests need no proof: ${freely.map(({ operation }) => operation.route).join(', ')}`, async () => {
  const { service, ann, bob } = await begun()
  service.pass(660)
  for (const { body, operation } of freely)
    expect(await codeOf(ann, { operation, body, member: bob }), operation.route).not.toBe('proof_required')
})

test('a person who did one thing 10,000 times in a day waits with it, but not with others or the own account', async () => {
  const { service, ann, bob } = await begun()
  const { id } =
    (await service.store.db.selectFrom('user').select('id').where('name', '=', 'Ann').executeTakeFirst()) ?? {}
  await sql`with recursive numbers (i) as (select 1 union all select i + 1 from numbers where i < ${maxEvidence})
    insert into audit (id, at, actor_id, actor, action, subject, details)
    select 'z' || i, ${service.now()}, ${id}, 'Ann', 'code.issued', 'code', '{}' from numbers`.execute(service.store.db)
  const of = (wanted: string) => dangerous.find(({ route }) => route === wanted) as Operation
  const [[body] = []] = requests['POST /w/:slug/codes']?.needs ?? []
  const issue = () => codeOf(ann, { operation: of('POST /w/:slug/codes'), body, member: bob })
  const rotate = () => codeOf(ann, { operation: of('POST /w/:slug/agents/:name/token'), body: {}, member: bob })
  expect(await issue()).toBe('rate_limited')
  expect(await rotate()).toBe(200)
  expect(await codeOf(ann, { operation: of('POST /factors/totp'), body: {}, member: bob })).toBe(200)
  service.pass(86_401)
  expect((await prove(ann, { password })).status).toBe(200)
  expect(await issue()).toBe('version_unknown')
})

test('nobody needs a proof to leave a workspace', async () => {
  const { service, ann, self, bob } = await begun()
  service.pass(660)
  const leave = operations.find(({ route }) => route === 'DELETE /w/:slug/members/:id') as Operation
  expect(await codeOf(ann, { operation: leave, body: undefined, member: bob })).toBe('proof_required')
  expect(await codeOf(ann, { operation: leave, body: undefined, member: self })).toBe('last_admin')
})

describe('somebody with a second factor', () => {
  async function enrol(service: Service, browser: Browser) {
    const { secret } = (await browser.send<NewTotp>('POST', '/api/web/factors/totp')).body
    const code = () => new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: service.now() })
    const added = await browser.send<RecoveryCodes>('POST', '/api/web/factors/totp/confirm', { code: code() })
    expect(added.status).toBe(200)
    return code
  }
  async function enrolled() {
    const all = await begun()
    const code = await enrol(all.service, all.ann)
    all.service.pass(660)
    return { ...all, code }
  }
  const factorsIn = async ({ store: { db } }: Service) => [
    await db.selectFrom('totp').selectAll().execute(),
    await db.selectFrom('passkey').selectAll().execute(),
    await db.selectFrom('recovery_code').selectAll().orderBy('hash').execute(),
  ]
  const change = (browser: Browser) => browser.send<{ error?: { code: string } }>('DELETE', '/api/web/factors/totp')

  test('proves by a code, and not by the password', async () => {
    const { ann, code } = await enrolled()
    expect((await change(ann)).body.error?.code).toBe('proof_required')
    expect((await prove(ann, { password })).status).toBe(400)
    expect((await prove(ann, { code: '000000' })).status).toBe(400)
    expect((await change(ann)).body.error?.code).toBe('proof_required')
    expect((await prove(ann, { code: code() })).status).toBe(200)
    expect((await change(ann)).status).toBe(200)
  })

  test('cannot change a factor in a session by a link of the operator, also after giving the password', async () => {
    const { service, ann } = await begun()
    await enrol(service, ann)
    const browser = await service.signedIn('ann@example.org')
    const before = await factorsIn(service)
    for (const operation of ofFactors) {
      const tries = () => codeOf(browser, { operation, body: { code: '123456' }, member: 'x' })
      expect(await tries(), operation.route).toBe('proof_required')
      expect((await prove(browser, { password })).body).toMatchObject({ error: { code: 'code_wrong' } })
      // The clock advances, because only eight passwords may be tried in five minutes.
      service.pass(60)
      expect(await tries(), operation.route).toBe('proof_required')
      expect(await factorsIn(service)).toEqual(before)
    }
  })

  test('has ten wrong codes locked for proofs, too', async () => {
    const { ann, code } = await enrolled()
    for (let i = 0; i < 10; i++) expect((await prove(ann, { code: '000000' })).status).toBe(400)
    expect((await prove(ann, { code: code() })).status).toBe(429)
  })
})

test('wrong passwords are counted, and a proof needs exactly one of code, passkey and password', async () => {
  const { ann } = await begun()
  for (const body of [{}, { code: '1', password }, { passkey: {} }]) expect((await prove(ann, body)).status).toBe(400)
  for (let i = 0; i < 8; i++) expect((await prove(ann, { password: 'wrong' })).status).toBe(400)
  expect((await prove(ann, { password })).status).toBe(429)
})

import type { InvitationInfo, Me, Members } from '@svc/api'
import { describe, expect, test } from 'vitest'
import { operator, password, serve, value } from '../../../testing/page/service.ts'
import { everyEngine } from '../../../testing/stores.ts'
import type { Store } from '../../platform/db/open.ts'
import { inviteAsOperator } from './invitations.ts'
import { setLimits } from './limits.ts'

const cys = 'cy@example.org'

async function newSetup(postgres: Store) {
  const service = await serve({ postgres })
  const north = await service.workspace('north')
  const ctx = () => ({ people: service, by: operator, now: service.now() })
  const invite = async (email = cys, role: 'admin' | 'member' = 'admin') =>
    value(await inviteAsOperator(ctx(), north, { email, role })).url
  const pathOf = (url: string) => `/api/web/invitations/${url.split('/').at(-1)}`
  const accept = (url: string) => service.browser().send('POST', pathOf(url), { name: 'Cy', password })
  const info = async (url: string) => (await service.browser().get<InvitationInfo>(pathOf(url))).status
  return { service, north, ctx, invite, pathOf, accept, info }
}

describe.each(everyEngine)('an invitation of the operator, on %s,', (_engine, open) => {
  test('gives an empty workspace its first admin, once, for this address only', async () => {
    const { service, invite, pathOf, accept, info } = await newSetup(await open())
    const url = await invite()
    expect(url).toMatch(`${service.baseUrl}/invitation/`)
    expect((await service.browser().get(pathOf(url))).body).toEqual({
      ...{ workspace: 'north', email: cys, role: 'admin', invitedBy: 'Operator of this service', hasAccount: false },
    })
    const both = await Promise.all([accept(url), accept(url)])
    expect(both.map(({ status }) => status).sort()).not.toEqual([200, 200])
    expect(both.filter(({ status }) => status === 200)).toHaveLength(1)
    const cy = await service.signedIn(cys)
    expect((await cy.get<Me>('/api/web/me')).body.workspaces).toMatchObject([{ slug: 'north', role: 'admin' }])
    expect([await info(url), await info(url.slice(0, -2))]).toEqual([404, 404])
  })

  test('is replaced by the next one, ends after seven days, and is withdrawn by an admin', async () => {
    const { service, invite, info } = await newSetup(await open())
    const [first, second] = [await invite(), await invite()]
    expect([await info(first), await info(second)]).toEqual([404, 200])
    const ann = await service.person('Ann', 'north', 'admin')
    const listed = async () => (await ann.get<Members>('/api/web/w/north/members')).body.invitations
    const [shown] = await listed()
    expect(shown).toMatchObject({ email: cys, void: false, invitedBy: 'Operator of this service' })
    expect((await ann.send('DELETE', `/api/web/w/north/invitations/${shown?.id}`)).status).toBe(200)
    expect([await info(second), await listed()]).toEqual([404, []])
    const third = await invite()
    const anns = await ann.send<{ url: string }>('POST', '/api/web/w/north/invitations', { email: cys, role: 'member' })
    expect([await info(third), await info(anns.body.url)]).toEqual([404, 200])
    const fourth = await invite()
    expect([await info(anns.body.url), await info(fourth)]).toEqual([404, 200])
    service.pass(7 * 86_400)
    expect(await info(fourth)).toBe(404)
  })

  test('counts for the limit of people, and is refused for a member or a wrong address', async () => {
    const { service, north, ctx, invite } = await newSetup(await open())
    await service.person('Ann', 'north', 'member')
    await setLimits({ db: service.store.db, by: operator, now: service.now() }, north, { people: 2 })
    await invite()
    await invite()
    for (const [email, code] of [
      ['dan@example.org', 'people_too_many'],
      ['ann@example.org', 'member_already'],
      ['dan', 'email_invalid'],
    ] as const)
      expect(await inviteAsOperator(ctx(), north, { email, role: 'member' })).toMatchObject({ ok: false, code })
  })
})

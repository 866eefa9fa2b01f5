import type { AuditEntry, InvitationInfo, Me, Members } from '@svc/api'
import { expect, test } from 'vitest'
import { type Browser, operator, password, serve } from '../../../testing/page/service.ts'
import { deactivate } from './store.ts'

async function newSetup() {
  const service = await serve()
  await service.workspace('north')
  return {
    service,
    ann: await service.person('Ann', 'north', 'admin'),
    bob: await service.person('Bob', 'north', 'member'),
  }
}
type Invited = { id: string; url: string }
const invited = async (browser: Browser, email: string, role = 'member') =>
  (await browser.send<Invited>('POST', '/api/web/w/north/invitations', { email, role })).body
/**
 * The API address of an invitation, made from the link that the invited person gets. The link opens the page
 * `/invitation/ID`, which calls that address.
 */
const routeOf = ({ url }: Invited) => `/api/web/invitations/${url.split('/').at(-1)}`
const membersSeenBy = async (browser: Browser) => (await browser.get<Members>('/api/web/w/north/members')).body
const idOf = async (browser: Browser, name: string) =>
  (await membersSeenBy(browser)).members.find((m) => m.name === name)?.id

test('a person without an account accepts an invitation and gets account, membership and sign-in at once', async () => {
  const { service, ann } = await newSetup()
  const invitation = await invited(ann, ' Cleo@Example.org ', 'admin')
  expect(invitation.url).toMatch(new RegExp(`^${service.baseUrl}/invitation/[^/]+$`))
  const cleo = service.browser()
  expect((await cleo.get<InvitationInfo>(routeOf(invitation))).body).toEqual({
    workspace: 'north',
    email: 'cleo@example.org',
    role: 'admin',
    invitedBy: 'Ann',
    hasAccount: false,
  })
  const refused = await cleo.send('POST', routeOf(invitation), { name: 'Cleo', password: 'short' })
  expect(refused).toMatchObject({ status: 400, body: { error: { code: 'password_invalid' } } })
  const accepted = await cleo.send('POST', routeOf(invitation), { name: 'Cleo', password })
  expect(accepted).toMatchObject({ status: 200, body: { slug: 'north' } })
  expect((await cleo.get<Me>('/api/web/me')).body).toMatchObject({
    email: 'cleo@example.org',
    workspaces: [{ slug: 'north', role: 'admin' }],
  })
  expect((await service.browser().send('POST', routeOf(invitation), { name: 'Eve', password })).status).toBe(404)
})

test('a person with an account signs in first, and nobody can accept for another', async () => {
  const { service, ann, bob } = await newSetup()
  await service.workspace('south')
  const eve = await service.person('Eve', 'south', 'admin')
  const invitation = await invited(ann, 'eve@example.org')
  expect((await service.browser().get<InvitationInfo>(routeOf(invitation))).body.hasAccount).toBe(true)
  const anonymous = await service.browser().send('POST', routeOf(invitation), { name: 'Eve', password })
  expect(anonymous).toMatchObject({ status: 401, body: { error: { code: 'sign_in_needed' } } })
  const other = await bob.send('POST', routeOf(invitation), {})
  expect(other).toMatchObject({ status: 409, body: { error: { code: 'invitation_for_other' } } })
  expect((await eve.send('POST', routeOf(invitation), {})).status).toBe(200)
  expect((await eve.get<Me>('/api/web/me')).body.workspaces.map(({ slug }) => slug)).toEqual(['north', 'south'])
})

test('an invitation can be withdrawn, is replaced by a later one, and expires after seven days', async () => {
  const { service, ann } = await newSetup()
  const [first, second] = [await invited(ann, 'cleo@example.org'), await invited(ann, 'cleo@example.org')]
  expect((await membersSeenBy(ann)).invitations).toMatchObject([{ id: second.id, url: second.url, invitedBy: 'Ann' }])
  expect((await service.browser().get(routeOf(first))).status).toBe(404)
  expect((await ann.send('DELETE', `/api/web/w/north/invitations/${second.id}`)).status).toBe(200)
  expect((await service.browser().get(routeOf(second))).status).toBe(404)
  expect((await ann.send('DELETE', `/api/web/w/north/invitations/${second.id}`)).status).toBe(404)
  const third = await invited(ann, 'cleo@example.org')
  service.pass(7 * 86400 + 1)
  expect((await service.browser().get(routeOf(third))).status).toBe(404)
  expect((await service.browser().send('POST', routeOf(third), { name: 'Cleo', password })).status).toBe(404)
  expect((await membersSeenBy(ann)).invitations).toEqual([])
})

test('the id of an invitation without its signature grants nothing', async () => {
  const { service, ann } = await newSetup()
  const { id } = await invited(ann, 'cleo@example.org')
  for (const link of [id, `${id}.`, `${id}.${'A'.repeat(43)}`, '.', `x.${'A'.repeat(43)}`]) {
    expect((await service.browser().get(`/api/web/invitations/${link}`)).status).toBe(404)
    expect((await service.browser().send('POST', `/api/web/invitations/${link}`, { name: 'E', password })).status).toBe(
      404,
    )
  }
})

test('members see the members but no invitations; admins see both', async () => {
  const { ann, bob } = await newSetup()
  await invited(ann, 'cleo@example.org')
  expect((await membersSeenBy(bob)).invitations).toEqual([])
  expect((await membersSeenBy(bob)).members).toMatchObject([
    { name: 'Ann', role: 'admin', self: false },
    { name: 'Bob', role: 'member', self: true },
  ])
  expect((await membersSeenBy(ann)).invitations).toHaveLength(1)
})

test('the last admin of a workspace cannot leave or become a member', async () => {
  const { ann } = await newSetup()
  const path = `/api/web/w/north/members/${await idOf(ann, 'Ann')}`
  const lastAdmin = { status: 409, body: { error: { code: 'last_admin' } } }
  expect(await ann.send('DELETE', path)).toMatchObject(lastAdmin)
  expect(await ann.send('PATCH', path, { role: 'member' })).toMatchObject(lastAdmin)
})

test('a member can leave but cannot remove others, and sees nothing afterwards', async () => {
  const { ann, bob } = await newSetup()
  const [annId, bobId] = [await idOf(bob, 'Ann'), await idOf(bob, 'Bob')]
  expect((await bob.send('DELETE', `/api/web/w/north/members/${annId}`)).status).toBe(403)
  expect((await bob.send('DELETE', `/api/web/w/north/members/${bobId}`)).status).toBe(200)
  expect((await bob.get('/api/web/w/north')).status).toBe(404)
  expect((await bob.get<Me>('/api/web/me')).body.workspaces).toEqual([])
  expect((await ann.send('DELETE', `/api/web/w/north/members/${bobId}`)).status).toBe(404)
})

test('a workspace that is not activated says so', async () => {
  const { service, ann } = await newSetup()
  await deactivate({ db: service.store.db, by: operator, now: service.now() }, 'north', 'svc')
  expect((await ann.get('/api/web/w/north')).body).toMatchObject({ activated: false })
})

test('activity says who did what to what, newest first, page by page, and nothing of another workspace', async () => {
  const { service, ann, bob } = await newSetup()
  await service.workspace('south')
  await ann.send('PATCH', '/api/web/w/north', { name: 'North wind' })
  await invited(ann, 'cleo@example.org')
  await ann.send('POST', '/api/web/w/north/agents', { name: 'mail' })
  const all = (await bob.get<AuditEntry[]>('/api/web/w/north/activity')).body
  expect(all.slice(0, 3)).toMatchObject([
    { actor: 'Ann', action: 'agent.created', subject: 'agent mail' },
    { actor: 'Ann', action: 'member.invited', subject: 'person cleo@example.org', details: { role: 'member' } },
    { actor: 'Ann', action: 'workspace.renamed', details: { from: 'north', to: 'North wind' } },
  ])
  expect(JSON.stringify(all)).not.toContain('south')
  const before = all[1]?.at
  const older = (await bob.get<AuditEntry[]>(`/api/web/w/north/activity?before=${before}&limit=1`)).body
  expect(older).toHaveLength(1)
  expect(older[0]?.at).toBeLessThan(before ?? 0)
})

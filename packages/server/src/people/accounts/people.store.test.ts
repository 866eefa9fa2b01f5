import type { Role } from '@svc/api'
import { expect, test } from 'vitest'
import { quickPasswords } from '../../../testing/quick-passwords.ts'
import { onBothEngines } from '../../../testing/stores.ts'
import { createAgent, deleteAgent, findAgent, renameAgent, rotateToken } from '../../fleet/agents/store.ts'
import { sendCommand } from '../../fleet/commands/store.ts'
import type { Store } from '../../platform/db/open.ts'
import { acceptInvitation, invitationInfo } from '../workspaces/accepting.ts'
import { invite, listInvitations } from '../workspaces/invitations.ts'
import { firstStart } from '../workspaces/making.ts'
import { changeRole, membersOfWorkspace, removeMember } from '../workspaces/members.ts'
import { activate, addMember, createWorkspace, deactivate, listWorkspaces } from '../workspaces/store.ts'
import { openAuth } from './auth.ts'
import { createLink, useLink } from './links.ts'
import { changePassword } from './password.ts'
import { listSessions } from './sessions.ts'
import { createPerson, findPerson, hasNoAccounts, listPeople, resetPassword } from './store.ts'

const operator = { id: null, name: 'operator' }
const now = Date.UTC(2026, 10, 21, 12)
const password = 'correct horse battery'
const config = { baseUrl: 'http://localhost:8787', smtpUrl: undefined }

/** The dependencies of the functions for people, with this store as the database. */
function peopleOn(store: Store) {
  return {
    store,
    config,
    auth: openAuth(store, {
      baseUrl: config.baseUrl,
      secret: 'a secret of the tests, long enough',
      passwords: quickPasswords,
    }),
  }
}
type People = ReturnType<typeof peopleOn>
const ok = <T>(verdict: { ok: true; value: T } | { ok: false; message: string }): T => {
  if (!verdict.ok) throw new Error(verdict.message)
  return verdict.value
}
const newPerson = async (people: People, name: string) =>
  ok(await createPerson({ people, by: operator, now }, { email: `${name.toLowerCase()}@example.org`, name, password }))
const audited = async ({ store }: People) =>
  (await store.db.selectFrom('audit').select('action').orderBy('id').execute()).map(({ action }) => action)

onBothEngines('people', (open) => {
  test('an address gets one account, whatever the case of its letters', async () => {
    const people = peopleOn(await open())
    expect(await hasNoAccounts(people.store.db)).toBe(true)
    await newPerson(people, 'Ann')
    const again = await createPerson({ people, by: operator, now }, { email: 'ANN@example.org', name: 'A', password })
    expect(again).toMatchObject({ ok: false, code: 'email_taken' })
    expect(await listPeople(people.store.db)).toMatchObject([{ email: 'ann@example.org', name: 'Ann' }])
    expect(await findPerson(people.store.db, ' Ann@Example.org')).toMatchObject({ name: 'Ann' })
    expect(await audited(people)).toEqual(['person.created'])
  })

  test('the first start succeeds as a whole or not at all, and uses up its link', async () => {
    const people = peopleOn(await open())
    const token = ok(await createLink({ db: people.store.db, by: operator, now }, 'first', null))
    const asked = { token, name: 'Ann', email: 'ann@example.org', password, workspace: 'North', slug: 'north' }
    await createWorkspace({ people, by: operator, now }, { slug: 'taken', name: 'Taken' })
    expect(await firstStart(people, { ...asked, slug: 'taken' }, now)).toMatchObject({ ok: false, code: 'slug_taken' })
    expect(await hasNoAccounts(people.store.db)).toBe(true)
    const both = await Promise.all([firstStart(people, asked, now), firstStart(people, asked, now)])
    expect(both.filter((each) => each.ok)).toHaveLength(1)
    const workspaces = await listWorkspaces(people.store.db)
    expect(workspaces).toMatchObject([
      { slug: 'north', members: 1, agents: 0, products: ['svc'] },
      { slug: 'taken', products: [] },
    ])
  })

  test('a later first link replaces the one before, and an account made by the operator voids both', async () => {
    const people = peopleOn(await open())
    const { db } = people.store
    const earlier = ok(await createLink({ db, by: operator, now }, 'first', null))
    const later = ok(await createLink({ db, by: operator, now }, 'first', null))
    expect(await useLink(db, 'first', earlier, now)).toBeUndefined()
    await newPerson(people, 'Ann')
    expect(await useLink(db, 'first', later, now)).toBeUndefined()
  })

  test('only one of two simultaneous users can use a link', async () => {
    const people = peopleOn(await open())
    const { id } = await newPerson(people, 'Ann')
    const token = ok(await createLink({ db: people.store.db, by: operator, now }, 'sign_in', 'ann@example.org'))
    const uses = await Promise.all([1, 2].map(() => useLink(people.store.db, 'sign_in', token, now)))
    expect(uses.filter(Boolean)).toEqual([{ person_id: id }])
  })

  test('a reset by the operator and a change of password end the sessions that they promise to end', async () => {
    const people = peopleOn(await open())
    const person = await newPerson(people, 'Ann')
    const { auth } = people
    const signIn = (secret: string) =>
      auth.api.signInEmail({ body: { email: person.email, password: secret }, asResponse: true }).then((r) => r.status)
    expect([await signIn(password), await signIn(password)]).toEqual([200, 200])
    const [session] = await listSessions(people.store.db, person.id, Date.now())
    if (!session) throw new Error('There is no session.')
    const next = 'the second password'
    const changed = await changePassword(people, { person, session }, { current: password, next }, now)
    expect(changed.ok).toBe(true)
    expect(await listSessions(people.store.db, person.id, Date.now())).toMatchObject([{ id: session.id }])
    ok(await resetPassword({ people, by: operator, now }, { email: person.email, password: 'the third password' }))
    expect(await listSessions(people.store.db, person.id, Date.now())).toEqual([])
    expect([await signIn(next), await signIn('the third password')]).toEqual([401, 200])
    const ninetyOneDays = 91 * 86_400_000
    expect(await listSessions(people.store.db, person.id, Date.now() + ninetyOneDays)).toEqual([])
  })

  test('a refused change leaves nothing behind, not even a line of activity', async () => {
    const people = peopleOn(await open())
    const before = await audited(people)
    await createWorkspace({ people, by: operator, now }, { slug: 'North', name: 'N' })
    await createWorkspace({ people, by: operator, now }, { slug: 'n', name: 'N' })
    await addMember({ people, by: operator, now }, { slug: 'north', email: 'x@example.org', role: 'admin' })
    await activate({ db: people.store.db, by: operator, now }, 'north', 'svc')
    await createPerson({ people, by: operator, now }, { email: 'no address', name: 'N', password })
    await createLink({ db: people.store.db, by: operator, now }, 'sign_in', 'x@example.org')
    expect(await audited(people)).toEqual(before)
    const north = ok(await createWorkspace({ people, by: operator, now }, { slug: 'north', name: 'N' }))
    expect(await activate({ db: people.store.db, by: operator, now }, 'north', 'tasks')).toMatchObject({
      code: 'product_unknown',
    })
    await createAgent({ db: people.store.db, by: operator, now }, north, 'Not a name')
    expect(await audited(people)).toEqual([...before, 'workspace.created'])
  })

  test('activation is given once, and can be revoked', async () => {
    const people = peopleOn(await open())
    ok(await createWorkspace({ people, by: operator, now }, { slug: 'north', name: 'N' }))
    for (let i = 0; i < 2; i++) ok(await activate({ db: people.store.db, by: operator, now }, 'north', 'svc'))
    ok(await deactivate({ db: people.store.db, by: operator, now }, 'north', 'svc'))
    expect(await deactivate({ db: people.store.db, by: operator, now }, 'north', 'svc')).toMatchObject({ ok: false })
    expect(await audited(people)).toEqual(['workspace.created', 'workspace.activated', 'workspace.deactivated'])
  })

  test('when two admins demote or remove each other at the same time, one admin remains', async () => {
    const people = peopleOn(await open())
    const { db } = people.store
    const [ann, bob] = [await newPerson(people, 'Ann'), await newPerson(people, 'Bob')]
    const north = ok(
      await createWorkspace({ people, by: operator, now }, { slug: 'north', name: 'N', adminId: ann.id }),
    )
    ok(await addMember({ people, by: ann, now }, { slug: 'north', email: bob.email, role: 'admin' }))
    const [annIs, bobIs] = (await membersOfWorkspace(db, north, ann)).map(({ id }) => id)
    const both = await Promise.all([
      changeRole({ people, by: bob, now }, north, { id: annIs ?? '', role: 'member' }),
      removeMember({ people, by: ann, now }, north, { id: bobIs ?? '' }),
    ])
    expect(both.filter((each) => each.ok)).toHaveLength(1)
    expect((await membersOfWorkspace(db, north, ann)).filter(({ role }) => role === 'admin')).toHaveLength(1)
  })

  test('an invitation is void while its maker has left, or has a lower role than it grants', async () => {
    const people = peopleOn(await open())
    const { db } = people.store
    const [ann, dan] = [await newPerson(people, 'Ann'), await newPerson(people, 'Dan')]
    const north = ok(
      await createWorkspace({ people, by: operator, now }, { slug: 'north', name: 'N', adminId: ann.id }),
    )
    ok(await addMember({ people, by: ann, now }, { slug: 'north', email: dan.email, role: 'admin' }))
    const asks = async (role: Role) => {
      const { url } = ok(await invite({ people, by: dan, now }, north, { email: `${role}@example.org`, role }))
      return url.split('/').at(-1) ?? ''
    }
    const [asAdmin, asMember] = [await asks('admin'), await asks('member')]
    const voids = async () =>
      Object.fromEntries((await listInvitations(people, north, now)).map((each) => [each.role, each.void]))
    const comes = (link: string) => acceptInvitation({ people, by: undefined, now }, link, { name: 'New', password })
    const id = (await membersOfWorkspace(db, north, dan)).find(({ self }) => self)?.id ?? ''
    expect(await voids()).toEqual({ admin: false, member: false })

    ok(await changeRole({ people, by: ann, now }, north, { id, role: 'member' }))
    expect(await voids()).toEqual({ admin: true, member: false })
    expect(await comes(asAdmin)).toMatchObject({ ok: false, code: 'invitation_unknown' })
    expect(await invitationInfo(people, asAdmin, now)).toMatchObject({ ok: false, code: 'invitation_unknown' })

    ok(await removeMember({ people, by: ann, now }, north, { id }))
    expect(await voids()).toEqual({ admin: true, member: true })
    expect(await comes(asMember)).toMatchObject({ ok: false, code: 'invitation_unknown' })
    expect(await listPeople(db)).toHaveLength(2)

    ok(await addMember({ people, by: ann, now }, { slug: 'north', email: dan.email, role: 'admin' }))
    expect(await comes(asMember)).toMatchObject({ ok: true })
  })

  test('when two people accept an invitation at the same time, one succeeds, with one account', async () => {
    const people = peopleOn(await open())
    const ann = await newPerson(people, 'Ann')
    const north = ok(
      await createWorkspace({ people, by: operator, now }, { slug: 'north', name: 'N', adminId: ann.id }),
    )
    const { url } = ok(await invite({ people, by: ann, now }, north, { email: 'Bob@example.org', role: 'member' }))
    const link = url.split('/').at(-1) ?? ''
    const both = await Promise.all(
      ['Bob', 'Bobby'].map((name) => acceptInvitation({ people, by: undefined, now }, link, { name, password })),
    )
    expect(both.filter((each) => each.ok)).toHaveLength(1)
    // On PostgreSQL the second call may already see the account that the first one has made. It is then refused with
    // another code.
    const refused = { code: expect.stringMatching(/^(invitation_unknown|sign_in_needed)$/) }
    expect(both.find((each) => !each.ok)).toMatchObject(refused)
    expect(await membersOfWorkspace(people.store.db, north, ann)).toHaveLength(2)
    expect(await listPeople(people.store.db)).toHaveLength(2)
  })

  test('an agent is made, renamed, given a new token and deleted with its open commands, each in the audit trail', async () => {
    const people = peopleOn(await open())
    const { db } = people.store
    const north = ok(await createWorkspace({ people, by: operator, now }, { slug: 'north', name: 'N' }))
    const { agent, token } = ok(await createAgent({ db, by: operator, now }, north, 'mail'))
    expect(await createAgent({ db, by: operator, now }, north, 'mail')).toMatchObject({ code: 'agent_name_taken' })
    ok(await createAgent({ db, by: operator, now }, north, 'post'))
    expect(await renameAgent({ db, by: operator, now }, agent, 'post')).toMatchObject({ code: 'agent_name_taken' })
    ok(await renameAgent({ db, by: operator, now }, agent, 'letters'))
    const rotated = ok(await rotateToken({ db, by: operator, now }, agent))
    expect(rotated.token).not.toBe(token)
    expect(rotated.agent.token_hash).not.toBe(agent.token_hash)
    const report = {
      agent_id: agent.id,
      received_at: now,
      controls: '["pause"]',
      interval_s: 30,
      reporters: '',
      runs_kept: 0,
    }
    await db
      .insertInto('agent_report')
      .values({ ...report, body: '{"protocol":1,"controls":["pause"]}' })
      .execute()
    ok(await sendCommand({ db, by: operator, now }, agent, { type: 'pause', payload: {} }))
    ok(await deleteAgent({ db, by: operator, now }, agent))
    expect(await findAgent(db, north, 'letters')).toBeUndefined()
    expect(await db.selectFrom('command').selectAll().execute()).toEqual([])
    expect(await deleteAgent({ db, by: operator, now }, agent)).toMatchObject({ code: 'agent_unknown' })
    const trail = [
      'agent.created',
      'agent.created',
      'agent.renamed',
      'agent.token_rotated',
      'command.sent',
      'agent.deleted',
    ]
    expect(await audited(people)).toEqual(['workspace.created', ...trail])
  })
})

import { expect, test } from 'vitest'
import { bundle } from '../../testing/bundles.ts'
import { everyEngine } from '../../testing/stores.ts'
import { createAgent, deleteAgent, findAgent } from '../agents/store.ts'
import { uploadBlueprint } from '../blueprints/upload.ts'
import type { Store } from '../db/open.ts'
import { issueCode } from '../installs/codes.ts'
import { redeemInstall } from '../installs/redeem.ts'
import { openAuth } from '../people/auth.ts'
import { createPerson } from '../people/store.ts'
import { value } from '../web/testing/service.ts'
import { accept, invitationsOf, invite, withdraw } from './invitations.ts'
import { defaultLimits, limitsOf, setLimits } from './limits.ts'
import { activate, addMember, createWorkspace } from './store.ts'

const operator = { id: null, name: 'operator' }
const now = Date.UTC(2026, 10, 22, 12)
const config = { baseUrl: 'http://localhost:8787' }
const password = 'correct horse battery'

async function world(store: Store) {
  const auth = openAuth(store, { baseUrl: config.baseUrl, secret: 'a secret of the tests, long enough' })
  const people = { store, auth, config }
  const person = async (name: string) => {
    const email = `${name.toLowerCase()}@example.org`
    return value(await createPerson(people, { email, name, password }, operator, now))
  }
  const ann = await person('Ann')
  const north = value(await createWorkspace(people, { slug: 'north', name: 'N', adminId: ann.id }, operator, now))
  value(await activate(store.db, 'north', 'svc', operator, now))
  return { people, db: store.db, person, ann, north }
}
const codes = (all: { ok: boolean; code?: string }[]) => all.map((each) => (each.ok ? 'ok' : each.code)).sort()

everyEngine('limits of a workspace', (open) => {
  test('are defaults until the operator sets others, and say what is used', async () => {
    const { db, north } = await world(await open())
    expect(await limitsOf(db, north, now)).toEqual({
      agents: { limit: defaultLimits.agents, used: 0 },
      people: { limit: defaultLimits.people, used: 1 },
      bundles: { limit: defaultLimits.bundles, used: 0 },
    })
    await setLimits(db, north, { agents: 3, bundles: 500 }, operator, now)
    await setLimits(db, north, { agents: null, people: 7 }, operator, now)
    expect(await limitsOf(db, north, now)).toMatchObject({
      agents: { limit: defaultLimits.agents },
      people: { limit: 7 },
      bundles: { limit: 500 },
    })
    const audited = await db
      .selectFrom('audit')
      .select('details')
      .where('action', '=', 'workspace.limits_changed')
      .execute()
    expect(audited.map(({ details }) => JSON.parse(details))).toHaveLength(2)
  })

  test('agents that are made at once are as many as fit; the others are refused by the name of the limit', async () => {
    const { db, north } = await world(await open())
    await setLimits(db, north, { agents: 2 }, operator, now)
    const all = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((name) => createAgent(db, north, name, operator, now)))
    expect(codes(all)).toEqual(['agents_too_many', 'agents_too_many', 'agents_too_many', 'ok', 'ok'])
    const refused = all.find((each) => !each.ok)
    expect(refused).toMatchObject({ message: expect.stringMatching(/may have 2 agents and has 2: .*workspace limit/) })
    expect(await limitsOf(db, north, now)).toMatchObject({ agents: { limit: 2, used: 2 } })
  })

  test('an install code does not pass the limit of agents, and stays good for when there is room', async () => {
    const { db, north } = await world(await open())
    value(await uploadBlueprint(db, north, await bundle(), operator, now))
    value(await createAgent(db, north, 'first', operator, now))
    await setLimits(db, north, { agents: 1 }, operator, now)
    const issued = value(await issueCode(db, north, { blueprint: 'mail', version: '1.0.0' }, operator, now))
    expect(await redeemInstall(db, issued.code, now)).toMatchObject({ ok: false, code: 'agents_too_many' })
    const first = await findAgent(db, north, 'first')
    value(await deleteAgent(db, { id: first?.id ?? '' }, operator, now))
    expect(await redeemInstall(db, issued.code, now)).toMatchObject({ ok: true })
  })

  test('members and open invitations count together, also when they are added at once', async () => {
    const { people, db, person, ann, north } = await world(await open())
    const bob = await person('Bob')
    await setLimits(db, north, { people: 3 }, operator, now)
    const invites = (name: string) => invite(people, north, { email: `${name}@example.org`, role: 'member' }, ann, now)
    const all = await Promise.all([
      ...['w', 'x', 'y', 'z'].map(invites),
      addMember(people, { slug: 'north', email: bob.email, role: 'member' }, operator, now),
    ])
    expect(codes(all)).toEqual(['ok', 'ok', 'people_too_many', 'people_too_many', 'people_too_many'])
    expect(await limitsOf(db, north, now)).toMatchObject({ people: { used: 3 } })
    const [open1] = await invitationsOf(people, north, now)
    const again = await invite(people, north, { email: open1?.email ?? '', role: 'member' }, ann, now)
    expect(again).toMatchObject({ ok: true })
    const accepts = (link = '') => accept(people, link, { name: 'New', password }, undefined, now)
    if (again.ok) expect(await accepts(again.value.url.split('/').at(-1))).toMatchObject({ ok: true })
    expect(await limitsOf(db, north, now)).toMatchObject({ people: { used: 3 } })
  })

  test('an invitation that was taken back frees its place, and is not kept', async () => {
    const { people, db, ann, north } = await world(await open())
    await setLimits(db, north, { people: 2 }, operator, now)
    for (let i = 0; i < 5; i++) {
      const { id } = value(await invite(people, north, { email: `p${i}@example.org`, role: 'member' }, ann, now))
      value(await withdraw(people, north, id, ann, now))
    }
    expect(await db.selectFrom('invitation').select('id').execute()).toHaveLength(1)
  })

  test('versions that are uploaded at once are as many as fit, and a refused one leaves nothing', async () => {
    const { db, north } = await world(await open())
    const zips = await Promise.all(['a', 'b', 'c'].map((name) => bundle({ name })))
    const largest = Math.max(...zips.map(({ length }) => length))
    await setLimits(db, north, { bundles: 2 * largest }, operator, now)
    const all = await Promise.all(zips.map((zip) => uploadBlueprint(db, north, zip, operator, now)))
    expect(codes(all)).toEqual(['bundles_too_many', 'ok', 'ok'])
    expect(await db.selectFrom('blueprint').select('name').execute()).toHaveLength(2)
  })
})

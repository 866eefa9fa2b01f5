import { expect, test } from 'vitest'
import { bundle } from '../../../testing/bundles.ts'
import { value } from '../../../testing/page/service.ts'
import { quickPasswords } from '../../../testing/quick-passwords.ts'
import { onBothEngines } from '../../../testing/stores.ts'
import { createAgent, deleteAgent, findAgent } from '../../fleet/agents/store.ts'
import type { Store } from '../../platform/db/open.ts'
import { uploadBlueprint } from '../../updates/blueprints/upload.ts'
import { issueCodes } from '../../updates/installs/issue.ts'
import { redeemInstall } from '../../updates/installs/redeem.ts'
import { openAuth } from '../accounts/auth.ts'
import { createPerson } from '../accounts/store.ts'
import { acceptInvitation } from './accepting.ts'
import { invite, listInvitations, withdrawInvitation } from './invitations.ts'
import { defaultLimits, readLimits, setLimits } from './limits.ts'
import { activate, addMember, createWorkspace } from './store.ts'

const operator = { id: null, name: 'operator' }
const now = Date.UTC(2026, 10, 22, 12)
const config = { baseUrl: 'http://localhost:8787' }
const password = 'correct horse battery'

async function newSetup(store: Store) {
  const auth = openAuth(store, {
    baseUrl: config.baseUrl,
    secret: 'a secret of the tests, long enough',
    passwords: quickPasswords,
  })
  const people = { store, auth, config }
  const person = async (name: string) => {
    const email = `${name.toLowerCase()}@example.org`
    return value(await createPerson({ people, by: operator, now }, { email, name, password }))
  }
  const ann = await person('Ann')
  const north = value(
    await createWorkspace({ people, by: operator, now }, { slug: 'north', name: 'N', adminId: ann.id }),
  )
  value(await activate({ db: store.db, by: operator, now }, 'north', 'svc'))
  return { people, db: store.db, person, ann, north }
}
const codes = (all: { ok: boolean; code?: string }[]) => all.map((each) => (each.ok ? 'ok' : each.code)).sort()

onBothEngines('limits of a workspace', (open) => {
  test('limits have defaults until the operator sets others, and say how much is used', async () => {
    const { db, north } = await newSetup(await open())
    expect(await readLimits(db, north, now)).toEqual({
      agents: { limit: defaultLimits.agents, used: 0 },
      people: { limit: defaultLimits.people, used: 1 },
      bundles: { limit: defaultLimits.bundles, used: 0 },
    })
    await setLimits({ db, by: operator, now }, north, { agents: 3, bundles: 500 })
    await setLimits({ db, by: operator, now }, north, { agents: null, people: 7 })
    expect(await readLimits(db, north, now)).toMatchObject({
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

  test("when agents are made at the same time, as many as fit are accepted; the others are refused with the limit's name", async () => {
    const { db, north } = await newSetup(await open())
    await setLimits({ db, by: operator, now }, north, { agents: 2 })
    const all = await Promise.all(
      ['a', 'b', 'c', 'd', 'e'].map((name) => createAgent({ db, by: operator, now }, north, name)),
    )
    expect(codes(all)).toEqual(['agents_too_many', 'agents_too_many', 'agents_too_many', 'ok', 'ok'])
    const refused = all.find((each) => !each.ok)
    expect(refused).toMatchObject({ message: expect.stringMatching(/may have 2 agents and has 2: .*workspace limit/) })
    expect(await readLimits(db, north, now)).toMatchObject({ agents: { limit: 2, used: 2 } })
  })

  test('an install code cannot exceed the limit of agents, and stays valid for later', async () => {
    const { db, north } = await newSetup(await open())
    value(await uploadBlueprint({ db, by: operator, now }, north, await bundle()))
    value(await createAgent({ db, by: operator, now }, north, 'first'))
    await setLimits({ db, by: operator, now }, north, { agents: 1 })
    const [issued] = value(await issueCodes({ db, by: operator, now }, north, { blueprint: 'mail', version: '1.0.0' }))
    expect(await redeemInstall(db, issued.code, now)).toMatchObject({ ok: false, code: 'agents_too_many' })
    const first = await findAgent(db, north, 'first')
    value(await deleteAgent({ db, by: operator, now }, { id: first?.id ?? '' }))
    expect(await redeemInstall(db, issued.code, now)).toMatchObject({ ok: true })
  })

  test('members and open invitations count together, even when they are added at the same time', async () => {
    const { people, db, person, ann, north } = await newSetup(await open())
    const bob = await person('Bob')
    await setLimits({ db, by: operator, now }, north, { people: 3 })
    const invites = (name: string) =>
      invite({ people, by: ann, now }, north, { email: `${name}@example.org`, role: 'member' })
    const all = await Promise.all([
      ...['w', 'x', 'y', 'z'].map(invites),
      addMember({ people, by: operator, now }, { slug: 'north', email: bob.email, role: 'member' }),
    ])
    expect(codes(all)).toEqual(['ok', 'ok', 'people_too_many', 'people_too_many', 'people_too_many'])
    expect(await readLimits(db, north, now)).toMatchObject({ people: { used: 3 } })
    const [open1] = await listInvitations(people, north, now)
    const again = await invite({ people, by: ann, now }, north, { email: open1?.email ?? '', role: 'member' })
    expect(again).toMatchObject({ ok: true })
    const accepts = (link = '') => acceptInvitation({ people, by: undefined, now }, link, { name: 'New', password })
    if (again.ok) expect(await accepts(again.value.url.split('/').at(-1))).toMatchObject({ ok: true })
    expect(await readLimits(db, north, now)).toMatchObject({ people: { used: 3 } })
  })

  test('a withdrawn invitation frees its place, and is deleted', async () => {
    const { people, db, ann, north } = await newSetup(await open())
    await setLimits({ db, by: operator, now }, north, { people: 2 })
    for (let i = 0; i < 5; i++) {
      const { id } = value(
        await invite({ people, by: ann, now }, north, { email: `p${i}@example.org`, role: 'member' }),
      )
      value(await withdrawInvitation({ people, by: ann, now }, north, id))
    }
    expect(await db.selectFrom('invitation').select('id').execute()).toHaveLength(1)
  })

  test('when versions are uploaded at the same time, as many as fit are accepted, and a refused one leaves nothing', async () => {
    const { db, north } = await newSetup(await open())
    const zips = await Promise.all(['a', 'b', 'c'].map((name) => bundle({ name })))
    const largest = Math.max(...zips.map(({ length }) => length))
    await setLimits({ db, by: operator, now }, north, { bundles: 2 * largest })
    const all = await Promise.all(zips.map((zip) => uploadBlueprint({ db, by: operator, now }, north, zip)))
    expect(codes(all)).toEqual(['bundles_too_many', 'ok', 'ok'])
    expect(await db.selectFrom('blueprint').select('name').execute()).toHaveLength(2)
  })
})

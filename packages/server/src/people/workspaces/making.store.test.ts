import { expect, test } from 'vitest'
import { value } from '../../../testing/page/service.ts'
import { onEveryEngine } from '../../../testing/stores.ts'
import { openAuth } from '../accounts/auth.ts'
import { createPerson } from '../accounts/store.ts'
import { createOwnWorkspace, maxOwnWorkspaces } from './making.ts'
import { listWorkspacesOf } from './rights.ts'
import { activate, addMember, createWorkspace, isActivated } from './store.ts'

const operator = { id: null, name: 'operator' }
const now = Date.UTC(2026, 10, 22, 12)

onEveryEngine('a workspace made on the page', (open) => {
  test('an admin of an activated workspace can make another, which is activated and has its maker as admin; twenty at most', async () => {
    const store = await open()
    const auth = openAuth(store, { baseUrl: 'http://localhost', secret: 'a secret of the tests, long enough' })
    const people = { store, auth }
    const wanted = { email: 'ann@example.org', name: 'Ann', password: 'correct horse battery' }
    const ann = value(await createPerson({ people, by: operator, now }, wanted))
    const makes = (slug: string) => createOwnWorkspace({ people, by: ann, now }, { slug, name: slug })
    value(await createWorkspace({ people, by: operator, now }, { slug: 'north', name: 'N' }))
    expect(await makes('mine')).toMatchObject({ ok: false, code: 'not_allowed' })
    value(await addMember({ people, by: operator, now }, { slug: 'north', email: ann.email, role: 'admin' }))
    expect(await makes('mine')).toMatchObject({ ok: false, code: 'not_allowed' })
    value(await activate({ db: store.db, by: operator, now }, 'north', 'svc'))
    const mine = value(await makes('mine'))
    expect(await isActivated(store.db, mine.id)).toBe(true)
    expect(await makes('mine')).toMatchObject({ ok: false, code: 'slug_taken' })
    const all = await Promise.all(Array.from({ length: maxOwnWorkspaces }, (_, i) => makes(`more-${i}`)))
    expect(all.filter(({ ok }) => ok)).toHaveLength(maxOwnWorkspaces - 2)
    expect(await listWorkspacesOf(store.db, { person: ann, session: { id: '' } }, now)).toHaveLength(maxOwnWorkspaces)
  })
})

/** Tests the stored views: who has which, which one replaces another, and what is deleted together with what. */
import type { NewView } from '@svc/api'
import { expect, test } from 'vitest'
import { onBothEngines } from '../../../testing/stores.ts'
import { addPerson, addWorkspace, newTestWorkspace } from '../../../testing/test-workspace.ts'
import type { Actor } from '../../people/audit/by.ts'
import { deleteWorkspace } from '../../people/workspaces/delete.ts'
import { eraseDeletedWorkspaces } from '../../people/workspaces/erase.ts'
import type { Db } from '../../platform/db/open.ts'
import { maxViews, readViews, removeView, setView, sharedView } from './store.ts'

const operator: Actor = { id: null, name: 'operator' }
const bad: NewView = { name: 'Bad ones', shared: false, q: 'level:bad', sort: null, columns: null }
const shared = (name: string, q = 'level:bad'): NewView => ({ ...bad, name, shared: true, q })

onBothEngines('views', (open) => {
  const start = async () => {
    const w = await newTestWorkspace(await open())
    const { db } = w.store
    const now = w.clock.now()
    const bob = await addPerson(w.store, 'Bob', w.workspace.id, 'member', now)
    const ctx = (by: Actor, role: 'admin' | 'member' = 'admin') => ({ db, by, role, factorMissing: false, now })
    const save = (by: Actor, view: NewView, role?: 'admin' | 'member') => setView(ctx(by, role), w.workspace, view)
    const saved = async (...call: Parameters<typeof save>) => {
      const verdict = await save(...call)
      if (!verdict.ok) throw new Error(verdict.message)
      return verdict.value.view
    }
    const names = async (by: { id: string | null }) => (await readViews(db, w.workspace, by)).map(({ name }) => name)
    const lines = () => db.selectFrom('audit').select(['action', 'subject', 'details', 'actor']).execute()
    return { w, db, now, bob, ctx, save, saved, names, lines }
  }

  test('a person sees the views of the workspace first, and then only their own, each sorted by name', async () => {
    const { w, bob, saved, names } = await start()
    for (const [by, view] of [
      [operator, shared('outdated')],
      [w.admin, shared('Bad in eu')],
      [w.admin, bad],
      [w.admin, { ...bad, name: 'Ada first' }],
      [bob, { ...bad, name: 'bob only' }],
    ] as const)
      await saved(by, view)
    expect(await names(w.admin)).toEqual(['Bad in eu', 'outdated', 'Ada first', 'Bad ones'])
    expect(await names(bob)).toEqual(['Bad in eu', 'outdated', 'bob only'])
    expect(await names(operator)).toEqual(['Bad in eu', 'outdated'])
  })

  test('a view of the same owner and name is replaced and keeps its id; another owner has one of the same name', async () => {
    const { w, bob, save, saved, names } = await start()
    const first = await saved(w.admin, bad)
    const changed = { ...bad, q: 'level:warn', sort: '-seen', columns: ['host', 'tags'] } as const
    const again = await save(w.admin, { ...changed, columns: [...changed.columns] })
    expect(again).toMatchObject({ ok: true, value: { made: false, view: { ...changed, id: first.id } } })
    expect(await save(bob, bad)).toMatchObject({ ok: true, value: { made: true } })
    expect(await save(operator, { ...bad, shared: true })).toMatchObject({ ok: true, value: { made: true } })
    expect(await names(w.admin)).toEqual(['Bad ones', 'Bad ones'])
  })

  test('views of the workspace are in the activity, those of a person are not, and a second press adds no line', async () => {
    const { w, db, bob, ctx, saved, lines } = await start()
    const own = await saved(bob, bad, 'member')
    const { id } = await saved(w.admin, shared('Bad in eu', 'level:bad tag:eu'))
    await saved(w.admin, shared('Bad in eu', 'level:bad tag:eu'))
    await removeView(ctx(bob, 'member'), w.workspace, own.id)
    await removeView(ctx(w.admin), w.workspace, id)
    const line = { actor: 'Ada', subject: 'view Bad in eu', details: '{"q":"level:bad tag:eu"}' }
    expect(await lines()).toEqual([
      { ...line, action: 'view.saved' },
      { ...line, action: 'view.removed' },
    ])
    expect(await db.selectFrom('saved_view').select('id').execute()).toEqual([])
  })

  test.each([
    ['a member', false, 'not_allowed'],
    ['an admin who has shown no second factor', true, 'factor_required'],
  ])('%s saves and removes no view of the workspace', async (_who, factorMissing, code) => {
    const { w, bob, ctx, saved, names } = await start()
    const { id } = await saved(w.admin, shared('Bad in eu'))
    const member = { ...ctx(bob, 'member'), factorMissing }
    expect(await setView(member, w.workspace, shared('Bad in eu', 'level:ok'))).toMatchObject({ ok: false, code })
    expect(await removeView(member, w.workspace, id)).toMatchObject({ ok: false, code })
    expect(await names(bob)).toEqual(['Bad in eu'])
  })

  test('views of another person and of another workspace are not found', async () => {
    const { w, db, now, bob, ctx, saved, names } = await start()
    const south = await addWorkspace(w.store, 'south', true, now)
    const own = await saved(w.admin, bad)
    const common = await saved(w.admin, shared('Bad in eu'))
    const refused = { ok: false, code: 'view_unknown' }
    expect(await removeView(ctx(bob), w.workspace, own.id)).toMatchObject(refused)
    expect(await removeView(ctx(w.admin), south, common.id)).toMatchObject(refused)
    expect(await removeView(ctx(w.admin), w.workspace, 'nothing')).toMatchObject(refused)
    expect(await sharedView(db, south, 'Bad in eu')).toMatchObject(refused)
    expect(await sharedView(db, w.workspace, 'Bad ones')).toMatchObject({
      ...refused,
      message: 'The workspace has no view "Bad ones". It has "Bad in eu".',
    })
    expect(await names(w.admin)).toEqual(['Bad in eu', 'Bad ones'])
  })

  test('a view that replaces another one by its id renames it, also when there are 100, and keeps its id', async () => {
    const { w, bob, save, saved, names } = await start()
    const first = await saved(w.admin, bad)
    for (let i = 2; i <= maxViews; i++) await saved(w.admin, { ...bad, name: `View ${i}` })
    const renamed = { ...bad, name: 'In trouble', replaces: first.id }
    for (const _ of ['once', 'again'])
      expect(await save(w.admin, renamed)).toMatchObject({ ok: true, value: { made: false, view: { id: first.id } } })
    expect(await names(w.admin)).toHaveLength(maxViews)
    expect(await names(w.admin)).toContain('In trouble')
    expect(await save(w.admin, { ...renamed, name: 'View 2' })).toMatchObject({
      ok: false,
      code: 'view_taken',
      message: 'There is a view "View 2" already. Choose another name, or remove that view.',
    })
    for (const foreign of [
      await save(bob, renamed),
      await save(w.admin, { ...renamed, shared: true }),
      await save(w.admin, { ...renamed, replaces: 'nothing' }),
    ])
      expect(foreign).toMatchObject({ ok: false, code: 'view_unknown' })
  })

  test('a view of the workspace that is renamed is one line of the activity', async () => {
    const { w, saved, lines } = await start()
    const { id } = await saved(w.admin, shared('Bad'))
    await saved(w.admin, { ...shared('Bad in eu'), replaces: id })
    expect((await lines()).map(({ action, subject, details }) => [action, subject, details])).toEqual([
      ['view.saved', 'view Bad', '{"q":"level:bad"}'],
      ['view.renamed', 'view Bad in eu', '{"from":"Bad","q":"level:bad"}'],
    ])
  })

  test('a person and the workspace have at most 100 each, also if two are saved at the same time', async () => {
    const { w, bob, save, saved, names } = await start()
    for (let i = 1; i < maxViews; i++) await saved(w.admin, { ...bad, name: `View ${i}` })
    const both = await Promise.all(['One', 'Two'].map((name) => save(w.admin, { ...bad, name })))
    expect(both.map((verdict) => (verdict.ok ? 'saved' : verdict.code)).sort()).toEqual(['saved', 'views_too_many'])
    expect(await save(w.admin, { ...bad, name: 'View 1', q: '' })).toMatchObject({ ok: true })
    expect(await save(w.admin, shared('Bad ones'))).toMatchObject({ ok: true })
    expect(await save(bob, bad)).toMatchObject({ ok: true })
    expect(await names(w.admin)).toHaveLength(maxViews + 1)
  })

  test('a person who leaves loses their own views there, also by a node that does not know views', async () => {
    const { w, db, bob, saved, names } = await start()
    await saved(bob, bad)
    await saved(w.admin, bad)
    await saved(w.admin, shared('Bad in eu'))
    // The statement with which earlier versions remove a member.
    await db.deleteFrom('member').where('userId', '=', bob.id).execute()
    expect(await names(bob)).toEqual(['Bad in eu'])
    expect(await names(w.admin)).toEqual(['Bad in eu', 'Bad ones'])
    expect(await db.selectFrom('saved_view').select('id').execute()).toHaveLength(2)
  })

  test.each([
    ['this version', (db: Db) => eraseDeletedWorkspaces(db)],
    [
      'a node that does not know views',
      async (db: Db) => {
        await db.deleteFrom('agent').execute()
        await db.deleteFrom('workspace').execute()
      },
    ],
  ])('a workspace that is deleted by %s leaves no view', async (_who, erase) => {
    const { w, db, now, saved } = await start()
    await saved(w.admin, bad)
    await saved(w.admin, shared('Bad in eu'))
    await deleteWorkspace({ db, by: w.admin, now }, w.workspace)
    await erase(db)
    expect(await db.selectFrom('saved_view').select('id').execute()).toEqual([])
  })

  test('an order or a column that this version does not know is left out', async () => {
    const { w, db, saved } = await start()
    await saved(w.admin, { ...bad, sort: '-seen', columns: ['host'] })
    await db.updateTable('saved_view').set({ sort: '-mood', columns: '["mood","host"]' }).execute()
    expect(await readViews(db, w.workspace, w.admin)).toMatchObject([{ sort: null, columns: ['host'] }])
  })
})

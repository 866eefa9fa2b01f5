import { expect, test } from 'vitest'
import { onEveryEngine } from '../../../testing/stores.ts'
import { newTestWorkspace } from '../../../testing/test-workspace.ts'
import { activate, isActivated } from '../../people/workspaces/store.ts'
import { addProduct, listProducts, removeProduct } from './store.ts'

onEveryEngine('products', (open) => {
  const tasks = { id: 'tasks', origin: 'https://tasks.example.org/' }

  test('a product is added once, its secret is stored only as a hash, and removing it ends its activations', async () => {
    const { store, admin, workspace, clock } = await newTestWorkspace(await open())
    const added = await addProduct({ db: store.db, by: admin, now: clock.now() }, tasks)
    const secret = added.ok ? added.value.secret : ''
    expect(secret).toMatch(/^[\w-]{43}$/)
    expect(await addProduct({ db: store.db, by: admin, now: clock.now() }, tasks)).toMatchObject({
      ok: false,
      code: 'product_taken',
    })
    expect(await listProducts(store.db)).toEqual([
      { id: 'tasks', origin: 'https://tasks.example.org', createdAt: clock.now() },
    ])
    expect(JSON.stringify(await store.db.selectFrom('product').selectAll().execute())).not.toContain(secret)

    await activate({ db: store.db, by: admin, now: clock.now() }, workspace.slug, 'tasks')
    expect(await removeProduct({ db: store.db, by: admin, now: clock.now() }, 'tasks')).toEqual({
      ok: true,
      value: null,
    })
    expect(await isActivated(store.db, workspace.id, 'tasks')).toBe(false)
    expect(await isActivated(store.db, workspace.id)).toBe(true)
    expect(await removeProduct({ db: store.db, by: admin, now: clock.now() }, 'tasks')).toMatchObject({
      code: 'product_unknown',
    })
    const written = await store.db.selectFrom('audit').select('action').orderBy('id').execute()
    expect(written.map(({ action }) => action)).toEqual(['product.added', 'workspace.activated', 'product.removed'])
  })

  test.each([
    ['this service itself', { ...tasks, id: 'svc' }, 'product_invalid'],
    ["a name that cannot be part of a variable's name", { ...tasks, id: 'my-tasks' }, 'product_invalid'],
    ['an address with a path', { ...tasks, origin: 'https://tasks.example.org/app' }, 'origin_invalid'],
    ['an invalid address', { ...tasks, origin: 'tasks' }, 'origin_invalid'],
  ])('%s is not a product', async (_what, product, code) => {
    const { store, admin, clock } = await newTestWorkspace(await open())
    expect(await addProduct({ db: store.db, by: admin, now: clock.now() }, product)).toMatchObject({ ok: false, code })
    expect(await listProducts(store.db)).toEqual([])
  })
})

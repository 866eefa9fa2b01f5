import { expect, test } from 'vitest'
import { everyEngine } from '../../../testing/stores.ts'
import { openAuth } from './auth.ts'
import { maxSignIns, recordSignIn, signInsOf } from './history.ts'
import { createPerson } from './store.ts'

const operator = { id: null, name: 'operator' }

everyEngine('sign-ins', (open) => {
  test('the last sign-ins of a person are kept, newest first, and displace none of other people', async () => {
    const store = await open()
    const auth = openAuth(store, { baseUrl: 'http://localhost', secret: 'a secret of the tests, long enough' })
    const make = async (name: string) => {
      const person = { email: `${name}@example.org`, name, password: 'correct horse battery' }
      const made = await createPerson({ people: { store, auth }, by: operator, now: 0 }, person)
      if (!made.ok) throw new Error(made.message)
      return made.value.id
    }
    const [ann, bob] = [await make('ann'), await make('bob')]
    const record = (at: number) => ({
      at,
      method: 'password' as const,
      address: '192.0.2.1',
      userAgent: 'x'.repeat(999),
    })
    await recordSignIn(store.db, bob, record(1))
    for (let at = 1; at <= maxSignIns + 5; at++) await recordSignIn(store.db, ann, record(at))
    const kept = await signInsOf(store.db, ann)
    expect(kept.map(({ at }) => at)).toEqual(Array.from({ length: maxSignIns }, (_, i) => maxSignIns + 5 - i))
    expect(kept[0]).toEqual({ at: 25, method: 'password', address: '192.0.2.1', userAgent: 'x'.repeat(300) })
    expect(await signInsOf(store.db, bob)).toHaveLength(1)
    const rows = await store.db.selectFrom('sign_in').select('id').where('person_id', '=', ann).execute()
    expect(rows).toHaveLength(maxSignIns)
  })
})

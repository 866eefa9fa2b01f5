import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { onBothEngines } from '../../../testing/stores.ts'
import type { Store } from '../../platform/db/open.ts'
import { factorKindsOf, factorsHeld, factorsOfPerson, hasAnyFactor, provesByFactor, waysToFinish } from './held.ts'
import { deletePasskey, findPasskey, insertPasskey, isCounterGood, notePasskeyUse, spendChallenge } from './passkeys.ts'
import { replaceRecovery, storeTotp } from './store.ts'

const now = Date.UTC(2026, 10, 25, 12)
const [host, here] = ['svc.example.org', { baseUrl: 'https://svc.example.org' }]

async function person({ db, engine }: Store, name = 'Ann'): Promise<string> {
  const id = randomUUID()
  const at = new Date(now).toISOString()
  await sql`insert into "user" (id, name, email, "emailVerified", "createdAt", "updatedAt")
    values (${id}, ${name}, ${`${id}@example.org`}, ${engine === 'sqlite' ? 1 : true}, ${at}, ${at})`.execute(db)
  return id
}
async function added({ db }: Store, of: string, counter = 0): Promise<string> {
  const made = await insertPasskey(
    db,
    { person: of, name: 'Laptop', host, credential: randomUUID(), publicKey: 'key', counter },
    now,
  )
  if (typeof made === 'string') throw new Error(`The passkey was refused: ${made}.`)
  return made.id
}

onBothEngines('passkeys', (open) => {
  test('the counter only rises, one that stays 0 is fine, and a passkey that was removed has no use', async () => {
    const store = await open()
    const { db } = store
    const ann = await person(store)
    const [counting, silent] = [await added(store, ann, 5), await added(store, ann)]
    const uses = [6, 6, 5, 0, 7].map((counter) => () => notePasskeyUse(db, counting, counter, now))
    const noted: boolean[] = []
    for (const use of uses) noted.push(await use())
    expect(noted).toEqual([true, false, false, false, true])
    for (let i = 0; i < 3; i++) expect(await notePasskeyUse(db, silent, 0, now)).toBe(true)
    expect(await deletePasskey(db, ann, silent)).toEqual({ name: 'Laptop' })
    expect(await notePasskeyUse(db, silent, 0, now)).toBe(false)
    expect(await notePasskeyUse(db, silent, 1, now)).toBe(false)
  })

  test('a challenge is used up once, also by several at the same moment', async () => {
    const { db } = await open()
    const challenge = { challenge: 'one', expiresAt: now }
    const spent = await Promise.all(Array.from({ length: 4 }, () => spendChallenge(db, challenge)))
    expect(spent.filter(Boolean)).toHaveLength(1)
    expect(await spendChallenge(db, { challenge: 'two', expiresAt: now })).toBe(true)
    const rows = await db.selectFrom('passkey_challenge').selectAll().execute()
    expect(JSON.stringify(rows), 'only its hash is stored').not.toContain('one')
  })

  test('a device’s id is known once in the service, and only its person removes a passkey', async () => {
    const store = await open()
    const { db } = store
    const [ann, bob] = [await person(store), await person(store, 'Bob')]
    const passkey = { person: ann, name: 'Laptop', host, credential: 'device', publicKey: 'key', counter: 0 }
    expect(await insertPasskey(db, passkey, now)).toEqual({ id: expect.any(String) })
    expect(await insertPasskey(db, { ...passkey, person: bob }, now)).toBe('known')
    const row = await findPasskey(db, 'device')
    expect(await deletePasskey(db, bob, row?.id ?? '')).toBeUndefined()
    expect(await deletePasskey(db, ann, row?.id ?? '')).toBeDefined()
  })

  test('each question about factors has its own answer', async () => {
    const store = await open()
    const { db } = store
    const people = { none: '', app: '', codes: '', passkey: '', both: '' }
    for (const name of Object.keys(people) as (keyof typeof people)[]) people[name] = await person(store, name)
    await storeTotp(db, people.none, 'not confirmed', now)
    for (const id of [people.app, people.codes, people.both]) {
      await storeTotp(db, id, 'sealed', now)
      await db.updateTable('totp').set({ confirmed_at: now }).where('person_id', '=', id).execute()
    }
    for (const id of [people.codes, people.both]) await replaceRecovery(db, id, now)
    for (const id of [people.passkey, people.both]) await added(store, id)
    const all = await factorsHeld(db, here, 'everybody')
    const answers: Record<string, unknown> = {}
    for (const [name, id] of Object.entries(people)) {
      const held = await factorsOfPerson(db, here, id)
      expect(all.get(id)).toEqual(held)
      answers[name] = [waysToFinish(held), provesByFactor(held), hasAnyFactor(held), factorKindsOf(held)]
    }
    expect(answers).toEqual({
      none: [[], false, false, []],
      app: [['totp'], true, true, ['totp']],
      codes: [['totp', 'recovery'], true, true, ['totp']],
      passkey: [[], true, true, ['passkey']],
      both: [['totp', 'recovery', 'passkey'], true, true, ['totp', 'passkey']],
    })
    for (const baseUrl of ['https://other.example.org', 'http://svc.example.org', 'https://192.0.2.1']) {
      const [passkey, both] = [
        await factorsOfPerson(db, { baseUrl }, people.passkey),
        await factorsOfPerson(db, { baseUrl }, people.both),
      ]
      expect([baseUrl, provesByFactor(passkey), factorKindsOf(both)]).toEqual([baseUrl, false, ['totp']])
    }
  })
})

test.each([
  [0, 0, true],
  [0, 1, true],
  [1, 2, true],
  [1, 1, false],
  [2, 1, false],
  [1, 0, false],
])('a counter of %i that becomes %i is good: %s', (before, shown, good) =>
  expect(isCounterGood(before, shown)).toBe(good),
)
